"""An application behind the HTTP server, and raw clients of it."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from teamspace.core.addresses import Network
from teamspace.core.disconnect import Disconnected
from teamspace.core.wire import Server, WireLimits
from teamspace.core.wire.exchange import Message

BUSY_HEADERS = [(b"content-length", b"0"), (b"retry-after", b"1")]
LARGE = b"0123456789" * 500_000
QUICK = {"sweep": 0.02, "linger": 0.2}

Receive = Callable[[], Any]
Send = Callable[[Message], Any]


class EchoApp:
    """Answers with what it received; its paths do what an application can do wrong."""

    def __init__(self) -> None:
        self.running, self.disconnects, self.bodies = 0, 0, list[int]()
        self.paths: list[str] = []
        """In the order in which they were begun."""
        self.go_on = asyncio.Event()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        self.running += 1
        self.paths.append(scope["raw_path"].decode())
        try:
            await getattr(self, scope["raw_path"].decode().strip("/").split("/")[0] or "echo")(scope, receive, send)
        except Disconnected:
            self.disconnects += 1
            raise
        finally:
            self.running -= 1

    async def echo(self, scope: Message, receive: Receive, send: Send) -> None:
        body = await read_body(receive)
        seen = {
            "method": scope["method"], "path": scope["raw_path"].decode(), "query": scope["query_string"].decode(),
            "headers": [[name.decode(), value.decode("latin-1")] for name, value in scope["headers"]],
            "body": body.decode("latin-1"),
        }  # fmt: skip
        await respond(send, json.dumps(seen).encode())

    async def chunks(self, scope: Message, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(3):
            await send({"type": "http.response.body", "body": b"part %d;" % number, "more_body": True})
        await send({"type": "http.response.body"})

    async def empty(self, scope: Message, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def busy(self, scope: Message, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 503, "headers": BUSY_HEADERS})
        await send({"type": "http.response.body"})

    async def flood(self, scope: Message, receive: Receive, send: Send) -> None:
        """Responds without end."""
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})

    async def large(self, scope: Message, receive: Receive, send: Send) -> None:
        await respond(send, LARGE)

    async def medium(self, scope: Message, receive: Receive, send: Send) -> None:
        """Responds with one piece."""
        await respond(send, LARGE[:100_000])

    async def ignore(self, scope: Message, receive: Receive, send: Send) -> None:
        """Responds without reading the body."""
        await respond(send, b"done")

    async def hold(self, scope: Message, receive: Receive, send: Send) -> None:
        """Waits, without reading, until it is told to go on."""
        await self.go_on.wait()
        await respond(send, await read_body(receive))

    async def watch(self, scope: Message, receive: Receive, send: Send) -> None:
        """Waits until the client disconnects."""
        await read_body(receive)
        while (await receive())["type"] != "http.disconnect":
            pass
        self.disconnects += 1

    async def short(self, scope: Message, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"10")]})
        await send({"type": "http.response.body", "body": b"short"})

    async def long(self, scope: Message, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"longer"})

    async def split(self, scope: Message, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"a\r\nset-cookie: b")]})
        await send({"type": "http.response.body"})

    async def fail(self, scope: Message, receive: Receive, send: Send) -> None:
        raise ValueError("on purpose")

    async def silent(self, scope: Message, receive: Receive, send: Send) -> None:
        """Returns without a response."""


async def read_body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        parts.append(message["body"])
        if not message["more_body"]:
            return b"".join(parts)


async def respond(send: Send, body: bytes) -> None:
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Running:
    """A server with its application."""

    def __init__(self, app: EchoApp, server: Server, port: int) -> None:
        self.app, self.server, self.port = app, server, port

    @property
    def connections(self) -> set[Any]:
        return self.server._connections

    async def ask(self, sent: bytes, *, end: bool = False) -> bytes:
        """Send bytes; return all that arrives until the server closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        if end:
            writer.write_eof()
        try:
            async with asyncio.timeout(10):
                return await reader.read()
        except ConnectionResetError:
            return b"reset"
        finally:
            writer.close()

    @asynccontextmanager
    async def connected(self, *, receive_buffer: int = 0) -> AsyncIterator["Client"]:
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", self.port))
        reader, writer = await asyncio.open_connection(sock=raw)
        try:
            yield Client(reader, writer)
        finally:
            writer.close()


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def response(self) -> tuple[int, dict[bytes, bytes], bytes]:
        """Read one response with a declared length, or none."""
        async with asyncio.timeout(10):
            head = await self.reader.readuntil(b"\r\n\r\n")
            lines = head.split(b"\r\n")
            headers = dict(line.split(b": ", 1) for line in lines[1:] if line)
            body = await self.reader.readexactly(int(headers.get(b"content-length", b"0")))
            return int(lines[0].split()[1]), headers, body

    async def ended(self) -> bool:
        """Wait until the server closes the connection; return whether nothing came before."""
        try:
            async with asyncio.timeout(10):
                return not await self.reader.read()
        except ConnectionResetError:
            return True


def running(*trusted: Network, **limits: Any) -> AbstractAsyncContextManager[Running]:
    return _running(None, trusted, limits)


def running_over_tls(tls: ssl.SSLContext, **limits: Any) -> AbstractAsyncContextManager[Running]:
    return _running(tls, (), limits)


@asynccontextmanager
async def _running(
    tls: ssl.SSLContext | None, trusted: Sequence[Network], limits: dict[str, Any]
) -> AsyncIterator[Running]:
    app = EchoApp()
    server = Server(app, limits=WireLimits(**(QUICK | limits)), tls=tls, trusted=trusted)
    one = Running(app, server, await server.listen("127.0.0.1", 0))
    try:
        yield one
    finally:
        server.abort()
        await server.wait_closed()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while True:
            if condition():
                return
            await asyncio.sleep(0.01)


def parse(answer: bytes) -> list[tuple[int, bytes]]:
    """Split responses with a declared length."""
    found = []
    while answer:
        head, _, answer = answer.partition(b"\r\n\r\n")
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"content-length")), 0
        )
        found.append((int(head.split()[1]), answer[:length]))
        answer = answer[length:]
    return found
