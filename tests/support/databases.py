"""Empty PostgreSQL databases for one test after another: emptying a used one is several times quicker than making one."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg

from tests.support.postgres import create_database, drop_database

_numbers = itertools.count()
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
_SHAPE = (
    "SELECT md5(string_agg(concat(pg_class.oid, relname, relfilenode, relnatts, reltriggers), ',' ORDER BY pg_class.oid))"
    " FROM pg_class, LATERAL (SELECT string_agg(concat(tgname, tgenabled), ',' ORDER BY tgname) AS reltriggers"
    " FROM pg_trigger WHERE tgrelid = pg_class.oid) AS triggers WHERE relnamespace = 'public'::regnamespace"
)
"""Changes with every table and index that is made, altered, truncated or dropped."""
_SIZE = "SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
_LARGEST = 4 << 20
_ALONE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


class Databases:
    """Copies of one template. What a test leaves behind is deleted, and what it did to tables ends the copy."""

    def __init__(self, admin: str, template: str) -> None:
        self._admin, self._template = admin, template
        self._free: list[Copy] = []
        self._loop = asyncio.new_event_loop()  # beside the one that the tests have

    @contextmanager
    def one(self) -> Iterator[str]:
        copy = self._free.pop() if self._free else self._made()
        yield copy.url
        if self._loop.run_until_complete(copy.emptied()):
            self._free.append(copy)
        else:
            drop_database(self._admin, copy.name)

    def close(self) -> None:
        for copy in self._free:
            drop_database(self._admin, copy.name)
        self._loop.close()

    def _made(self) -> "Copy":
        name = f"test_{os.getpid()}_{next(_numbers)}"
        copy = Copy(name, create_database(self._admin, name, self._template))
        self._loop.run_until_complete(copy.remember())
        return copy


class Copy:
    def __init__(self, name: str, url: str) -> None:
        self.name, self.url = name, url
        self._shape = ""
        self._rows: dict[str, list[Any]] = {}
        """What the migrations put there."""

    async def remember(self) -> None:
        async with _connected(self.url) as connection:
            self._shape = await connection.fetchval(_SHAPE)
            for table in await _tables(connection):
                if rows := await connection.fetch(f'SELECT * FROM "{table}"'):
                    self._rows[table] = rows

    async def emptied(self) -> bool:
        """Whether it is as it was; one that was altered or has grown is not."""
        async with _connected(self.url) as connection:
            await connection.execute(_ALONE)
            if await connection.fetchval(_SHAPE) != self._shape or await connection.fetchval(_SIZE) > _LARGEST:
                return False
            # Neither foreign keys nor triggers have a say in this.
            await connection.execute("SET session_replication_role = replica")
            deletions = ";".join(f'DELETE FROM "{table}"' for table in await _tables(connection))
            async with connection.transaction():
                await connection.execute(deletions)
                for table, rows in self._rows.items():
                    await connection.copy_records_to_table(table, records=rows, columns=list(rows[0].keys()))
            return True


async def _tables(connection: Any) -> list[str]:
    return [row["tablename"] for row in await connection.fetch(_TABLES)]


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()
