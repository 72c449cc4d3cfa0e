-- The repository: objects by key, their versions, grants and derivations.

-- version: the number of the newest version. numbered: the highest number ever used, so that none is used twice.
-- removed: the newest version is a delete marker; older versions stay. title: of text documents.
-- trashed_at, trashed_by: when the object was put in the trash, and by whom; NULL if it is not there. It is `removed` as
-- well, so that the fence excludes it like an object with a delete marker, and its key is free. trashed_by_grantee: who put
-- it there, if only a grant let them.
-- sha256: NULL after a multipart upload until it has been computed.
-- text_tries: how often the text of the newest version could not be extracted.
-- known_version: the version whose names are in the knowledge graph, or could not be found; 0 if none.
-- Each clause of the fence in teamspace/repository/access.py has its own indexes, by id and by key, with `removed`
-- before them. Those of the owner include team_id, so that objects in teams the owner has left are skipped without
-- reading the rows.
CREATE TABLE objects (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    owner_id TEXT NOT NULL REFERENCES users (id),
    key TEXT NOT NULL,
    filename TEXT NOT NULL,
    title TEXT,
    content_type TEXT NOT NULL,
    visibility TEXT NOT NULL,
    version INTEGER NOT NULL,
    numbered INTEGER NOT NULL,
    removed BOOLEAN NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT,
    etag TEXT NOT NULL,
    text_state TEXT NOT NULL,
    text_fault TEXT,
    text_tries INTEGER NOT NULL DEFAULT 0,
    known_version INTEGER NOT NULL DEFAULT 0,
    written_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    trashed_at TEXT,
    trashed_by TEXT,
    trashed_by_grantee TEXT,
    CHECK (removed OR trashed_at IS NULL)
) STRICT;
-- The key comes first, else SQLite would rather use this index for lists of delete markers than their own.
CREATE UNIQUE INDEX objects_at_key ON objects (key, team_id) WHERE trashed_at IS NULL;
CREATE INDEX objects_owned ON objects (org_id, owner_id, removed, id, team_id);
CREATE INDEX objects_owned_by_key ON objects (owner_id, removed, key, id, team_id);
CREATE INDEX objects_owned_in_team_by_key ON objects (team_id, owner_id, removed, key, id);
CREATE INDEX objects_of_team ON objects (team_id, removed, id) WHERE visibility = 'team';
CREATE INDEX objects_of_team_by_key ON objects (team_id, removed, key, id) WHERE visibility = 'team';
CREATE INDEX objects_of_org ON objects (org_id, removed, id) WHERE visibility = 'team';
CREATE INDEX objects_of_org_by_key ON objects (org_id, removed, key, id) WHERE visibility = 'team';
-- Objects with a delete marker, in key order, without those in the trash.
CREATE INDEX objects_marked_in_team_by_key ON objects (team_id, owner_id, removed, key, id)
    WHERE removed = TRUE AND trashed_at IS NULL;
CREATE INDEX objects_marked_of_team_by_key ON objects (team_id, removed, key, id)
    WHERE visibility = 'team' AND removed = TRUE AND trashed_at IS NULL;
CREATE INDEX documents_owned ON objects (org_id, owner_id, removed, id, team_id) WHERE content_type = 'text/markdown';
CREATE INDEX documents_of_team ON objects (team_id, removed, id)
    WHERE visibility = 'team' AND content_type = 'text/markdown';
-- Objects whose text can still be extracted, by the clauses of the fence.
CREATE INDEX objects_unread_owned ON objects (org_id, owner_id, removed, id, team_id)
    WHERE text_state IN ('pending', 'failed') AND text_tries < 3;
CREATE INDEX objects_unread_of_team ON objects (team_id, removed, id)
    WHERE visibility = 'team' AND text_state IN ('pending', 'failed') AND text_tries < 3;
CREATE INDEX objects_unextracted_owned ON objects (org_id, owner_id, removed, id, team_id)
    WHERE text_state = 'ready' AND known_version <> version;
CREATE INDEX objects_unextracted_of_team ON objects (team_id, removed, id)
    WHERE visibility = 'team' AND text_state = 'ready' AND known_version <> version;

-- The trash, newest first, and in the order in which the server empties it.
CREATE INDEX objects_trashed_owned ON objects (org_id, owner_id, trashed_at, id, team_id) WHERE trashed_at IS NOT NULL;
CREATE INDEX objects_trashed_of_team ON objects (team_id, trashed_at, id)
    WHERE visibility = 'team' AND trashed_at IS NOT NULL;
CREATE INDEX objects_trashed_by_grantee ON objects (trashed_by_grantee, trashed_at, id)
    WHERE trashed_by_grantee IS NOT NULL;
CREATE INDEX objects_trashed ON objects (trashed_at) WHERE trashed_at IS NOT NULL;

