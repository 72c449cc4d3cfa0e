-- Small pictures of versions, for lists: made when somebody first asks for them.
-- blob: both sizes, packed; NULL if there can be none. fault: why.
CREATE TABLE object_thumbnails (
    version_id TEXT PRIMARY KEY REFERENCES object_versions (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    blob TEXT,
    fault TEXT
) STRICT;
CREATE INDEX object_thumbnails_of_blob ON object_thumbnails (org_id, blob) WHERE blob IS NOT NULL;
