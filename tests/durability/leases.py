"""Ends leases in the database, where a test cannot wait for them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg

_END = "UPDATE jobs SET lease_until = '2001-01-01T00:00:00.000Z' WHERE state = 'running'"


async def end_leases(database: Path | str, kind: str | None = None) -> None:
    """`database` is SQLite's file, or PostgreSQL's URL. With `kind`, only the leases of its jobs."""
    sql = _END if kind is None else f"{_END} AND kind = '{kind}'"
    if isinstance(database, Path):
        with closing(sqlite3.connect(database, timeout=30)) as file, file:
            file.execute(sql)
        return
    connection = await asyncpg.connect(database)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()
