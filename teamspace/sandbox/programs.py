"""A program in the sandbox, from its start to its end."""

import asyncio
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from teamspace.sandbox import starting
from teamspace.sandbox.paths import SCRATCH
from teamspace.sandbox.schemas import Walls

_CHUNK = 64 * 1024
_TAIL = 4096
"""Bytes of its standard error that are kept, for operators."""
_PAUSE = 0.05
"""Seconds between two reads of standard error: a program that writes often must not keep us busy."""
_POLL_SECONDS, _TAIL_SECONDS, _END_SECONDS = 0.25, 1.0, 5.0


class SandboxedProgram:
    def __init__(self, process: Process) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.stdin: StreamWriter = process.stdin
        self.stdout: StreamReader = process.stdout
        self._process, self._stderr = process, process.stderr
        self._tail = b""
        self._reading = asyncio.create_task(self._keep_tail())

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.returncode

    @property
    def errors(self) -> list[str]:
        """The last lines that it has written to standard error."""
        return self._tail.decode(errors="replace").strip().splitlines()

    async def wait(self) -> int:
        """Wait for its end, and for what it has last written to standard error."""
        waiting = asyncio.ensure_future(self._process.wait())
        try:
            # What it has started can have its pipes for a little longer, and asyncio waits for these too.
            while (code := self.exit_code) is None:
                await asyncio.wait({waiting}, timeout=_POLL_SECONDS)
        finally:
            waiting.cancel()
        await asyncio.wait({self._reading}, timeout=_TAIL_SECONDS)
        return code

    async def end(self, grace: float = 0) -> None:
        """Close its input, and kill it with all that it has started, unless it ends within the grace in seconds."""
        self.stdin.close()
        # What is left in a pipe would keep the program from ending, and asyncio from noticing the end.
        draining = asyncio.create_task(self._drain())
        try:
            if grace:
                await self._wait_at_most(grace)
        finally:
            with suppress(ProcessLookupError):
                self._process.kill()
            try:
                await self._wait_at_most(_END_SECONDS)
            finally:
                draining.cancel()
                self._reading.cancel()

    async def _wait_at_most(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()

    async def _keep_tail(self) -> None:
        with suppress(OSError):
            while part := await self._stderr.read(_CHUNK):
                self._tail = (self._tail + part)[-_TAIL:]
                await asyncio.sleep(_PAUSE)

    async def _drain(self) -> None:
        with suppress(OSError):
            while await self.stdout.read(_CHUNK):
                pass


@asynccontextmanager
async def run(
    command: Sequence[str],
    walls: Walls,
    *,
    env: Mapping[str, str] | None = None,
    descriptors: Mapping[int, int] | None = None,
    folder: Path = SCRATCH,
    grace: float = 0,
) -> AsyncIterator[SandboxedProgram]:
    """Run a command within walls, as `start` does; it ends with the block, after the grace."""
    program = SandboxedProgram(await starting.start(command, walls, env=env, descriptors=descriptors, folder=folder))
    try:
        yield program
    finally:
        await program.end(grace)
