"""MCP servers that are programs: started in a sandbox, with nothing of ours but what the operator names."""

import asyncio
import shutil
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from teamspace import sandbox
from teamspace.mcp.domain.client.sessions import SessionLost
from teamspace.sandbox import SCRATCH, Walls
from teamspace.settings import McpEntry

_TAIL = 1000
"""Bytes of its standard error that are kept, for operators."""
_STDERR_PAUSE = 0.01
"""Between two reads, so that a program that writes without end does not keep us busy."""
_GRACE_SECONDS, _KILL_SECONDS = 1.0, 5.0
_PATH = "/usr/local/bin:/usr/bin:/bin"


class Program:
    """A program that runs."""

    def __init__(self, process: Process) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.stdin: StreamWriter = process.stdin
        self.stdout: StreamReader = process.stdout
        self.fault = ""
        """Why its messages are not read any more."""
        self._process, self._stderr = process, process.stderr
        self._tail = b""

    async def keep_tail(self) -> None:
        """Read what it writes to standard error, and keep the end."""
        with suppress(OSError):
            while chunk := await self._stderr.read(64 * 1024):
                self._tail = (self._tail + chunk)[-_TAIL:]
                await asyncio.sleep(_STDERR_PAUSE)

    async def explain(self, reason: str) -> str:
        """Return why its session has ended, with what is known of the program."""
        if not self.fault:
            await self._wait(0.5)
        parts = [self.fault or reason]
        if self._process.returncode is not None:
            parts.append(f"the program ended with code {self._process.returncode}")
        if tail := " ".join(self._tail.decode(errors="replace").split()):
            parts.append(f"it wrote: {tail}")
        return "; ".join(parts)

    async def end(self) -> None:
        """Close its input, and kill it if it goes on."""
        self.stdin.close()
        # What it still writes is read, or it could not end, nor would its end be noticed.
        draining = asyncio.create_task(self._drain())
        try:
            await self._wait(_GRACE_SECONDS)
        finally:
            if self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
                await self._wait(_KILL_SECONDS)
            draining.cancel()

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), seconds)

    async def _drain(self) -> None:
        with suppress(OSError):
            while await self.stdout.read(64 * 1024):
                pass


@asynccontextmanager
async def run(entry: McpEntry) -> AsyncIterator[Program]:
    """Run the program of a server; it ends with the block."""
    program = Program(await _start(entry))
    tail = asyncio.create_task(program.keep_tail())
    try:
        yield program
    finally:
        await program.end()
        tail.cancel()


async def _start(entry: McpEntry) -> Process:
    environment = {"PATH": _PATH, **entry.env}
    found = shutil.which(entry.command or "", path=environment["PATH"])
    if found is None:
        raise SessionLost(f"there is no program {entry.command}; give its whole path, or a PATH in env")
    walls = Walls(
        readable=(*_find_installation(Path(found)), *entry.read, *([entry.cwd] if entry.cwd else ())),
        writable=entry.write, network=entry.network,
    )  # fmt: skip
    return await sandbox.start([found, *entry.args], walls, env=environment, folder=entry.cwd or SCRATCH)


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
