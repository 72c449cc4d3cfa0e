"""Watches a sandboxed process and all that it has started, and ends them together."""

import contextlib
import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path

from teamspace.sandbox.schemas import Limits

_SECONDS = 0.25
_COUNTED = ("RssAnon:", "RssShmem:")
_KILLED_BY = 128
"""Added to the number of a signal, as shells do."""


def wait(child: int, limits: Limits) -> int:
    """Wait for the end of a process, and return its exit code. One that exceeds its limits is killed, with a notice.

    That can take a while, if there are many of them; nobody has to wait for it.
    """
    ended = select.poll()
    ended.register(os.pidfd_open(child), select.POLLIN)
    while not ended.poll(_SECONDS * 1000):
        if excess := _find_excess(child, limits):
            _kill(child)
            os.write(2, f"sandbox: ended, since it has {excess}\n".encode())
            return _KILLED_BY + signal.SIGKILL
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return _KILLED_BY - code if code < 0 else code


def _kill(root: int) -> None:
    """Kill a process and all that it has started. The first one gets every CPU, as it must not wait for the others."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(root, os.sched_getaffinity(0))
    os.kill(root, signal.SIGKILL)
    for process in _descendants(root):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _find_excess(root: int, limits: Limits) -> str | None:
    memory = threads = 0
    for process in _descendants(root):
        try:
            status = Path(f"/proc/{process}/status").read_text()
        except OSError:  # it has ended
            continue
        for line in status.splitlines():
            if line.startswith(_COUNTED):
                memory += int(line.split()[1]) * 1024
            elif line.startswith("Threads:"):
                threads += int(line.split()[1])
        # Checked for each, so that a fork bomb is not counted to its end.
        if memory > limits.memory_bytes:
            return f"more than {limits.memory_bytes} bytes of memory"
        if threads > limits.processes:
            return f"more than {limits.processes} processes and threads"
    return None


def _descendants(process: int) -> Iterator[int]:
    """Iterate over a process and all that it has started, and that these have; orphans belong to the first one."""
    waiting = [process]
    while waiting:
        process = waiting.pop()
        yield process
        try:
            for thread in os.listdir(f"/proc/{process}/task"):
                children = Path(f"/proc/{process}/task/{thread}/children").read_text()
                waiting.extend(map(int, children.split()))
        except OSError:  # it has ended
            continue
