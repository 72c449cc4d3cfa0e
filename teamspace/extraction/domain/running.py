"""Starting the process that reads, waiting for it, and ending it."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import tempfile
from functools import cache
from pathlib import Path

import msgspec

from teamspace.extraction.domain import kinds, limits
from teamspace.extraction.schemas import Extracted, ExtractionFailed, Reason, Told

log = logging.getLogger("teamspace.extraction")

_MODULE = "teamspace.extraction.domain.reading"
_HEADER_BYTES = 1024
_COMPLAINT_BYTES = 4096
_GRACE_SECONDS = 5.0
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "1", "RAYON_NUM_THREADS": "1", "TOKIO_WORKER_THREADS": "1", "LANG": "C.UTF-8"}
"""All there is, besides a home and a place for temporary files that are gone afterwards."""


class Turns:
    """Places at the readers' desk, for each event loop its own."""

    loop: asyncio.AbstractEventLoop | None = None
    free = asyncio.Semaphore(limits.AT_ONCE)

    def __call__(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if self.loop is not loop:
            self.loop, self.free = loop, asyncio.Semaphore(limits.AT_ONCE)
        return self.free


_turns = Turns()


async def extract(path: Path, content_type: str, filename: str) -> Extracted:
    """The text of the file, or `ExtractionFailed` with the reason; it may have to wait for its turn."""
    kind = kinds.kind_of(content_type, filename)
    if kind is None:
        raise ExtractionFailed(Reason.UNSUPPORTED)
    if kind != kinds.TEXT and _size(path) > limits.FILE_BYTES:
        raise ExtractionFailed(Reason.TOO_LARGE)
    async with _turns():
        with tempfile.TemporaryDirectory(prefix="teamspace-") as home:
            return await _read(path, kind, home)


def _size(path: Path) -> int:
    return path.stat().st_size


async def _read(path: Path, kind: str, home: str) -> Extracted:
    with path.open("rb") as file:
        child = await asyncio.create_subprocess_exec(
            *_command(kind), stdin=file, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=home,
            env={**_ENVIRONMENT, "HOME": home, "TMPDIR": home, "XDG_CACHE_HOME": home}, start_new_session=True,
        )  # fmt: skip
    try:
        async with asyncio.timeout(limits.WALL_SECONDS):
            said, complaint = await asyncio.gather(
                _taken(child.stdout, _HEADER_BYTES + limits.TEXT_BYTES), _taken(child.stderr, _COMPLAINT_BYTES)
            )
            await child.wait()
    except TimeoutError:
        raise ExtractionFailed(Reason.TOOK_TOO_LONG) from None
    finally:
        await _end(child)
    return _understood(said, complaint, child.returncode or 0)


def _command(kind: str) -> list[str]:
    return [sys.executable, "-I", "-m", _MODULE, kind]


async def _taken(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """What the child says, as far as anybody listens."""
    assert stream is not None
    kept = b""
    while part := await stream.read(65_536):
        kept += part[: most - len(kept)]
    return kept


async def _end(child: asyncio.subprocess.Process) -> None:
    """With all that it may have started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    # A pipe full of what nobody has read would keep the child from being seen as gone.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_SECONDS):
            await asyncio.gather(_taken(child.stdout, 0), _taken(child.stderr, 0))
            await child.wait()


def _understood(said: bytes, complaint: bytes, ended: int) -> Extracted:
    header, _, text = said.partition(b"\n")
    if ended != 0:
        raise ExtractionFailed(_why(ended, complaint))
    try:
        told = msgspec.json.decode(header, type=Told)
    except msgspec.DecodeError:
        raise ExtractionFailed(Reason.CRASHED) from None
    if not told.walls:
        _warn()
    if told.reason is not None:
        raise ExtractionFailed(told.reason)
    # It should be clean already, but a stranger's file may have had a hand in it.
    return Extracted(text.decode("utf-8", "replace").replace("\0", " "), told.truncated)


def _why(ended: int, complaint: bytes) -> Reason:
    if -ended == signal.SIGXCPU:
        return Reason.TOOK_TOO_LONG
    # A system that is short of memory kills, and says nothing.
    if -ended == signal.SIGKILL or b"memory" in complaint.lower():
        return Reason.TOO_MUCH_MEMORY
    log.warning(
        "a file could not be read, its reader ended with %s: %s", ended, complaint[-500:].decode(errors="replace")
    )
    return Reason.CRASHED


@cache
def _warn() -> None:
    log.warning("on this system nothing keeps the process that reads files from the network and from other files")
