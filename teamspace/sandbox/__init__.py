"""The sandbox: walls around processes that run other people's code."""

from teamspace.sandbox.paths import SCRATCH, python_paths
from teamspace.sandbox.programs import SandboxedProgram, run
from teamspace.sandbox.schemas import Limits, SandboxUnavailable, Tier, Walls
from teamspace.sandbox.starting import RETRY_SECONDS, find_tier, isolated_python, start

__all__ = [
    "RETRY_SECONDS",
    "SCRATCH",
    "Limits",
    "SandboxUnavailable",
    "SandboxedProgram",
    "Tier",
    "Walls",
    "find_tier",
    "isolated_python",
    "python_paths",
    "run",
    "start",
]
