"""Starts the program of a plugin in the sandbox."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

from teamspace import sandbox
from teamspace.oop.domain.session import PluginSession
from teamspace.oop.schemas import FoundPlugin, SandboxedManifest
from teamspace.sandbox import Walls

BROKER = 3
"""The descriptor over which a plugin asks for capabilities."""
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(sandbox.SCRATCH),
    "TMPDIR": str(sandbox.SCRATCH), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1",
}  # fmt: skip
"""The whole environment."""

Channel = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def started(found: FoundPlugin, manifest: SandboxedManifest) -> AsyncIterator[tuple[PluginSession, Channel]]:
    """Start a plugin, and yield its session and the channel of the broker. It ends with the block."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    walls = Walls((found.folder, *sandbox.python_paths()))
    descriptors = {BROKER: theirs.fileno()}
    running = sandbox.run(
        _command(manifest), walls, env=_ENVIRONMENT, descriptors=descriptors, folder=found.folder
    )  # fmt: skip
    with theirs, closing(writer):
        async with running as program:
            theirs.close()
            session = PluginSession(program)
            try:
                yield session, (reader, writer)
            finally:
                session.end()


def _command(manifest: SandboxedManifest) -> list[str]:
    program, *arguments = manifest.command
    return [sys.executable if program == "python" else program, *arguments]
