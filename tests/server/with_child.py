"""`python -m tests.server.with_child serve`: the server, with a program that every process starts as it starts others."""

import asyncio
from asyncio.subprocess import DEVNULL

from teamspace import cli, server
from teamspace.settings import Settings

_serve_beating = server._serve_beating


async def _serve_with_child(settings: Settings, position: int) -> None:
    child = await asyncio.create_subprocess_exec("sleep", "600", stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
    unfinished = settings.data / f"child-{position}"
    unfinished.write_text(str(child.pid))
    unfinished.rename(settings.data / f"child-{position}.pid")
    try:
        await _serve_beating(settings, position)
    finally:
        child.kill()


if __name__ in ("__main__", "__mp_main__"):  # the second in the processes that a supervisor starts
    server._serve_beating = _serve_with_child

if __name__ == "__main__":
    cli.main()
