"""What the server takes for a request, and what it refuses because another server could read it differently."""

import asyncio
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wire.help import parse, running

MALFORMED = {
    "bare LF after the request line": b"GET / HTTP/1.1\nHost: a\r\n\r\n",
    "bare LF after a header": b"GET / HTTP/1.1\r\nHost: a\n\r\n",
    "bare CR in a header": b"GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "the same host twice": b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "folded header": b"GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
    "space before the colon": b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "space before the first header": b"GET / HTTP/1.1\r\n Host: a\r\n\r\n",
    "empty header name": b"GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
    "NUL in a value": b"GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n",
    "control character in a name": b"GET / HTTP/1.1\r\nHost: a\r\nX\x01: b\r\n\r\n",
    "length and chunks": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    "the same length twice": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    "list of lengths": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc",
    "signed length": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
    "negative length": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\nabc",
    "hexadecimal length": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc",
    "huge length": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
    "coding that is not decoded": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "coding without chunks": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
    "chunked twice": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "two codings": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
    "disguised coding": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bare LF after a chunk size": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
    "chunk longer than its size": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
    "chunk size of no digits": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n",
    "signed chunk size": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n",
    "prefixed chunk size": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n",
    "chunk size that overflows": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"f" * 17
    + b"\r\n",
    "unknown method": b"BREW / HTTP/1.1\r\nHost: a\r\n\r\n",
    "lower-case method": b"get / HTTP/1.1\r\nHost: a\r\n\r\n",
    "no path": b"GET HTTP/1.1\r\nHost: a\r\n\r\n",
    "path without a slash": b"GET path HTTP/1.1\r\nHost: a\r\n\r\n",
    "space in the path": b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
    "control character in the path": b"GET /a\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
    "bytes beyond ASCII in the path": b"GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n",
    "fragment": b"GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
    "URL of another host": b"GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "URL with a user": b"GET http://b@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "tunnel": b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    "asterisk": b"GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/2.0": b"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
    "HTTP/0.9": b"GET /\r\n\r\n",
    "HTTP/1.2": b"GET / HTTP/1.2\r\nHost: a\r\n\r\n",
    "upgrade with a body": b"POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc",
    "TLS": bytes.fromhex("16030100a5010000a10303") + b"\0" * 40,
    "binary": bytes(range(256)),
}

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.parametrize("name", MALFORMED)
async def test_a_malformed_request_is_refused_and_the_connection_closed(name: str) -> None:
    async with running() as server:
        answer = await server.ask(MALFORMED[name] + SMUGGLED)
    assert b"/smuggled" not in answer
    assert answer.startswith(b"HTTP/1.1 400 ") or answer == b"reset"
    if answer != b"reset":
        ((_, body),) = parse(answer)
        assert b"\r\nconnection: close\r\n" in answer
        assert json.loads(body)["code"] == "invalid_request"


async def test_requests_before_a_malformed_one_are_answered() -> None:
    async with running() as server:
        answer = await server.ask(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 2 + b"nonsense\r\n\r\n")
    assert [status for status, _ in parse(answer)] == [200, 200, 400]


async def test_what_follows_a_request_that_closes_is_not_read() -> None:
    async with running() as server:
        answer = await server.ask(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + SMUGGLED)
    assert [status for status, _ in parse(answer)] == [200]


VALID = {
    "plain": b"GET /?a=b HTTP/1.1\r\nHost: a\r\n\r\n",
    "headers": b"GET / HTTP/1.1\r\nHOST: a\r\nX-One: 1\r\nx-one:2\r\nEmpty:\r\nTabs:\t t \t\r\nLatin: \xe9\r\n\r\n",
    "length": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nhel\r\n002\r\nlo\r\n0\r\nT: u\r\n\r\n",
    "body of a read": b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "complete URL": b"GET http://A:80/?a HTTP/1.1\r\nHost: a:80\r\n\r\n",
    "empty lines first": b"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "asterisk": b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
}
EXPECTED_BODY = {"length": "hello", "chunks": "hello", "body of a read": "hello"}


@pytest.mark.parametrize("name", VALID)
async def test_a_request_is_the_same_however_it_is_cut(name: str) -> None:
    request = VALID[name]
    last = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    async with running() as server:
        whole = parse(await server.ask(request + last))
        assert [status for status, _ in whole] == [200, 200]
        assert json.loads(whole[0][1])["body"] == EXPECTED_BODY.get(name, "")
        async with asyncio.TaskGroup() as group:
            answers = [
                group.create_task(ask_in_parts(server.port, [(request + last)[:cut], (request + last)[cut:]]))
                for cut in range(1, len(request) + 1)
            ]
    assert all(parse(answer.result()) == whole for answer in answers)


async def ask_in_parts(port: int, parts: list[bytes]) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0.002)
    answer = await reader.read()
    writer.close()
    return answer


names = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=12).filter(
    lambda name: name not in ("host", "connection", "content-length", "transfer-encoding", "upgrade", "expect", "te")
)
values = st.text("abc XYZ019;=,\"'\u00e9", max_size=20).map(str.strip)
bodies = st.binary(max_size=60)


@st.composite
def requests(draw: st.DrawFn) -> tuple[bytes, dict[str, object]]:
    headers = draw(st.lists(st.tuples(names, values), max_size=4))
    body, chunk = draw(bodies), draw(st.integers(1, 20))
    lines = [f"{name}: {value}\r\n".encode("latin-1") for name, value in headers]
    if not draw(st.booleans()):
        framing, payload = b"Content-Length: %d\r\n" % len(body), body
    else:
        parts = [body[start : start + chunk] for start in range(0, len(body), chunk)]
        framing = b"Transfer-Encoding: chunked\r\n"
        payload = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    seen: dict[str, object] = {"headers": [list(header) for header in headers], "body": body.decode("latin-1")}
    return b"POST /?q HTTP/1.1\r\nHost: a\r\n" + b"".join(lines) + framing + b"\r\n" + payload, seen


@settings(max_examples=60, deadline=None)
@given(st.lists(requests(), min_size=1, max_size=5), st.lists(st.integers(1, 400), max_size=6))
def test_any_requests_in_any_pieces_are_answered_in_order(
    sent: list[tuple[bytes, dict[str, object]]], cuts: list[int]
) -> None:
    async def ask() -> bytes:
        data = b"".join(request for request, _ in sent) + b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        edges = [0, *sorted({min(cut, len(data)) for cut in cuts}), len(data)]
        async with running() as server:
            return await ask_in_parts(server.port, [data[a:b] for a, b in pairwise(edges)])

    answers = parse(asyncio.run(ask()))
    assert [status for status, _ in answers] == [200] * (len(sent) + 1)
    for (_, body), (_, expected) in zip(answers, sent, strict=False):
        seen = json.loads(body)
        assert seen["body"] == expected["body"]
        own = ("host", "content-length", "transfer-encoding")
        assert [header for header in seen["headers"] if header[0] not in own] == expected["headers"]
