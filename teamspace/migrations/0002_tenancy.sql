-- Companies and their teams. A person belongs to one company, and to teams of it.

CREATE TABLE orgs (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    domain TEXT UNIQUE,
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
CREATE INDEX teams_of_org ON teams (org_id, id);
