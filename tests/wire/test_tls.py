"""Connections over TLS: they count from the beginning, and the last response is not cut off."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvloop

from tests.support.tls import tls_contexts
from tests.wire.help import LARGE, Running, running_over_tls, until

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
NAME = "localhost"
Contexts = tuple[ssl.SSLContext, ssl.SSLContext]
Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(scope="module")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> Contexts:
    folder: Path = tmp_path_factory.mktemp("tls")
    return tls_contexts(folder, NAME)


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """The event loop of the server is uvloop, which tells its protocols other things at other times."""
    loop: Run = request.param
    return loop


async def ask(server: Running, client: ssl.SSLContext, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=client, server_hostname=NAME)
    writer.write(sent)
    try:
        async with asyncio.timeout(20):
            return await reader.readuntil(b"\r\n\r\n")
    finally:
        writer.close()


async def is_closed(connection: socket.socket) -> bool:
    async with asyncio.timeout(20):
        try:
            return await asyncio.get_running_loop().sock_recv(connection, 10) == b""
        except ConnectionResetError:
            return True


async def connect(server: Running) -> socket.socket:
    """Connect and say nothing."""
    silent = socket.socket()
    silent.setblocking(False)
    await asyncio.get_running_loop().sock_connect(silent, ("127.0.0.1", server.port))
    return silent


def test_requests_are_answered_over_tls(contexts: Contexts, run: Run) -> None:
    async def check() -> None:
        async with running_over_tls(contexts[0]) as server:
            for _ in range(3):
                assert (await ask(server, contexts[1], GET)).startswith(b"HTTP/1.1 200 ")
            await until(lambda: not server.connections)
            assert not server.server._by_address

    run(check())


def test_what_comes_with_the_end_of_the_handshake_is_answered(contexts: Contexts, run: Run) -> None:
    """In the same packet, and the beginning of the handshake before the server has looked."""

    async def check() -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = contexts[1].wrap_bio(incoming, outgoing, server_hostname=NAME)
        async with running_over_tls(contexts[0]) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            with pytest.raises(ssl.SSLWantReadError):
                client.do_handshake()
            writer.write(outgoing.read())
            async with asyncio.timeout(20):
                while True:
                    incoming.write(await reader.read(10_000))
                    try:
                        client.do_handshake()
                        break
                    except ssl.SSLWantReadError:
                        writer.write(outgoing.read())
                client.write(GET)
                writer.write(outgoing.read())
                answer = b""
                while b"\r\n\r\n" not in answer:
                    incoming.write(await reader.read(10_000))
                    try:
                        answer += client.read(10_000)
                    except ssl.SSLWantReadError:
                        continue
            assert answer.startswith(b"HTTP/1.1 200 ")
            writer.close()

    run(check())


def test_a_client_that_does_not_begin_tls_counts_as_a_connection_and_is_disconnected(
    contexts: Contexts, run: Run
) -> None:
    async def check() -> None:
        async with running_over_tls(contexts[0], connections=3, handshake=1.0) as server:
            silent = [await connect(server) for _ in range(3)]
            await until(lambda: len(server.connections) == 3)
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await ask(server, contexts[1], GET)
            for each in silent:
                assert await is_closed(each)
                each.close()
            await until(lambda: not server.connections)
            assert not server.server._by_address
            assert (await ask(server, contexts[1], GET)).startswith(b"HTTP/1.1 200 ")

    run(check())


@pytest.mark.parametrize(
    "sent", [b"", GET, b"\x16\x03\x01\x00\x05hello", b"\x16"], ids=["nothing", "http", "junk", "a byte"]
)
def test_a_client_that_leaves_or_speaks_no_tls_counts_no_longer(contexts: Contexts, run: Run, sent: bytes) -> None:
    async def check() -> None:
        async with running_over_tls(contexts[0]) as server:
            gone = await connect(server)
            await until(lambda: len(server.connections) == 1)
            await asyncio.get_running_loop().sock_sendall(gone, sent)
            gone.close()
            await until(lambda: not server.connections)
            assert not server.server._by_address

    run(check())


def test_a_server_that_drains_does_not_wait_for_a_handshake(contexts: Contexts, run: Run) -> None:
    async def check() -> None:
        async with running_over_tls(contexts[0], handshake=60.0) as server:
            silent = await connect(server)
            await until(lambda: len(server.connections) == 1)
            await server.server.drain()
            assert await is_closed(silent)
            silent.close()
            async with asyncio.timeout(20):
                await server.server.wait_closed()

    run(check())


def connect_slowly(port: int, client: ssl.SSLContext) -> ssl.SSLSocket:
    """Connect with little room for what is not read."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.settimeout(20)
    plain.connect(("127.0.0.1", port))
    return client.wrap_socket(plain, server_hostname=NAME)


def test_a_client_that_does_not_read_the_last_response_is_disconnected(contexts: Contexts) -> None:
    async def check() -> None:
        async with running_over_tls(contexts[0], write_stall=0.3) as server:
            client = await asyncio.to_thread(connect_slowly, server.port, contexts[1])
            client.sendall(LAST.replace(b"/large", b"/medium"))
            await until(lambda: server.app.paths == ["/medium"])
            await until(lambda: not server.connections)
            client.close()

    uvloop.run(check())


def test_a_slow_reader_gets_all_of_the_last_response(contexts: Contexts) -> None:
    """Longer than the time in which uvloop would end a connection that is being closed by itself."""

    def read_slowly(port: int) -> int:
        with connect_slowly(port, contexts[1]) as client:
            client.sendall(LAST)
            received, end = 0, time.monotonic() + 7
            while part := client.recv(16_384):
                received += len(part)
                if received > len(LARGE) - 150_000 and time.monotonic() < end:
                    time.sleep(1.0)
            return received

    async def check() -> None:
        async with running_over_tls(contexts[0]) as server:
            assert await asyncio.to_thread(read_slowly, server.port) > len(LARGE)

    uvloop.run(check())
