"""The backup file: a tar of the manifest, one compressed member a table, and the blobs, always in that order."""

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
from teamspace.care import manifest as manifests
from teamspace.care.errors import CareError
from teamspace.care.manifest import Manifest, TableEntry
from teamspace.care.rows import blob_of
from teamspace.core import clock
from teamspace.core.crypto import Vault
from teamspace.core.db.catalog import Table
from teamspace.core.db.engine import Row

T = TypeVar("T")

_MANIFEST = "manifest.json"
_BUFFER = 1 << 20
_LEVEL = 4  # of compression: quicker than the usual 6 by far, and hardly larger
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
    """Can forget the members it has passed: there may be more blobs than fit into memory."""

    members: list[tarfile.TarInfo]


# Writing


class Spool:
    """One table's member while its rows come in; the file has no name, so a crash leaves nothing of it."""

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
        """The rows once more, as the lines have them."""
        self.file.seek(0)
        return map(msgspec.json.Decoder(list[Any]).decode, gzip.GzipFile(fileobj=self.file))


class Writer:
    """Puts the members into the file, in the order in which a restore reads them."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._tar = _Tar.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT)

    def manifest(self, manifest: Manifest, vault: Vault) -> None:
        text = manifests.encoded(manifest, vault)
        self._add(_MANIFEST, io.BytesIO(text), len(text))

    def table(self, name: str, file: IO[bytes]) -> None:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self._add(_table_name(name), file, size)

    def blob(self, blob: Blob, file: IO[bytes]) -> None:
        self._add(_blob_name(blob), file, blob.size)

    def finish(self) -> int:
        """Nothing follows; how many bytes it has become."""
        self._tar.close()
        return self._out.tell()

    def _add(self, name: str, file: IO[bytes], size: int) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, 0o600, int(clock.now())
        self._tar.addfile(info, file)
        self._tar.members.clear()


# Reading


class Reader:
    """A backup file, its manifest read and understood."""

    def __init__(self, source: Path) -> None:
        self._source = source
        self._file = source.open("rb")
        self._tables: dict[str, tarfile.TarInfo] = {}
        try:
            with self._faults():
                self._tar = _Tar.open(fileobj=self._file, mode="r:")
                self.manifest = manifests.decoded(self._open(self._expect(self._members(), _MANIFEST)).read())
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def verify(self) -> None:
        """Every member is there, nothing else is, and all of it is as it was written."""
        with self._faults():
            members = self._members()
            self._expect(members, _MANIFEST)
            for entry in self.manifest.tables:
                self._tables[entry.name] = self._verified(members, entry)
            for blob, file in self._blobs(members):
                if _digest(file) != blob.digest:
                    raise CareError(f"{self._source} is damaged: blob {blob.digest} is not as it was written")
            for member in members:
                raise CareError(f"{self._source} is damaged: it should not hold {member.name}")

    def rows(self, entry: TableEntry, decode: Callable[[bytes], T]) -> Iterator[T]:
        """The rows of a table, once the file is verified."""
        return map(decode, self._lines(entry))

    def blobs(self) -> Iterator[tuple[Blob, IO[bytes]]]:
        """Every blob that needs a file, once the backup is verified."""
        return self._blobs(islice(self._members(), 1 + len(self.manifest.tables), None))

    def _lines(self, entry: TableEntry) -> Iterator[bytes]:
        count = 0
        for line in gzip.GzipFile(fileobj=self._open(self._tables[entry.name])):
            count += 1
            yield line
        if count != entry.rows:
            raise CareError(f"{self._source} is damaged: {entry.name} has {count} rows instead of {entry.rows}")

    def _blobs(self, members: Iterator[tarfile.TarInfo]) -> Iterator[tuple[Blob, IO[bytes]]]:
        """The members lie in the order of the rows: whatever is missing on either side is noticed.

        A small blob has no member: it lies in its row.
        """
        entry = self.manifest.table("blobs")
        for blob in map(blob_of(entry.columns), self.rows(entry, msgspec.json.Decoder(list[Any]).decode)):
            if not blob.is_well_named:
                raise CareError(f"{self._source} is damaged: a row of blobs names no company or no digest")
            if not blob.in_row:
                yield blob, self._open(self._expect(members, _blob_name(blob)))

    def _verified(self, members: Iterator[tarfile.TarInfo], entry: TableEntry) -> tarfile.TarInfo:
        member = self._expect(members, _table_name(entry.name))
        if _digest(self._open(member)) != entry.sha256:
            raise CareError(f"{self._source} is damaged: {member.name} is not as it was written")
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
            raise CareError(f"{self._source} is no backup, damaged or cut short: {name} is missing")
        return member

    def _open(self, member: tarfile.TarInfo) -> IO[bytes]:
        file = self._tar.extractfile(member)
        assert file is not None  # a regular file has content
        return file

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as fault:
            raise CareError(f"{self._source} is no backup, damaged or cut short: {fault}") from None
