CREATE TABLE subject(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, UNIQUE(name, version));
CREATE TABLE campaign(
    id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subject, seed INTEGER NOT NULL,
    manifest BLOB NOT NULL);
CREATE TABLE type(
    id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subject, name TEXT NOT NULL,
    UNIQUE(subject, name));
CREATE TABLE operation(
    id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subject, name TEXT NOT NULL,
    UNIQUE(subject, name));
CREATE TABLE query(
    id INTEGER PRIMARY KEY, type INTEGER NOT NULL REFERENCES type, name TEXT NOT NULL,
    UNIQUE(type, name));
-- steps: length of the shortest recipe that leads to the state.
CREATE TABLE state(
    id INTEGER PRIMARY KEY, type INTEGER NOT NULL REFERENCES type, digest INTEGER NOT NULL,
    steps INTEGER, bytes BLOB, UNIQUE(type, digest));
CREATE INDEX state_by_steps ON state(type, steps, digest);
-- int_value: an integer, a truth value, a character, an element's key; of options and results
-- whether they are Some or Ok; of sequences and texts their length. text_value: what
-- int_value cannot tell.
CREATE TABLE state_value(
    state INTEGER NOT NULL REFERENCES state, query INTEGER NOT NULL REFERENCES query,
    kind INTEGER NOT NULL, int_value INTEGER, text_value TEXT,
    PRIMARY KEY(state, query)) WITHOUT ROWID;
CREATE INDEX state_value_by_int ON state_value(query, int_value, kind, state);
CREATE TABLE recipe(
    id INTEGER PRIMARY KEY, digest INTEGER NOT NULL UNIQUE, steps INTEGER NOT NULL,
    bytes BLOB NOT NULL);
-- pinned: a relation refers to it, so it stays.
CREATE TABLE object(
    id INTEGER PRIMARY KEY, state INTEGER NOT NULL REFERENCES state,
    recipe INTEGER NOT NULL REFERENCES recipe, step INTEGER NOT NULL, out INTEGER NOT NULL,
    steps INTEGER NOT NULL, pinned INTEGER NOT NULL, UNIQUE(recipe, step, out));
CREATE INDEX object_by_state ON object(state, steps, recipe);
CREATE INDEX object_by_pin ON object(state, pinned, steps);
CREATE TABLE relation(
    query INTEGER NOT NULL REFERENCES query, a INTEGER NOT NULL REFERENCES object,
    b INTEGER NOT NULL REFERENCES object, state_a INTEGER NOT NULL, state_b INTEGER NOT NULL,
    kind INTEGER NOT NULL, int_value INTEGER, text_value TEXT,
    PRIMARY KEY(a, b, query)) WITHOUT ROWID;
CREATE INDEX relation_by_value ON relation(query, int_value, kind);
CREATE INDEX relation_by_states ON relation(query, state_a, state_b, int_value);
CREATE INDEX relation_by_b ON relation(b);
CREATE TABLE call(
    id INTEGER PRIMARY KEY, campaign INTEGER NOT NULL REFERENCES campaign,
    operation INTEGER NOT NULL REFERENCES operation, outcome TEXT NOT NULL,
    recipe INTEGER NOT NULL UNIQUE REFERENCES recipe, vocabulary INTEGER NOT NULL,
    before_key INTEGER NOT NULL, keep_key INTEGER NOT NULL, observation BLOB NOT NULL);
CREATE INDEX call_by_before ON call(operation, before_key);
CREATE INDEX call_by_keep ON call(operation, keep_key);
CREATE INDEX call_by_vocabulary ON call(operation, vocabulary);
CREATE TABLE operand(
    call INTEGER NOT NULL REFERENCES call, position INTEGER NOT NULL,
    state_before INTEGER, state_after INTEGER, text_value TEXT,
    PRIMARY KEY(call, position)) WITHOUT ROWID;
CREATE TABLE literal(
    operation INTEGER NOT NULL REFERENCES operation, position INTEGER NOT NULL,
    digest INTEGER NOT NULL, bytes BLOB NOT NULL, text_value TEXT NOT NULL,
    PRIMARY KEY(operation, position, digest)) WITHOUT ROWID;
CREATE TABLE transition(
    id INTEGER PRIMARY KEY, operation INTEGER NOT NULL REFERENCES operation,
    key INTEGER NOT NULL, count INTEGER NOT NULL, example INTEGER NOT NULL REFERENCES recipe,
    steps INTEGER NOT NULL, UNIQUE(operation, key));
CREATE TABLE transition_flip(
    transition INTEGER NOT NULL REFERENCES transition, query INTEGER NOT NULL REFERENCES query,
    position INTEGER NOT NULL, with_position INTEGER NOT NULL,
    before_kind INTEGER NOT NULL, before_int_value INTEGER, before_text_value TEXT,
    after_kind INTEGER NOT NULL, after_int_value INTEGER, after_text_value TEXT,
    PRIMARY KEY(query, transition, position, with_position)) WITHOUT ROWID;
CREATE TABLE contract(
    campaign INTEGER NOT NULL REFERENCES campaign, number INTEGER NOT NULL,
    operation INTEGER NOT NULL REFERENCES operation, kind TEXT NOT NULL, expr TEXT NOT NULL,
    bytes BLOB NOT NULL, distinct_calls INTEGER NOT NULL, at_risk INTEGER NOT NULL,
    attacks INTEGER NOT NULL, PRIMARY KEY(campaign, number)) WITHOUT ROWID;
CREATE TABLE verdict(
    campaign INTEGER NOT NULL, contract INTEGER NOT NULL, verdict TEXT NOT NULL,
    attacks INTEGER, reason TEXT, via TEXT, recipe INTEGER REFERENCES recipe,
    PRIMARY KEY(campaign, contract)) WITHOUT ROWID;
CREATE TABLE fault(
    campaign INTEGER NOT NULL REFERENCES campaign, id TEXT NOT NULL, oracle TEXT NOT NULL,
    operation TEXT NOT NULL, message TEXT NOT NULL, recipe INTEGER NOT NULL REFERENCES recipe,
    confirmation TEXT NOT NULL, PRIMARY KEY(campaign, id)) WITHOUT ROWID;
CREATE TABLE skip(
    campaign INTEGER NOT NULL REFERENCES campaign, operation TEXT NOT NULL,
    reason TEXT NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY(campaign, operation, reason, detail)) WITHOUT ROWID;
