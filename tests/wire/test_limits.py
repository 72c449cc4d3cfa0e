"""How much a client can send, how slowly, and on how many connections."""

import asyncio
import contextlib
import tracemalloc
from ipaddress import ip_network

import pytest
import uvloop

from tests.wire.help import Running, parse, running, until

BUSY = b"GET /busy HTTP/1.1\r\nHost: a\r\n\r\n"
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
MEDIUM = b"GET /medium HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "request_head",
    [
        pytest.param(b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", id="URL"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", id="one header"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: aaaa\r\n" * 200 + b"\r\n", id="many headers"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 1_000_000, id="a header that does not end"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\n" + b"a" * 1_000_000, id="a name that does not end"),
        pytest.param(b"GET /" + b"a" * 1_000_000, id="a URL that does not end"),
    ],
)
async def test_a_head_that_is_too_long_is_refused(request_head: bytes) -> None:
    async with running() as server:
        answer = await server.ask(request_head)
    assert answer.startswith(b"HTTP/1.1 431 ") or answer == b"reset"


async def test_a_head_below_the_limit_reaches_the_application() -> None:
    head = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + b"X: %b\r\n" % (b"a" * 600) * 100 + b"\r\n"
    async with running() as server:
        assert [status for status, _ in parse(await server.ask(head))] == [200]


@pytest.mark.parametrize(
    "framing",
    [
        pytest.param(b"1;" + b"x" * 1000 + b"\r\na\r\n", id="extensions"),
        pytest.param(b"0" * 1000 + b"1\r\na\r\n", id="zeros"),
    ],
)
async def test_a_body_of_framing_is_refused(framing: bytes) -> None:
    async with running(read_ahead=1024) as server:
        answer = await server.ask(CHUNKED + framing * 2000)
    assert answer.startswith(b"HTTP/1.1 400 ") or answer == b"reset"


async def test_endless_trailers_are_refused() -> None:
    async with running() as server:
        answer = await server.ask(CHUNKED + b"1\r\na\r\n0\r\n" + b"X: aaaaaaaa\r\n" * 100_000)
    assert answer.startswith(b"HTTP/1.1 400 ") or answer == b"reset"


async def test_chunks_of_one_byte_are_a_body() -> None:
    async with running() as server:
        answer = await server.ask(CHUNKED + b"1\r\na\r\n" * 50_000 + b"0\r\n\r\n" + LAST)
    (first, _) = parse(answer)
    assert first[0] == 200
    assert first[1].count(b"a" * 50_000) == 1


async def test_pipelined_requests_are_answered_in_order_up_to_the_limit() -> None:
    requests = b"".join(b"GET /?%d HTTP/1.1\r\nHost: a\r\n\r\n" % number for number in range(500))
    async with running(pipelined=20) as server:
        answers = parse(await server.ask(requests))
    assert 20 <= len(answers) < 500
    assert all(b'"query": "%d"' % number in body for number, (_, body) in enumerate(answers))


