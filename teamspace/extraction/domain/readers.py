"""The readers: a few processes that fork for every file. They are started when there is something to read, and kept
for a while. One whose file took too long, or whose caller has given up, is ended with all that it started."""

import asyncio
import contextlib
import io
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from functools import cache
from pathlib import Path

import msgspec

from teamspace.extraction.domain import limits
from teamspace.extraction.schemas import Extracted, ExtractionFailed, Reason, Told

log = logging.getLogger("teamspace.extraction")

_MODULE = "teamspace.extraction.domain.reading"
_HEADER_BYTES = 1024
_COMPLAINT_BYTES = 4096
_GRACE_SECONDS = 5.0
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "1", "RAYON_NUM_THREADS": "1", "TOKIO_WORKER_THREADS": "1", "LANG": "C.UTF-8"}
"""All there is, besides a home and a place for temporary files that are gone afterwards."""

Waiting = Callable[[], AbstractContextManager[None]]


class Reader:
    """A fork server, and the socket over which it is given files."""

    def __init__(self, process: Process, control: socket.socket, home: str) -> None:
        self._process, self._control, self._home = process, control, home
        self.is_usable = True

    @classmethod
    async def started(cls) -> "Reader":
        ours, theirs = socket.socketpair()
        home = tempfile.mkdtemp(prefix="teamspace-")
        try:
            process = await asyncio.create_subprocess_exec(
                *_command(), stdin=theirs.fileno(), stdout=DEVNULL, stderr=PIPE, cwd=home, start_new_session=True,
                env={**_ENVIRONMENT, "HOME": home, "TMPDIR": home, "XDG_CACHE_HOME": home},
            )  # fmt: skip
        except BaseException:
            ours.close()
            shutil.rmtree(home, ignore_errors=True)
            raise
        finally:
            theirs.close()
        ours.setblocking(False)
        return cls(process, ours, home)

    async def read(self, path: Path, kind: str) -> Extracted:
        """The text of the file, or `ExtractionFailed` with the reason."""
        self.is_usable = False  # until it has said that it is done
        try:
            async with asyncio.timeout(limits.WALL_SECONDS):
                said, complaint, ended = await self._answer(path, kind)
        except TimeoutError:
            raise ExtractionFailed(Reason.TOOK_TOO_LONG) from None
        self.is_usable = ended is not None
        if ended is None:
            complaint, ended = await self._last_words(), 1
        return _understood(said, complaint, ended)

    async def _answer(self, path: Path, kind: str) -> tuple[bytes, bytes, int | None]:
        """Text, complaint and exit code of the process that read it; no code when the reader itself is gone."""
        async with _pipe() as (said, output), _pipe() as (complaint, errors):
            with path.open("rb") as file, output, errors:
                try:
                    socket.send_fds(self._control, [kind.encode()], [file.fileno(), output.fileno(), errors.fileno()])
                except OSError:
                    return b"", b"", None
            answered = await asyncio.gather(
                _taken(said, _HEADER_BYTES + limits.TEXT_BYTES), _taken(complaint, _COMPLAINT_BYTES)
            )
            return *answered, await self._exit_code()

    async def _exit_code(self) -> int | None:
        with contextlib.suppress(ConnectionResetError):
            if code := await asyncio.get_running_loop().sock_recv(self._control, 4):
                return int.from_bytes(code, "little", signed=True)
        return None

    async def _last_words(self) -> bytes:
        assert self._process.stderr is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                return await _taken(self._process.stderr, _COMPLAINT_BYTES)
        return b""

    async def end(self) -> None:
        """With all that it may have started."""
        self.is_usable = False
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        assert self._process.stderr is not None
        # A pipe full of what nobody has read would keep the process from being seen as gone.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                await _taken(self._process.stderr, 0)
                await self._process.wait()
        shutil.rmtree(self._home, ignore_errors=True)


class Readers:
    """Those of one event loop."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(limits.AT_ONCE)
        self._idle: list[tuple[Reader, asyncio.TimerHandle]] = []
        self._ending: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def one(self, waiting: Waiting) -> AsyncIterator[Reader]:
        with waiting():
            await self._turns.acquire()
        try:
            reader = await self._taken()
            try:
                yield reader
            finally:
                await self._put_back(reader)
        finally:
            self._turns.release()

    async def _taken(self) -> Reader:
        if not self._idle:
            return await Reader.started()
        reader, timer = self._idle.pop()
        timer.cancel()
        return reader

    async def _put_back(self, reader: Reader) -> None:
        if not reader.is_usable:
            await reader.end()
            return
        timer = asyncio.get_running_loop().call_later(limits.IDLE_SECONDS, self._end_idle)
        self._idle.append((reader, timer))

    def _end_idle(self) -> None:
        """The one that has waited longest: the last to come back is the first to be taken."""
        reader, _ = self._idle.pop(0)
        ending = asyncio.create_task(reader.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def end(self) -> None:
        while self._idle:
            reader, timer = self._idle.pop()
            timer.cancel()
            await reader.end()
        await asyncio.gather(*self._ending)


def _command() -> list[str]:
    return [sys.executable, "-I", "-m", _MODULE]


@asynccontextmanager
async def _pipe() -> AsyncIterator[tuple[asyncio.StreamReader, io.FileIO]]:
    """What is read from it here, and the end to write into, which is the caller's to close."""
    reading, writing = os.pipe()
    source, end = os.fdopen(reading, "rb", 0), io.FileIO(writing, "wb")
    loop, stream = asyncio.get_running_loop(), asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), source)
    try:
        yield stream, end
    finally:
        end.close()
        transport.close()


async def _taken(stream: asyncio.StreamReader, most: int) -> bytes:
    """What comes until the end, as far as anybody listens."""
    kept = bytearray()
    while part := await stream.read(65_536):
        kept += part[: most - len(kept)]
    return bytes(kept)


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
