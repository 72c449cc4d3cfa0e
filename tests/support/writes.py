"""Which tables were written to: triggers log every inserted, updated or deleted row."""

import re

from teamspace.core.db import Db
from teamspace.core.db.migrate import bundled_migrations
from teamspace.core.db.sqlite import Sqlite

TABLES = sorted(
    {name for migration in bundled_migrations() for name in re.findall(r"CREATE TABLE (\w+)", migration.sql)}
)
_EVENTS = ("INSERT", "UPDATE", "DELETE")
_LOG = {
    "sqlite": "CREATE TABLE test_writes (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    "postgres": """CREATE UNLOGGED TABLE test_writes (id BIGSERIAL PRIMARY KEY, name TEXT NOT NULL);
        CREATE FUNCTION test_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO test_writes (name) VALUES (TG_TABLE_NAME); RETURN NULL; END $$""",
}
_TRIGGER = {
    "sqlite": "CREATE TRIGGER test_{event}_{table} AFTER {event} ON {table}"
    " BEGIN INSERT INTO test_writes (name) VALUES ('{table}'); END",
    "postgres": "CREATE TRIGGER test_{event}_{table} AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION test_write()",
}


class Writes:
    """A log of committed writes."""

    def __init__(self, db: Db) -> None:
        self._db = db

    @classmethod
    async def install(cls, db: Db) -> "Writes":
        """Create the log and its triggers."""
        database = "sqlite" if isinstance(db.engine, Sqlite) else "postgres"
        triggers = [_TRIGGER[database].format(event=event, table=table) for table in TABLES for event in _EVENTS]
        await db.engine.script(";\n".join([_LOG[database], *triggers]))
        return cls(db)

    async def mark(self) -> int:
        return await self._db.one(int, "SELECT COALESCE(MAX(id), 0) FROM test_writes") or 0

    async def since(self, mark: int) -> list[str]:
        """The names of the tables written to since `mark`."""
        return await self._db.all(
            str, "SELECT DISTINCT name FROM test_writes WHERE id > :mark ORDER BY name", mark=mark
        )
