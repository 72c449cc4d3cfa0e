"""What servers send, before the SDK decodes it: lines of programs, and events and bodies of HTTP responses."""

import json
import time
from collections.abc import AsyncIterator, Iterable

import pytest

from teamspace.core.egress import EgressFailed
from teamspace.mcp.domain.client.messages import MAX_BYTES, BadMessage, BadServer, Intake
from teamspace.mcp.domain.client.stdio import Lines

STREAM, JSON = "text/event-stream; charset=utf-8", "application/json"
REFUSED = {JSON: b"{}", STREAM: b"data: {}\n\n"}


async def pieces(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def filtered(content_type: str, *parts: bytes) -> list[bytes]:
    return [piece async for piece in Intake().filter_pieces(content_type, pieces(parts))]


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
async def test_events_are_passed_on_whole_and_cannot_be_resumed(newline: bytes, size: int) -> None:
    lines = (
        b"event: message",
        b"id: 7",
        b"retry: 0",
        b'data: {"a": 1}',
        b"",
        b"retry: 0",
        b"id",
        b'data: {"b": 2}',
        b"",
        b"",
    )
    passed = b"".join(await filtered(STREAM, *cut(newline.join(lines), size)))
    kept = (b"event: message", b'data: {"a": 1}', b"", b'data: {"b": 2}', b"", b"")
    assert passed == newline.join(kept)


async def test_an_event_comes_when_it_is_complete() -> None:
    assert await filtered(STREAM, b"data: 1\n", b"\ndata: 2\n\ndata", b": 3") == [
        b"data: 1\n\n", b"data: 2\n\n", b"data: 3",
    ]  # fmt: skip


@pytest.mark.parametrize("content_type", [STREAM, JSON])
async def test_what_is_too_large_is_refused_in_linear_time(content_type: str) -> None:
    began = time.thread_time()
    for part, count in ((b"x" * 65_536, MAX_BYTES // 65_536 + 1), (b"x", 50_000)):
        parts = [b"data: ", *[part] * count]
        if count == 50_000:
            assert len(b"".join(await filtered(content_type, *parts))) == 50_006
        else:
            assert await filtered(content_type, *parts) == [REFUSED[content_type]]
    assert time.thread_time() - began < 1


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"result": {"a": [[]] * 20_000}}, "objects and lists"),
        ({"result": {"a": [1] * 200_000}}, "150000 values"),
        ({"result": {"content": [1] * 1001}}, "1000 items in content"),
        ({"result": {"tools": [1] * 1001}}, "1000 items in tools"),
    ],
)
async def test_a_message_with_too_much_in_it_is_not_decoded(message: dict[str, object], words: str) -> None:
    encoded = json.dumps(message).encode()
    with pytest.raises(BadMessage, match=words):
        await Intake().admit(encoded)
    assert await filtered(JSON, encoded) == [REFUSED[JSON]]
    event = b"data: " + encoded + b"\n\n"
    assert await filtered(STREAM, event, b"data: 1\n\n") == [REFUSED[STREAM], b"data: 1\n\n"]


async def test_a_deep_message_is_not_decoded() -> None:
    with pytest.raises(BadMessage, match="64 levels"):
        await Intake().admit(b'{"result": ' + b"[" * 1000 + b"]" * 1000 + b"}")


async def test_requests_are_limited_and_other_messages_are_not() -> None:
    intake = Intake()
    for number in range(300):
        assert await intake.admit(b'{"method": "notifications/progress"}')
        assert await intake.admit(json.dumps({"id": number, "result": {}}).encode())
    requests = [json.dumps({"id": number, "method": "ping"}).encode() for number in range(22)]
    with pytest.raises(BadServer, match="too many requests"):
        for request in requests:
            await intake.admit(request)
    with pytest.raises(EgressFailed):
        await filtered(STREAM, *[b"data: " + request + b"\n\n" for request in requests])


async def test_what_is_not_json_is_no_message() -> None:
    assert not await Intake().admit(b"Server is running")
    assert not await Intake().admit(b"\xff")


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_lines_are_complete(size: int) -> None:
    lines = Lines()
    found = [line for part in cut(b"one\n\ntwo\nthree", size) for line in lines.feed(part)]
    assert found == [(b"one", False), (b"", False), (b"two", False)]


def test_of_a_long_line_begin_and_end_are_kept() -> None:
    lines = Lines()
    long = b'{"jsonrpc":"2.0","id":3,' + b"x" * (MAX_BYTES + 100_000) + b'"id":4}'
    found = [line for part in cut(long + b"\nnext\n", 60_000) for line in lines.feed(part)]
    assert [is_cut for _, is_cut in found] == [True, False] and found[1][0] == b"next"
    assert len(found[0][0]) <= 400 and found[0][0].startswith(long[:100]) and found[0][0].endswith(b'"id":4}')
    with pytest.raises(BadServer, match="a line of more than"):
        for _ in range(2000):
            list(lines.feed(b"x" * 65_536))
