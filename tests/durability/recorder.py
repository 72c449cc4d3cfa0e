"""The log of a folder while the real server works in it.

SQLite's files are followed by a VFS, call by call. All others are looked at whenever anything is synced, so that it does
not matter by which way they are written. The map of shared memory (`-shm`) is no file that a disk has to keep.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import apsw

from tests.durability.disk import FOLDER, Acknowledged, Event, FolderSynced, Named, Requested, Resized, Synced, Written

_SHARED_MEMORY = "-shm"
_JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class Recorder:
    """Of a new folder."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.log: list[Event] = []
        self.lock = threading.RLock()
        self._names: dict[str, int] = {}
        self._last_file = FOLDER
        self._databases: set[str] = set()
        self._content: dict[int, bytes] = {}
        self._inodes: dict[int, int] = {}
        self._held: list[int] = []
        """Open files: as long as one is, no other gets its inode."""

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Inside, whatever this process does to the folder is logged."""
        vfs = _Vfs(self)
        try:
            with (
                patch.object(os, "fsync", self._noted(os.fsync)),
                patch.object(os, "fdatasync", self._noted(os.fdatasync)),
            ):
                yield
            self._look()
        finally:
            vfs.unregister()
            for descriptor in self._held:
                os.close(descriptor)

    def note(self, event: Requested | Acknowledged) -> None:
        with self.lock:
            self._look()
            self.log.append(event)

    def sync(self, path: Path, how: Callable[[], None]) -> None:
        """Do it, and note it: what is changed while it goes on does not count as synced."""
        with self.lock:
            self._look()
            how()
            if path.is_relative_to(self.root):
                name = str(path.relative_to(self.root))
                self.log.append(FolderSynced(name) if path.is_dir() else Synced(self._names[name]))

    def _noted(self, sync: Callable[[int], None]) -> Callable[[int], None]:
        return lambda descriptor: self.sync(Path(os.readlink(f"/proc/self/fd/{descriptor}")), lambda: sync(descriptor))

    # SQLite's files

    def opened(self, path: Path, *, new: bool) -> int:
        name = str(path.relative_to(self.root))
        self._databases.add(name)
        self._look()  # the folder may be as new
        if new:
            self._rename((name, self._new_file()))
        return self._names[name]

    def deleted(self, path: Path) -> None:
        self._rename((str(path.relative_to(self.root)), None))

    # All others

    def _look(self) -> None:
        """Note what has changed since the last look."""
        found = dict(self._entries())
        gone = [name for name in self._names if name not in found and name not in self._databases]
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
            for entry in sorted(files):
                name = str((Path(folder) / entry).relative_to(self.root))
                if name in self._databases or name.endswith(_SHARED_MEMORY):
                    continue
                if file := self._read(Path(folder) / entry):
                    yield name, file

    def _read(self, path: Path) -> int | None:
        """The file of that name, once its content is noted; none if another thread has just removed it."""
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        found = os.fstat(descriptor)
        new = found.st_ino not in self._inodes
        file = self._inodes[found.st_ino] = self._new_file() if new else self._inodes[found.st_ino]
        data, before = os.pread(descriptor, found.st_size, 0), self._content.get(file, b"")
        if data != before:
            kept = len(before) if data.startswith(before) else 0
            if not kept and before:
                self.log.append(Resized(file, 0))
            self.log.append(Written(file, kept, data[kept:]))
        self._content[file] = data
        if new:
            self._held.append(descriptor)
        else:
            os.close(descriptor)
        return file

    def _new_file(self) -> int:
        self._last_file += 1
        return self._last_file

    def _rename(self, *names: tuple[str, int | None]) -> None:
        self.log.append(Named(names))
        for name, file in names:
            if file is None:
                self._names.pop(name, None)
            else:
                self._names[name] = file


class _Vfs(apsw.VFS):
    """SQLite's own way to files, and the default one for as long as it is registered."""

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
            self.recorder.deleted(Path(filename))
        if syncdir:
            self.recorder.sync(Path(filename).parent, lambda: None)


class _File(apsw.VFSFile):
    def __init__(self, vfs: _Vfs, path: Path, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        new = not path.exists()
        # SQLite's own file syncs the folder with the first sync of a journal or log that it may have made, unseen.
        self._settles_name = bool(flags[0] & apsw.SQLITE_OPEN_CREATE and flags[0] & _JOURNALS)
        super().__init__(vfs.base, name, flags)
        self._recorder, self._path = vfs.recorder, path
        self._file = vfs.recorder.opened(path, new=new)

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
        if self._settles_name:
            self._settles_name = False
            self._recorder.sync(self._path.parent, lambda: None)