-- actor_kind: human, agent, workflow or s3. removal: a delete marker.
-- blob: the bytes in the company's namespace; NULL if they are in parts. etag: for S3 clients.
-- text_blob: the compressed text that was extracted from the bytes; NULL if there is none, or if the bytes are the text.
-- text_length: how many characters that text has.
-- carried: JSON; headers, metadata and checksum that were sent with the bytes and are returned with them. tags: JSON.
CREATE TABLE object_versions (
    id TEXT PRIMARY KEY,
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    removal BOOLEAN NOT NULL,
    size INTEGER NOT NULL,
    blob TEXT,
    sha256 TEXT,
    etag TEXT NOT NULL,
    content_type TEXT NOT NULL,
    filename TEXT NOT NULL,
    title TEXT,
    carried TEXT,
    tags TEXT,
    author_id TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    run_id TEXT,
    created_at TEXT NOT NULL,
    text_blob TEXT,
    text_length INTEGER,
    UNIQUE (object_id, number)
) STRICT;
CREATE INDEX object_versions_of_blob ON object_versions (org_id, blob);
CREATE INDEX object_versions_of_text_blob ON object_versions (org_id, text_blob) WHERE text_blob IS NOT NULL;

-- Parts of versions from multipart uploads, with their offset and blob. md5: the ETag of the part if it is copied.
CREATE TABLE object_parts (
    version_id TEXT NOT NULL REFERENCES object_versions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL,
    blob TEXT NOT NULL,
    md5 TEXT NOT NULL,
    checksum TEXT,
    PRIMARY KEY (version_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_parts_of_blob ON object_parts (org_id, blob);

-- Multipart uploads that are unfinished or were completed recently. work: JSON; the version to be written.
-- version_id: the result, in case the client repeats the completion.
CREATE TABLE object_uploads (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    owner_id TEXT NOT NULL REFERENCES users (id),
    key TEXT NOT NULL,
    work TEXT NOT NULL,
    version_id TEXT,
    created_at TEXT NOT NULL,
    touched_at TEXT NOT NULL
) STRICT;
CREATE INDEX object_uploads_by_key ON object_uploads (team_id, owner_id, key, id) WHERE version_id IS NULL;
CREATE INDEX object_uploads_by_age ON object_uploads (touched_at);

CREATE TABLE object_upload_parts (
    upload_id TEXT NOT NULL REFERENCES object_uploads (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    blob TEXT NOT NULL,
    md5 TEXT NOT NULL,
    checksum TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (upload_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_upload_parts_of_blob ON object_upload_parts (org_id, blob);

-- One row per object and principal. expires_at: NULL if it does not expire. team_id, key, removed, trashed_at: copied
-- from the object, to list shared objects in key order. The first two never change, and a trigger updates the others.
CREATE TABLE object_grants (
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    principal_type TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    team_id TEXT NOT NULL,
    key TEXT NOT NULL,
    removed BOOLEAN NOT NULL,
    capability TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    expires_at TEXT,
    created_at TEXT NOT NULL,
    trashed_at TEXT,
    PRIMARY KEY (object_id, principal_type, principal_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_grants_of_principal ON object_grants (principal_id, principal_type, removed, object_id);
CREATE INDEX object_grants_expiring ON object_grants (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX object_grants_newest ON object_grants (principal_id, principal_type, created_at, object_id);
CREATE INDEX object_grants_by_key ON object_grants (principal_id, principal_type, removed, key, object_id);
CREATE INDEX object_grants_in_team_by_key ON object_grants
    (principal_id, principal_type, team_id, removed, key, object_id);
CREATE INDEX object_grants_marked_in_team_by_key ON object_grants
    (principal_id, principal_type, team_id, removed, key, object_id) WHERE removed = TRUE AND trashed_at IS NULL;

-- only sqlite
CREATE TRIGGER object_grants_follow AFTER UPDATE OF removed ON objects WHEN OLD.removed <> NEW.removed
    BEGIN UPDATE object_grants SET removed = NEW.removed, trashed_at = NEW.trashed_at WHERE object_id = NEW.id; END;
-- only postgres
CREATE OR REPLACE FUNCTION repeat_removal_in_grants() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE object_grants SET removed = NEW.removed, trashed_at = NEW.trashed_at WHERE object_id = NEW.id;
        RETURN NULL;
    END
$$;
CREATE TRIGGER object_grants_follow AFTER UPDATE OF removed ON objects FOR EACH ROW
    WHEN (OLD.removed <> NEW.removed) EXECUTE FUNCTION repeat_removal_in_grants();
-- on both

-- The sources a version was made from, and the run and step that made it. recipe: a hash of the tool and its arguments.
-- checked_number: the newest version of the source for which this one is known to be right: source_number, unless making
-- it again has led to the same bytes. span_start, span_end: the characters of the source's text that were used.
-- latest: whether it is a row of the object's newest derived version.
CREATE TABLE object_derivations (
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    source_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    source_number INTEGER NOT NULL,
    checked_number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    recipe TEXT NOT NULL,
    run_id TEXT,
    step TEXT,
    span_start INTEGER,
    span_end INTEGER,
    latest BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (object_id, number, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_derivations_latest ON object_derivations (object_id, source_id) WHERE latest;
CREATE INDEX object_derivations_of_source ON object_derivations (source_id, object_id, number);
CREATE INDEX object_derivations_of_source_latest ON object_derivations (source_id, object_id) WHERE latest;
