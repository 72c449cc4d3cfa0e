-- The knowledge graph: which names documents have for people, organisations and other things, where they say so, and
-- what they say about them. See teamspace/knowledge.

-- The version of a document that was extracted; what it says goes with it. at: when that version was written.
-- dropped: what the model named and the text does not have. unread: characters beyond those that were sent.
CREATE TABLE kg_documents (
    object_id TEXT PRIMARY KEY REFERENCES objects (id) ON DELETE CASCADE,
    version_id TEXT NOT NULL REFERENCES object_versions (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    unread INTEGER NOT NULL,
    at TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX kg_documents_of_version ON kg_documents (version_id);

-- id: a MAC of company, type, name and part, so that it says nothing about documents that its reader cannot see.
-- part: empty, or one meaning of a name that a person split; label: what they call it.
CREATE TABLE kg_names (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    part TEXT NOT NULL,
    label TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (org_id, type, name, part)
) STRICT;

-- base_id: the name before a split. written: as the document writes it first.
CREATE TABLE kg_document_names (
    object_id TEXT NOT NULL REFERENCES kg_documents (object_id) ON DELETE CASCADE,
    name_id TEXT NOT NULL REFERENCES kg_names (id),
    org_id TEXT NOT NULL,
    base_id TEXT NOT NULL REFERENCES kg_names (id),
    written TEXT NOT NULL,
    mentions INTEGER NOT NULL,
    PRIMARY KEY (object_id, name_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX kg_document_names_of_name ON kg_document_names (name_id, object_id);
CREATE INDEX kg_document_names_of_base ON kg_document_names (base_id);

-- number: from 0, among those of the same name in the same document. The span is in the text of the version.
CREATE TABLE kg_mentions (
    id TEXT PRIMARY KEY,
    object_id TEXT NOT NULL,
    name_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    written TEXT NOT NULL,
    quote TEXT NOT NULL,
    FOREIGN KEY (object_id, name_id) REFERENCES kg_document_names (object_id, name_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX kg_mentions_of_name ON kg_mentions (object_id, name_id, number);

CREATE TABLE kg_relations (
    id TEXT PRIMARY KEY,
    object_id TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    target_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    predicate TEXT NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    quote TEXT NOT NULL,
    FOREIGN KEY (object_id, subject_id) REFERENCES kg_document_names (object_id, name_id) ON DELETE CASCADE,
    FOREIGN KEY (object_id, target_id) REFERENCES kg_document_names (object_id, name_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX kg_relations_of_subject ON kg_relations (object_id, subject_id);
CREATE INDEX kg_relations_of_target ON kg_relations (object_id, target_id);

-- What people have decided. A merge: for this team the name is the same as another, the root, which is in no other row
-- as a name. A split: in this document the name means something else, in later versions too.
CREATE TABLE kg_merges (
    team_id TEXT NOT NULL REFERENCES teams (id),
    name_id TEXT NOT NULL REFERENCES kg_names (id),
    root_id TEXT NOT NULL REFERENCES kg_names (id),
    org_id TEXT NOT NULL,
    merged_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (team_id, name_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX kg_merges_of_root ON kg_merges (team_id, root_id);
CREATE INDEX kg_merges_of_name ON kg_merges (name_id);
CREATE INDEX kg_merges_into ON kg_merges (root_id);

CREATE TABLE kg_splits (
    object_id TEXT NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    base_id TEXT NOT NULL REFERENCES kg_names (id),
    part_id TEXT NOT NULL REFERENCES kg_names (id),
    org_id TEXT NOT NULL,
    split_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (object_id, base_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX kg_splits_of_base ON kg_splits (base_id);
CREATE INDEX kg_splits_of_part ON kg_splits (part_id);

-- The names of every document once for each audience of the document, in the order of lists: its owner, each grantee,
-- and its team and company if it is visible to the team. A caller is in five audiences at most, so that a page costs the
-- same however much there is that they cannot read. Only an index: the fence of objects decides about every row, and an
-- entry counts only if the document still has the name. One share, or showing a document, writes its entries at once, by triggers, since
-- rights change in several packages. All others are written and deleted in batches, since a document can have 50,000.
CREATE TABLE kg_entries (
    audience TEXT NOT NULL,
    name TEXT NOT NULL,
    name_id TEXT NOT NULL,
    at TEXT NOT NULL,
    object_id TEXT NOT NULL,
    type TEXT NOT NULL,
    org_id TEXT NOT NULL,
    PRIMARY KEY (audience, name, name_id, at, object_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX kg_entries_by_type ON kg_entries (audience, type, name, name_id, at, object_id);
CREATE INDEX kg_entries_of_document ON kg_entries (object_id, audience);

-- Documents of which entries are missing or left over. after: the audience up to which they are right.
CREATE TABLE kg_unlisted (
    object_id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    after TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Names that perhaps no document has any more, until the server has looked.
CREATE TABLE kg_unused (
    name_id TEXT NOT NULL,
    object_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    PRIMARY KEY (name_id, object_id)
) STRICT, WITHOUT ROWID;

-- only sqlite
CREATE TRIGGER kg_documents_added AFTER INSERT ON kg_documents BEGIN
    INSERT INTO kg_unlisted (object_id, org_id, after) VALUES (NEW.object_id, NEW.org_id, '')
        ON CONFLICT (object_id) DO UPDATE SET after = '';
END;
CREATE TRIGGER kg_documents_removed AFTER DELETE ON kg_documents BEGIN
    INSERT INTO kg_unlisted (object_id, org_id, after) VALUES (OLD.object_id, OLD.org_id, '')
        ON CONFLICT (object_id) DO UPDATE SET after = '';
END;
CREATE TRIGGER kg_document_names_removed AFTER DELETE ON kg_document_names BEGIN
    INSERT INTO kg_unused (name_id, object_id, org_id) VALUES (OLD.name_id, OLD.object_id, OLD.org_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER kg_objects_trashed AFTER UPDATE OF removed ON objects WHEN OLD.removed <> NEW.removed
BEGIN
    INSERT INTO kg_unlisted (object_id, org_id, after) SELECT object_id, org_id, '' FROM kg_documents WHERE object_id = NEW.id
        ON CONFLICT (object_id) DO UPDATE SET after = '';
END;
CREATE TRIGGER kg_objects_shown AFTER UPDATE OF owner_id, visibility ON objects
    WHEN NOT OLD.removed AND NOT NEW.removed AND (OLD.owner_id <> NEW.owner_id OR OLD.visibility <> NEW.visibility)
BEGIN
    DELETE FROM kg_entries WHERE object_id = NEW.id
        AND audience IN ('own:' || OLD.owner_id, 'team:' || OLD.team_id, 'org:' || OLD.org_id);
    INSERT INTO kg_entries (audience, name, name_id, at, object_id, type, org_id)
        SELECT audiences.audience, n.name, n.id, d.at, d.object_id, n.type, n.org_id
        FROM kg_documents d CROSS JOIN kg_document_names dn CROSS JOIN kg_names n CROSS JOIN (
            SELECT 'own:' || NEW.owner_id AS audience UNION ALL
            SELECT 'team:' || NEW.team_id WHERE NEW.visibility = 'team' UNION ALL
            SELECT 'org:' || NEW.org_id WHERE NEW.visibility = 'team'
        ) AS audiences WHERE d.object_id = NEW.id AND dn.object_id = d.object_id AND n.id = dn.name_id
        ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER kg_grants_added AFTER INSERT ON object_grants WHEN NOT NEW.removed BEGIN
    INSERT INTO kg_entries (audience, name, name_id, at, object_id, type, org_id)
        SELECT NEW.principal_type || '-grant:' || NEW.principal_id, n.name, n.id, d.at, d.object_id, n.type, n.org_id
        FROM kg_documents d CROSS JOIN kg_document_names dn CROSS JOIN kg_names n
        WHERE d.object_id = NEW.object_id AND dn.object_id = d.object_id AND n.id = dn.name_id
        ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER kg_grants_removed AFTER DELETE ON object_grants WHEN NOT OLD.removed BEGIN
    DELETE FROM kg_entries WHERE object_id = OLD.object_id
        AND audience = OLD.principal_type || '-grant:' || OLD.principal_id;
END;

-- only postgres: a session keeps the plan of a function's statement, perhaps from when the tables were empty: hence only
-- plans by index. The update of `after` makes the server that completes the entries wait for this transaction.
CREATE FUNCTION kg_documents_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_unlisted (object_id, org_id, after)
        VALUES (COALESCE(NEW.object_id, OLD.object_id), COALESCE(NEW.org_id, OLD.org_id), '')
        ON CONFLICT (object_id) DO UPDATE SET after = '';
    RETURN NULL;
END
$$;
CREATE TRIGGER kg_documents_added AFTER INSERT ON kg_documents FOR EACH ROW EXECUTE FUNCTION kg_documents_changed();
CREATE TRIGGER kg_documents_removed AFTER DELETE ON kg_documents FOR EACH ROW EXECUTE FUNCTION kg_documents_changed();
CREATE FUNCTION kg_document_names_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_unused (name_id, object_id, org_id) VALUES (OLD.name_id, OLD.object_id, OLD.org_id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER kg_document_names_removed AFTER DELETE ON kg_document_names FOR EACH ROW
    EXECUTE FUNCTION kg_document_names_removed();
CREATE FUNCTION kg_objects_trashed() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS $$
BEGIN
    INSERT INTO kg_unlisted (object_id, org_id, after) SELECT object_id, org_id, '' FROM kg_documents WHERE object_id = NEW.id
        ON CONFLICT (object_id) DO UPDATE SET after = '';
    RETURN NULL;
END
$$;
CREATE TRIGGER kg_objects_trashed AFTER UPDATE OF removed ON objects FOR EACH ROW
    WHEN (OLD.removed <> NEW.removed) EXECUTE FUNCTION kg_objects_trashed();
CREATE FUNCTION kg_objects_shown() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    DELETE FROM kg_entries WHERE object_id = NEW.id
        AND audience IN ('own:' || OLD.owner_id, 'team:' || OLD.team_id, 'org:' || OLD.org_id);
    INSERT INTO kg_entries (audience, name, name_id, at, object_id, type, org_id)
        SELECT audiences.audience, n.name, n.id, d.at, d.object_id, n.type, n.org_id
        FROM (VALUES ('own:' || NEW.owner_id, TRUE), ('team:' || NEW.team_id, NEW.visibility = 'team'),
            ('org:' || NEW.org_id, NEW.visibility = 'team')) AS audiences (audience, admitted)
        CROSS JOIN kg_documents d JOIN kg_document_names dn ON dn.object_id = d.object_id
        JOIN kg_names n ON n.id = dn.name_id
        WHERE d.object_id = NEW.id AND audiences.admitted
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER kg_objects_shown AFTER UPDATE OF owner_id, visibility ON objects FOR EACH ROW
    WHEN (NOT OLD.removed AND NOT NEW.removed AND (OLD.owner_id <> NEW.owner_id OR OLD.visibility <> NEW.visibility))
    EXECUTE FUNCTION kg_objects_shown();
CREATE FUNCTION kg_grants_added() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO kg_entries (audience, name, name_id, at, object_id, type, org_id)
        SELECT NEW.principal_type || '-grant:' || NEW.principal_id, n.name, n.id, d.at, d.object_id, n.type, n.org_id
        FROM kg_documents d JOIN kg_document_names dn ON dn.object_id = d.object_id JOIN kg_names n ON n.id = dn.name_id
        WHERE d.object_id = NEW.object_id
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER kg_grants_added AFTER INSERT ON object_grants FOR EACH ROW WHEN (NOT NEW.removed)
    EXECUTE FUNCTION kg_grants_added();
CREATE FUNCTION kg_grants_removed() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM kg_entries WHERE object_id = OLD.object_id
        AND audience = OLD.principal_type || '-grant:' || OLD.principal_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER kg_grants_removed AFTER DELETE ON object_grants FOR EACH ROW WHEN (NOT OLD.removed)
    EXECUTE FUNCTION kg_grants_removed();
