"""Namespaces: a process in its own sees no other processes, no network, and a file system that it cannot change."""

import contextlib
import os
from pathlib import Path

from teamspace.sandbox import kernel
from teamspace.sandbox.paths import SCRATCH
from teamspace.sandbox.schemas import Walls

_SCRATCH_FILES = 10_000
_FEWEST_PROCESS_IDS = 301
"""The kernel accepts no smaller limit of a namespace."""


def enter(walls: Walls) -> None:
    """Enter new namespaces. The next process that is forked is the first of its PID namespace."""
    user, group = os.geteuid(), os.getegid()
    wanted = kernel.NEW_USER | kernel.NEW_MOUNTS | kernel.NEW_IPC | kernel.NEW_PROCESSES
    kernel.unshare(wanted if walls.network else wanted | kernel.NEW_NETWORK)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _mount(walls)


def _mount(walls: Walls) -> None:
    """Make everything read-only but the writable folders and an empty scratch folder."""
    writable = [str(path.resolve()) for path in walls.writable]
    for path in writable:
        kernel.mount(path, path, None, kernel.BIND | kernel.RECURSIVE)
    kernel.make_read_only("/")
    for path in writable:
        kernel.make_writable(path)
    options = f"size={walls.limits.file_bytes},nr_inodes={_SCRATCH_FILES},mode=0700"
    kernel.mount("scratch", str(SCRATCH), "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, options)


def limit_process_ids(processes: int) -> None:
    """Limit the ids of this PID namespace, where the system allows it: the kernel limits no processes of root."""
    with contextlib.suppress(OSError):
        kernel.mount("proc", str(SCRATCH), "proc", kernel.NO_SUID | kernel.NO_DEVICES)
        try:
            limit = max(processes, _FEWEST_PROCESS_IDS)
            (SCRATCH / "sys/kernel/pid_max").write_text(str(limit))
        finally:
            kernel.unmount(str(SCRATCH))
