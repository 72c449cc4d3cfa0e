-- The repository: objects by key, their versions, who else may see them, and what came of what.

-- version: the number of the newest. title: of text documents.
-- Each reason to see an object has an index of its own, in the order of ids and in the order of keys; see the fence
-- in teamspace/repository/access.py.
CREATE TABLE objects (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    owner_id TEXT NOT NULL REFERENCES users (id),
    key TEXT NOT NULL,
    filename TEXT NOT NULL,
    title TEXT,
    content_type TEXT NOT NULL,
    visibility TEXT NOT NULL,
    version INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    md5 TEXT NOT NULL,
    text_state TEXT NOT NULL,
    text_fault TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (team_id, key)
) STRICT;
CREATE INDEX objects_owned ON objects (org_id, owner_id, id);
CREATE INDEX objects_owned_by_key ON objects (owner_id, key, id);
CREATE INDEX objects_of_team ON objects (team_id, id) WHERE visibility = 'team';
CREATE INDEX objects_of_team_by_key ON objects (team_id, key, id) WHERE visibility = 'team';
CREATE INDEX objects_of_org ON objects (org_id, id) WHERE visibility = 'team';
CREATE INDEX objects_of_org_by_key ON objects (org_id, key, id) WHERE visibility = 'team';
CREATE INDEX documents_owned ON objects (org_id, owner_id, id) WHERE content_type = 'text/markdown';
CREATE INDEX documents_of_team ON objects (team_id, id) WHERE visibility = 'team' AND content_type = 'text/markdown';
CREATE INDEX objects_without_text ON objects (team_id, id) WHERE text_state = 'pending';

-- actor_kind: human, agent, workflow or s3. sha256 names the blob in the company's namespace.
CREATE TABLE object_versions (
    id TEXT PRIMARY KEY,
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    md5 TEXT NOT NULL,
    content_type TEXT NOT NULL,
    filename TEXT NOT NULL,
    title TEXT,
    author_id TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    run_id TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (object_id, number)
) STRICT;
CREATE INDEX object_versions_of_blob ON object_versions (org_id, sha256);

-- One entry a principal. expires_at: NULL for ever.
CREATE TABLE object_grants (
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    principal_type TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    capability TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    expires_at TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (object_id, principal_type, principal_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_grants_of_principal ON object_grants (principal_id, principal_type, object_id);

-- What a version was made of, by which run and step.
CREATE TABLE object_derivations (
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    source_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    source_number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    run_id TEXT,
    step TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (object_id, number, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_derivations_of_source ON object_derivations (source_id, object_id);
