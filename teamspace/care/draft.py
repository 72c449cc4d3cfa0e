"""A file that has its name once it is whole and on disk, and never before."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from teamspace.care.errors import CareError
from teamspace.core.crypto import sync_folder


@contextlib.contextmanager
def draft(target: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """What is written is for its own user alone; a block that fails leaves nothing behind."""
    if target.exists() and not force:
        raise CareError(f"{target} exists: --force replaces it")
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
    """Begin anew what a killed backup left, and leave alone what another one is writing."""
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Its writer may just have given it the final name: then this is no draft any more.
        mine = os.path.samestat(os.fstat(out.fileno()), part.stat())
    except (BlockingIOError, FileNotFoundError):
        mine = False
    if not mine:
        raise CareError(f"another backup is being written to {part}")
    out.truncate()
