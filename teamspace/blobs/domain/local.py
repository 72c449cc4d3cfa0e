"""A blob store in a local folder: one file per blob, named by its digest."""

import contextlib
import errno
import fcntl
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO

from teamspace.blobs.domain.space import Space
from teamspace.blobs.schemas import INSTANCE, NONE_IN_ROWS, SMALL, STRIDE, BlobMissing, StoredFile, blob_path
from teamspace.core import pools
from teamspace.core.errors import Overloaded, StorageFull

_STAGING = "tmp"


class FolderStore:
    """`<namespace>/ab/cd/<digest>` below one folder; incomplete files are in `tmp`."""

    max_size = None

    def __init__(self, root: Path, floor: int = 0, *, small_in_rows: bool = False) -> None:
        """With `small_in_rows`, small blobs are stored in the database: one commit instead of two and a file."""
        self.root = root
        self.small = SMALL if small_in_rows else NONE_IN_ROWS
        self._space = Space(root.parent, floor)
        self._failed = False
        self._synced: set[Path] = set()
        """Folders whose directory entry this process has synced."""

    @property
    def staging_folder(self) -> Path:
        return self.root / _STAGING

    @property
    def id_file(self) -> Path:
        return self.root / ".folder-id"

    def get_id(self) -> str | None:
        """Return the folder's id, or None if it has none yet."""
        try:
            return self.id_file.read_text().strip()
        except FileNotFoundError:
            return None

    def set_id(self, id: str) -> str:
        """Set the id unless there is one, and return the id in effect."""
        self.root.mkdir(parents=True, exist_ok=True)
        file = self.root / f".folder-id-{id}"
        file.write_text(f"{id}\n")
        _sync(file)
        try:
            os.link(file, self.id_file)
        except FileExistsError:
            pass
        finally:
            file.unlink()
        _sync(self.root)
        self._sync_parents(self.root)
        return self.get_id() or ""

    def path(self, namespace: str, digest: str) -> Path:
        return self.root / blob_path(namespace, digest)

    def check(self) -> None:
        """Check the parent folder; the folder itself is created when needed."""
        if not os.access(self.root.parent, os.W_OK | os.X_OK):
            raise Overloaded("storage.folder", folder=str(self.root.parent))

    def check_space(self, size: int = 0) -> None:
        self._space.check(size)

    async def put(self, namespace: str, digest: str, file: Path) -> None:
        await pools.FILES.run(self._put, self.path(namespace, digest), file)

    async def get(
        self, namespace: str, digest: str, start: int = 0, length: int | None = None, *, size: int | None = None
    ) -> AsyncIterator[bytes]:
        try:
            file = self.path(namespace, digest).open("rb", buffering=0)
        except FileNotFoundError:
            raise BlobMissing(f"blob {digest} is missing") from None
        with file:
            file.seek(start)
            left = sys.maxsize if length is None else length
            while left:
                read = [await pools.FILES.run(file.read, min(left, STRIDE))]
                if not read[0]:
                    break
                left -= len(read[0])
                yield read.pop()  # not kept here: the reader can be slow

    async def delete(self, namespace: str, digest: str) -> None:
        try:
            await pools.FILES.run(self.path(namespace, digest).unlink, missing_ok=True)
        except OSError as fault:
            raise StorageFull("storage.not_removed") from fault

    async def stat(self, namespace: str, digest: str) -> int | None:
        try:
            return (await pools.FILES.run(self.path(namespace, digest).stat)).st_size
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def collection_paused(self) -> Iterator[None]:
        with self._lock(fcntl.LOCK_SH):
            yield

    @contextlib.contextmanager
    def collecting(self) -> Iterator[bool]:
        try:
            lock = self._lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        with lock:
            yield True

    def _lock(self, operation: int) -> IO[str]:
        """Lock until the file is closed or the process ends."""
        file = self.root.with_suffix(".lock").open("a")
        try:
            fcntl.flock(file, operation)
        except BaseException:
            file.close()
            raise
        return file

    def list_files(self) -> Iterator[StoredFile]:
        for namespace in _entries(self.root):
            if namespace.name == _STAGING:
                continue
            org_id = "" if namespace.name == INSTANCE else namespace.name
            for file in (
                file
                for first_level in _entries(namespace)
                for second_level in _entries(first_level)
                for file in _entries(second_level)
            ):
                with contextlib.suppress(FileNotFoundError):
                    yield StoredFile(org_id, file.name, file.stat().st_mtime)

    def list_stale(self, written_before: float) -> Iterator[str]:
        for file in _entries(self.root / _STAGING):
            with contextlib.suppress(FileNotFoundError):
                if file.stat().st_mtime < written_before:
                    yield f"{_STAGING}/{file.name}"

    def discard_stale(self, written_before: float) -> None:
        for name in self.list_stale(written_before):
            (self.root / name).unlink(missing_ok=True)

    def _put(self, path: Path, file: Path) -> None:
        """Store the file. An existing one is replaced by the same bytes, which repairs it if it was damaged."""
        if self._failed:
            raise StorageFull("storage.broken")
        try:
            _sync(file)
            path.parent.mkdir(parents=True, exist_ok=True)
            file.rename(path)
            _sync(path.parent)
            self._sync_parents(path.parent)
        except OSError as fault:
            # A failed sync is not retried: the kernel marks the lost pages clean, so the next sync would succeed.
            self._failed = not isinstance(fault, FileNotFoundError | PermissionError) and fault.errno != errno.ENOSPC
            raise StorageFull("storage.disk_failed") from fault

    def _sync_parents(self, folder: Path) -> None:
        """Sync the entries of new parent folders: a file survives a power cut only if they do."""
        while folder != self.root.parent and folder not in self._synced:
            _sync(folder.parent)
            self._synced.add(folder)
            folder = folder.parent


def _entries(folder: Path | os.DirEntry[str]) -> Iterator[os.DirEntry[str]]:
    """Yield entries one at a time, since they may not fit into memory."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        yield from entries


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
