"""Reads which model calls were paid and recorded, from the database: interrupted ones are charged only minutes later."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg

TOKENS = 7
"""What the model server says that each of its answers has cost."""
_PAYMENTS = (
    f"SELECT COUNT(*), COUNT(CASE WHEN settled_at IS NOT NULL AND tokens = {TOKENS} THEN 1 END) FROM quota_ledger"
)
_ENTRIES = "SELECT purpose, requests, tokens, CASE WHEN settled_at IS NULL THEN 0 ELSE 1 END FROM quota_ledger"
_AUDITED = "SELECT action, COUNT(*) FROM audit GROUP BY action"
_ROUNDS = "SELECT COUNT(*) FROM jobs WHERE kind = 'ai.chat' AND step LIKE 'round-%'"


class Payments(NamedTuple):
    calls: int
    answers: int
    """Calls that were answered, and paid with what the model said they cost; the others were interrupted."""


class Entry(NamedTuple):
    """A reservation, and what was paid when it was settled."""

    purpose: str
    requests: int
    tokens: int
    settled: bool


async def read_payments(database: Path | str) -> Payments:
    return Payments(*(await _read(database, _PAYMENTS))[0])


async def read_entries(database: Path | str) -> list[Entry]:
    return [Entry(purpose, requests, tokens, bool(settled)) for purpose, requests, tokens, settled in
        await _read(database, _ENTRIES)]  # fmt: skip


async def count_audited(database: Path | str) -> dict[str, int]:
    """Return how often each action is in the audit log."""
    return {action: number for action, number in await _read(database, _AUDITED)}


async def count_rounds(database: Path | str) -> int:
    """Return how many rounds of agents were given to workers."""
    return int((await _read(database, _ROUNDS))[0][0])


async def _read(database: Path | str, sql: str) -> list[Any]:
    """`database` is SQLite's file, or PostgreSQL's URL."""
    if isinstance(database, Path):
        with closing(sqlite3.connect(database, timeout=30)) as file:
            return file.execute(sql).fetchall()
    connection = await asyncpg.connect(database)
    try:
        return list(await connection.fetch(sql))
    finally:
        await connection.close()
