-- Notes. Each clause of the fence in teamspace/notes/access.py has its own index, ordered by age.

-- trashed_at, trashed_by: when the note was put in the trash, and by whom; NULL if it is not there. trashed_by_grantee: the
-- same person, if only a grant let them. The indexes have the time before the id: NULL selects the notes in use, and the
-- others are in the order of the trash.
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
    updated_at TEXT NOT NULL,
    trashed_at TEXT,
    trashed_by TEXT,
    trashed_by_grantee TEXT
) STRICT;
-- team_id is in the index so that notes in teams which the owner has left are skipped without reading the rows.
CREATE INDEX notes_owned ON notes (org_id, owner_id, trashed_at, id, team_id);
CREATE INDEX notes_of_team ON notes (team_id, trashed_at, id) WHERE visibility = 'team';
CREATE INDEX notes_of_org ON notes (org_id, trashed_at, id) WHERE visibility = 'team';
CREATE INDEX notes_trashed_by_grantee ON notes (trashed_by_grantee, trashed_at, id)
    WHERE trashed_by_grantee IS NOT NULL;
CREATE INDEX notes_trashed ON notes (trashed_at) WHERE trashed_at IS NOT NULL;

-- One row per note and principal: user or team. expires_at: NULL if it does not expire. trashed_at: copied from the note,
-- to skip those in the trash in lists; a trigger updates it.
CREATE TABLE note_grants (
    note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    principal_type TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    permission TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    expires_at TEXT,
    created_at TEXT NOT NULL,
    trashed_at TEXT,
    PRIMARY KEY (note_id, principal_type, principal_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_grants_of_principal ON note_grants (principal_id, principal_type, trashed_at, note_id);
CREATE INDEX note_grants_expiring ON note_grants (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX note_grants_newest ON note_grants (principal_id, principal_type, created_at, note_id);

-- only sqlite
CREATE TRIGGER note_grants_follow AFTER UPDATE OF trashed_at ON notes
    BEGIN UPDATE note_grants SET trashed_at = NEW.trashed_at WHERE note_id = NEW.id; END;
-- only postgres
CREATE OR REPLACE FUNCTION repeat_trash_in_note_grants() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN UPDATE note_grants SET trashed_at = NEW.trashed_at WHERE note_id = NEW.id; RETURN NULL; END
$$;
CREATE TRIGGER note_grants_follow AFTER UPDATE OF trashed_at ON notes FOR EACH ROW
    EXECUTE FUNCTION repeat_trash_in_note_grants();
-- on both

CREATE TABLE note_tags (
    note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (note_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_tags_by_tag ON note_tags (org_id, tag, note_id);
