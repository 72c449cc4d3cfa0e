"""Whose turn it is to write, among the server processes on one SQLite file.

SQLite lets a second writer poll until the first has finished. Locks of the operating system wake the next one instead,
and a process that dies loses them. Two locks make it fair: whoever waits for the turn holds the queue, so the process
that has just written cannot take the turn again before it.
"""

import fcntl
from pathlib import Path
from typing import IO


class WriteTurn:
    def __init__(self, database: Path) -> None:
        self._queue = database.with_name(f"{database.name}-queue").open("a")
        self._turn = database.with_name(f"{database.name}-turn").open("a")

    def try_take(self) -> bool:
        """Take the turn if nobody has it or waits for it."""
        if not _try_lock(self._queue):
            return False
        try:
            return _try_lock(self._turn)
        finally:
            fcntl.flock(self._queue, fcntl.LOCK_UN)

    def take(self) -> None:
        """Wait for the turn; in a thread."""
        fcntl.flock(self._queue, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._turn, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._queue, fcntl.LOCK_UN)

    def release(self) -> None:
        """Let the next process write; without effect if it is not this one's turn."""
        fcntl.flock(self._turn, fcntl.LOCK_UN)

    def close(self) -> None:
        self._queue.close()
        self._turn.close()


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
