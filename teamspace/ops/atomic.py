"""Writes a file atomically: it gets its name only when it is complete and on disk."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from teamspace.core.crypto import sync_folder
from teamspace.ops.errors import OpsError


@contextlib.contextmanager
def atomic_file(target: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """Open a temporary file that is renamed to `target` after the block; if the block fails, it is removed.

    Only the current user can read the file.
    """
    if target.exists() and not force:
        raise OpsError(f"{target} already exists: use --force to replace it")
    part = target.with_name(f"{target.name}.part")
    with open(os.open(part, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as out:
        _claim(out, part)
        try:
            yield out
            out.flush()
            os.fsync(out.fileno())
            part.rename(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    sync_folder(target.parent)


def _claim(out: IO[bytes], part: Path) -> None:
    """Lock and empty the temporary file, which a killed backup may have left; raise if another backup is writing it."""
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another writer may just have renamed it to its final name.
        mine = os.path.samestat(os.fstat(out.fileno()), part.stat())
    except (BlockingIOError, FileNotFoundError):
        mine = False
    if not mine:
        raise OpsError(f"another backup is being written to {part}")
    out.truncate()
