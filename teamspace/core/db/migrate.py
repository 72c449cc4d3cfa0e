"""Migrations: numbered SQL files, applied at start under a lock, forward only.

The files are written once for both databases; see `teamspace.core.db.dialect` for the differences.
"""

import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Protocol

import msgspec

from teamspace.core import clock
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import Engine, Fetches
from teamspace.core.errors import Refusal

_LEDGER = """
    CREATE TABLE IF NOT EXISTS migrations (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
"""


class SchemaError(Exception):
    """The database and this server do not belong together."""


class Applied(msgspec.Struct, frozen=True):
    """What a database remembers of a migration."""

    number: int
    name: str
    digest: str


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
        await apply(engine, engine.dialect, ())
        missing = await _missing(engine)
        await apply(engine, engine.dialect, missing)
    return [migration.name for migration in missing]


class Scripted(Protocol):
    async def script(self, sql: str) -> None: ...


async def apply(target: Scripted, dialect: Dialect, migrations: Iterable[Migration]) -> None:
    """Carry the migrations out and enter them in the ledger, which is made if need be."""
    await target.script(dialect.prelude + dialect.schema(_LEDGER))
    for migration in migrations:
        await target.script(dialect.schema(migration.sql) + _entry(migration))


async def applied(source: Fetches) -> Sequence[Applied]:
    """What the database was made with, of which this server knows all."""
    try:
        rows = await source.fetch("SELECT number, name, digest FROM migrations ORDER BY number", {})
    except Refusal:
        raise
    except Exception:
        raise SchemaError("the database holds no Teamspace, or one that never started") from None
    done = [Applied(*row) for row in rows]
    _check(done, shipped())
    return done


async def is_outdated(source: Fetches) -> bool:
    """Whether a newer server has migrated the database since this one started."""
    rows = await source.fetch("SELECT MAX(number) FROM migrations", {})
    return bool(rows[0][0] > shipped()[-1].number)


async def check_schema(engine: Engine) -> None:
    """Refuse a schema that is not this server's, older or newer."""
    if missing := await _missing(engine):
        raise SchemaError(f"the database lacks {missing[0].name}: run `teamspace migrate` first")


async def _missing(engine: Engine) -> list[Migration]:
    done = {entry.number for entry in await applied(engine)}
    return [migration for migration in shipped() if migration.number not in done]


def _check(done: Sequence[Applied], known: Sequence[Migration]) -> None:
    newest = known[-1].number
    if done and done[-1].number > newest:
        raise SchemaError(
            f"the database has schema {done[-1].number}, this server knows {newest}:"
            " run the newer server, or restore a backup"
        )
    digests = {entry.number: entry.digest for entry in done}
    for migration in known:
        if digests.get(migration.number, migration.digest) != migration.digest:
            raise SchemaError(f"{migration.name} is not the one this database was made with")


def _entry(migration: Migration) -> str:
    # A script takes no parameters on either driver; none of these values can hold a quote.
    return (
        "\nINSERT INTO migrations (number, name, digest, applied_at) VALUES"
        f" ({migration.number}, '{migration.name}', '{migration.digest}', '{clock.stamp()}');\n"
    )
