-- Title, tagline, logo and theme of the instance (org_id '') and of companies.

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
