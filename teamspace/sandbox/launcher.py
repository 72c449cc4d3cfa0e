"""The program that builds the walls, and runs a command within them. It stays outside, to watch over it.

What is contained by what, in the tier `landlock`:

    files               mounts that are read-only, and Landlock
    network             an empty network namespace; no sockets but pairs
    other processes     PID and IPC namespaces; what the command has started ends with it
    system calls        an allowlist
    memory              of a process its data segment; of all together the supervisor
    processes           RLIMIT_NPROC of the user namespace; of root the ids of the PID namespace; the supervisor
    privileges          no capabilities, and no way to get any
    CPU                 one at a time, after the server

In the tier `bubblewrap` its own namespaces and mounts take the place of ours and of Landlock.
"""

import contextlib
import fcntl
import os
import resource
import select
import sys
from pathlib import Path
from typing import NoReturn

import msgspec

from teamspace.sandbox import bubblewrap, calls, filters, kernel, landlock, namespaces, supervising
from teamspace.sandbox.paths import DEVICES, SCRATCH, system_paths
from teamspace.sandbox.schemas import LaunchPlan, Limits

FAILED = 125
"""The exit code if the walls could not be built."""
_NICENESS = 5


def main() -> NoReturn:
    plan = _read_plan(int(sys.argv[1]))
    alive, held = os.pipe()
    try:
        if plan.tier == "landlock":
            namespaces.enter(plan.walls)
        kernel.die_with_parent()
        if os.getppid() != plan.server:
            os._exit(FAILED)
        child = os.fork()
    except OSError as fault:
        _fail(fault)
    if not child:
        os.close(held)
        _run(plan, alive)
    os.dup2(held, 0)
    os.close(1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os._exit(supervising.wait(child, plan.walls.limits))


def _read_plan(descriptor: int) -> LaunchPlan:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb") as file:
        return msgspec.json.decode(file.read(), type=LaunchPlan, dec_hook=lambda _, text: Path(text))


def _run(plan: LaunchPlan, alive: int) -> NoReturn:
    """Build the walls around this process, and become the command. `alive` ends with the launcher."""
    try:
        kernel.die_with_parent()
        if select.select([alive], [], [], 0)[0]:
            os._exit(FAILED)
        os.setsid()
        _move_descriptors(plan.descriptors)
        _set_limits(plan.walls.limits)
        program = filters.compile_filter(_groups(plan))
        if plan.tier == "bubblewrap":
            _become(_wrapped(plan, program), plan.environment)
        namespaces.limit_process_ids(plan.walls.limits.processes)
        resource.setrlimit(resource.RLIMIT_NPROC, (plan.walls.limits.processes,) * 2)
        os.chdir(plan.folder)
        kernel.drop_capabilities()
        walls = plan.walls
        landlock.restrict(
            (*system_paths(network=walls.network), *walls.readable),
            (*walls.writable, SCRATCH, *DEVICES), network=walls.network,
        )  # fmt: skip
        filters.install(program)
        _become(plan.command, plan.environment)
    except OSError as fault:
        _fail(fault)


def _groups(plan: LaunchPlan) -> list[str]:
    return [calls.BASE, calls.FILES, calls.PROCESSES, *([calls.NETWORK] if plan.walls.network else [])]


def _move_descriptors(wanted: dict[int, int]) -> None:
    """Give open files the numbers that the command expects, and close all others."""
    last = max(wanted, default=2)
    copies = {number: fcntl.fcntl(given, fcntl.F_DUPFD, last + 1) for number, given in wanted.items()}
    os.closerange(3, last + 1)
    for number, copy in copies.items():
        os.dup2(copy, number)
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def _set_limits(limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes,) * 2)
    if limits.cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds,) * 2)
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {processors[os.urandom(1)[0] % len(processors)]})
    os.nice(_NICENESS)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def _wrapped(plan: LaunchPlan, program: bytes) -> list[str]:
    reading, writing = os.pipe()
    os.write(writing, program)
    os.close(writing)
    os.set_inheritable(reading, True)
    return bubblewrap.command(plan, reading)


def _become(command: list[str] | tuple[str, ...], environment: dict[str, str]) -> NoReturn:
    os.execve(command[0], list(command), environment)


def _fail(fault: OSError) -> NoReturn:
    os.write(2, f"sandbox: {fault}\n".encode())
    os._exit(FAILED)
