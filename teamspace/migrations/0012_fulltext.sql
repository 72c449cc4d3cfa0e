-- Searchable texts, as written and as words. Triggers or generated columns maintain the database's full-text index, so
-- writing a text or restoring a backup also fills the index. See teamspace/fulltext.

CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    made_by INTEGER NOT NULL,
    title TEXT NOT NULL,
    labels TEXT NOT NULL,
    body TEXT NOT NULL,
    title_words TEXT NOT NULL,
    label_words TEXT NOT NULL,
    body_words TEXT NOT NULL,
    UNIQUE (kind, ref)
) STRICT;
CREATE INDEX texts_made_by ON texts (made_by, id);

-- only sqlite: the words are split already, and everything that is not ASCII is a letter to this tokeniser.
CREATE VIRTUAL TABLE texts_index USING fts5 (
    scope, title, labels, body, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '2 3'
);
CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN
    INSERT INTO texts_index (rowid, scope, title, labels, body) VALUES
        (new.id, new.kind || replace(new.org_id, '-', ''), new.title_words, new.label_words, new.body_words);
END;
CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN
    DELETE FROM texts_index WHERE rowid = old.id;
END;
CREATE TRIGGER texts_changed AFTER UPDATE ON texts BEGIN
    DELETE FROM texts_index WHERE rowid = old.id;
    INSERT INTO texts_index (rowid, scope, title, labels, body) VALUES
        (new.id, new.kind || replace(new.org_id, '-', ''), new.title_words, new.label_words, new.body_words);
END;

-- only postgres: places begin anew after 14,000, since there are 16,383. Neighbours stay neighbours.
CREATE FUNCTION texts_vector(scope text, title text, labels text, body text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
    SELECT CAST(concat_ws(' ', scope || ':1C', string_agg(word || ':' || place || weight, ' ')) AS tsvector) FROM (
        SELECT word, 10 + number % 900 AS place, 'A' AS weight
            FROM unnest(string_to_array(title, ' ')) WITH ORDINALITY AS placed (word, number) UNION ALL
        SELECT word, 1000 + number % 900, 'B'
            FROM unnest(string_to_array(labels, ' ')) WITH ORDINALITY AS placed (word, number) UNION ALL
        SELECT word, 2000 + number % 14000, 'D'
            FROM unnest(string_to_array(body, ' ')) WITH ORDINALITY AS placed (word, number)
    ) AS words
$$;
ALTER TABLE texts ADD COLUMN vector tsvector GENERATED ALWAYS AS (
    texts_vector(kind || replace(org_id, '-', ''), title_words, label_words, body_words)
) STORED;
-- Every search reads what the index has yet to take in, 4 MB by default. That much made the planner rather read all of
-- 10,000 short texts.
CREATE INDEX texts_by_word ON texts USING gin (vector) WITH (gin_pending_list_limit = 256);

-- on both: what was there before is read by the server in its own time.
INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)
    SELECT row_number() OVER (ORDER BY id), 'note', id, org_id, 0, title, tags, body, '', '', '' FROM notes;
