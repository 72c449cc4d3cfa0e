-- Workflows: what teams have published, and what runs.

-- A team's workflows. version: the newest. source: `team`, or the plugin that brought it.
CREATE TABLE workflows (
    team_id TEXT NOT NULL REFERENCES teams (id),
    slug TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    version INTEGER NOT NULL,
    source TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (team_id, slug)
) STRICT, WITHOUT ROWID;

-- Specs by their digest, each once for a team: versions and runs refer to them, and they never change.
CREATE TABLE workflow_specs (
    team_id TEXT NOT NULL REFERENCES teams (id),
    digest TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    spec TEXT NOT NULL,
    PRIMARY KEY (team_id, digest)
) STRICT, WITHOUT ROWID;

-- author_id: null if a plugin brought it. inputs: JSON. steps: how many.
CREATE TABLE workflow_versions (
    team_id TEXT NOT NULL,
    slug TEXT NOT NULL,
    version INTEGER NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    source TEXT NOT NULL,
    author_id TEXT,
    digest TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    steps INTEGER NOT NULL,
    max_steps INTEGER NOT NULL,
    inputs TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (team_id, slug, version),
    FOREIGN KEY (team_id, slug) REFERENCES workflows (team_id, slug),
    FOREIGN KEY (team_id, digest) REFERENCES workflow_specs (team_id, digest)
) STRICT, WITHOUT ROWID;

-- A run. scope and limited_by: as of jobs. digest: of its spec. step: the one it is at. counts: JSON, the number of items
-- by map. objects: how many documents it names; of more than 200 none is listed. private: a tool
-- may have read more of the owner's than these. error: JSON.
CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    owner_id TEXT NOT NULL,
    scope TEXT,
    limited_by TEXT,
    trigger_id TEXT,
    resumed_from TEXT,
    slug TEXT NOT NULL,
    version INTEGER NOT NULL,
    digest TEXT NOT NULL,
    max_steps INTEGER NOT NULL,
    state TEXT NOT NULL,
    step TEXT,
    steps_used INTEGER NOT NULL,
    counts TEXT NOT NULL,
    locale TEXT NOT NULL,
    objects INTEGER NOT NULL,
    private BOOLEAN NOT NULL DEFAULT FALSE,
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    error TEXT,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    FOREIGN KEY (team_id, digest) REFERENCES workflow_specs (team_id, digest)
) STRICT, WITHOUT ROWID;
-- Lists are in the order of this expression. In that of `id`, PostgreSQL would go through the runs of all teams by the
-- primary key until it has found enough.
CREATE INDEX runs_of_team ON runs (team_id, (id || ''));
CREATE INDEX runs_by_state ON runs (team_id, state, (id || ''));
CREATE INDEX runs_by_slug ON runs (team_id, slug, (id || ''));
CREATE INDEX runs_by_slug_and_state ON runs (team_id, slug, state, (id || ''));
CREATE INDEX runs_underway ON runs (id) WHERE state = 'running';

-- Apart from the run's row, which is written at every step.
CREATE TABLE run_inputs (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id),
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    input TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The steps that a run has reached. number: their order. total: the number of items. error: JSON.
CREATE TABLE run_steps (
    run_id TEXT NOT NULL REFERENCES runs (id),
    step_id TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    total INTEGER NOT NULL,
    error TEXT,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    PRIMARY KEY (run_id, step_id)
) STRICT, WITHOUT ROWID;

-- The job of each item of a step, which has its result; of a resumed run it can be a job of the run before. size: of the
-- job's result, in characters.
CREATE TABLE run_items (
    run_id TEXT NOT NULL REFERENCES runs (id),
    step_id TEXT NOT NULL,
    item INTEGER NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    job_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (run_id, step_id, item)
) STRICT, WITHOUT ROWID;

-- The documents that a run names. They may be gone: then no one reads the run because of them.
CREATE TABLE run_objects (
    run_id TEXT NOT NULL REFERENCES runs (id),
    object_id TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    PRIMARY KEY (run_id, object_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_objects_by_object ON run_objects (object_id, run_id);

-- Whether a step has items left, and whether a run has a job.
CREATE INDEX jobs_open_of_run ON jobs (run_id, step, state) WHERE run_id IS NOT NULL AND state <> 'succeeded';
