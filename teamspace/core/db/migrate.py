"""Migrations: numbered SQL files, applied at start under a lock, forward only.

The files are written once for both databases; see `teamspace.core.db.dialect` for the differences.
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

import msgspec

from teamspace.core import clock
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import Engine, Fetcher, ScriptTarget
from teamspace.core.errors import Refusal

_MIGRATIONS_TABLE = """
    CREATE TABLE IF NOT EXISTS migrations (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
"""


class SchemaError(Exception):
    """The schema of the database is not one that this server can use."""


class AppliedMigration(msgspec.Struct, frozen=True):
    """A row of the table `migrations`."""

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


@cache
def bundled_migrations() -> tuple[Migration, ...]:
    files = resources.files("teamspace.migrations").iterdir()
    names = sorted(file.name for file in files if file.name.endswith(".sql"))
    folder = resources.files("teamspace.migrations")
    return tuple(Migration(int(name[:4]), name, (folder / name).read_text()) for name in names)


async def migrate(engine: Engine) -> list[str]:
    """Apply the pending migrations; return their names."""
    async with engine.migration_lock() as target:
        await apply(target, engine.dialect, ())
        missing = await _pending(engine)
        if missing:
            await apply(target, engine.dialect, missing)
    return [migration.name for migration in missing]


async def apply(target: ScriptTarget, dialect: Dialect, migrations: Iterable[Migration]) -> None:
    """Run the migrations and record them in the table `migrations`, which is created if necessary."""
    await target.script(dialect.prelude + dialect.translate(_MIGRATIONS_TABLE))
    for migration in migrations:
        await target.script(dialect.translate(migration.sql) + _insert_statement(migration))


async def applied_migrations(source: Fetcher) -> Sequence[AppliedMigration]:
    """Return the migrations of the database; raise SchemaError if this server does not know them all."""
    try:
        rows = await source.fetch("SELECT number, name, digest FROM migrations ORDER BY number", {})
    except Refusal:
        raise
    except Exception:
        raise SchemaError("the database has no Teamspace schema: no server has started on it yet") from None
    done = [AppliedMigration(*row) for row in rows]
    _check(done, bundled_migrations())
    return done


async def is_outdated(source: Fetcher) -> bool:
    """Return whether a newer server has migrated the database since this one started."""
    rows = await source.fetch("SELECT MAX(number) FROM migrations", {})
    return bool(rows[0][0] > bundled_migrations()[-1].number)


async def check_schema(engine: Engine) -> None:
    """Raise SchemaError if the schema is older or newer than this server's."""
    if missing := await _pending(engine):
        raise SchemaError(f"the database lacks {missing[0].name}: run `teamspace migrate` first")


async def _pending(engine: Engine) -> list[Migration]:
    done = {entry.number for entry in await applied_migrations(engine)}
    return [migration for migration in bundled_migrations() if migration.number not in done]


def _check(done: Sequence[AppliedMigration], known: Sequence[Migration]) -> None:
    newest = known[-1].number
    if done and done[-1].number > newest:
        raise SchemaError(
            f"the database has schema {done[-1].number}, this server knows {newest}:"
            " run the newer server, or restore a backup"
        )
    digests = {entry.number: entry.digest for entry in done}
    for migration in known:
        if digests.get(migration.number, migration.digest) != migration.digest:
            raise SchemaError(f"{migration.name} differs from the migration that was applied to this database")


def _insert_statement(migration: Migration) -> str:
    # Neither driver accepts parameters in a script; none of these values can contain a quote.
    return (
        "\nINSERT INTO migrations (number, name, digest, applied_at) VALUES"
        f" ({migration.number}, '{migration.name}', '{migration.digest}', '{clock.stamp()}');\n"
    )
