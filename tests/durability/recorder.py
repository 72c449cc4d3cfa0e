"""Records the changes to a folder while the real server works in it.

SQLite's files are recorded call by call, through a VFS. All others are compared whenever anything is synced, so that it
does not matter how they are written. Shared memory (`-shm`) is left out, since it need not survive.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

import apsw

from tests.durability.disk import FOLDER, Acknowledged, Event, FolderSynced, Named, Requested, Resized, Synced, Written

_SHARED_MEMORY = "-shm"
_JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class Recorder:
    """Records a new folder."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.log: list[Event] = []
        self.lock = threading.RLock()
        self._names: dict[str, int] = {}
        self._inodes: dict[int, int] = {}
        self._descriptors: dict[int, int] = {}
        """Open descriptors of all known files, so that no inode is reused."""
        self._content: dict[int, bytes] = {}
        self._recorded_by_vfs: set[int] = set()
        """SQLite's files, whose writes are recorded by the VFS."""

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record everything that this process does to the folder."""
        vfs = _Vfs(self)
        try:
            with (
                patch.object(os, "fsync", self._recorded(os.fsync)),
                patch.object(os, "fdatasync", self._recorded(os.fdatasync)),
            ):
                yield
            self._scan()
        finally:
            vfs.unregister()
            for descriptor in self._descriptors.values():
                os.close(descriptor)

    def note(self, event: Requested | Acknowledged) -> None:
        with self.lock:
            self._scan()
            self.log.append(event)

    def sync(self, path: Path, run: Callable[[], None]) -> None:
        """Sync and record it; changes during the sync do not count as synced."""
        with self.lock:
            self._scan()
            run()
            if path.is_relative_to(self.root):
                name = str(path.relative_to(self.root))
                self.log.append(FolderSynced(name) if path.is_dir() else Synced(self._names[name]))

    def _recorded(self, sync: Callable[[int], None]) -> Callable[[int], None]:
        return lambda descriptor: self.sync(Path(os.readlink(f"/proc/self/fd/{descriptor}")), lambda: sync(descriptor))

    def follow(self, path: Path) -> int:
        """Treat this file as SQLite's from now on."""
        self._scan()
        file = self._names[str(path.relative_to(self.root))]
        self._recorded_by_vfs.add(file)
        return file

    def _scan(self) -> None:
        """Record what has changed since the last scan."""
        found = dict(self._entries())
        gone = [name for name in self._names if name not in found]
        for name, file in found.items():
            if self._names.get(name) != file:
                before = [old for old in gone if file != FOLDER and self._names[old] == file]
                gone = [old for old in gone if old not in before]
                self._rename((name, file), *((old, None) for old in before))
        for name in gone:
            self._rename((name, None))

    def _entries(self) -> Iterator[tuple[str, int]]:
        for folder, folders, files in os.walk(self.root):
            for entry in sorted(folders):
                yield str((Path(folder) / entry).relative_to(self.root)), FOLDER
            for path in (Path(folder) / entry for entry in sorted(files) if not entry.endswith(_SHARED_MEMORY)):
                with suppress(FileNotFoundError):  # another thread may just have removed it
                    yield str(path.relative_to(self.root)), self._record_content(path)

    def _record_content(self, path: Path) -> int:
        """Record the content of this file and return its number."""
        file = self._inodes.get(path.stat().st_ino) or self._open(path)
        if file not in self._recorded_by_vfs:
            descriptor = self._descriptors[file]
            self._compare(file, os.pread(descriptor, os.fstat(descriptor).st_size, 0))
        return file

    def _open(self, path: Path) -> int:
        file, descriptor = len(self._descriptors) + 1, os.open(path, os.O_RDONLY)
        self._descriptors[file] = descriptor
        self._inodes[os.fstat(descriptor).st_ino] = file
        return file

    def _compare(self, file: int, data: bytes) -> None:
        before = self._content.get(file, b"")
        if not data.startswith(before):
            self.log.append(Resized(file, 0))
            before = b""
        if len(data) > len(before):
            self.log.append(Written(file, len(before), data[len(before) :]))
        self._content[file] = data

    def _rename(self, *names: tuple[str, int | None]) -> None:
        self.log.append(Named(names))
        for name, file in names:
            if file is None:
                self._names.pop(name, None)
            else:
                self._names[name] = file


class _Vfs(apsw.VFS):
    """The default VFS of SQLite while it is registered; records all calls."""

    def __init__(self, recorder: Recorder) -> None:
        self.base, self.recorder = apsw.vfs_names()[0], recorder
        super().__init__("recorded", self.base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name or "")
        if not path.is_relative_to(self.recorder.root):
            return apsw.VFSFile(self.base, name, flags)
        with self.recorder.lock:
            return _File(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        with self.recorder.lock:
            super().xDelete(filename, syncdir)
            if syncdir:
                self.recorder.sync(Path(filename).parent, lambda: None)


class _File(apsw.VFSFile):
    def __init__(self, vfs: _Vfs, path: Path, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        # With the first sync of a new journal or log SQLite also syncs the folder, which the VFS does not see.
        self._syncs_folder = bool(flags[0] & apsw.SQLITE_OPEN_CREATE and flags[0] & _JOURNALS)
        super().__init__(vfs.base, name, flags)
        self._recorder, self._path = vfs.recorder, path
        self._file = vfs.recorder.follow(path)

    def xWrite(self, data: bytes, offset: int) -> None:
        with self._recorder.lock:
            super().xWrite(data, offset)
            self._recorder.log.append(Written(self._file, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        with self._recorder.lock:
            super().xTruncate(newsize)
            self._recorder.log.append(Resized(self._file, newsize))

    def xSync(self, flags: int) -> None:
        self._recorder.sync(self._path, lambda: super(_File, self).xSync(flags))
        if self._syncs_folder:
            self._syncs_folder = False
            self._recorder.sync(self._path.parent, lambda: None)
