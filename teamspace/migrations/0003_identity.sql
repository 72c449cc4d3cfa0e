-- People, their second factors and their credentials. Secrets are stored as digests or encrypted.

-- password_by: who else chose the password; NULL once the person has changed it.
-- time_zone: a name of the IANA database; NULL stands for the browser's.
-- disabled_at: no credential works since then.
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    username TEXT NOT NULL,
    username_key TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    email TEXT,
    locale TEXT,
    time_zone TEXT,
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

-- kind: session, api, worker, s3. A worker token has no person.
-- digest: of the token, or of the id of an S3 access key, whose secret is encrypted, since signing needs it.
-- given_by: who else may know it: who created it for the person, or chose the password of the sign-in. Credentials
-- made with it inherit the value. minted: made by POST /api/tokens or as an access key, not with a new account.
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
CREATE INDEX tokens_expiring ON tokens (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX tokens_revoked ON tokens (revoked_at) WHERE revoked_at IS NOT NULL;

-- Links for people without a password to set one; each works once.
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

-- Failed sign-ins by username, by address, and by both.
CREATE TABLE login_attempts (
    subject TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    resets_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_age ON login_attempts (resets_at);

-- Networks people signed in from: an IPv4 address, or the /64 of an IPv6 address.
CREATE TABLE known_networks (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    network TEXT NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (user_id, network)
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_places_age ON known_networks (last_at);
