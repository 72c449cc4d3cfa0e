"""The tables from the database's own catalog, ordered so that referenced tables come first."""

from graphlib import TopologicalSorter

import msgspec

from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import Fetcher


class Column(msgspec.Struct, frozen=True):
    name: str
    kind: str
    """text, integer, real, boolean or bytes; SQLite reports a boolean as integer."""


class Table(msgspec.Struct, frozen=True):
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    """The columns of the primary key, in its order."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def by_key(self) -> str:
        return ", ".join(f'"{name}"' for name in self.key)


_KINDS = {"bigint": "integer", "double precision": "real", "blob": "bytes", "bytea": "bytes"}

_COLUMNS = {
    "sqlite": "SELECT t.name, c.name, c.type, c.pk FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
    " WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " ORDER BY t.name, c.cid",
    "postgres": "SELECT t.relname::text, a.attname::text, format_type(a.atttypid, NULL),"
    " COALESCE(array_position(k.conkey, a.attnum), 0) FROM pg_class AS t"
    " JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
    " LEFT JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype = 'p'"
    " WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace ORDER BY t.relname, a.attnum",
}
_REFERENCES = {
    "sqlite": 'SELECT t.name, f."table" FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS f'
    " WHERE t.type = 'table' ORDER BY 1, 2",
    "postgres": "SELECT t.relname::text, r.relname::text FROM pg_constraint AS k JOIN pg_class AS t ON t.oid = k.conrelid"
    " JOIN pg_class AS r ON r.oid = k.confrelid WHERE k.contype = 'f'"
    " AND t.relnamespace = current_schema()::regnamespace ORDER BY 1, 2",
}


async def tables(source: Fetcher, dialect: Dialect) -> list[Table]:
    """Return all tables except `migrations`, the same on both databases."""
    rows: dict[str, list[tuple[str, str, int]]] = {}
    for table, name, kind, place in await source.fetch(_COLUMNS[dialect.name], {}):
        rows.setdefault(table, []).append((name, kind.lower(), place))
    rows.pop("migrations", None)
    order: TopologicalSorter[str] = TopologicalSorter({name: () for name in rows})
    for table, referenced in await source.fetch(_REFERENCES[dialect.name], {}):
        if table != referenced:
            order.add(table, referenced)
    return [_table(name, rows[name]) for name in order.static_order()]


def _table(name: str, rows: list[tuple[str, str, int]]) -> Table:
    columns = tuple(Column(column, _KINDS.get(kind, kind)) for column, kind, _ in rows)
    key = sorted((place, column) for column, _, place in rows if place)
    return Table(name, columns, tuple(column for _, column in key))
