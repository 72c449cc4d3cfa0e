"""The row rule as SQL, written once and used for one row, for a page of rows and for a count alike."""

from functools import lru_cache
from typing import Any

import msgspec

from teamspace.core.db.dialect import Dialect


class Way(msgspec.Struct, frozen=True):
    """One reason a row may be touched, as a predicate with an index behind it.

    A way that leads `through` another table (a grant) names the column there that holds the row's id. Where that table
    repeats columns of the row, so that it has an index in their order, `copy` is its name in the statement.
    """

    where: str
    through: str = ""
    key: str = ""
    copy: str = ""

    def predicate(self, table: str) -> str:
        if not self.through:
            return f"({self.where})"
        return f"EXISTS (SELECT 1 FROM {self.through} WHERE {self.key} = {table}.id AND {self.where})"

    def newest(self, table: str, where: str) -> str:
        key = self.key or f"{table}.id"
        return f"SELECT {key} AS id FROM {self._source(table)} AND {where} AND {key} < :before"

    def along(self, table: str, columns: tuple[str, ...], where: str, after: tuple[str, ...]) -> str:
        row = self.copy or table
        ordered = [self.key if column == "id" and self.copy else f"{row}.{column}" for column in columns]
        shown = ", ".join(f"{place} AS {column}" for place, column in zip(ordered, columns, strict=True))
        beyond = f"({', '.join(ordered)}) > ({', '.join(after)})"
        return f"SELECT {shown} FROM {self._source(table)} AND {where.format(row=row)} AND {beyond}"

    def _source(self, table: str) -> str:
        if not self.through:
            return f"{table} WHERE {self.where}"
        # SQLite takes a CROSS JOIN in the order in which it is written: from the few that lead here to their rows.
        return f"{self.through} CROSS JOIN {table} WHERE {table}.id = {self.key} AND {self.where}"


class Fence(msgspec.Struct, frozen=True):
    """Which rows of `table` a caller may touch: those that at least one way admits."""

    table: str
    ways: tuple[Way, ...]
    params: dict[str, Any] = {}

    @property
    def sql(self) -> str:
        return _any_way(self.table, self.ways)

    def newest(self, dialect: Dialect, where: str = "TRUE") -> str:
        """SQL for the ids of one page, below `:before`, `:limit` of them.

        Each way walks its own index from the newest row, and they are merged as far as the page goes.
        One predicate joined by OR would make the cost grow with the rows the caller may not see.
        """
        return _newest(self.table, self.ways, where, dialect.bounds_each_way)

    def along(
        self, dialect: Dialect, columns: tuple[str, ...], where: str = "TRUE", *, after: tuple[str, ...] = (),
        limit: str = ":limit",
    ) -> str:  # fmt: skip
        """SQL for `columns` of one page in their own order, `limit` of them, beyond `after` or `:after_<column>`.

        In `where` the row is called `{row}`: a way may have a copy of its columns in another table.
        """
        after = after or tuple(f":after_{column}" for column in columns)
        return _along(self.table, self.ways, columns, where, after, limit, dialect.bounds_each_way)


@lru_cache(512)
def _any_way(table: str, ways: tuple[Way, ...]) -> str:
    return f"({' OR '.join(way.predicate(table) for way in ways)})"


@lru_cache(512)
def _newest(table: str, ways: tuple[Way, ...], where: str, bounded: bool) -> str:
    arms = [way.newest(table, where) for way in ways]
    if bounded:
        arms = [f"SELECT id FROM ({arm} ORDER BY id DESC LIMIT :limit) AS way" for arm in arms]
    return " UNION ".join(arms) + " ORDER BY id DESC LIMIT :limit"


@lru_cache(512)
def _along(
    table: str, ways: tuple[Way, ...], columns: tuple[str, ...], where: str, after: tuple[str, ...], limit: str,
    bounded: bool,
) -> str:  # fmt: skip
    arms, order = [way.along(table, columns, where, after) for way in ways], ", ".join(columns)
    if bounded:
        arms = [f"SELECT {order} FROM ({arm} ORDER BY {order} LIMIT {limit}) AS way" for arm in arms]
    return " UNION ".join(arms) + f" ORDER BY {order} LIMIT {limit}"


def nothing(table: str) -> Fence:
    """No row at all."""
    return Fence(table, (Way("FALSE"),))
