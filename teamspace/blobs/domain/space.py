"""Room on the disk: below a floor no more files are taken, so that everything else can go on."""

import os
import time
from pathlib import Path

from teamspace.core.errors import StorageFull

_LOOK_AGAIN = 1.0


class Space:
    """What is free where a folder lies: asked for at most once a second, and counted down meanwhile."""

    def __init__(self, folder: Path, floor: int) -> None:
        self._folder, self._floor = folder, floor
        self._free, self._looked_at = 0, float("-inf")

    def check(self, coming: int = 0) -> None:
        if not self._floor:
            return
        now = time.monotonic()
        if now - self._looked_at >= _LOOK_AGAIN:
            self._free, self._looked_at = free(self._folder), now
        self._free -= coming
        if self._free < self._floor:
            raise StorageFull(
                "The disk is nearly full: no files are taken until there is room. Everything else goes on."
            )


def free(folder: Path) -> int:
    """Bytes that this process may still write to the folder's filesystem."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
