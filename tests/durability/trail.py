"""Reads the audit log directly from the database, without the server's code."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import asyncpg

_ROWS = "SELECT id, request_id FROM audit WHERE id > {}"


class Trail:
    """Counts the rows added since the last call. There must be no writes meanwhile."""

    def __init__(self, database: Path | str) -> None:
        """`database` is SQLite's file, or PostgreSQL's URL."""
        self._database = database
        self._last = ""

    async def added(self) -> Counter[str]:
        """Return how many rows each request added."""
        rows = await self._rows()
        self._last = max((row[0] for row in rows), default=self._last)
        return Counter(row[1] for row in rows)

    async def _rows(self) -> list[tuple[str, str]]:
        if isinstance(self._database, Path):
            with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as file:
                return file.execute(_ROWS.format("?"), [self._last]).fetchall()
        connection = await asyncpg.connect(self._database)
        try:
            return [(row[0], row[1]) for row in await connection.fetch(_ROWS.format("$1"), self._last)]
        finally:
            await connection.close()
