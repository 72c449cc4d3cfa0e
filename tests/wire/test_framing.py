"""What the server takes for a request, and what it refuses because another server could read it differently."""

import asyncio
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wire.corpus import ANSWERED, HELLOS, REFUSED
from tests.wire.help import parse, running

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
AT_ONCE = 40


@pytest.mark.parametrize("kind", sorted({name.partition(",")[0] for name in REFUSED if not name.startswith("byte ")}))
async def test_a_malformed_request_is_refused_and_the_connection_closed(kind: str) -> None:
    sent = {name: request for name, request in REFUSED.items() if name.partition(",")[0] == kind}
    async with running() as server:
        for start in range(0, len(sent), AT_ONCE):
            names = [*sent][start : start + AT_ONCE]
            answers = await asyncio.gather(*(server.ask(sent[name] + SMUGGLED) for name in names))
            for name, answer in zip(names, answers, strict=True):
                assert answer.startswith(b"HTTP/1.1 400 "), name
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


WHOLE = ("plain", "headers", "empty lines first", "complete URL", "asterisk")


@pytest.mark.parametrize("name", [*WHOLE, "length", "trailers", "several extensions", "body of a read"])
async def test_a_request_is_the_same_however_it_is_cut(name: str) -> None:
    request = (ANSWERED | HELLOS)[name]
    last = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    async with running() as server:
        whole = parse(await server.ask(request + last))
        assert [status for status, _ in whole] == [200, 200]
        assert json.loads(whole[0][1])["body"] == ("" if name in WHOLE else "hello")
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
