-- People, their second factors and their credentials. Secrets are digests or sealed, never plain.

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    username TEXT NOT NULL,
    username_key TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    email TEXT,
    locale TEXT,
    password TEXT,
    operator BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    last_seen_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX users_of_org ON users (org_id, id);

CREATE TABLE totp (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    secret TEXT NOT NULL,
    armed_at TEXT,
    last_step INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    used_at TEXT,
    PRIMARY KEY (user_id, digest)
) STRICT, WITHOUT ROWID;

-- kind: session, api, worker, s3. A worker's token has no person behind it.
-- An S3 access key is known by its id, of which this holds the digest; its secret is sealed, since it signs.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    secret TEXT,
    hint TEXT NOT NULL,
    scope TEXT,
    address TEXT NOT NULL,
    agent TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    last_used_at TEXT,
    revoked_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_of_user ON tokens (user_id, kind, id);
CREATE INDEX tokens_of_team ON tokens (team_id, kind, id);

-- Links by which somebody without a password sets their first one; each works once.
CREATE TABLE activations (
    digest TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX activations_of_user ON activations (user_id);
CREATE INDEX activations_by_age ON activations (expires_at);

-- Failed sign-ins, by username and by address.
CREATE TABLE login_attempts (
    subject TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    resets_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_age ON login_attempts (resets_at);
