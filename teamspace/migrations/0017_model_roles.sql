-- The executor that a team has chosen for a role of models; without a row, the instance's default.

-- executor_id: of the table executors, of the settings (env:<name>), or this server (local).
CREATE TABLE team_model_roles (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    executor_id TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (team_id, role)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_model_roles_executor ON team_model_roles (executor_id);
