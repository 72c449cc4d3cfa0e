-- The files of a note or document, which whoever can read the page can read. A row is written with the object, by a person
-- who may write the page; it counts while the object's key is below attachments/<id of the page>/.
CREATE TABLE attachments (
    object_id TEXT PRIMARY KEY REFERENCES objects (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    note_id TEXT REFERENCES notes (id) ON DELETE CASCADE,
    document_id TEXT REFERENCES objects (id) ON DELETE CASCADE,
    CHECK ((note_id IS NULL) <> (document_id IS NULL))
) STRICT;
CREATE INDEX attachments_of_note ON attachments (note_id) WHERE note_id IS NOT NULL;
CREATE INDEX attachments_of_document ON attachments (document_id) WHERE document_id IS NOT NULL;

-- Of earlier files, those that the owner of the page has put there.
INSERT INTO attachments (object_id, org_id, note_id) SELECT objects.id, objects.org_id, notes.id FROM objects
    JOIN notes ON notes.id = substr(objects.key, 13, 36) AND notes.org_id = objects.org_id
    AND notes.owner_id = objects.owner_id
    WHERE substr(objects.key, 1, 12) = 'attachments/' AND substr(objects.key, 49, 1) = '/';
INSERT INTO attachments (object_id, org_id, document_id) SELECT objects.id, objects.org_id, pages.id FROM objects
    JOIN objects AS pages ON pages.id = substr(objects.key, 13, 36) AND pages.org_id = objects.org_id
    AND pages.owner_id = objects.owner_id AND pages.content_type = 'text/markdown'
    WHERE substr(objects.key, 1, 12) = 'attachments/' AND substr(objects.key, 49, 1) = '/';
