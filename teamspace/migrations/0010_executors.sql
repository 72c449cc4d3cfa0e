-- Executors run model jobs besides the server itself. The workers of a pull executor claim jobs over HTTP; a push
-- executor is a model server that this server calls.

-- org_id: the company it works for; '' is all of them. capabilities: the job kinds it takes (JSON).
-- url, secret (encrypted) and fingerprint: for push executors. reach: the networks that calls to it may use, which
-- depends on who created it.
CREATE TABLE executors (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    mode TEXT NOT NULL,
    model TEXT,
    capabilities TEXT NOT NULL,
    token_id TEXT REFERENCES tokens (id) ON DELETE SET NULL,
    url TEXT,
    secret TEXT,
    fingerprint TEXT,
    reach TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_seen_at TEXT,
    retired_at TEXT
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX executors_name ON executors (org_id, name_key) WHERE retired_at IS NULL;
CREATE INDEX executors_token ON executors (token_id);
