"""The backup file: a tar with the manifest, one compressed member per table, and the blobs, always in that order."""

import contextlib
import gzip
import hashlib
import io
import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, Self, TypeVar

import msgspec

from teamspace.blobs import Blob
from teamspace.core import clock
from teamspace.core.crypto import Vault
from teamspace.core.db.catalog import Table
from teamspace.core.db.engine import Row
from teamspace.ops import manifest as manifests
from teamspace.ops.errors import OpsError
from teamspace.ops.manifest import Manifest, TableEntry
from teamspace.ops.rows import blob_reader

T = TypeVar("T")

_MANIFEST = "manifest.json"
_MAX_MANIFEST_BYTES = 64 << 20
"""A manifest has a line for every company's audit chain; this is room for half a million."""
_BUFFER = 1 << 20
_LEVEL = 4  # of compression: much faster than the default 6, and hardly larger
_UNREADABLE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, msgspec.DecodeError, ValueError)


def _table_name(table: str) -> str:
    return f"tables/{table}.jsonl.gz"


def _blob_name(blob: Blob) -> str:
    return f"blobs/{blob.org_id or 'instance'}/{blob.digest}"


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(_BUFFER):
        digest.update(chunk)
    return digest.hexdigest()


class _Tar(tarfile.TarFile):
    """Lets us clear the list of members: there may be more blobs than fit into memory."""

    members: list[tarfile.TarInfo]


# Writing


class TableSpool:
    """Collects the rows of one table in a temporary file without a name, so a crash leaves nothing behind."""

    def __init__(self, folder: Path, table: Table) -> None:
        self.file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it lives as long as this object
        self.entry = TableEntry(table.name, table.names, 0, "")
        self._rows = 0
        self._lines = io.BufferedWriter(
            gzip.GzipFile(fileobj=self.file, mode="wb", compresslevel=_LEVEL, mtime=0, filename=""), _BUFFER
        )

    def add(self, line: bytes) -> None:
        self._lines.write(line)
        self._rows += 1

    def finish(self) -> None:
        self._lines.close()
        self.file.seek(0)
        self.entry = msgspec.structs.replace(self.entry, rows=self._rows, sha256=_digest(self.file))

    def rows(self) -> Iterator[Row]:
        """Read back the rows as they were encoded."""
        self.file.seek(0)
        return map(msgspec.json.Decoder(list[Any]).decode, gzip.GzipFile(fileobj=self.file))


class BackupWriter:
    """Writes the members in the order in which a restore reads them."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._tar = _Tar.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT)

    def manifest(self, manifest: Manifest, vault: Vault) -> None:
        text = manifests.encode(manifest, vault)
        self._add(_MANIFEST, io.BytesIO(text), len(text))

    def table(self, name: str, file: IO[bytes]) -> None:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self._add(_table_name(name), file, size)

    def blob(self, blob: Blob, file: IO[bytes]) -> None:
        self._add(_blob_name(blob), file, blob.size)

    def finish(self) -> int:
        """Finish the archive; return its size in bytes."""
        self._tar.close()
        return self._out.tell()

    def _add(self, name: str, file: IO[bytes], size: int) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, 0o600, int(clock.now())
        self._tar.addfile(info, file)
        self._tar.members.clear()


# Reading


class BackupReader:
    """A backup file with its parsed manifest."""

    def __init__(self, source: Path) -> None:
        self._source = source
        self._file = source.open("rb")
        self._tables: dict[str, tarfile.TarInfo] = {}
        try:
            with self._translate_errors():
                self._tar = _Tar.open(fileobj=self._file, mode="r:")
                self.manifest = manifests.decode(self._read_manifest())
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def verify(self) -> None:
        """Check that exactly the expected members are there, with the digests they were written with."""
        with self._translate_errors():
            members = self._members()
            self._expect(members, _MANIFEST)
            for entry in self.manifest.tables:
                self._tables[entry.name] = self._verify_table(members, entry)
            for blob, file in self._blobs(members):
                if _digest(file) != blob.digest:
                    raise OpsError(f"{self._source} is damaged: blob {blob.digest} has a wrong digest")
            for member in members:
                raise OpsError(f"{self._source} is damaged: unexpected member {member.name}")

    def rows(self, entry: TableEntry, decode: Callable[[bytes], T]) -> Iterator[T]:
        """Yield the rows of a table; call `verify` first."""
        return map(decode, self._lines(entry))

    def blobs(self) -> Iterator[tuple[Blob, IO[bytes]]]:
        """Yield every blob that is stored as a file; call `verify` first."""
        return self._blobs(islice(self._members(), 1 + len(self.manifest.tables), None))

    def _lines(self, entry: TableEntry) -> Iterator[bytes]:
        count = 0
        for line in gzip.GzipFile(fileobj=self._open(self._tables[entry.name])):
            count += 1
            yield line
        if count != entry.rows:
            raise OpsError(f"{self._source} is damaged: {entry.name} has {count} rows instead of {entry.rows}")

    def _blobs(self, members: Iterator[tarfile.TarInfo]) -> Iterator[tuple[Blob, IO[bytes]]]:
        """Yield the blobs with their content, and notice a missing row or member: both have the same order.

        A blob in its row has no member.
        """
        entry = self.manifest.table("blobs")
        for blob in map(blob_reader(entry.columns), self.rows(entry, msgspec.json.Decoder(list[Any]).decode)):
            if not blob.has_valid_name:
                raise OpsError(f"{self._source} is damaged: a row of blobs has an invalid company or digest")
            if not blob.in_row:
                yield blob, self._open(self._expect(members, _blob_name(blob)))

    def _verify_table(self, members: Iterator[tarfile.TarInfo], entry: TableEntry) -> tarfile.TarInfo:
        member = self._expect(members, _table_name(entry.name))
        if _digest(self._open(member)) != entry.sha256:
            raise OpsError(f"{self._source} is damaged: {member.name} has a wrong digest")
        return member

    def _members(self) -> Iterator[tarfile.TarInfo]:
        self._file.seek(0)
        with _Tar.open(fileobj=self._file, mode="r:") as tar:
            while (member := tar.next()) is not None:
                tar.members.clear()
                yield member

    def _expect(self, members: Iterator[tarfile.TarInfo], name: str) -> tarfile.TarInfo:
        member = next(members, None)
        if member is None or not member.isreg() or member.name != name:
            raise OpsError(f"{self._source} is not a backup, damaged or truncated: {name} is missing")
        return member

    def _read_manifest(self) -> bytes:
        member = self._expect(self._members(), _MANIFEST)
        if member.size > _MAX_MANIFEST_BYTES:
            raise OpsError(f"{self._source} is not a backup, damaged or truncated: {_MANIFEST} is too large")
        return self._open(member).read()

    def _open(self, member: tarfile.TarInfo) -> IO[bytes]:
        file = self._tar.extractfile(member)
        assert file is not None  # a regular file has content
        return file

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as fault:
            raise OpsError(f"{self._source} is not a backup, damaged or truncated: {fault}") from None
