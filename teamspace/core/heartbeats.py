"""Heartbeats of server processes, in memory that they share with their supervisor: it sees which of them hang."""

import asyncio
import struct
from collections.abc import Callable
from pathlib import Path

from teamspace.core.mapped import map_file

BEAT_SECONDS = 1.0
COMMIT_SECONDS = 60.0
"""A process whose commit takes longer hangs: it holds what the others need to write."""
_COUNT = struct.Struct("<Q")


class Heartbeats:
    """A count for each process in a file that all of them map."""

    def __init__(self, file: Path, processes: int) -> None:
        self._memory = map_file(file, processes * _COUNT.size)

    def read(self, process: int) -> int:
        """Return how often the process has beaten; 0 while it starts."""
        count: int = _COUNT.unpack_from(self._memory, process * _COUNT.size)[0]
        return count

    def reset(self, process: int) -> None:
        """Begin anew, for another process at this position."""
        self._set(process, 0)

    async def beat(self, process: int, commit_seconds: Callable[[], float]) -> None:
        """Show until cancelled that the event loop of the process runs, and that its commits end."""
        while True:
            if commit_seconds() < COMMIT_SECONDS:
                self._set(process, self.read(process) + 1)
            await asyncio.sleep(BEAT_SECONDS)

    def _set(self, process: int, count: int) -> None:
        _COUNT.pack_into(self._memory, process * _COUNT.size, count)


class Silence:
    """How long a process has been silent, in checks of the supervisor and not in time: it may have been paused itself,
    with all of its processes."""

    def __init__(self) -> None:
        self._count = self._checks = 0

    def check(self, count: int) -> int:
        """Take what `Heartbeats.read` returns now; return the checks in a row in which it was the same."""
        self._checks = self._checks + 1 if count and count == self._count else 0
        self._count = count
        return self._checks
