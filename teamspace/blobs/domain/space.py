"""Free disk space: below a floor, files are refused, so that everything else keeps working."""

import os
import time
from pathlib import Path

from teamspace.core.errors import StorageFull

_REFRESH_SECONDS = 1.0


class Space:
    """Free space of a folder's filesystem, read at most once a second and counted down in between."""

    def __init__(self, folder: Path, floor: int) -> None:
        self._folder, self._floor = folder, floor
        self._free, self._refreshed_at = 0, float("-inf")

    def check(self, size: int = 0) -> None:
        if not self._floor:
            return
        now = time.monotonic()
        if now - self._refreshed_at >= _REFRESH_SECONDS:
            self._free, self._refreshed_at = free_bytes(self._folder), now
        self._free -= size
        if self._free < self._floor:
            raise StorageFull("storage.nearly_full")


def free_bytes(folder: Path) -> int:
    """Return the bytes that this process can still write to the folder's filesystem."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
