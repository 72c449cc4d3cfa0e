"""Row filters in SQL: each access rule is written once, and used for single rows, pages and counts."""

import re
from functools import lru_cache
from typing import Any

import msgspec

from teamspace.core.db.dialect import Dialect

EACH_ROW = "LIMIT 1 OFFSET 0"
"""At the end of an EXISTS: look for each row. PostgreSQL would rather read all that the subquery could find into a hash
table, such as every grant that a caller has."""
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")


class Clause(msgspec.Struct, frozen=True, cache_hash=True):
    """One reason to admit a row, as a predicate that an index supports.

    A clause that goes `through` another table (a grant) names in `key` that table's column with the row's id. If that
    table repeats columns of the row, to have an index in their order, `alias` is its name in the statement.
    """

    where: str
    through: str = ""
    key: str = ""
    alias: str = ""
    exists: str = ""
    """A subquery that must find a row too, for a clause that goes through no other table."""

    def predicate(self, table: str, *, each_row: bool = False) -> str:
        if not self.through:
            return f"({self._condition(EACH_ROW if each_row else '')})"
        return f"EXISTS (SELECT 1 FROM {self.through} WHERE {self.key} = {table}.id AND {self.where} {EACH_ROW})"

    def newest(self, table: str, where: str) -> str:
        key = self.key or f"{table}.id"
        return f"SELECT {key} AS id FROM {self._source(table)} AND {where} AND {key} < :before"

    def in_key_order(
        self, table: str, columns: tuple[str, ...], where: str, after: tuple[str, ...], newest_first: bool
    ) -> str:
        row = self.alias or table
        ordered = [self.key if column == "id" and self.alias else f"{row}.{column}" for column in columns]
        selected = ", ".join(f"{source} AS {column}" for source, column in zip(ordered, columns, strict=True))
        is_after = f"({', '.join(ordered)}) {'<' if newest_first else '>'} ({', '.join(after)})"
        return f"SELECT {selected} FROM {self._source(table)} AND {where.format(row=row)} AND {is_after}"

    def _source(self, table: str) -> str:
        if not self.through:
            return f"{table} WHERE {self._condition()}"
        # SQLite joins a CROSS JOIN in written order: from the few rows of the other table to the rows they reference.
        return f"{self.through} CROSS JOIN {table} WHERE {table}.id = {self.key} AND {self.where}"

    def _condition(self, ending: str = "") -> str:
        return f"{self.where} AND EXISTS ({self.exists} {ending})" if self.exists else self.where


_NO_CLAUSE = (Clause("FALSE"),)


class Fence(msgspec.Struct, frozen=True):
    """The rows of `table` that a caller can use: those that at least one clause admits."""

    table: str
    clauses: tuple[Clause, ...]
    params: dict[str, Any] = {}

    @property
    def sql(self) -> str:
        return _any_clause(self.table, self.clauses)

    def within(self, statement: str) -> str:
        """Return the statement with this fence in place of `{fence}`; the text is kept."""
        return _within(statement, self.table, self.clauses)

    @property
    def is_empty(self) -> bool:
        """Whether it admits no row, whatever the parameters."""
        return self.clauses == _NO_CLAUSE

    def admits(self, id: str) -> str:
        """Return the condition that the row with the id in a column of another table is admitted."""
        return f"EXISTS (SELECT 1 FROM {self.table} WHERE {self.table}.id = {id} AND {self.sql} {EACH_ROW})"

    def for_many(self, dialect: Dialect) -> str:
        """Return SQL for pairs (caller, id): which of the rows `:ids` fences with this SQL admit, for each caller.

        `:callers` is a JSON list with each caller's parameters, and its number as `caller`.
        """
        return _for_many(self.table, self.clauses, tuple(self.params), dialect)

    def newest(self, dialect: Dialect, where: str = "TRUE") -> str:
        """Return SQL for the ids of one page: `:limit` of them, below `:before`.

        Each clause reads its own index from the newest row, and the results are merged up to the page size.
        With a single OR predicate the cost would grow with the rows that the caller cannot see.
        """
        return _newest(self.table, self.clauses, where, dialect.limits_each_branch)

    def in_key_order(
        self, dialect: Dialect, columns: tuple[str, ...], where: str = "TRUE", *, after: tuple[str, ...] = (),
        limit: str = ":limit", newest_first: bool = False,
    ) -> str:  # fmt: skip
        """Return SQL for `columns` of one page, ordered by them: `limit` rows after `after` or `:after_<column>`.

        `where` refers to the row as `{row}`, since a clause may read a copy of its columns in another table.
        `newest_first` reverses the order, for columns that begin with a time.
        """
        after = after or tuple(f":after_{column}" for column in columns)
        return _in_key_order(
            self.table, self.clauses, columns, where, after, limit, newest_first, dialect.limits_each_branch
        )


