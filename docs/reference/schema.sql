-- 0001_core.sql

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

-- 0002_tenancy.sql

-- Companies and their teams. A person belongs to one company, and to teams of it.

CREATE TABLE orgs (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    created_at TEXT NOT NULL,
    suspended_at TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE teams (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    features TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (org_id, slug)
) STRICT, WITHOUT ROWID;

-- 0003_identity.sql

-- People, their second factors and their credentials. Secrets are digests or sealed, never plain.

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    username TEXT NOT NULL,
    username_key TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
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

-- kind: session, api, worker. A worker's token has no person behind it.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
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

-- Failed sign-ins, by username and by address.
CREATE TABLE login_attempts (
    subject TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    resets_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_age ON login_attempts (resets_at);

-- 0004_membership.sql

-- Who is in which team, and who has a role in the company as a whole.

CREATE TABLE memberships (
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    role TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_of_user ON memberships (user_id, team_id);

CREATE TABLE org_roles (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;

-- 0005_notes.sql

-- Notes. Each reason to see one has an index of its own, newest last; see the fence in teamspace/notes/access.py.

CREATE TABLE notes (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    owner_id TEXT NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    visibility TEXT NOT NULL,
    tags TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX notes_owned ON notes (org_id, owner_id, id);
CREATE INDEX notes_of_team ON notes (team_id, id) WHERE visibility = 'team';
CREATE INDEX notes_of_org ON notes (org_id, id) WHERE visibility = 'team';

CREATE TABLE note_grants (
    note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    permission TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (note_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_grants_of_user ON note_grants (user_id, note_id);

CREATE TABLE note_tags (
    note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (note_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_tags_by_tag ON note_tags (org_id, tag, note_id);
