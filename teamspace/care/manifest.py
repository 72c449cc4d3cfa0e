"""What a backup says of itself: enough to refuse it before anything is read."""

import hashlib
import hmac

import msgspec

from teamspace.care.errors import CareError
from teamspace.core.crypto import Vault
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
    """Of all this, with nothing in this place and the next: it shows damage."""
    mac: str = ""
    """Of the same, under the secret key: nobody without it has changed anything. The digests of the tables are in it, and
    in the table of blobs those of the files."""

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


def encoded(manifest: Manifest, vault: Vault) -> bytes:
    proven = msgspec.structs.replace(manifest, sha256=_digest(manifest), mac=_mac(manifest, vault))
    return msgspec.json.format(msgspec.json.encode(proven), indent=2) + b"\n"


def decoded(text: bytes) -> Manifest:
    found = msgspec.json.decode(text, type=_OfAnyFormat).format
    if found != FORMAT:
        raise CareError(f"the backup has format {found}, this server knows {FORMAT}")
    manifest = msgspec.json.decode(text, type=Manifest)
    if manifest.sha256 != _digest(manifest):
        raise CareError("the backup's manifest was changed")
    return manifest


def check_mac(manifest: Manifest, vault: Vault) -> None:
    if not hmac.compare_digest(manifest.mac.encode(), _mac(manifest, vault).encode()):
        raise CareError("the backup was changed after it was made: its manifest is not signed with the secret key")


def _digest(manifest: Manifest) -> str:
    return hashlib.sha256(_content(manifest)).hexdigest()


def _mac(manifest: Manifest, vault: Vault) -> str:
    return vault.mac("backup manifest", _content(manifest)).hex()


def _content(manifest: Manifest) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(manifest, sha256="", mac=""))
