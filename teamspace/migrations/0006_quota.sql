-- Quotas: limits and usage. Levels nest: the tenant (hosted mode), its companies, their teams.

-- level and subject: tenant and '', org and the company's id, team and the team's id. most: the limit, NULL is
-- unlimited. per: the window. set_by: plan, or hand if a person set it.
CREATE TABLE quota_limits (
    level TEXT NOT NULL,
    subject TEXT NOT NULL,
    org_id TEXT NOT NULL,
    dimension TEXT NOT NULL,
    most INTEGER,
    per TEXT,
    set_by TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (level, subject, dimension)
) STRICT, WITHOUT ROWID;

-- Reservations until they are settled or expire, then the real figures. Active reservations occupy their slots.
-- charged: if no one settles it, because the server died, what was reserved counts as spent. job_id: the job whose
-- handler makes the call; when the attempt ends, what it has left open is charged. digest: of a request that is asked once;
-- whoever asks the same waits until the reservation is settled or expires.
CREATE TABLE quota_ledger (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    slots INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    charged BOOLEAN NOT NULL DEFAULT FALSE,
    job_id TEXT,
    digest TEXT,
    began_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    settled_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX quota_ledger_org ON quota_ledger (org_id, expires_at) WHERE settled_at IS NULL;
CREATE INDEX quota_ledger_team ON quota_ledger (team_id, expires_at) WHERE settled_at IS NULL;
CREATE INDEX quota_ledger_dead ON quota_ledger (expires_at) WHERE settled_at IS NULL;
CREATE INDEX quota_ledger_job ON quota_ledger (job_id) WHERE settled_at IS NULL AND job_id IS NOT NULL;

-- The settled ledger summed up by window, for a company, a team, and a person in a team (`team/person`). The tenant's
-- counters are sharded: level tenant, the number of the shard as subject, and no company.
CREATE TABLE quota_used (
    level TEXT NOT NULL,
    per TEXT NOT NULL,
    starts_at TEXT NOT NULL,
    subject TEXT NOT NULL,
    org_id TEXT NOT NULL,
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (level, per, starts_at, subject)
) STRICT, WITHOUT ROWID;

-- What the tenant (sharded), a company and a team store now: the size of all versions and of the parts of unfinished multipart uploads, and
-- the number of objects. Updated in the transaction that stores or deletes them.
CREATE TABLE quota_stored (
    level TEXT NOT NULL,
    subject TEXT NOT NULL,
    org_id TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    objects INTEGER NOT NULL,
    PRIMARY KEY (level, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX quota_used_history ON quota_used (subject, per, starts_at);
