"""Walking over all sealed values, a page of rows at a time."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from teamspace.core.db import Reads
from teamspace.core.db.catalog import Table
from teamspace.core.tables import SealedColumn

_PAGE = 500


class SealedValue(msgspec.Struct, frozen=True):
    place: str
    text: str
    row: dict[str, Any]
    """The values of the primary key, as the parameters of `this_row`."""


async def sealed_values(db: Reads, table: Table, column: SealedColumn) -> AsyncIterator[SealedValue]:
    """In the order of the primary key: a page begins where the last one ended, whatever became of its rows."""
    params = [f"key{place}" for place in range(len(table.key))]
    shape = msgspec.defstruct("Page", [("key", str), ("text", str), *params])
    select = (
        f'SELECT {column.key}, "{column.column}", {table.by_key} FROM {table.name}'
        f' WHERE {column.where} AND "{column.column}" IS NOT NULL'
    )
    beyond = f" AND ({table.by_key}) > ({', '.join(f':{param}' for param in params)})"
    order = f" ORDER BY {table.by_key} LIMIT {_PAGE}"
    last: dict[str, Any] = {}
    while page := await db.all(shape, select + (beyond if last else "") + order, **last):
        for found in page:
            key, text, *values = msgspec.structs.astuple(found)
            last = dict(zip(params, values, strict=True))
            yield SealedValue(f"{column.table}|{column.column}|{key}", text, last)


def this_row(table: Table) -> str:
    return " AND ".join(f'"{name}" = :key{place}' for place, name in enumerate(table.key))
