"""Reads which model calls were paid, from the database: interrupted ones are charged only minutes later."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import asyncpg

TOKENS = 7
"""What the model server says that each of its answers has cost."""
_READ = f"SELECT COUNT(*), COUNT(CASE WHEN settled_at IS NOT NULL AND tokens = {TOKENS} THEN 1 END) FROM quota_ledger"


class Payments(NamedTuple):
    calls: int
    answers: int
    """Calls that were answered, and paid with what the model said they cost; the others were interrupted."""


async def read_payments(database: Path | str) -> Payments:
    """`database` is SQLite's file, or PostgreSQL's URL."""
    if isinstance(database, Path):
        with closing(sqlite3.connect(database, timeout=30)) as file:
            return Payments(*file.execute(_READ).fetchone())
    connection = await asyncpg.connect(database)
    try:
        return Payments(*(await connection.fetch(_READ))[0])
    finally:
        await connection.close()
