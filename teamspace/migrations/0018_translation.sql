-- Glossaries, the history of translations, and the translation memory.

-- A glossary per team and target language. The revision grows with every change and is never reused: the memory of an
-- older one is not used any more.
CREATE TABLE glossaries (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    target TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    revision INTEGER NOT NULL,
    PRIMARY KEY (team_id, target)
) STRICT, WITHOUT ROWID;

-- term_key: the term without its case. forbidden: a JSON list.
CREATE TABLE glossary_terms (
    team_id TEXT NOT NULL,
    target TEXT NOT NULL,
    term_key TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    term TEXT NOT NULL,
    translation TEXT NOT NULL,
    note TEXT,
    forbidden TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (team_id, target, term_key),
    FOREIGN KEY (team_id, target) REFERENCES glossaries (team_id, target) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Read by its author alone. texts, checks, glossary_hits and usage: JSON.
CREATE TABLE translations (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    author_id TEXT NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    source TEXT,
    target TEXT NOT NULL,
    texts TEXT NOT NULL,
    truncated BOOLEAN NOT NULL,
    checks TEXT NOT NULL,
    glossary_hits TEXT NOT NULL,
    memory_hits INTEGER NOT NULL,
    model TEXT NOT NULL,
    usage TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX translations_of_author ON translations (team_id, author_id, id);

-- Segments that passed all checks. digest: of the source language and the segment. The text is only its translation.
CREATE TABLE translation_memory (
    team_id TEXT NOT NULL,
    target TEXT NOT NULL,
    digest TEXT NOT NULL,
    org_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (team_id, target, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX translation_memory_by_age ON translation_memory (team_id, created_at);
