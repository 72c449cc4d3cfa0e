"""The SDK's messages over the pipes of a program: one JSON message a line."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from teamspace.mcp.domain.client.messages import MAX_BYTES, TOO_LARGE, BadMessage, BadServer, Intake
from teamspace.mcp.domain.client.programs import ServerProgram

_CHUNK = 64 * 1024
_END = 200
_MAX_SKIPPED = 16 * MAX_BYTES
"""A line that is longer has no end."""
_ID = re.compile(rb'\A\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,|"id"\s*:\s*(\d{1,15})\s*\}\s*\Z')
"""The id of a response, in its begin or its end."""

Inbound = MemoryObjectSendStream[SessionMessage | Exception]
Outbound = MemoryObjectReceiveStream[SessionMessage]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


class Lines:
    """Splits what a program writes into lines. Of a line that is too long, only its begin and end are kept."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._is_cut = False
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield the lines that are complete now, and whether they were cut."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._add(end)
            yield bytes(self._line), self._is_cut
            self._line, self._is_cut, self._length = bytearray(), False, 0
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._line += part
        self._length += len(part)
        if self._length > _MAX_SKIPPED:
            raise BadServer(f"it sent a line of more than {_MAX_SKIPPED} bytes")
        if len(self._line) > (2 * _END if self._is_cut else MAX_BYTES):
            self._is_cut = True
            self._line = self._line[:_END] + self._line[-_END:]


@asynccontextmanager
async def pipe_streams(program: ServerProgram, intake: Intake, look: asyncio.Event) -> AsyncIterator[Streams]:
    """Connect the pipes of a program to the streams of a session. `look` is set when one of them breaks."""
    inbound, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, outbound = anyio.create_memory_object_stream[SessionMessage](0)
    with inbound, received, sent, outbound:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, program, inbound, intake, look)
            tasks.start_soon(_write, program, outbound, look)
            try:
                yield received, sent
            finally:
                tasks.cancel_scope.cancel()


async def _read(program: ServerProgram, inbound: Inbound, intake: Intake, look: asyncio.Event) -> None:
    lines = Lines()
    try:
        with inbound:
            while chunk := await program.stdout.read(_CHUNK):
                for line, is_cut in lines.feed(chunk):
                    message = _refuse(line, TOO_LARGE) if is_cut else await _decode(line, intake)
                    if message is not None:
                        await inbound.send(SessionMessage(message))
    except BadServer as fault:
        program.fault = str(fault)
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the session or the program has ended
    finally:
        look.set()


async def _decode(line: bytes, intake: Intake) -> JSONRPCMessage | None:
    """Return a message; None for other lines, which careless programs print."""
    try:
        if not await intake.admit(line):
            return None
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except BadMessage as fault:
        return _refuse(line, str(fault))
    except ValidationError:
        return None


def _refuse(line: bytes, reason: str) -> JSONRPCMessage | None:
    """Return an error in place of a response that must not be decoded, so that only its caller suffers."""
    found = _ID.search(line[:_END] + line[-_END:])
    if found is None:
        return None
    error = ErrorData(code=INTERNAL_ERROR, message=reason)
    return JSONRPCError(jsonrpc="2.0", id=int(found[1] or found[2]), error=error)


async def _write(program: ServerProgram, outbound: Outbound, look: asyncio.Event) -> None:
    try:
        async for sent in outbound:
            line = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            program.stdin.write(line.encode(errors="replace") + b"\n")
            await program.stdin.drain()
    except (OSError, RuntimeError, anyio.ClosedResourceError):
        look.set()
