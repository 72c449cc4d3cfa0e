"""Every write to a thing that people are told about records an event: checked in every test of the suite."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from teamspace.core.db import Db, Tx
from teamspace.core.db.statements import written_table

TABLES = frozenset(
    {
        "notes",
        "note_grants",
        "note_tags",
        "document_tags",
        "objects",
        "object_versions",
        "object_grants",
        "attachments",
        "conversations",
        "conversation_turns",
        "conversation_references",
        "conversation_grants",
        "doc_triggers",
        "prospects",
        "runs",
    }
)
"""The tables of notes, objects, conversations, triggers, prospects and runs. A job tells its own changes."""
_CALL_DEPTH = 6


@contextmanager
def required(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield a list of the transactions inside the block that change one of the tables and record no event."""
    written: WeakKeyDictionary[Tx, set[str]] = WeakKeyDictionary()
    silent: list[str] = []
    fetch, add, defer, offload, finish = Tx._fetch, Tx.add, Tx.defer, Tx.run_offloaded, Db._finish

    async def fetch_and_note(tx: Tx, sql: str, params: Any) -> Sequence[Any]:
        rows = await fetch(tx, sql, params)
        table = written_table(sql)
        if table in TABLES and (rows or "RETURNING" not in sql) and _is_called_by_the_server():
            written.setdefault(tx, set()).add(table)
        return rows

    async def defer_and_note(tx: Tx, sql: str, **params: Any) -> None:
        await defer(tx, sql, **params)
        if table := written_table(sql):
            written.setdefault(tx, set()).add(table)

    async def add_and_note(tx: Tx, sql: str, **params: Any) -> None:
        await add(tx, sql, **params)
        if (table := written_table(sql)) in TABLES and _is_called_by_the_server():
            written.setdefault(tx, set()).add(str(table))

    async def offload_and_note(tx: Tx, sql: str, **params: Any) -> None:
        await offload(tx, sql, **params)
        if (table := written_table(sql)) in TABLES and _is_called_by_the_server():
            written.setdefault(tx, set()).add(str(table))

    def check(db: Db, tx: Tx) -> None:
        tables = written.get(tx, set())
        if tables & TABLES and "events" not in tables:
            silent.append(f"{tx.action or 'a maintenance write'} changes {', '.join(sorted(tables & TABLES))}")
        finish(db, tx)

    monkeypatch.setattr(Tx, "_fetch", fetch_and_note)
    monkeypatch.setattr(Tx, "add", add_and_note)
    monkeypatch.setattr(Tx, "defer", defer_and_note)
    monkeypatch.setattr(Tx, "run_offloaded", offload_and_note)
    monkeypatch.setattr(Db, "_finish", check)
    yield silent


def _is_called_by_the_server() -> bool:
    """Whether a rule of the product writes, not a test that inserts rows of its own."""
    callers = (sys._getframe(depth).f_code.co_filename for depth in range(2, 2 + _CALL_DEPTH))
    return any("/teamspace/" in name and "/domain" in name for name in callers)
