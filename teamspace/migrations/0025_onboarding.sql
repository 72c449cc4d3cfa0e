-- The sign-up funnel: what each team asks visitors who want to join, and the pictures and fonts of its page.

-- draft, published: documents as JSON; draft is NULL when nothing has changed since the last publication.
-- draft_version counts what was saved, version what was published.
CREATE TABLE experiences (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL UNIQUE REFERENCES teams (id),
    draft TEXT,
    draft_version INTEGER NOT NULL,
    draft_at TEXT,
    published TEXT,
    version INTEGER NOT NULL,
    published_at TEXT
) STRICT;
CREATE INDEX experiences_published ON experiences (org_id, published_at, id) WHERE published_at IS NOT NULL;

-- width, height: of pictures, so that a page can keep their place free; NULL for fonts.
CREATE TABLE onboarding_assets (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    digest TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX onboarding_assets_of_team ON onboarding_assets (team_id, id);
CREATE INDEX onboarding_assets_by_digest ON onboarding_assets (org_id, digest);
