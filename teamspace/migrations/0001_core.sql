-- What the kernel itself keeps.

-- One row for each fact about the instance: that it was set up, the canary that proves the secret key,
-- and a value that changes whenever anybody's rights may have.
CREATE TABLE instance (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO instance (name, value) VALUES ('rights_epoch', '');

-- The audit trail. A row is inserted with the write it records; seq and hash are set once, by the sealer.
CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    team_id TEXT,
    at TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT,
    token_id TEXT,
    action TEXT NOT NULL,
    target TEXT,
    detail TEXT NOT NULL,
    request_id TEXT NOT NULL,
    address TEXT NOT NULL,
    seq INTEGER,
    hash TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX audit_chain ON audit (org_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_unsealed ON audit (org_id, id) WHERE seq IS NULL;
CREATE INDEX audit_of_team ON audit (team_id, id);

-- Idempotency keys of the last day; the answer is sealed, since it may hold a secret.
CREATE TABLE idempotency (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    created_at TEXT NOT NULL,
    status INTEGER,
    answer TEXT,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);
