"""The sandbox of the process that reads an untrusted file. The process enters it itself, and cannot leave it.

A seccomp filter allows only system calls that concern the process itself and the files that it has open. Where the
system allows it, the process also gets an empty network namespace. Neither needs privileges.
"""

import contextlib
import os
import platform
import resource
import sys

from teamspace.extraction.domain import limits
from teamspace.sandbox import calls, filters, kernel


def set_limits() -> None:
    """Limit memory and CPU time."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.MEMORY_BYTES, limits.MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.CPU_SECONDS, limits.CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # One CPU is enough: libraries start a thread per CPU, and on many CPUs their stacks would exceed the limit.
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[os.getpid() % len(processors)]})


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies."""
    if sys.platform == "linux":
        kernel.die_with_parent()


def unshare_network() -> bool:
    """Enter an empty network namespace; must be called before any thread starts."""
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError):
        kernel.unshare(kernel.NEW_USER | kernel.NEW_NETWORK)
        return True
    return False


def install_filter() -> bool:
    """Install the system call filter for all threads. Open files stay open, but no others can be opened."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform != "linux" or platform.machine() not in calls.MACHINES:
        return False
    with contextlib.suppress(OSError):
        kernel.hide_memory()
        filters.install(filters.compile_filter([calls.BASE]))
        return True
    return False
