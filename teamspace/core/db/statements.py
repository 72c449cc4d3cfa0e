"""Statements that can wait, joined so that fewer are sent: rows of one insert on SQLite, several tables on PostgreSQL."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from teamspace.core.db.engine import Params

Statement = tuple[str, Params]

NAMED = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
"""A named parameter."""
MAX_ROWS = 32
_WRITE = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)")
_ONE_ROW = re.compile(r"(INSERT INTO \w+ \([^()]*\) VALUES )(\(.*?\))( ON CONFLICT [^:]*)?", re.DOTALL)


@lru_cache(1024)
def written_table(sql: str) -> str | None:
    """Return the table that a statement changes, if any. Our SQL keywords are in capitals."""
    match = _WRITE.match(sql)
    return match[1] if match else None


def join_rows(statements: Sequence[Statement]) -> Iterator[tuple[str, Params | Sequence[Any]]]:
    """Join equal inserts to one with several rows.

    The full-text index of SQLite is written at every statement that changes it, and not at every commit.
    Statements for the same table keep their order.
    """
    waiting: dict[str, list[Statement]] = {}
    for sql, params in statements:
        table = written_table(sql) or ""
        others = waiting.get(table)
        if others and others[0][0] != sql:
            yield from _rows(waiting.pop(table))
        if _has_one_row(sql):
            waiting.setdefault(table, []).append((sql, params))
        else:
            yield sql, params
    for some in waiting.values():
        yield from _rows(some)


@lru_cache(1024)
def _has_one_row(sql: str) -> bool:
    return _ONE_ROW.fullmatch(sql) is not None


def _rows(statements: list[Statement]) -> Iterator[tuple[str, Params | Sequence[Any]]]:
    for start in range(0, len(statements), MAX_ROWS):
        some = statements[start : start + MAX_ROWS]
        if len(some) == 1:
            yield some[0]
        else:
            sql, names = _with_rows(some[0][0], len(some))
            yield sql, [params[name] for _, params in some for name in names]


@lru_cache(512)
def _with_rows(sql: str, count: int) -> tuple[str, tuple[str, ...]]:
    """Return the insert with several rows, and the names of the parameters of a row in their order."""
    match = _ONE_ROW.fullmatch(sql)
    assert match is not None
    head, row, tail = match.groups()
    return head + ", ".join([NAMED.sub("?", row)] * count) + (tail or ""), tuple(NAMED.findall(row))


def join_tables(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Join statements to one by WITH, up to a second one for the same table.

    They run on one state of the database: none sees what another has changed.
    """
    waiting: dict[str, Statement] = {}
    for statement in statements:
        table = written_table(statement[0])
        if table is None or table in waiting:
            yield from _joined(list(waiting.values()))
            waiting.clear()
        if table is None:
            yield statement
        else:
            waiting[table] = statement
    yield from _joined(list(waiting.values()))


def _joined(statements: list[Statement]) -> Iterator[Statement]:
    if len(statements) < 2:
        yield from statements
        return
    params = {f"s{number}_{name}": one[1][name] for number, one in enumerate(statements) for name in one[1]}
    yield _with(tuple(sql for sql, _ in statements)), params


@lru_cache(512)
def _with(statements: tuple[str, ...]) -> str:
    *others, last = (NAMED.sub(rf":s{number}_\1", sql) for number, sql in enumerate(statements))
    return f"WITH {', '.join(f's{number} AS ({sql})' for number, sql in enumerate(others))} {last}"
