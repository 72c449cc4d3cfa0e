-- Conversations with models. Each clause of the fence in teamspace/conversations/access.py has its own index, in the
-- order of the last activity.

-- turns, size, characters: how many turns it has, and their sizes and characters together. ended: how many turns have ended, to
-- tell whether a text that was read for the index is still the current one. excerpt: the beginning of the newest turn.
CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    owner_id TEXT NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    excerpt TEXT NOT NULL,
    turns INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    size INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
-- team_id is in the index so that conversations in teams which the owner has left are skipped without reading the rows.
CREATE INDEX conversations_owned ON conversations (org_id, owner_id, updated_at, id, team_id);

-- A tree: prompts follow an answer or nothing (parent_id is NULL), and answers follow the prompt they answer.
-- number: the order of creation, from 1. role: user, assistant. state: running, done, stopped, failed. author_id: who
-- wrote the prompt; NULL for answers. size: bytes of content, citations and steps, or what is reserved for a running
-- answer. characters: of the text, as a model reads it. content, usage, citations, steps, error: JSON.
CREATE TABLE conversation_turns (
    id TEXT NOT NULL PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    parent_id TEXT,
    author_id TEXT,
    role TEXT NOT NULL,
    state TEXT NOT NULL,
    size INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    content TEXT NOT NULL,
    usage TEXT,
    citations TEXT,
    steps TEXT,
    model TEXT,
    executor TEXT,
    simulated BOOLEAN NOT NULL DEFAULT FALSE,
    finish_reason TEXT,
    error TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX conversation_turns_in_order ON conversation_turns (conversation_id, number);
-- At most one answer to a prompt is running.
CREATE UNIQUE INDEX conversation_turns_running ON conversation_turns (parent_id) WHERE state = 'running';

-- The things that prompts of a conversation refer to, each once. reference: JSON, as in the prompt.
CREATE TABLE conversation_references (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    reference TEXT NOT NULL,
    org_id TEXT NOT NULL,
    PRIMARY KEY (conversation_id, reference)
) STRICT, WITHOUT ROWID;

-- Answers of deleted conversations of whose text something is still kept elsewhere: in jobs, streams and steps of runs. A
-- task deletes that, and then the row.
CREATE TABLE deleted_turns (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id)
) STRICT, WITHOUT ROWID;

-- One row per conversation and principal: user or team. expires_at: NULL if it does not expire. updated_at: copied from
-- the conversation, to list shared conversations by their last activity; a trigger updates it.
CREATE TABLE conversation_grants (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    principal_type TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    permission TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    expires_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (conversation_id, principal_type, principal_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_grants_of_principal ON conversation_grants
    (principal_id, principal_type, updated_at, conversation_id);
CREATE INDEX conversation_grants_expiring ON conversation_grants (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX conversation_grants_newest ON conversation_grants
    (principal_id, principal_type, created_at, conversation_id);

-- only sqlite
CREATE TRIGGER conversation_grants_follow AFTER UPDATE OF updated_at ON conversations
    WHEN OLD.updated_at <> NEW.updated_at
    BEGIN UPDATE conversation_grants SET updated_at = NEW.updated_at WHERE conversation_id = NEW.id; END;
-- only postgres
CREATE OR REPLACE FUNCTION repeat_activity_in_grants() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN UPDATE conversation_grants SET updated_at = NEW.updated_at WHERE conversation_id = NEW.id; RETURN NULL; END
$$;
CREATE TRIGGER conversation_grants_follow AFTER UPDATE OF updated_at ON conversations FOR EACH ROW
    WHEN (OLD.updated_at <> NEW.updated_at) EXECUTE FUNCTION repeat_activity_in_grants();
-- on both
