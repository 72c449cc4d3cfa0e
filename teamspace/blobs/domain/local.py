"""The store that needs nothing but a folder: one file a blob, named by its digest."""

import contextlib
import errno
import fcntl
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO

from teamspace.blobs.domain.space import Space
from teamspace.blobs.schemas import INSTANCE, STRIDE, BlobMissing, StoredFile, name_of
from teamspace.core import pools
from teamspace.core.errors import Overloaded, StorageFull

_DRAFTS = "tmp"


class Folder:
    """`<namespace>/ab/cd/<digest>` below one folder; what is being written lies in `tmp` until it is whole."""

    def __init__(self, root: Path, floor: int = 0) -> None:
        self.root = root
        self._space = Space(root.parent, floor)
        self._broken = False
        self._settled: set[Path] = set()
        """Folders whose own entry has been synced by this process."""

    @property
    def drafts(self) -> Path:
        return self.root / _DRAFTS

    @property
    def id_file(self) -> Path:
        return self.root / ".folder-id"

    def get_id(self) -> str | None:
        """What tells this folder from others; None while it has no such thing."""
        try:
            return self.id_file.read_text().strip()
        except FileNotFoundError:
            return None

    def give_id(self, id: str) -> str:
        """The id that the folder has then: the first one counts."""
        self.root.mkdir(parents=True, exist_ok=True)
        draft = self.root / f".folder-id-{id}"
        draft.write_text(f"{id}\n")
        _sync(draft)
        try:
            os.link(draft, self.id_file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        _sync(self.root)
        self._settle(self.root)
        return self.get_id() or ""

    def path(self, namespace: str, digest: str) -> Path:
        return self.root / name_of(namespace, digest)

    def check(self) -> None:
        """The folder itself is made when it is needed."""
        if not os.access(self.root.parent, os.W_OK | os.X_OK):
            raise Overloaded(f"the folder {self.root.parent} cannot be written")

    def check_space(self, coming: int = 0) -> None:
        self._space.check(coming)

    async def put(self, namespace: str, digest: str, draft: Path) -> None:
        await pools.FILES.run(self._put, self.path(namespace, digest), draft)

    async def get(self, namespace: str, digest: str, start: int = 0, length: int | None = None) -> AsyncIterator[bytes]:
        try:
            file = self.path(namespace, digest).open("rb", buffering=0)
        except FileNotFoundError:
            raise BlobMissing(f"blob {digest} is missing") from None
        with file:
            file.seek(start)
            left = sys.maxsize if length is None else length
            while left and (chunk := await pools.FILES.run(file.read, min(left, STRIDE))):
                left -= len(chunk)
                yield chunk

    async def delete(self, namespace: str, digest: str) -> None:
        try:
            await pools.FILES.run(self.path(namespace, digest).unlink, missing_ok=True)
        except OSError as fault:
            raise StorageFull("The disk failed to remove a file; nothing was changed.") from fault

    async def stat(self, namespace: str, digest: str) -> int | None:
        try:
            return (await pools.FILES.run(self.path(namespace, digest).stat)).st_size
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
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

    def _lock(self, how: int) -> IO[str]:
        """Held until the file is closed, or its process ends."""
        file = self.root.with_suffix(".lock").open("a")
        try:
            fcntl.flock(file, how)
        except BaseException:
            file.close()
            raise
        return file

    def stored(self) -> Iterator[StoredFile]:
        for namespace in _entries(self.root):
            if namespace.name == _DRAFTS:
                continue
            org_id = "" if namespace.name == INSTANCE else namespace.name
            for file in (file for one in _entries(namespace) for two in _entries(one) for file in _entries(two)):
                with contextlib.suppress(FileNotFoundError):
                    yield StoredFile(org_id, file.name, file.stat().st_mtime)

    def stale(self, written_before: float) -> Iterator[str]:
        for file in _entries(self.root / _DRAFTS):
            with contextlib.suppress(FileNotFoundError):
                if file.stat().st_mtime < written_before:
                    yield f"{_DRAFTS}/{file.name}"

    def discard_stale(self, written_before: float) -> None:
        for name in self.stale(written_before):
            (self.root / name).unlink(missing_ok=True)

    def _put(self, path: Path, draft: Path) -> None:
        """In place of a file that is there already, too: the same bytes, and if those were damaged, mended."""
        if self._broken:
            raise StorageFull("The disk failed to keep a file: nothing is written until a restart.")
        try:
            _sync(draft)
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.rename(path)
            _sync(path.parent)
            self._settle(path.parent)
        except OSError as fault:
            # A sync that failed is not tried again: the pages it lost look clean to the next one.
            self._broken = not isinstance(fault, FileNotFoundError | PermissionError) and fault.errno != errno.ENOSPC
            raise StorageFull("The disk is full or failed; nothing of this request was written.") from fault

    def _settle(self, folder: Path) -> None:
        """A file survives a power cut only once each new folder's own entry does too."""
        while folder != self.root.parent and folder not in self._settled:
            _sync(folder.parent)
            self._settled.add(folder)
            folder = folder.parent


def _entries(folder: Path | os.DirEntry[str]) -> Iterator[os.DirEntry[str]]:
    """One at a time: there may be more than fit into memory."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        yield from entries


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
