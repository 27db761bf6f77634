-- build: a digest of what was run; what another build showed may not be so any more.
ALTER TABLE campaign ADD COLUMN build INTEGER;
-- steps: of both objects together, so that pairs are found in the order of their recipes.
ALTER TABLE relation ADD COLUMN steps INTEGER NOT NULL DEFAULT 0;
UPDATE relation SET steps = (SELECT sum(steps) FROM object WHERE object.id IN (a, b));
DROP INDEX relation_by_value;
CREATE INDEX relation_by_value ON relation(query, int_value, kind, steps);
CREATE INDEX relation_by_state_b ON relation(query, state_b, state_a);