async def test_a_body_is_kept_only_up_to_the_limit_until_it_is_read() -> None:
    body = b"x" * 8_000_000
    async with running(read_ahead=100_000) as server, server.connected() as client:
        client.send(b"POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await until(lambda: any(one._paused for one in server.connections))
        (connection,) = server.connections
        assert connection._current.buffered <= 100_000 + 512 * 1024
        server.app.go_on.set()
        assert (await client.response())[2] == body


async def test_a_stalled_reader_costs_little_and_is_disconnected() -> None:
    async with running(write_stall=0.3) as server, server.connected(receive_buffer=4096) as client:
        client.send(b"GET /flood HTTP/1.1\r\nHost: a\r\n\r\n")
        await until(lambda: any(one._flushed for one in server.connections))
        (connection,) = server.connections
        assert 0 < connection._transport.get_write_buffer_size() <= 256 * 1024
        await until(lambda: not server.connections)
        await until(lambda: server.app.disconnects == 1)


async def test_a_client_that_asks_and_does_not_read_is_not_answered_further() -> None:
    async with running() as server, server.connected(receive_buffer=4096) as client:
        client.send(MEDIUM * 30)
        await until(lambda: any(one._unread for one in server.connections))
        client.send(MEDIUM * 30)
        (connection,) = server.connections
        assert connection._transport.get_write_buffer_size() <= 256 * 1024
        assert len(server.app.paths) < 10
        for _ in range(30):
            assert (await client.response())[0] == 200
        await until(lambda: len(server.app.paths) >= 30)


async def test_a_client_that_asks_and_does_not_read_is_disconnected() -> None:
    async with running(write_stall=0.2) as server, server.connected(receive_buffer=4096) as client:
        client.send(MEDIUM * 30)
        await until(lambda: any(one._unread for one in server.connections))
        await until(lambda: not server.connections)
        assert len(server.app.paths) < 10 and not server.app.running


def test_readers_that_stall_share_what_they_do_not_read() -> None:
    """As the files of the console, which are in memory: a copy for each client would be unlimited."""

    async def stall(count: int) -> int:
        async with running() as server, contextlib.AsyncExitStack() as clients:
            tracemalloc.start()
            for _ in range(count):
                client = await clients.enter_async_context(server.connected(receive_buffer=4096))
                client.writer.transport.pause_reading()  # type: ignore[attr-defined]
                client.send(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            await until(lambda: sum(one._flushed is not None for one in server.connections) == count)
            kept, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return kept

    assert uvloop.run(stall(20)) < 20 * 64 * 1024  # asyncio's transports keep a copy, which the server does not use


async def test_a_reader_that_is_slow_but_reads_is_served() -> None:
    async with running(write_stall=0.2) as server, server.connected(receive_buffer=4096) as client:
        client.send(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        received = 0
        while part := await client.reader.read(250_000):
            received += len(part)
            await asyncio.sleep(0.05)
    assert received > 5_000_000


async def test_a_response_that_nobody_reads_does_not_keep_a_closed_connection() -> None:
    async with running(write_stall=0.2, idle=0.1) as server, server.connected(receive_buffer=4096) as client:
        client.send(LAST.replace(b"/ ", b"/large ", 1))
        await until(lambda: len(server.connections) == 1)
        await until(lambda: not server.connections)


@pytest.mark.parametrize(
    ("sent", "limit"),
    [
        pytest.param(b"", "first_byte", id="nothing"),
        pytest.param(b"\r\n", "first_byte", id="empty lines"),
        pytest.param(b"GET / HT", "head_time", id="a part of a head"),
        pytest.param(GET, "idle", id="no further request"),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc", "body_stall", id="a part of a body"
        ),
        pytest.param(CHUNKED + b"5\r\nabc", "body_stall", id="a part of a chunk"),
        pytest.param(GET + b"GET / HT", "head_time", id="a part of the next head"),
    ],
)
async def test_a_client_that_stalls_is_disconnected(sent: bytes, limit: str) -> None:
    async with running(**{limit: 0.1}) as server, server.connected() as client:
        client.send(sent)
        await until(lambda: len(server.connections) == 1)
        await until(lambda: not server.connections and not server.app.running)


async def test_a_head_that_trickles_is_disconnected() -> None:
    async with running(head_time=0.3) as server, server.connected() as client:
        client.send(b"GET / HTTP/1.1\r\n")
        await until(lambda: len(server.connections) == 1)
        while server.connections:
            client.send(b"X: y\r\n")
            await asyncio.sleep(0.02)


async def test_a_long_request_is_not_disconnected() -> None:
    short = dict.fromkeys(("first_byte", "head_time", "body_stall", "idle"), 0.05)
    async with running(**short) as server, server.connected() as client:
        client.send(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
        await until(lambda: server.app.running == 1)
        await asyncio.sleep(0.3)
        server.app.go_on.set()
        assert (await client.response())[0] == 200


async def test_connections_are_limited_per_address() -> None:
    async with running(connections_per_address=3) as server:
        held = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(3)]
        await until(lambda: len(server.connections) == 3)
        assert (await server.ask(GET)).startswith(b"HTTP/1.1 503 ")
        held[0][1].close()
        await until(lambda: len(server.connections) == 2)
        assert (await server.ask(LAST)).startswith(b"HTTP/1.1 200 ")
        for _, writer in held:
            writer.close()


async def test_connections_are_limited_in_total() -> None:
    async with running(connections=2) as server:
        held = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(2)]
        await until(lambda: len(server.connections) == 2)
        assert (await server.ask(GET)).startswith(b"HTTP/1.1 503 ")
        for _, writer in held:
            writer.close()


async def test_a_client_can_leave_at_any_byte() -> None:
    requests = (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", CHUNKED + b"3\r\nabc\r\n0\r\n\r\n",
        b"GET /watch HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /flood HTTP/1.1\r\nHost: a\r\n\r\n",
    )  # fmt: skip
    async with running() as server:
        for request in requests:
            await asyncio.gather(*(leave(server, request[:cut]) for cut in range(len(request) + 1)))
        await until(lambda: not server.connections)
        await until(lambda: not server.app.running)
        assert (await server.ask(LAST)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("how", ["close", "abort", "write_eof"])
async def test_a_client_that_leaves_while_its_requests_wait_is_noticed(how: str) -> None:
    """Nothing is read meanwhile. Who closes one half has left, as at any other time."""
    async with running() as server, server.connected() as client:
        client.send(b"GET /watch HTTP/1.1\r\nHost: a\r\n\r\n" + GET)
        await until(lambda: server.app.running == 1)
        assert all(one._paused for one in server.connections)
        getattr(client.writer.transport, how)()
        await until(lambda: not server.connections and not server.app.running)
        assert server.app.disconnects == 1 and server.app.paths == ["/watch"]


async def leave(server: Running, sent: bytes) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(sent)
    await writer.drain()
    await asyncio.sleep(0.02)
    if len(sent) % 2:
        writer.transport.abort()
    writer.close()


async def test_a_client_that_was_refused_is_read_again_after_a_rest() -> None:
    async with running(rest=0.1) as server, server.connected() as client:
        client.send(BUSY)
        assert (await client.response())[0] == 503
        client.send(GET)
        assert (await client.response())[0] == 200


async def test_a_client_that_was_refused_cannot_repeat_at_once() -> None:
    async with running(rest=60) as server, server.connected() as client, server.connected() as other:
        client.send(BUSY + GET)
        assert (await client.response())[0] == 503
        assert (await client.response())[0] == 200  # it had been read
        client.send(BUSY)
        assert (await client.response())[0] == 503
        client.send(GET)
        other.send(GET)
        assert (await other.response())[0] == 200
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await client.response()
        await server.server.drain()
        assert await client.ended()


async def test_a_trusted_proxy_is_not_made_to_rest() -> None:
    async with running(ip_network("127.0.0.0/8"), rest=60) as server, server.connected() as proxy:
        for wanted, status in ((BUSY, 503), (GET, 200)):
            proxy.send(wanted)
            assert (await proxy.response())[0] == status
