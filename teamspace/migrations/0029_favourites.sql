-- What people have starred, and what they opened last: by person and team.

-- kind: note, document, file, conversation, workflow. subject_id: the id of the row, of a workflow its slug. The row may
-- be gone, or no longer be readable: then it is not listed.
CREATE TABLE favourites (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    at TEXT NOT NULL,
    PRIMARY KEY (user_id, team_id, kind, subject_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE recents (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    at TEXT NOT NULL,
    PRIMARY KEY (user_id, team_id, kind, subject_id)
) STRICT, WITHOUT ROWID;
