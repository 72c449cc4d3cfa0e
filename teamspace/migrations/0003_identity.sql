-- People, their second factors and their credentials. Secrets are digests or sealed, never plain.

-- password_by: who else chose the password; NULL once its person has. disabled_at: no credential works since then.
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    username TEXT NOT NULL,
    username_key TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    email TEXT,
    locale TEXT,
    password TEXT,
    password_by TEXT,
    operator BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    last_seen_at TEXT,
    disabled_at TEXT
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
-- given_by: who else may hold it: whoever made it for its person, or chose the password of the sign-in. What is made
-- with such a credential inherits it. minted: made by POST /api/tokens or as an access key, and not with an account.
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
    given_by TEXT,
    minted BOOLEAN NOT NULL,
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

-- Failed sign-ins, by username, by address, and by both together.
CREATE TABLE login_attempts (
    subject TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    resets_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_age ON login_attempts (resets_at);

-- From where people signed in; place is an IPv4 address or the /64 of an IPv6 one.
CREATE TABLE sign_in_places (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    place TEXT NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (user_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_places_age ON sign_in_places (last_at);
