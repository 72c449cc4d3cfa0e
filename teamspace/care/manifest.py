"""What a backup says of itself: enough to refuse it before anything is read."""

import hashlib

import msgspec

from teamspace.care.errors import CareError
from teamspace.core.db.audit import Head
from teamspace.core.db.migrate import Applied

FORMAT = 1


class TableEntry(msgspec.Struct, frozen=True):
    name: str
    columns: tuple[str, ...]
    """The order of the values in a row."""
    rows: int
    sha256: str
    """Of the table's member, as it lies in the file."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    version: str
    """Of the server that made the backup."""
    created_at: str
    database: str
    """sqlite or postgres: where the rows come from. They can be restored into either."""
    schema: int
    migrations: tuple[Applied, ...]
    canary: str
    """Words sealed with the instance's secret key, which is not in the backup: they prove that a key is the right one."""
    tables: tuple[TableEntry, ...]
    blobs: int
    blob_bytes: int
    heads: tuple[Head, ...]
    """Where the audit trail of every company ends."""
    sha256: str = ""
    """Of all this, with nothing in this place."""

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    def table(self, name: str) -> TableEntry:
        for table in self.tables:
            if table.name == name:
                return table
        raise CareError(f"the backup has no table {name}")


class _OfAnyFormat(msgspec.Struct):
    format: int


def encoded(manifest: Manifest) -> bytes:
    proven = msgspec.structs.replace(manifest, sha256=_digest(manifest))
    return msgspec.json.format(msgspec.json.encode(proven), indent=2) + b"\n"


def decoded(text: bytes) -> Manifest:
    found = msgspec.json.decode(text, type=_OfAnyFormat).format
    if found != FORMAT:
        raise CareError(f"the backup has format {found}, this server knows {FORMAT}")
    manifest = msgspec.json.decode(text, type=Manifest)
    if manifest.sha256 != _digest(manifest):
        raise CareError("the backup's manifest was changed")
    return manifest


def _digest(manifest: Manifest) -> str:
    return hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(manifest, sha256=""))).hexdigest()
