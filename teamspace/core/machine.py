"""What this machine, or the container we run in, has for us."""

import os
from pathlib import Path

_GIB = 2**30
_MEMORY_OF_A_PROCESS = 1 * _GIB
_MOST_PROCESSES = 4
"""With more, the one write lock of SQLite and the connections that PostgreSQL allows need a thought."""
_CGROUP = Path("/sys/fs/cgroup")


def cores() -> int:
    """Return the cores that we may use, at least 1: CPU affinity, or a container's limit if that is lower."""
    allowed = len(os.sched_getaffinity(0))
    quota, _, period = _limit("cpu.max").partition(" ")
    return max(1, min(allowed, int(quota) // int(period))) if quota.isdigit() else allowed


def memory() -> int:
    """Return the bytes of memory that we may use: the machine's, or a container's limit if that is lower."""
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _limit("memory.max")
    return min(installed, int(limit)) if limit.isdigit() else installed


def suitable_processes() -> int:
    """Return how many server processes to run: one per core, if each has a gibibyte of memory."""
    return max(1, min(cores(), memory() // _MEMORY_OF_A_PROCESS, _MOST_PROCESSES))


def _limit(name: str) -> str:
    """Return a limit of the control group that a container sees as its root; empty if there is none."""
    try:
        return (_CGROUP / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""
