"""Migrations: numbered SQL files, applied at start under a lock, forward only.

The files are written once for both databases; see `teamspace.core.db.dialect` for the differences.
"""

import hashlib
from importlib import resources

import msgspec

from teamspace.core import clock
from teamspace.core.db.engine import Engine

_LEDGER = """
    CREATE TABLE IF NOT EXISTS migrations (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
"""


class SchemaError(Exception):
    """The database and this server do not belong together."""


class Migration(msgspec.Struct, frozen=True):
    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def shipped() -> list[Migration]:
    files = resources.files("teamspace.migrations").iterdir()
    names = sorted(file.name for file in files if file.name.endswith(".sql"))
    folder = resources.files("teamspace.migrations")
    return [Migration(int(name[:4]), name, (folder / name).read_text()) for name in names]


async def migrate(engine: Engine) -> list[str]:
    """Bring the schema up to this server's; the names of what was applied."""
    async with engine.migration_lock():
        await engine.script(engine.dialect.schema(_LEDGER))
        missing = await _missing(engine)
        for migration in missing:
            await engine.script(engine.dialect.schema(migration.sql) + _entry(migration))
    return [migration.name for migration in missing]


async def check_schema(engine: Engine) -> None:
    """Refuse a schema that is not this server's, older or newer."""
    try:
        missing = await _missing(engine)
    except SchemaError:
        raise
    except Exception:
        raise SchemaError("the database holds no Teamspace, or one that never started") from None
    if missing:
        raise SchemaError(f"the database lacks {missing[0].name}: run `teamspace migrate` first")


async def _missing(engine: Engine) -> list[Migration]:
    rows = await engine.fetch("SELECT number, name, digest FROM migrations", {})
    done, known = {row[0]: (row[1], row[2]) for row in rows}, shipped()
    _check(done, known)
    return [migration for migration in known if migration.number not in done]


def _check(done: dict[int, tuple[str, str]], known: list[Migration]) -> None:
    newest = known[-1].number
    if done and max(done) > newest:
        raise SchemaError(
            f"the database has schema {max(done)}, this server knows {newest}: run the newer server, or restore a backup"
        )
    for migration in known:
        if migration.number in done and done[migration.number][1] != migration.digest:
            raise SchemaError(f"{migration.name} is not the one this database was made with")


def _entry(migration: Migration) -> str:
    # A script takes no parameters on either driver; none of these values can hold a quote.
    return (
        "\nINSERT INTO migrations (number, name, digest, applied_at) VALUES"
        f" ({migration.number}, '{migration.name}', '{migration.digest}', '{clock.stamp()}');\n"
    )
