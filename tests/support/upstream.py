"""A small HTTP server with a configurable behaviour. It records requests and counts connections."""

import asyncio
import contextlib
import json
import ssl
from collections.abc import Awaitable, Callable
from typing import Any, Self

import msgspec


class ReceivedRequest(msgspec.Struct, frozen=True):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Behaviour = Callable[[ReceivedRequest, asyncio.StreamWriter], Awaitable[None]]


class Upstream:
    def __init__(
        self, behaviour: Behaviour | None = None, *, tls: ssl.SSLContext | None = None, idle: float | None = None
    ) -> None:
        """Connections stay open between requests; after `idle` seconds without one, the server closes them."""
        self.behaviour = behaviour or completion()
        self.requests: list[ReceivedRequest] = []
        self.connections = 0
        self.open: set[asyncio.Task[None]] = set()
        """One task for each open connection."""
        self._tls, self._idle = tls, idle

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for connection in self.open:
            connection.cancel()

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def chat_requests(self) -> list[ReceivedRequest]:
        return [request for request in self.requests if request.path == "/v1/chat/completions"]

    async def closed(self) -> None:
        """Wait until all connections are closed."""
        await asyncio.wait_for(asyncio.gather(*self.open), 5)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self.open.add(task)
        task.add_done_callback(self.open.discard)
        ends = (ConnectionError, asyncio.IncompleteReadError, TimeoutError, asyncio.CancelledError)
        with contextlib.suppress(*ends), contextlib.closing(writer):
            while not writer.is_closing():
                request = await asyncio.wait_for(_read(reader), self._idle)
                self.requests.append(request)
                await self.behaviour(request, writer)


async def _read(reader: asyncio.StreamReader) -> ReceivedRequest:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    method, path, _ = first.split(" ")
    return ReceivedRequest(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def reply(writer: asyncio.StreamWriter, status: int, body: Any, headers: str = "") -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    writer.write(f"HTTP/1.1 {status} Some\r\ncontent-length: {len(data)}\r\n{headers}\r\n".encode() + data)
    await writer.drain()


def completion(text: str = "Hi", **more: Any) -> Behaviour:
    """Answer like a model server, streamed if the request says so."""

    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            return await reply(writer, 200, {"object": "list", "data": [{"id": "tiny"}]})
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        if request.body and json.loads(request.body).get("stream"):
            parts = [part + " " for part in text.split(" ")[:-1]] + text.split(" ")[-1:]
            events = [delta(part) for part in parts] + [delta(finish_reason="stop")]
            return await chunks(*events, event({"choices": [], "usage": usage, **more}), DONE)(request, writer)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        await reply(writer, 200, {"model": "tiny", "choices": [choice], "usage": usage, **more})

    return behave


DONE = b"data: [DONE]\n\n"


def event(data: Any) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def delta(text: str = "", **more: Any) -> bytes:
    """An event of a streamed completion."""
    return event({"model": "tiny", "choices": [{"index": 0, "delta": {"content": text}, **more}]})


def status(code: int, body: Any = b"", headers: str = "") -> Behaviour:
    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await reply(writer, code, body, headers)

    return behave


def chunks(*pieces: bytes, pause: float = 0.02) -> Behaviour:
    """Send the body piece by piece, with a pause before each but the first."""

    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for number, piece in enumerate(pieces):
            await asyncio.sleep(pause if number else 0)
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    return behave


def on_chat(behaviour: Behaviour) -> Behaviour:
    """Answer probes normally, and chat requests with `behaviour`."""
    normal = completion()

    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await (normal if request.method == "GET" else behaviour)(request, writer)

    return behave


async def silent(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def dripping(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    """Send a byte at a time, so that no read times out."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


async def endless(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
        await writer.drain()


async def endless_head(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x: " + b"y" * 1000 + b"\r\n")
        await writer.drain()


async def cut_off(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf")
    writer.close()


async def no_http(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.9\r\n")
    writer.close()
