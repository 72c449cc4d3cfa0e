-- The localization manager: the product's messages, their translations, and what is proposed. See teamspace/localization.
-- All rows belong to the instance, not to a company.

-- A source text. source_hash: the beginning of its SHA-256. words: the sorted words of key and source with a space around
-- each, for searching.
CREATE TABLE l10n_messages (
    id TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    source_hash TEXT NOT NULL,
    words TEXT NOT NULL,
    UNIQUE (namespace, key)
) STRICT;

-- A message in a locale. There is a row for what is missing too, so that lists are read by index.
-- current_hash: the message's. text: what is served; NULL if missing. words: as above, of the text.
-- origin: human, machine or import. source_hash, written_source: the source when the text was written or approved.
-- translated_by: who wrote the text; NULL for machine and import. approved_at is set if the text is approved, approved_by
-- too unless a file said so.
-- review: NULL, submitted or returned; with it, the open proposal: proposal, of the source with proposal_source_hash, by
-- author_id; contributors (JSON): all who submitted that very text. note, reviewer_id: of the return.
CREATE TABLE l10n_entries (
    id TEXT PRIMARY KEY,
    locale TEXT NOT NULL,
    message_id TEXT NOT NULL REFERENCES l10n_messages (id) ON DELETE CASCADE,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    current_hash TEXT NOT NULL,
    text TEXT,
    words TEXT NOT NULL,
    origin TEXT,
    source_hash TEXT,
    written_source TEXT,
    translated_by TEXT REFERENCES users (id),
    approved_by TEXT REFERENCES users (id),
    approved_at TEXT,
    updated_at TEXT NOT NULL,
    review TEXT,
    proposal TEXT,
    proposal_source_hash TEXT,
    author_id TEXT REFERENCES users (id),
    contributors TEXT,
    submitted_at TEXT,
    note TEXT,
    reviewer_id TEXT REFERENCES users (id),
    status TEXT NOT NULL GENERATED ALWAYS AS (
        CASE WHEN text IS NULL THEN 'missing' WHEN approved_at IS NULL THEN 'machine'
            WHEN source_hash <> current_hash THEN 'stale' ELSE 'approved' END
    ) STORED
) STRICT;
CREATE UNIQUE INDEX l10n_entries_by_key ON l10n_entries (locale, namespace, key);
CREATE INDEX l10n_entries_by_status ON l10n_entries (locale, status, namespace, key);
CREATE INDEX l10n_entries_by_review ON l10n_entries (locale, review, namespace, key) WHERE review IS NOT NULL;
CREATE INDEX l10n_entries_to_review ON l10n_entries (locale, namespace, key)
    WHERE review = 'submitted' OR (review IS NULL AND status = 'machine');
CREATE INDEX l10n_entries_of_message ON l10n_entries (message_id);
CREATE INDEX l10n_entries_of_translator ON l10n_entries (translated_by) WHERE translated_by IS NOT NULL;
CREATE INDEX l10n_entries_of_approver ON l10n_entries (approved_by) WHERE approved_by IS NOT NULL;
CREATE INDEX l10n_entries_of_author ON l10n_entries (author_id) WHERE author_id IS NOT NULL;
CREATE INDEX l10n_entries_of_reviewer ON l10n_entries (reviewer_id) WHERE reviewer_id IS NOT NULL;

-- People's work on messages that the product no longer has; it comes back with the message.
CREATE TABLE l10n_retired (
    locale TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT,
    origin TEXT,
    source_hash TEXT,
    written_source TEXT,
    translated_by TEXT,
    approved_by TEXT,
    approved_at TEXT,
    review TEXT,
    proposal TEXT,
    proposal_source_hash TEXT,
    author_id TEXT,
    contributors TEXT,
    submitted_at TEXT,
    note TEXT,
    reviewer_id TEXT,
    PRIMARY KEY (locale, namespace, key)
) STRICT, WITHOUT ROWID;

-- Which message has which word: of its key and source with an empty locale, of its text in a locale with that one.
CREATE TABLE l10n_words (
    locale TEXT NOT NULL,
    word TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (locale, word, namespace, key)
) STRICT, WITHOUT ROWID;

-- How many entries have each status, written in the transaction that changes them. submitted: open proposals that wait
-- for a reviewer. revision: grows with every change of what is served in the locale.
CREATE TABLE l10n_locales (
    locale TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    total INTEGER NOT NULL,
    approved INTEGER NOT NULL,
    machine INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    stale INTEGER NOT NULL,
    submitted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The same by namespace.
CREATE TABLE l10n_namespaces (
    locale TEXT NOT NULL REFERENCES l10n_locales (locale) ON DELETE CASCADE,
    namespace TEXT NOT NULL,
    total INTEGER NOT NULL,
    approved INTEGER NOT NULL,
    machine INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    stale INTEGER NOT NULL,
    submitted INTEGER NOT NULL,
    PRIMARY KEY (locale, namespace)
) STRICT, WITHOUT ROWID;

-- One row. switching: whether people choose their locale. drafts: whether unreviewed machine translations are served.
CREATE TABLE l10n_policy (
    name TEXT PRIMARY KEY,
    default_locale TEXT NOT NULL,
    switching BOOLEAN NOT NULL,
    drafts BOOLEAN NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO l10n_policy (name, default_locale, switching, drafts) VALUES ('instance', 'en', TRUE, TRUE);

-- What is being drafted by a job, so that no other one drafts it too. A job that has ended leaves its rows.
CREATE TABLE l10n_drafting (
    entry_id TEXT PRIMARY KEY,
    locale TEXT NOT NULL,
    job_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX l10n_drafting_by_locale ON l10n_drafting (locale, job_id);
