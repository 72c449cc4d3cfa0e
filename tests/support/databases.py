"""Empty PostgreSQL databases for one test after another: emptying a used one is several times quicker than making one."""

import asyncio
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg

from tests.support.postgres import create_database, drop_database

_numbers = itertools.count()
_SHAPE = (
    "SELECT md5(string_agg(concat(pg_class.oid, relname, relfilenode, relnatts, reltriggers), ',' ORDER BY pg_class.oid))"
    " FROM pg_class, LATERAL (SELECT string_agg(concat(tgname, tgenabled), ',' ORDER BY tgname) AS reltriggers"
    " FROM pg_trigger WHERE tgrelid = pg_class.oid) AS triggers WHERE relnamespace = 'public'::regnamespace"
)
"""Changes with every table and index that is made, altered, truncated or dropped."""
_SIZE = "SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
_MAX_SIZE = 4 << 20
_ALONE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


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
            self._drop(copy)

    def close(self) -> None:
        for copy in self._free:
            self._drop(copy)
        self._loop.close()

    def _drop(self, copy: "Copy") -> None:
        copy.forget()
        drop_database(self._admin, copy.name)

    def _made(self) -> "Copy":
        name = f"test_{os.getpid()}_{next(_numbers)}"
        copy = Copy(name, create_database(self._admin, name, self._template))
        self._loop.run_until_complete(copy.remember())
        return copy


class Copy:
    """Its connection stays open: a new one would read the whole catalog again, which takes longer than the work."""

    def __init__(self, name: str, url: str) -> None:
        self.name, self.url = name, url
        self._shape, self._filled = "", ""
        self._rows: dict[str, list[Any]] = {}
        """What the migrations put there."""

    async def remember(self) -> None:
        self._connection = await asyncpg.connect(self.url)
        # Neither foreign keys nor triggers have a say in what is deleted.
        await self._connection.execute("SET session_replication_role = replica")
        self._shape = await self._connection.fetchval(_SHAPE)
        tables = [row["tablename"] for row in await self._connection.fetch(_TABLES)]
        self._filled = " UNION ALL ".join(
            f"SELECT '{table}' AS name WHERE EXISTS (SELECT FROM \"{table}\")" for table in tables
        )
        for row in await self._connection.fetch(self._filled):
            self._rows[row["name"]] = await self._connection.fetch(f'SELECT * FROM "{row["name"]}"')

    async def emptied(self) -> bool:
        """Whether it is as it was; one that was altered or has grown is not."""
        connection = self._connection
        if connection.is_closed():  # by a test that ended all connections
            return False
        await connection.execute(_ALONE)
        if await connection.fetchval(_SHAPE) != self._shape or await connection.fetchval(_SIZE) > _MAX_SIZE:
            return False
        used = [row["name"] for row in await connection.fetch(self._filled)]
        async with connection.transaction():
            await connection.execute(";".join(f'DELETE FROM "{table}"' for table in used))
            for table, rows in self._rows.items():
                await connection.copy_records_to_table(table, records=rows, columns=list(rows[0].keys()))
        return True

    def forget(self) -> None:
        self._connection.terminate()
