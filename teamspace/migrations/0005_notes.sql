-- Notes. Each clause of the fence in teamspace/notes/access.py has its own index, ordered by age.

CREATE TABLE notes (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    owner_id TEXT NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    visibility TEXT NOT NULL,
    tags TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
-- team_id is in the index so that notes in teams which the owner has left are skipped without reading the rows.
CREATE INDEX notes_owned ON notes (org_id, owner_id, id, team_id);
CREATE INDEX notes_of_team ON notes (team_id, id) WHERE visibility = 'team';
CREATE INDEX notes_of_org ON notes (org_id, id) WHERE visibility = 'team';

CREATE TABLE note_grants (
    note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    permission TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (note_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_grants_of_user ON note_grants (user_id, note_id);

CREATE TABLE note_tags (
    note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (note_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_tags_by_tag ON note_tags (org_id, tag, note_id);
