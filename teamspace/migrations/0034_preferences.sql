-- How people have set up the console: what follows the account into every browser. A person who has chosen nothing has no
-- row. editor_source: texts are edited as Markdown.
CREATE TABLE preferences (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    files_as TEXT NOT NULL,
    files_by TEXT NOT NULL,
    files_descending BOOLEAN NOT NULL,
    editor_source BOOLEAN NOT NULL
) STRICT;

-- People who need no list of what is left to set up in a team.
CREATE TABLE dismissed_checklists (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    PRIMARY KEY (user_id, team_id)
) STRICT, WITHOUT ROWID;
