-- Members of teams, and roles in companies.

CREATE TABLE memberships (
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    role TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_of_user ON memberships (user_id, team_id);
CREATE INDEX memberships_managing ON memberships (team_id, role, user_id) WHERE role IN ('owner', 'admin');

CREATE TABLE org_roles (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX org_roles_managing ON org_roles (org_id, role, user_id) WHERE role IN ('org_owner', 'org_admin');
