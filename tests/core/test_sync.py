"""A commit is acknowledged after the disk has it, not after the kernel has: what a killed process cannot show."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from teamspace.core.db import connect
from teamspace.settings import load


class Disk(apsw.VFS):
    """SQLite's own way to files, which notes what was written and not yet synced."""

    def __init__(self) -> None:
        self.base = apsw.vfs_names()[0]
        self.unsynced: set[str] = set()
        super().__init__("noting", self.base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__(disk.base, name, flags)
        self._disk = disk
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._disk.unsynced.add(self._name)

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._disk.unsynced.discard(self._name)


@pytest.fixture
def disk() -> Iterator[Disk]:
    disk = Disk()
    yield disk
    disk.unregister()


@pytest.mark.parametrize(("sync", "left"), [("", set()), ("full", set()), ("normal", {"test.db-wal"})])
async def test_a_commit_ends_when_it_is_synced(disk: Disk, tmp_path: Path, sync: str, left: set[str]) -> None:
    """By default; who chose otherwise gets otherwise, which also shows that a missing sync would be seen."""
    settings = load({"SERVICE_SQLITE_SYNC": sync} if sync else {}, file=tmp_path / "no.env")
    engine = await connect(f"sqlite:{tmp_path / 'test.db'}", sync=settings.sqlite_sync)
    await engine.script("CREATE TABLE things (id TEXT)")
    for number in range(3):
        async with engine.transaction() as session:
            await session.fetch("INSERT INTO things (id) VALUES (:id)", {"id": str(number)})
        assert {Path(name).name for name in disk.unsynced} == left
    await engine.close()
