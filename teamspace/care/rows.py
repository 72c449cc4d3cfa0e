"""Rows as lines of JSON, the same from either database: bytes are base64, booleans are 0 and 1."""

import base64
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from teamspace.blobs import Blob
from teamspace.core.db.catalog import Column, Table
from teamspace.core.db.engine import Row

_ENCODE: dict[str, Callable[[Any], Any]] = {"boolean": int}  # JSON has its own form for the rest, bytes included
_DECODE: dict[str, Callable[[Any], Any]] = {"boolean": bool, "bytes": base64.b64decode}


def every_row(table: Table) -> str:
    """In the order of the primary key, so that equal tables give equal lines."""
    names = ", ".join(f'"{name}"' for name in table.names)
    order = f" ORDER BY {table.by_key}" if table.key else ""
    return f'SELECT {names} FROM "{table.name}"{order}'


def encoder(columns: Iterable[Column]) -> Callable[[Row], bytes]:
    """A function from a row to its line."""
    convert = _converter(columns, _ENCODE)
    return lambda row: msgspec.json.encode(convert(row)) + b"\n"


def decoder(columns: Iterable[Column]) -> Callable[[bytes], Row]:
    """A function from a line to the row, as the database with these columns takes it."""
    convert = _converter(columns, _DECODE)
    parse = msgspec.json.Decoder(list[Any]).decode
    return lambda line: convert(parse(line))


def _converter(columns: Iterable[Column], by_kind: dict[str, Callable[[Any], Any]]) -> Callable[[Row], Sequence[Any]]:
    special = [(place, by_kind[column.kind]) for place, column in enumerate(columns) if column.kind in by_kind]

    def convert(row: Row) -> Sequence[Any]:
        values = list(row)
        for place, change in special:
            if values[place] is not None:
                values[place] = change(values[place])
        return values

    return convert


def blob_of(columns: Sequence[str]) -> Callable[[Row], Blob]:
    """A function from a row of the table of blobs to the blob."""
    places = {name: place for place, name in enumerate(columns)}
    return lambda row: Blob(row[places["org_id"]], row[places["digest"]], row[places["size"]])
