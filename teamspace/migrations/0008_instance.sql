-- What each server process last said of itself, where there may be several, and the counts of those that ended.

CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    figures TEXT NOT NULL
) STRICT, WITHOUT ROWID;
