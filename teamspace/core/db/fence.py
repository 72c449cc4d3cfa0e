"""The row rule as SQL, written once and used for one row, for a page of rows and for a count alike."""

from typing import Any

import msgspec


class Way(msgspec.Struct, frozen=True):
    """One reason a row may be touched, as a predicate with an index behind it.

    A way that leads `through` another table (a grant) names the column there that holds the row's id.
    """

    where: str
    through: str = ""
    key: str = ""

    def predicate(self, table: str) -> str:
        if not self.through:
            return f"({self.where})"
        return f"EXISTS (SELECT 1 FROM {self.through} WHERE {self.key} = {table}.id AND {self.where})"

    def newest(self, table: str, where: str) -> str:
        source, key = table, f"{table}.id"
        if self.through:
            source, key = f"{self.through} JOIN {table} ON {table}.id = {self.key}", self.key
        return (
            f"SELECT id FROM (SELECT {key} AS id FROM {source} WHERE {self.where} AND {where}"
            f" AND {key} < :before ORDER BY {key} DESC LIMIT :limit) AS way"
        )


class Fence(msgspec.Struct, frozen=True):
    """Which rows of `table` a caller may touch: those that at least one way admits."""

    table: str
    ways: tuple[Way, ...]
    params: dict[str, Any] = {}

    @property
    def sql(self) -> str:
        return f"({' OR '.join(way.predicate(self.table) for way in self.ways)})" if self.ways else "FALSE"

    def newest(self, where: str = "TRUE") -> str:
        """SQL for the ids of one page, below `:before`, `:limit` of them.

        Each way walks its own index from the newest row and stops at the limit; only then are they
        merged. One predicate joined by OR would make the cost grow with the rows nobody may see.
        """
        if not self.ways:
            return f"SELECT id FROM {self.table} WHERE FALSE"
        ways = " UNION ".join(way.newest(self.table, where) for way in self.ways)
        return f"SELECT id FROM ({ways}) AS page ORDER BY id DESC LIMIT :limit"


NOTHING = Fence("", ())
