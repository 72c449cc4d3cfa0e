-- Upload triggers: which versions start which workflow, what they have started, and why they did not.

-- author_id, scope: the member who last changed it, and the scope of the token they used; NULL if it had none. A run has
-- only rights that they and the uploader both have. match_types, input: JSON.
CREATE TABLE doc_triggers (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    author_id TEXT NOT NULL REFERENCES users (id),
    scope TEXT,
    workflow_slug TEXT NOT NULL,
    match_prefix TEXT NOT NULL,
    match_types TEXT NOT NULL,
    input TEXT NOT NULL,
    fire_on_derived BOOLEAN NOT NULL,
    enabled BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX doc_triggers_of_team ON doc_triggers (team_id, id);

-- The history: versions that a trigger matched, with the run it started, or the reason why it started none.
-- key, params (JSON): the text of the reason. The object may have been deleted since.
CREATE TABLE trigger_fires (
    trigger_id TEXT NOT NULL REFERENCES doc_triggers (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    object_id TEXT NOT NULL,
    version_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    run_id TEXT,
    reason TEXT,
    key TEXT,
    params TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (trigger_id, id),
    UNIQUE (trigger_id, version_id)
) STRICT, WITHOUT ROWID;

-- The ancestry of versions that were derived, or on which a trigger fired; others have none. depth: how many steps of
-- derivation lead to it. triggers: JSON; those that fired on it or on a version that it comes from. It is stored with the
-- version, so that it costs one read, and stays known when history or ancestors are deleted.
CREATE TABLE trigger_ancestry (
    object_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    depth INTEGER NOT NULL,
    triggers TEXT NOT NULL,
    PRIMARY KEY (object_id, number),
    FOREIGN KEY (object_id, number) REFERENCES object_versions (object_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The same for runs that triggers started: the ancestry of the version that started it.
CREATE TABLE trigger_runs (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    depth INTEGER NOT NULL,
    triggers TEXT NOT NULL
) STRICT, WITHOUT ROWID;
