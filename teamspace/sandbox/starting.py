"""Starts processes in the sandbox, or not at all."""

import asyncio
import math
import os
import platform
import shutil
import subprocess
import sys
import threading
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from teamspace.core import pools
from teamspace.sandbox import bubblewrap
from teamspace.sandbox.calls import MACHINES
from teamspace.sandbox.paths import SCRATCH
from teamspace.sandbox.schemas import LaunchPlan, SandboxUnavailable, Tier, Walls

_TIERS: tuple[Tier, ...] = ("bubblewrap", "landlock")
_ROOT = str(Path(__file__).parents[2])
_LAUNCHER = "from teamspace.sandbox import launcher; launcher.main()"
_PROBE_SECONDS = 30.0
RETRY_SECONDS = 60.0
"""After which the tiers are tried again, if none has worked."""


def isolated_python(program: str) -> list[str]:
    """Return the command of a program in this Python, which neither environment nor working folder can influence."""
    # Isolated, Python finds only what is installed, which can be another copy of the server.
    return [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {_ROOT!r}); {program}"]


class _Probe:
    """Remembers the tier that works; that none does, only for a while, since a system that is busy can be the reason."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self._tier: Tier | None = None
        self._failed_at = -math.inf

    def find(self) -> Tier | None:
        with self._lock:
            if self._tier is None and time.monotonic() - self._failed_at >= RETRY_SECONDS:
                self._tier = next((tier for tier in _TIERS if _works(tier)), None)
                self._failed_at = time.monotonic()
            return self._tier


_probe = _Probe()


def find_tier() -> Tier | None:
    """Return the best tier that works here, after trying it; None if nothing can contain a process.

    Takes a moment, until a tier has been found.
    """
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return None
    return _probe.find()


async def start(
    command: Sequence[str],
    walls: Walls,
    *,
    env: Mapping[str, str] | None = None,
    descriptors: Mapping[int, int] | None = None,
    folder: Path = SCRATCH,
) -> Process:
    """Start a command within walls, in a folder, with exactly this environment.

    `descriptors` are open files that it gets besides its standard streams, which are pipes: the number that each has
    there, and the one that it has here. The process and all that it has started end with the server, and with
    `kill()`. Raises SandboxUnavailable if nothing can contain it, and FileNotFoundError if there is no such program.
    """
    tier = await pools.UPKEEP.run(find_tier)
    if tier is None:
        raise SandboxUnavailable("neither bubblewrap nor Landlock with user namespaces works on this system")
    env, descriptors = dict(env or {}), dict(descriptors or {})
    with _launch(_plan(tier, command, walls, env, descriptors, folder)) as (launcher, passed):
        return await asyncio.create_subprocess_exec(
            *launcher, stdin=PIPE, stdout=PIPE, stderr=PIPE, env={}, pass_fds=passed, start_new_session=True
        )


def _plan(
    tier: Tier, command: Sequence[str], walls: Walls, env: dict[str, str], descriptors: dict[int, int], folder: Path
) -> LaunchPlan:
    program = shutil.which(command[0], path=env.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError(f"there is no program {command[0]}")
    readable = (*walls.readable, Path(program), Path(program).resolve())
    walls = msgspec.structs.replace(walls, readable=readable)
    wrapper = bubblewrap.find() if tier == "bubblewrap" else None
    return LaunchPlan(tier, (program, *command[1:]), walls, env, descriptors, folder, os.getpid(), wrapper or "")


@contextmanager
def _launch(plan: LaunchPlan) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Yield the launcher's command, and the open files that it needs: the plan is one, since arguments are public."""
    with os.fdopen(os.memfd_create("plan"), "wb", buffering=0) as file:
        file.write(msgspec.json.encode(plan, enc_hook=str))
        yield [*isolated_python(_LAUNCHER), str(file.fileno())], (file.fileno(), *plan.descriptors.values())


def _works(tier: Tier) -> bool:
    if tier == "bubblewrap" and bubblewrap.find() is None:
        return False
    with _launch(_plan(tier, ["true"], Walls(()), {}, {}, SCRATCH)) as (launcher, passed):
        try:
            ended = subprocess.run(
                launcher, env={}, pass_fds=passed, capture_output=True, timeout=_PROBE_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return ended.returncode == 0
