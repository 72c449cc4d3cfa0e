"""A pool of empty PostgreSQL databases: emptying a used one is several times faster than creating one."""

import asyncio
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg

from tests.support.postgres import create_database, drop_database

_numbers = itertools.count()
_SCHEMA = (
    "SELECT concat(count(*), ' ', max(changed)) FROM ("
    "SELECT pg_class.xmin::text::bigint AS changed FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    " UNION ALL SELECT pg_trigger.xmin::text::bigint FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
    " WHERE relnamespace = 'public'::regnamespace) AS rows"
)
"""Changes when a table, index or trigger is created, altered, truncated or dropped: its row in the catalog is new."""
_SIZE = "SELECT sum(pg_relation_size(CAST(name AS regclass))) FROM unnest($1::text[]) AS name"
_MAX_SIZE = 4 << 20
_DISCONNECT_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


class Databases:
    """Copies of a template. Rows that a test leaves are deleted; a copy with a changed schema is dropped."""

    def __init__(self, admin: str, template: str) -> None:
        self._admin, self._template = admin, template
        self._free: list[Copy] = []
        self._loop = asyncio.new_event_loop()  # separate from the loop of the tests

    @contextmanager
    def acquire(self) -> Iterator[str]:
        copy = self._free.pop() if self._free else self._create()
        yield copy.url
        if self._loop.run_until_complete(copy.reset()):
            self._free.append(copy)
        else:
            self._drop(copy)

    def close(self) -> None:
        for copy in self._free:
            self._drop(copy)
        self._loop.close()

    def _drop(self, copy: "Copy") -> None:
        copy.close()
        drop_database(self._admin, copy.name)

    def _create(self) -> "Copy":
        name = f"test_{os.getpid()}_{next(_numbers)}"
        copy = Copy(name, create_database(self._admin, name, self._template))
        self._loop.run_until_complete(copy.snapshot())
        return copy


class Copy:
    """Keeps one connection open: a new one would read the whole catalog again."""

    def __init__(self, name: str, url: str) -> None:
        self.name, self.url = name, url
        self._schema, self._nonempty_query = "", ""
        self._rows: dict[str, list[Any]] = {}
        """The rows that the migrations insert."""

    async def snapshot(self) -> None:
        self._connection = await asyncpg.connect(self.url)
        # Delete without checking foreign keys or running triggers.
        await self._connection.execute("SET session_replication_role = replica")
        self._schema = await self._connection.fetchval(_SCHEMA)
        tables = [row["tablename"] for row in await self._connection.fetch(_TABLES)]
        self._nonempty_query = " UNION ALL ".join(
            f"SELECT '{table}' AS name WHERE EXISTS (SELECT FROM \"{table}\")" for table in tables
        )
        for row in await self._connection.fetch(self._nonempty_query):
            self._rows[row["name"]] = await self._connection.fetch(f'SELECT * FROM "{row["name"]}"')

    async def reset(self) -> bool:
        """Restore the rows of the template; False if the copy cannot be reused."""
        connection = self._connection
        if connection.is_closed():  # by a test that terminated all connections
            return False
        await connection.execute(_DISCONNECT_OTHERS)
        if await connection.fetchval(_SCHEMA) != self._schema:
            return False
        used = [row["name"] for row in await connection.fetch(self._nonempty_query)]
        if (await connection.fetchval(_SIZE, used) or 0) > _MAX_SIZE:
            return False
        async with connection.transaction():
            await connection.execute(";".join(f'DELETE FROM "{table}"' for table in used))
            for table, rows in self._rows.items():
                await connection.copy_records_to_table(table, records=rows, columns=list(rows[0].keys()))
        return True

    def close(self) -> None:
        self._connection.terminate()