@lru_cache(512)
def _any_clause(table: str, clauses: tuple[Clause, ...], each_row: bool = False) -> str:
    return f"({' OR '.join(clause.predicate(table, each_row=each_row) for clause in clauses)})"


@lru_cache(512)
def _within(statement: str, table: str, clauses: tuple[Clause, ...]) -> str:
    return statement.replace("{fence}", _any_clause(table, clauses))


@lru_cache(512)
def _for_many(table: str, clauses: tuple[Clause, ...], params: tuple[str, ...], dialect: Dialect) -> str:
    table_of_callers = dialect.json_table("callers", caller="BIGINT", **dict.fromkeys(params, "TEXT"))
    # PostgreSQL expects many callers, and would read all members of the instance.
    admits = _PARAMETER.sub(r"callers.\1", _any_clause(table, clauses, each_row=True))
    # SQLite joins a CROSS JOIN in written order: each row is read once.
    return (
        f"WITH callers AS MATERIALIZED ({table_of_callers})"
        f" SELECT callers.caller, {table}.id FROM {table} CROSS JOIN callers"
        f" WHERE {table}.id IN ({dialect.json_strings.format('ids')})"
        f" AND {admits}"
    )


@lru_cache(512)
def _newest(table: str, clauses: tuple[Clause, ...], where: str, limit_each: bool) -> str:
    branches = [clause.newest(table, where) for clause in clauses]
    if limit_each:
        branches = [f"SELECT id FROM ({branch} ORDER BY id DESC LIMIT :limit) AS branch" for branch in branches]
    return " UNION ".join(branches) + " ORDER BY id DESC LIMIT :limit"


@lru_cache(512)
def _in_key_order(
    table: str, clauses: tuple[Clause, ...], columns: tuple[str, ...], where: str, after: tuple[str, ...], limit: str,
    newest_first: bool, limit_each: bool,
) -> str:  # fmt: skip
    branches = [clause.in_key_order(table, columns, where, after, newest_first) for clause in clauses]
    order = ", ".join(f"{column} DESC" if newest_first else column for column in columns)
    if limit_each:
        selected = ", ".join(columns)
        branches = [
            f"SELECT {selected} FROM ({branch} ORDER BY {order} LIMIT {limit}) AS branch" for branch in branches
        ]
    return " UNION ".join(branches) + f" ORDER BY {order} LIMIT {limit}"


def no_rows(table: str) -> Fence:
    """Return a fence that admits no row."""
    return Fence(table, _NO_CLAUSE)


def all_admitted(table: str, references: str, key: str, fence: Fence) -> str:
    """Return the condition that a fence admits everything that rows of `table` refer to by `key`.

    `references` says which rows of `table` belong to the row in question.
    """
    admitted = f"SELECT 1 FROM {fence.table} WHERE {fence.table}.id = {table}.{key} AND {fence.sql}"
    return f"NOT EXISTS (SELECT 1 FROM {table} WHERE {references} AND NOT EXISTS ({admitted}))"
