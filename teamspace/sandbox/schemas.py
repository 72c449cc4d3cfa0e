"""Data types of the sandbox."""

from pathlib import Path
from typing import Literal

import msgspec

MIB = 1 << 20
Tier = Literal["bubblewrap", "landlock"]


class SandboxUnavailable(Exception):
    """Nothing on this system can contain a process, so none is started."""


class Limits(msgspec.Struct, frozen=True):
    """What a sandboxed process and all that it starts may use together."""

    memory_bytes: int = 512 * MIB
    cpu_seconds: int | None = None
    """Of each process in its whole life; None for no limit. Together they use one CPU at a time."""
    processes: int = 64
    """Threads count, too."""
    open_files: int = 256
    file_bytes: int = 64 * MIB
    """Of the largest file, and of all files in the scratch folder together."""


class Walls(msgspec.Struct, frozen=True):
    """What a sandboxed process can reach, besides the programs and libraries of the system and its scratch folder."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...] = ()
    network: bool = False
    limits: Limits = Limits()


class LaunchPlan(msgspec.Struct, frozen=True):
    """What the launcher is told: a command, and the walls around it."""

    tier: Tier
    command: tuple[str, ...]
    walls: Walls
    environment: dict[str, str]
    descriptors: dict[int, int]
    """The numbers that open files get in the command, and those that they have in the launcher."""
    folder: Path
    """Where the command is started."""
    server: int
    """The process with which it ends."""
    bubblewrap: str = ""
    """The program, in the tier of that name."""
