"""Files that processes map to share memory."""

import mmap
import os
from pathlib import Path


def map_file(file: Path, size: int) -> mmap.mmap:
    """Map a file of that size; its content stays."""
    with file.open("a+b") as opened:
        opened.truncate(size)
        if hasattr(os, "posix_fallocate"):
            # A write to a page that has no place on a full disk would kill the process.
            os.posix_fallocate(opened.fileno(), 0, size)
        return mmap.mmap(opened.fileno(), size)
