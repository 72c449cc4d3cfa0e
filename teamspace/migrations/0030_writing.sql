-- What texts refer to, names of versions, tags of documents, and who is looking at a thing.

-- The links and mentions in the newest text of a note or document. kind: note, object; of a target also person.
-- author_id, created_at: who wrote it into the text, and when. A reference goes with its text, not with its target: any
-- number of texts can have the same one, and nobody can ask for references to what was deleted.
CREATE TABLE text_references (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    source_kind TEXT NOT NULL,
    source_id TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    author_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (source_kind, source_id, target_kind, target_id)
) STRICT;
CREATE INDEX text_references_of_target ON text_references (target_kind, target_id, org_id, id);

-- only sqlite
CREATE TRIGGER text_references_of_deleted_note AFTER DELETE ON notes
    BEGIN DELETE FROM text_references WHERE source_kind = 'note' AND source_id = OLD.id; END;
CREATE TRIGGER text_references_of_deleted_object AFTER DELETE ON objects
    BEGIN DELETE FROM text_references WHERE source_kind = 'object' AND source_id = OLD.id; END;
-- only postgres
CREATE OR REPLACE FUNCTION forget_references() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM text_references WHERE source_kind = TG_ARGV[0] AND source_id = OLD.id;
        RETURN NULL;
    END
$$;
CREATE TRIGGER text_references_of_deleted_note AFTER DELETE ON notes FOR EACH ROW
    EXECUTE FUNCTION forget_references('note');
CREATE TRIGGER text_references_of_deleted_object AFTER DELETE ON objects FOR EACH ROW
    EXECUTE FUNCTION forget_references('object');
-- on both

-- name: given by a person, so that the version is found again.
ALTER TABLE object_versions ADD COLUMN name TEXT;

-- The tags of a document, in the order of `position`. They belong to the document, not to a version.
CREATE TABLE document_tags (
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    org_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (object_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_tags_by_tag ON document_tags (org_id, tag, object_id);

-- Who has a note, a document, a file, a conversation or a run open now. Rows are renewed while it is open, and ignored after `expires_at`.
CREATE TABLE presence (
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    editing BOOLEAN NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (kind, subject_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX presence_by_expiry ON presence (expires_at);
-- Who is shown if many are present: those who edit come first.
CREATE INDEX presence_of_subject ON presence (kind, subject_id, editing, user_id, expires_at, org_id);
