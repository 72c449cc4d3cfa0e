-- Public links to objects. See teamspace/links.

-- team_id: the object's. creator_id, creator_team_id: the person who made it, and the team in which they did; while they may
-- not manage the object, the link does not work. token_hash: finds the link. token: the same encrypted, to show the address again.
-- password: a hash; NULL if there is none. A link that is revoked is deleted.
CREATE TABLE object_links (
    id TEXT PRIMARY KEY,
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    creator_id TEXT NOT NULL REFERENCES users (id),
    creator_team_id TEXT NOT NULL REFERENCES teams (id),
    name TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    token TEXT NOT NULL,
    password TEXT,
    expires_at TEXT,
    views INTEGER NOT NULL,
    downloads INTEGER NOT NULL,
    last_used_at TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX object_links_of_object ON object_links (object_id, id);
-- Which objects of a list have a link that has not expired.
CREATE INDEX object_links_by_end ON object_links (object_id, expires_at);
-- For administrators, newest first.
CREATE INDEX object_links_of_team ON object_links (team_id, id);
CREATE INDEX object_links_of_org ON object_links (org_id, id);
