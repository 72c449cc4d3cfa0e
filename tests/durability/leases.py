"""Ends leases in the database, where a test cannot wait for them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg

_END = "UPDATE jobs SET lease_until = '2001-01-01T00:00:00.000Z' WHERE state = 'running'"


async def end_leases(database: Path | str) -> None:
    """`database` is SQLite's file, or PostgreSQL's URL."""
    if isinstance(database, Path):
        with closing(sqlite3.connect(database, timeout=30)) as file, file:
            file.execute(_END)
        return
    connection = await asyncpg.connect(database)
    try:
        await connection.execute(_END)
    finally:
        await connection.close()
