-- What each server process last said of itself, where there may be several.

CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    seen_at TEXT NOT NULL,
    figures TEXT NOT NULL
) STRICT, WITHOUT ROWID;
