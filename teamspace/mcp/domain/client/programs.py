"""MCP servers that are programs: started in a sandbox, with nothing of ours but what the operator names."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from teamspace import sandbox
from teamspace.mcp.domain.client.sessions import SessionLost
from teamspace.sandbox import SCRATCH, SandboxedProgram, Walls
from teamspace.settings import McpEntry

_MAX_ERRORS = 1000
"""Characters of its standard error that are shown."""
_GRACE_SECONDS, _EXIT_SECONDS = 1.0, 0.5
_PATH = "/usr/local/bin:/usr/bin:/bin"


class ServerProgram:
    """The program of an MCP server."""

    def __init__(self, program: SandboxedProgram) -> None:
        self.stdin, self.stdout = program.stdin, program.stdout
        self.fault = ""
        """Why its messages are not read any more."""
        self._program = program

    async def explain(self, reason: str) -> str:
        """Return why its session has ended, with what is known of the program."""
        if not self.fault:
            with suppress(TimeoutError):
                async with asyncio.timeout(_EXIT_SECONDS):
                    await self._program.wait()
        parts = [self.fault or reason]
        if self._program.exit_code is not None:
            parts.append(f"the program ended with code {self._program.exit_code}")
        if errors := " ".join(" ".join(self._program.errors).split()):
            parts.append(f"it wrote: {errors[-_MAX_ERRORS:]}")
        return "; ".join(parts)


@asynccontextmanager
async def run(entry: McpEntry) -> AsyncIterator[ServerProgram]:
    """Run the program of a server; it ends with the block."""
    environment = {"PATH": _PATH, **entry.env}
    found = shutil.which(entry.command or "", path=environment["PATH"])
    if found is None:
        raise SessionLost(f"there is no program {entry.command}; give its whole path, or a PATH in env")
    walls = Walls(
        readable=(*_find_installation(Path(found)), *entry.read, *([entry.cwd] if entry.cwd else ())),
        writable=entry.write, network=entry.network,
    )  # fmt: skip
    command = [found, *entry.args]
    running = sandbox.run(command, walls, env=environment, folder=entry.cwd or SCRATCH, grace=_GRACE_SECONDS)
    async with running as program:
        yield ServerProgram(program)


def _find_installation(program: Path) -> list[Path]:
    """Return the packages that a program and its interpreter are installed with: of `venv/bin/server`, `venv/lib`.

    Not the whole folder around them, which can be someone's home.
    """
    files = [program, *_find_interpreter(program)]
    roots = {file.parent.parent for file in (*files, *(file.resolve() for file in files)) if file.parent.name == "bin"}
    parts = [root / part for root in roots if _has_packages(root) for part in ("bin", "lib", "lib64", "pyvenv.cfg")]
    return [part for part in parts if part.exists()]


def _has_packages(root: Path) -> bool:
    return any((root / "lib").glob("python3*")) or (root / "lib/node_modules").is_dir()


def _find_interpreter(program: Path) -> list[Path]:
    """Return what a script names in its first line."""
    with program.open("rb") as file:
        line = file.readline(1000)
    words = line.removeprefix(b"#!").split() if line.startswith(b"#!") else []
    return [Path(word.decode(errors="replace")) for word in words[:1]]
