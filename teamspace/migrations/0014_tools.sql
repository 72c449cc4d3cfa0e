-- Tools that a team has turned on or off; without a row, shipped tools are on and all others off.

CREATE TABLE team_tools (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    tool TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    enabled BOOLEAN NOT NULL,
    pin TEXT, -- hash of what an external tool said about itself when it was turned on
    updated_at TEXT NOT NULL,
    PRIMARY KEY (team_id, tool)
) STRICT, WITHOUT ROWID;
