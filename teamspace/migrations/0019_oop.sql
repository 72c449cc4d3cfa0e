-- Sandboxed plugins: what operators have granted them, and what they store.

-- capabilities: a JSON list.
CREATE TABLE oop_grants (
    plugin TEXT PRIMARY KEY,
    capabilities TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- value: JSON. size: in bytes, of key and value.
CREATE TABLE oop_values (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    plugin TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    size INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (org_id, plugin, key)
) STRICT, WITHOUT ROWID;
