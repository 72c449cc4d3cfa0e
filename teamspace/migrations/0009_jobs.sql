-- Jobs: durable background work. A lane is the jobs of one kind and one team. The company's plan caps how many jobs of
-- a lane are admitted at a time. Admitted jobs have a rank; claims only read admitted jobs.

-- state: queued, running, succeeded, failed, cancelled. phase, while queued: scheduled until run_at, ready, or
-- parked until run_at because a quota is used up. channel: which workers can claim it (`kind@local`, `kind@any`,
-- `kind@push`, `kind@model:name`, `kind@on:executor`). rank: its position; NULL until it is admitted, and for jobs that were
-- started at once. stop_requested: its handler is asked to stop.
-- user_id, scope, limited_by: on whose behalf it runs, the scope of the token it was requested with, and another member
-- whose rights limit it; user_id is '' if no member requested it. run_id, step, item: the part of a run that it is for.
-- estimate: what an attempt of a metered kind reserves. refused_spend: what results that were refused have cost. Both: JSON.
CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT NOT NULL,
    scope TEXT,
    limited_by TEXT,
    kind TEXT NOT NULL,
    title TEXT,
    subject_type TEXT,
    subject_id TEXT,
    channel TEXT NOT NULL,
    model TEXT,
    run_id TEXT,
    step TEXT,
    item INTEGER,
    idempotency_key TEXT,
    state TEXT NOT NULL,
    phase TEXT NOT NULL,
    priority INTEGER NOT NULL,
    run_at TEXT NOT NULL,
    rank INTEGER,
    attempt INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    lease_expiries INTEGER NOT NULL,
    executor_id TEXT,
    claim_hash TEXT,
    lease_until TEXT,
    reservation_id TEXT,
    stop_requested BOOLEAN NOT NULL DEFAULT FALSE,
    estimate TEXT,
    refused_spend TEXT,
    progress INTEGER,
    message TEXT,
    waits TEXT,
    retry_of TEXT,
    input TEXT NOT NULL,
    result TEXT,
    error TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_claim ON jobs (channel, rank) WHERE state = 'queued' AND phase = 'ready' AND rank IS NOT NULL;
CREATE INDEX jobs_claim_org ON jobs (org_id, channel, rank) WHERE state = 'queued' AND phase = 'ready' AND rank IS NOT NULL;
CREATE INDEX jobs_backlog ON jobs (team_id, channel, priority, id) WHERE state = 'queued' AND phase = 'ready' AND rank IS NULL;
CREATE INDEX jobs_lanes ON jobs (org_id, team_id, kind) WHERE state = 'queued' AND phase = 'ready' AND rank IS NULL;
CREATE INDEX jobs_taken ON jobs (team_id, kind, rank) WHERE rank IS NOT NULL;
CREATE INDEX jobs_rank ON jobs (rank) WHERE rank IS NOT NULL;
CREATE INDEX jobs_elsewhere ON jobs (channel) WHERE state = 'queued' AND channel NOT LIKE '%@local';
CREATE INDEX jobs_running ON jobs (rank) WHERE state = 'running' AND rank IS NOT NULL;
CREATE INDEX jobs_executor ON jobs (executor_id) WHERE state = 'running';
CREATE INDEX jobs_lease ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_due ON jobs (run_at) WHERE state = 'queued' AND phase <> 'ready';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state IN ('succeeded', 'failed', 'cancelled');
CREATE INDEX jobs_team ON jobs (team_id, id);
CREATE UNIQUE INDEX jobs_origin ON jobs (run_id, step, item) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX jobs_key ON jobs (team_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX jobs_person ON jobs (user_id, team_id, id);
-- Only for the kind that is asked about by subject: every other kind would pay for it with each job.
CREATE INDEX jobs_reading ON jobs (subject_id) WHERE kind = 'repo.extract_text' AND state IN ('queued', 'running');

-- Old finished jobs, moved out of the queue's table to keep it small.
CREATE TABLE job_archive (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT,
    subject_type TEXT,
    subject_id TEXT,
    model TEXT,
    run_id TEXT,
    step TEXT,
    item INTEGER,
    idempotency_key TEXT,
    state TEXT NOT NULL,
    priority INTEGER NOT NULL,
    run_at TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    executor_id TEXT,
    progress INTEGER,
    message TEXT,
    retry_of TEXT,
    input TEXT NOT NULL,
    result TEXT,
    error TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX job_archive_team ON job_archive (team_id, id);
CREATE INDEX job_archive_origin ON job_archive (run_id, step, item) WHERE run_id IS NOT NULL;
CREATE INDEX job_archive_key ON job_archive (team_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX job_archive_person ON job_archive (user_id, team_id, id);
-- Of those that are deleted when they are old. The steps of workflows stay as long as their runs, which show their results.
CREATE INDEX job_archive_ended ON job_archive (finished_at) WHERE kind <> 'workflow.step';

-- The channels that workers poll, and for which company ('' is any).
CREATE TABLE job_channels (
    channel TEXT NOT NULL,
    org_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    PRIMARY KEY (channel, org_id)
) STRICT, WITHOUT ROWID;

-- Companies whose lanes must be promoted, since something about them has changed ('' is all).
CREATE TABLE job_changes (
    org_id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
