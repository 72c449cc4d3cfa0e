"""The manifest of a backup: enough to refuse the backup before reading the rest."""

import hashlib
import hmac

import msgspec

from teamspace.core.crypto import Vault
from teamspace.core.db.audit import ChainHead
from teamspace.core.db.migrate import AppliedMigration
from teamspace.ops.errors import OpsError

FORMAT = 1


class TableEntry(msgspec.Struct, frozen=True):
    name: str
    columns: tuple[str, ...]
    """In the order of the values in a row."""
    rows: int
    sha256: str
    """Digest of the table's compressed member."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    version: str
    """Version of the server that made the backup."""
    created_at: str
    database: str
    """The source, sqlite or postgres. The backup can be restored into either."""
    schema: int
    migrations: tuple[AppliedMigration, ...]
    canary: str
    """Known text encrypted with the instance's secret key, to recognise the key, which is not in the backup."""
    tables: tuple[TableEntry, ...]
    blobs: int
    blob_bytes: int
    heads: tuple[ChainHead, ...]
    """The head of every audit chain."""
    sha256: str = ""
    """Digest of the manifest with `sha256` and `mac` empty: reveals damage."""
    mac: str = ""
    """MAC of the same with the secret key: reveals any change made without the key. It covers the tables' digests,
    and so those of the files, which are in the blobs table."""

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    def table(self, name: str) -> TableEntry:
        for table in self.tables:
            if table.name == name:
                return table
        raise OpsError(f"the backup has no table {name}")


class _AnyFormat(msgspec.Struct):
    format: int


def encode(manifest: Manifest, vault: Vault) -> bytes:
    signed = msgspec.structs.replace(manifest, sha256=_digest(manifest), mac=_mac(manifest, vault))
    return msgspec.json.format(msgspec.json.encode(signed), indent=2) + b"\n"


def decode(text: bytes) -> Manifest:
    found = msgspec.json.decode(text, type=_AnyFormat).format
    if found != FORMAT:
        raise OpsError(f"the backup has format {found}, this server knows {FORMAT}")
    manifest = msgspec.json.decode(text, type=Manifest)
    if manifest.sha256 != _digest(manifest):
        raise OpsError("the backup's manifest is damaged")
    return manifest


def check_mac(manifest: Manifest, vault: Vault) -> None:
    if not hmac.compare_digest(manifest.mac.encode(), _mac(manifest, vault).encode()):
        raise OpsError("the backup was modified: its manifest is not signed with the secret key")


def _digest(manifest: Manifest) -> str:
    return hashlib.sha256(_content(manifest)).hexdigest()


def _mac(manifest: Manifest, vault: Vault) -> str:
    return vault.mac("backup manifest", _content(manifest)).hex()


def _content(manifest: Manifest) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(manifest, sha256="", mac=""))
