-- The steps of agents' runs: what the model said, and what its tool calls returned. A run is a job; another server
-- continues it from here if its own is lost.

-- number: the order of the steps of a run. kind: model or tool. data: JSON.
CREATE TABLE agent_steps (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;
