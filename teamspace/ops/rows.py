"""Rows as JSON lines, the same for both databases: bytes are base64, booleans 0 and 1."""

import base64
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from teamspace.blobs import Blob
from teamspace.core.db.catalog import Column, Table
from teamspace.core.db.engine import Row

_ENCODE: dict[str, Callable[[Any], Any]] = {"boolean": int}  # msgspec encodes the other types, including bytes
_DECODE: dict[str, Callable[[Any], Any]] = {"boolean": bool, "bytes": base64.b64decode}


def select_all(table: Table) -> str:
    """Return SQL for all rows, in the order of the primary key, so that equal tables give equal lines."""
    names = ", ".join(f'"{name}"' for name in table.names)
    order = f" ORDER BY {table.by_key}" if table.key else ""
    return f'SELECT {names} FROM "{table.name}"{order}'


def encoder(columns: Iterable[Column]) -> Callable[[Row], bytes]:
    """Return a function that encodes a row as a line."""
    convert = _converter(columns, _ENCODE)
    return lambda row: msgspec.json.encode(convert(row)) + b"\n"


def decoder(columns: Iterable[Column]) -> Callable[[bytes], Row]:
    """Return a function that decodes a line to a row for a table with these columns."""
    convert = _converter(columns, _DECODE)
    parse = msgspec.json.Decoder(list[Any]).decode
    return lambda line: convert(parse(line))


def _converter(columns: Iterable[Column], by_kind: dict[str, Callable[[Any], Any]]) -> Callable[[Row], Sequence[Any]]:
    conversions = [
        (position, by_kind[column.kind]) for position, column in enumerate(columns) if column.kind in by_kind
    ]

    def convert(row: Row) -> Sequence[Any]:
        values = list(row)
        for position, change in conversions:
            if values[position] is not None:
                values[position] = change(values[position])
        return values

    return convert


class SavedBlob(Blob, frozen=True):
    """A blob in a backup."""

    in_row: bool
    """Whether its bytes are in its row; otherwise they are a member of the archive."""


def blob_reader(columns: Sequence[str]) -> Callable[[Row], SavedBlob]:
    """Return a function that converts a row of the blobs table to a blob."""
    positions = {name: position for position, name in enumerate(columns)}
    return lambda row: SavedBlob(
        row[positions["org_id"]], row[positions["digest"]], row[positions["size"]], row[positions["data"]] is not None
    )
