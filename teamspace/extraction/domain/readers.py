"""Reader processes, which fork for every file. They are started on demand and kept for a while.

A reader whose file took too long, or whose caller was cancelled, is killed with its process group.
"""

import asyncio
import contextlib
import io
import logging
import os
import shutil
import signal
import socket
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from functools import cache
from pathlib import Path

import msgspec

from teamspace.extraction.domain import kinds, limits
from teamspace.extraction.schemas import Extracted, ExtractionFailed, ExtractionReason, ReaderHeader, Thumbnails
from teamspace.sandbox import isolated_python

log = logging.getLogger("teamspace.extraction")

_PROGRAM = "from teamspace.extraction.domain import reading; reading.serve()"
_HEADER_BYTES = 1024
_STDERR_BYTES = 4096
_GRACE_SECONDS = 5.0
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "1", "RAYON_NUM_THREADS": "1", "TOKIO_WORKER_THREADS": "1", "LANG": "C.UTF-8"}
"""The whole environment, besides a temporary home folder."""

Waiting = Callable[[], AbstractContextManager[None]]


class ReaderProcess:
    """A fork server, and the socket over which it gets files."""

    def __init__(self, process: Process, control: socket.socket, home: str) -> None:
        self._process, self._control, self._home = process, control, home
        self.is_usable = True

    @classmethod
    async def start(cls) -> "ReaderProcess":
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
        """Return the text of the file, or raise ExtractionFailed."""
        header, text = await self._run(path, kind)
        # The text should be clean already, but a malicious file may have taken over the parser.
        return Extracted(text.decode("utf-8", "replace").replace("\0", " "), header.truncated)

    async def draw(self, path: Path, kind: str) -> Thumbnails:
        """Return pictures of the file, or raise ExtractionFailed."""
        _, packed = await self._run(path, kinds.DRAWN + kind)
        drawn = Thumbnails(packed)
        if len(packed) > limits.THUMBNAIL_BYTES or not drawn.is_valid:
            raise ExtractionFailed(ExtractionReason.CRASHED)
        return drawn

    async def render(self, path: Path) -> str:
        """Return the Markdown text in the file as HTML, or raise ExtractionFailed."""
        _, written = await self._run(path, kinds.RENDERED)
        if len(written) > limits.HTML_BYTES:
            raise ExtractionFailed(ExtractionReason.UNPACKS_TOO_MUCH)
        return written.decode("utf-8", "replace")

    async def _run(self, path: Path, task: str) -> tuple[ReaderHeader, bytes]:
        self.is_usable = False  # until it has reported an exit code
        try:
            async with asyncio.timeout(limits.WALL_SECONDS):
                stdout, stderr, exit_code = await self._exchange(path, task)
        except TimeoutError:
            raise ExtractionFailed(ExtractionReason.TOOK_TOO_LONG) from None
        self.is_usable = exit_code is not None
        if exit_code is None:
            stderr, exit_code = await self._read_stderr(), 1
        return _parse_output(stdout, stderr, exit_code)

    async def _exchange(self, path: Path, task: str) -> tuple[bytes, bytes, int | None]:
        """Return stdout, stderr and exit code of the forked process; the code is None if the fork server has died."""
        async with _pipe() as (stdout, output), _pipe() as (stderr, errors):
            with path.open("rb") as file, output, errors:
                try:
                    socket.send_fds(self._control, [task.encode()], [file.fileno(), output.fileno(), errors.fileno()])
                except OSError:
                    return b"", b"", None
            outputs = await asyncio.gather(
                _read_all(stdout, _HEADER_BYTES + limits.TEXT_BYTES), _read_all(stderr, _STDERR_BYTES)
            )
            return *outputs, await self._exit_code()

    async def _exit_code(self) -> int | None:
        with contextlib.suppress(ConnectionResetError):
            if code := await asyncio.get_running_loop().sock_recv(self._control, 4):
                return int.from_bytes(code, "little", signed=True)
        return None

    async def _read_stderr(self) -> bytes:
        assert self._process.stderr is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                return await _read_all(self._process.stderr, _STDERR_BYTES)
        return b""

    async def end(self) -> None:
        """Kill the process group."""
        self.is_usable = False
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        assert self._process.stderr is not None
        # An unread pipe would keep asyncio from noticing that the process has exited.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                await _read_all(self._process.stderr, 0)
                await self._process.wait()
        shutil.rmtree(self._home, ignore_errors=True)


class ReaderPool:
    """The reader processes of one event loop."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(limits.MAX_READERS)
        self._idle: list[tuple[ReaderProcess, asyncio.TimerHandle]] = []
        self._ending: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def acquire(self, waiting: Waiting) -> AsyncIterator[ReaderProcess]:
        with waiting():
            await self._slots.acquire()
        try:
            reader = await self._get_reader()
            try:
                yield reader
            finally:
                await self._return_reader(reader)
        finally:
            self._slots.release()

    async def _get_reader(self) -> ReaderProcess:
        if not self._idle:
            return await ReaderProcess.start()
        reader, timer = self._idle.pop()
        timer.cancel()
        return reader

    async def _return_reader(self, reader: ReaderProcess) -> None:
        if not reader.is_usable:
            await reader.end()
            return
        timer = asyncio.get_running_loop().call_later(limits.IDLE_SECONDS, self._end_idle)
        self._idle.append((reader, timer))

    def _end_idle(self) -> None:
        """End the reader that was idle longest; the pool is last in, first out."""
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
    return isolated_python(_PROGRAM)


@asynccontextmanager
async def _pipe() -> AsyncIterator[tuple[asyncio.StreamReader, io.FileIO]]:
    """Yield the reading end as a stream, and the writing end, which the caller closes."""
    reading, writing = os.pipe()
    source, end = os.fdopen(reading, "rb", 0), io.FileIO(writing, "wb")
    loop, stream = asyncio.get_running_loop(), asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), source)
    try:
        yield stream, end
    finally:
        end.close()
        transport.close()


async def _read_all(stream: asyncio.StreamReader, limit: int) -> bytes:
    """Read to the end, keeping the first `limit` bytes."""
    data = bytearray()
    while part := await stream.read(65_536):
        data += part[: limit - len(data)]
    return bytes(data)


def _parse_output(stdout: bytes, stderr: bytes, exit_code: int) -> tuple[ReaderHeader, bytes]:
    first_line, _, body = stdout.partition(b"\n")
    if exit_code != 0:
        raise ExtractionFailed(_failure_reason(exit_code, stderr))
    try:
        header = msgspec.json.decode(first_line, type=ReaderHeader)
    except msgspec.DecodeError:
        raise ExtractionFailed(ExtractionReason.CRASHED) from None
    if not header.isolation:
        _warn_unsandboxed()
    if header.reason is not None:
        raise ExtractionFailed(header.reason)
    return header, body


def _failure_reason(exit_code: int, stderr: bytes) -> ExtractionReason:
    if -exit_code == signal.SIGXCPU:
        return ExtractionReason.TOOK_TOO_LONG
    # The OOM killer sends SIGKILL without a message.
    if -exit_code == signal.SIGKILL or b"memory" in stderr.lower():
        return ExtractionReason.TOO_MUCH_MEMORY
    log.warning(
        "reading a file failed, the process exited with %s: %s", exit_code, stderr[-500:].decode(errors="replace")
    )
    return ExtractionReason.CRASHED


@cache
def _warn_unsandboxed() -> None:
    log.warning("text extraction is not sandboxed: this system supports neither namespaces nor a system call filter")
