"""Statements that can wait, joined so that fewer are sent: rows of one insert on SQLite, several tables on PostgreSQL."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from teamspace.core.db.engine import Params

Statement = tuple[str, Params]


class WaitingStatement(NamedTuple):
    """A statement that waits to be sent with others."""

    sql: str
    params: Params
    independent: bool = False
    """Whether it concerns other rows than those before it, also if these are for the same table."""


NAMED = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
"""A named parameter."""
MAX_ROWS = 32
_WRITE = re.compile(r"(INSERT INTO|UPDATE|DELETE FROM) (\w+)")
_ONE_ROW = re.compile(r"(INSERT INTO \w+ \([^()]*\) VALUES )(\(.*?\))( ON CONFLICT [^:]*)?", re.DOTALL)


@lru_cache(1024)
def written_table(sql: str) -> str | None:
    """Return the table that a statement changes, if any. Our SQL keywords are in capitals."""
    match = _WRITE.match(sql)
    return match[2] if match else None


@lru_cache(1024)
def number_parameters(sql: str, mark: str) -> tuple[str, tuple[str, ...]]:
    """Replace `:name` by the mark and a number, from 1; return the statement and the names in that order."""
    numbers: dict[str, int] = {}
    text = NAMED.sub(lambda match: f"{mark}{numbers.setdefault(match[1], len(numbers) + 1)}", sql)
    return text, tuple(numbers)


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


def join_tables(statements: Sequence[WaitingStatement], closing: Statement | None = None) -> Iterator[Statement]:
    """Join statements to one by WITH, and equal inserts to one with several rows. `closing` is a SELECT that ends the last.

    They run on one state of the database: none sees what another has changed. So up to a second one for the same table,
    unless it is independent and does something else with it.
    """
    groups: dict[tuple[str, str], list[WaitingStatement]] = {}
    for statement in statements:
        found = _WRITE.match(statement.sql)
        if found is None or not _can_join(groups, statement, found[1], found[2]):
            yield from _joined(groups)
            groups.clear()
        if found is None:
            yield statement.sql, statement.params
        else:
            groups.setdefault((found[1], found[2]), []).append(statement)
    yield from _joined(groups, closing)


def _can_join(
    groups: dict[tuple[str, str], list[WaitingStatement]], statement: WaitingStatement, verb: str, table: str
) -> bool:
    same = [each for (_, other), each in groups.items() if other == table]
    if not same:
        return True
    if len(same) == 1 and same[0][0].sql == statement.sql and len(same[0]) < MAX_ROWS and _has_rows(statement.sql):
        return True
    return (
        (verb, table) not in groups and statement.independent and all(one.independent for each in same for one in each)
    )


@lru_cache(1024)
def _has_rows(sql: str) -> bool:
    """Whether several rows can be inserted by one statement: two of them could be the same row of an upsert."""
    return "DO UPDATE" not in sql and _has_one_row(sql)


def _joined(
    groups: dict[tuple[str, str], list[WaitingStatement]], closing: Statement | None = None
) -> Iterator[Statement]:
    statements = [_insert_of(each) if len(each) > 1 else (each[0].sql, each[0].params) for each in groups.values()]
    if closing is not None:
        statements.append(closing)
    if len(statements) < 2:
        yield from statements
        return
    params = {f"s{number}_{name}": one[1][name] for number, one in enumerate(statements) for name in one[1]}
    yield _with(tuple(sql for sql, _ in statements)), params


def _insert_of(statements: Sequence[WaitingStatement]) -> Statement:
    params = {f"r{row}_{name}": one.params[name] for row, one in enumerate(statements) for name in one.params}
    return _with_named_rows(statements[0].sql, len(statements)), params


@lru_cache(512)
def _with_named_rows(sql: str, count: int) -> str:
    match = _ONE_ROW.fullmatch(sql)
    assert match is not None
    head, row, tail = match.groups()
    return head + ", ".join(NAMED.sub(rf":r{number}_\1", row) for number in range(count)) + (tail or "")


@lru_cache(512)
def _with(statements: tuple[str, ...]) -> str:
    *others, last = (NAMED.sub(rf":s{number}_\1", sql) for number, sql in enumerate(statements))
    return f"WITH {', '.join(f's{number} AS ({sql})' for number, sql in enumerate(others))} {last}"
