-- How an instance and its companies look. org_id '' is the instance's own.

CREATE TABLE branding (
    org_id TEXT NOT NULL PRIMARY KEY,
    title TEXT,
    tagline TEXT,
    theme TEXT NOT NULL,
    logo TEXT,
    logo_type TEXT,
    updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX branding_by_logo ON branding (logo);
