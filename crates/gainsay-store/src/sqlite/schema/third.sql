-- What is known belongs to a build: a program, looked at through certain queries. Another build of the
-- crate has rows of its own, so that nothing goes when a crate changes.
-- program: a digest of the program that was run. views: a digest of the queries that take part.
CREATE TABLE build(
    id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subject, program INTEGER NOT NULL,
    views INTEGER NOT NULL, UNIQUE(subject, program, views));
-- The views of what is there already are digested afterwards: SQL cannot read manifests.
INSERT INTO build(subject, program, views)
    SELECT subject, ifnull(build, 0), 0 FROM campaign
    GROUP BY subject, ifnull(build, 0) ORDER BY max(id);

CREATE TABLE new_campaign(
    id INTEGER PRIMARY KEY, build INTEGER NOT NULL REFERENCES build, seed INTEGER NOT NULL,
    manifest BLOB NOT NULL);
INSERT INTO new_campaign SELECT c.id, b.id, c.seed, c.manifest FROM campaign c
    JOIN build b ON b.subject = c.subject AND b.program = ifnull(c.build, 0);
DROP TABLE campaign;
ALTER TABLE new_campaign RENAME TO campaign;
CREATE INDEX campaign_by_build ON campaign(build);

-- number: what recipes and observations say. Of a build that begins here they count from 1, so that
-- equal campaigns have equal recipes whatever else is in the store; older stores used the rows.
CREATE TABLE new_type(
    id INTEGER PRIMARY KEY, build INTEGER NOT NULL REFERENCES build, number INTEGER NOT NULL,
    name TEXT NOT NULL, UNIQUE(build, name), UNIQUE(build, number));
INSERT INTO new_type SELECT t.id, (
        SELECT b.id FROM campaign c JOIN build b ON b.id = c.build
        WHERE b.subject = t.subject ORDER BY c.id DESC LIMIT 1), t.id, t.name FROM type t;
DROP TABLE type;
ALTER TABLE new_type RENAME TO type;

CREATE TABLE new_operation(
    id INTEGER PRIMARY KEY, build INTEGER NOT NULL REFERENCES build, number INTEGER NOT NULL,
    name TEXT NOT NULL, UNIQUE(build, name), UNIQUE(build, number));
INSERT INTO new_operation SELECT o.id, (
        SELECT b.id FROM campaign c JOIN build b ON b.id = c.build
        WHERE b.subject = o.subject ORDER BY c.id DESC LIMIT 1), o.id, o.name FROM operation o;
DROP TABLE operation;
ALTER TABLE new_operation RENAME TO operation;

CREATE TABLE new_recipe(
    id INTEGER PRIMARY KEY, build INTEGER NOT NULL REFERENCES build, digest INTEGER NOT NULL,
    steps INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE(build, digest));
INSERT INTO new_recipe SELECT id, (SELECT build FROM campaign ORDER BY id DESC LIMIT 1), digest,
    steps, bytes FROM recipe;
DROP TABLE recipe;
ALTER TABLE new_recipe RENAME TO recipe;

-- recipe: none where the call was observed and cannot be made again. test: the user's test that made
-- it. edge: the key of its edge, of which it is an example. observation: ends with the lenders whose
-- loan the call ended since this schema; a call of before has none of them, an empty list of eight zeros.
CREATE TABLE new_call(
    id INTEGER PRIMARY KEY, campaign INTEGER NOT NULL REFERENCES campaign,
    operation INTEGER NOT NULL REFERENCES operation, provenance TEXT NOT NULL, test TEXT,
    outcome TEXT NOT NULL, recipe INTEGER UNIQUE REFERENCES recipe, vocabulary INTEGER NOT NULL,
    before_key INTEGER NOT NULL, keep_key INTEGER NOT NULL, edge INTEGER,
    observation BLOB NOT NULL);
INSERT INTO new_call SELECT id, campaign, operation, 'explored', NULL, outcome, recipe, vocabulary,
    before_key, keep_key, NULL, CAST(observation || x'0008' AS BLOB) FROM call;
DROP TABLE call;
ALTER TABLE new_call RENAME TO call;
CREATE INDEX call_by_operation ON call(operation, vocabulary, before_key);
CREATE INDEX call_by_edge ON call(operation, edge);

-- An edge: the calls of an operation that led an object from one state to another, with one kind of
-- outcome. end_before, end_after: `state`, with its digest beside it, which need not be described in
-- `state`; `absent`: the call made the object, or did not return; `rest`: one of the states that are not
-- told apart; `unchanged`: the same one of these; `unseen`: nobody looked.
-- type: none where the call was about no object.
CREATE TABLE edge(
    operation INTEGER NOT NULL REFERENCES operation, key INTEGER NOT NULL,
    type INTEGER REFERENCES type, position INTEGER, end_before TEXT NOT NULL, state_before INTEGER,
    outcome TEXT NOT NULL, end_after TEXT NOT NULL, state_after INTEGER, count INTEGER NOT NULL,
    PRIMARY KEY(operation, key)) WITHOUT ROWID;
