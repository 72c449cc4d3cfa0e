-- Quotas: what may be spent, and what was. Levels nest: the tenant (hosted mode), its companies, their teams.

-- level and subject: tenant and '', org and the company's id, team and the team's id. set_by: plan or hand.
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

-- What was spent in one window of one subject; settled figures only.
CREATE TABLE quota_used (
    level TEXT NOT NULL,
    subject TEXT NOT NULL,
    org_id TEXT NOT NULL,
    dimension TEXT NOT NULL,
    per TEXT NOT NULL,
    starts_at TEXT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (level, subject, dimension, per, starts_at)
) STRICT, WITHOUT ROWID;
