"""Which of the server processes on one SQLite file is the leader.

A lock of the operating system: a process that dies loses it, and the next one that asks becomes the leader.
"""

import fcntl
from pathlib import Path


class LeaderLock:
    def __init__(self, database: Path) -> None:
        self._file = database.with_name(f"{database.name}-leader").open("a")
        self._is_held = False

    def try_take(self) -> bool:
        """Take the lock if nobody has it; return whether this process has it now."""
        if not self._is_held:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            self._is_held = True
        return True

    def close(self) -> None:
        self._file.close()
