"""Iterates over all encrypted values, a page of rows at a time."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from teamspace.core.db import Reads
from teamspace.core.db.catalog import Table
from teamspace.core.tables import EncryptedColumn

_PAGE = 500


class EncryptedValue(msgspec.Struct, frozen=True):
    context: str
    text: str
    row: dict[str, Any]
    """The values of the primary key, as parameters for `row_condition`."""


async def encrypted_values(db: Reads, table: Table, column: EncryptedColumn) -> AsyncIterator[EncryptedValue]:
    """Yield the values in the order of the primary key: rows may be changed meanwhile without being skipped."""
    params = [f"key{index}" for index in range(len(table.key))]
    shape = msgspec.defstruct("Page", [("key", str), ("text", str), *params])
    select = (
        f'SELECT {column.key}, "{column.column}", {table.by_key} FROM {table.name}'
        f' WHERE {column.where} AND "{column.column}" IS NOT NULL'
    )
    after = f" AND ({table.by_key}) > ({', '.join(f':{param}' for param in params)})"
    order = f" ORDER BY {table.by_key} LIMIT {_PAGE}"
    last: dict[str, Any] = {}
    while page := await db.all(shape, select + (after if last else "") + order, **last):
        for row in page:
            key, text, *values = msgspec.structs.astuple(row)
            last = dict(zip(params, values, strict=True))
            yield EncryptedValue(f"{column.table}|{column.column}|{key}", text, last)


def row_condition(table: Table) -> str:
    return " AND ".join(f'"{name}" = :key{index}' for index, name in enumerate(table.key))
