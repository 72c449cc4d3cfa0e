"""Responses: where they end, and what an application that errs does to the connection."""

import asyncio

import pytest

from teamspace.core.wire.heads import encode_head
from tests.wire.help import parse, running, until


async def test_a_response_without_a_length_is_sent_in_chunks() -> None:
    async with running() as server:
        answer = await server.ask(b"GET /chunks HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"\r\ntransfer-encoding: chunked\r\n" in head
    assert body == b"7\r\npart 0;\r\n7\r\npart 1;\r\n7\r\npart 2;\r\n0\r\n\r\n"


async def test_a_response_without_a_length_ends_with_the_connection_in_http_1_0() -> None:
    async with running() as server:
        answer = await server.ask(b"GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"\r\nconnection: close" in head and b"chunked" not in head
    assert body == b"part 0;part 1;part 2;"


async def test_keep_alive_in_http_1_0() -> None:
    async with running() as server, server.connected() as client:
        for _ in range(2):
            client.send(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            status, headers, _ = await client.response()
            assert (status, headers[b"connection"]) == (200, b"keep-alive")
        client.send(b"GET / HTTP/1.0\r\n\r\n")
        assert (await client.response())[1][b"connection"] == b"close"
        assert await client.ended()


@pytest.mark.parametrize("path", ["/", "/chunks", "/empty"])
async def test_a_response_to_head_has_no_body(path: str) -> None:
    request = f"HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    async with running() as server, server.connected() as client:
        client.send(request + b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        head = await client.reader.readuntil(b"\r\n\r\n")
        assert b"chunked" not in head
        assert (await client.response())[0] == 200


async def test_a_response_without_content() -> None:
    async with running() as server, server.connected() as client:
        client.send(b"GET /empty HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
        for _ in range(2):
            status, headers, _ = await client.response()
            assert status == 204
            assert b"content-length" not in headers and b"transfer-encoding" not in headers


async def test_a_large_response_arrives_whole() -> None:
    async with running() as server, server.connected() as client:
        client.send(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
        for _ in range(2):
            assert (await client.response())[2] == b"0123456789" * 500_000


@pytest.mark.parametrize(("path", "seen"), [("short", b"short"), ("long", b""), ("split", b"")])
async def test_a_wrong_response_closes_the_connection(path: str, seen: bytes) -> None:
    async with running() as server:
        answer = await server.ask(f"GET /{path} HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert b"set-cookie" not in answer
    assert answer.partition(b"\r\n\r\n")[2] == seen


@pytest.mark.parametrize("path", ["fail", "silent"])
async def test_a_request_without_a_response_gets_an_internal_error(path: str) -> None:
    async with running() as server:
        answer = await server.ask(f"GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert [status for status, _ in parse(answer)] == [500]


async def test_an_upgrade_is_ignored() -> None:
    async with running() as server:
        answer = await server.ask(
            b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n"
        )
    assert [status for status, _ in parse(answer)] == [200]


async def test_a_body_is_asked_for_only_when_it_is_read() -> None:
    head = b"POST %b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    async with running() as server, server.connected() as client:
        client.send(head % b"/")
        assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.send(b"hello")
        assert b'"body": "hello"' in (await client.response())[2]
        client.send(head % b"/ignore")
        status, headers, _ = await client.response()
        assert (status, headers[b"connection"]) == (200, b"close")


async def test_an_early_response_reaches_a_client_that_still_sends() -> None:
    async with running() as server, server.connected() as client:
        client.send(b"POST /ignore HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n")
        for _ in range(20):
            client.send(b"x" * 100_000)
            await asyncio.sleep(0.001)
        assert (await client.response())[2] == b"done"


async def test_a_disconnect_reaches_whoever_waits() -> None:
    async with running() as server:
        for request in (b"GET /watch", b"GET /flood"):
            async with server.connected() as client:
                client.send(request + b" HTTP/1.1\r\nHost: a\r\n\r\n")
                await until(lambda: server.app.running == 1)
            await until(lambda: not server.app.running)
        async with server.connected() as client:
            client.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
            await until(lambda: server.app.running == 1)
        await until(lambda: not server.app.running)
        assert server.app.disconnects == 3


async def test_a_drain_takes_what_has_been_sent() -> None:
    async with running() as server, server.connected() as kept:
        await until(lambda: len(server.connections) == 1)
        drained = asyncio.create_task(server.server.drain())
        await asyncio.sleep(0)
        async with server.connected() as late:
            for client in (kept, late):
                client.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                status, headers, _ = await client.response()
                assert (status, headers[b"connection"]) == (200, b"close")
        await drained


async def test_a_drain_finishes_what_was_accepted() -> None:
    async with running() as server, server.connected() as idle, server.connected() as active:
        active.send(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
        await until(lambda: server.app.running == 1 and len(server.connections) == 2)
        await server.server.drain()
        assert await idle.ended()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", server.port)
        server.app.go_on.set()
        status, headers, _ = await active.response()
        assert (status, headers[b"connection"]) == (200, b"close")
        await server.server.wait_closed()


@pytest.mark.parametrize("header", [(b"etag", b"1\r\nset-cookie: a"), (b"a\nb", b"c")])
def test_a_header_cannot_contain_a_line_break(header: tuple[bytes, bytes]) -> None:
    with pytest.raises(ValueError):
        encode_head(200, [(b"x-request-id", b"1"), header], b"")
