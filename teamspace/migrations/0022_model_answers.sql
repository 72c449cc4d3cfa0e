-- Answers of models by the content of the request, so that a repeated one costs nothing.

-- digest: of the executor, the model and the request. key: of the tool call that asked, if only its repeats are answered
-- again; else empty. answer: JSON.
CREATE TABLE model_answers (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    key TEXT NOT NULL DEFAULT '',
    answer TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (team_id, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_answers_of_team ON model_answers (team_id, created_at);
CREATE INDEX model_answers_by_age ON model_answers (created_at);
CREATE INDEX model_answers_of_call ON model_answers (key) WHERE key <> '';
