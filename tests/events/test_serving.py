"""Streams as server-sent events: names, types and positions."""

from collections.abc import AsyncGenerator, Sequence

import msgspec
import pytest

from teamspace import events
from teamspace.core.errors import BadRequest
from teamspace.core.sending import encode_event
from teamspace.events import StreamRow


async def some_rows() -> AsyncGenerator[Sequence[StreamRow], None]:
    yield [StreamRow(1, "start", b"{}")]
    yield [
        StreamRow(2, "delta", b'{"text":"a\\nb"}'),
        StreamRow(3, "done", b'{"usage":{"tokens":2}}', is_last=True),
    ]


async def test_each_event_has_its_position_name_and_type() -> None:
    stream = events.to_event_stream(some_rows(), "abc")
    sent = b"".join([encode_event(event) async for batch in stream.batches for event in batch])
    assert sent.decode() == (
        'id: abc:1\nevent: start\ndata: {"type":"start"}\n\n'
        'id: abc:2\nevent: delta\ndata: {"type":"delta","text":"a\\nb"}\n\n'
        'id: abc:3\nevent: done\ndata: {"type":"done","usage":{"tokens":2}}\n\n'
    )


async def test_large_data_is_not_decoded() -> None:
    text = msgspec.json.encode({"text": "x" * 1_000_000})

    async def large() -> AsyncGenerator[Sequence[StreamRow], None]:
        yield [StreamRow(1, "done", text, is_last=True)]

    ((event,),) = [batch async for batch in events.to_event_stream(large(), "abc").batches]
    assert isinstance(event.data, msgspec.Raw)
    assert bytes(event.data) == b'{"type":"done",' + text[1:]


def test_a_position_is_parsed() -> None:
    assert events.parse_position("0190-abc:17") == ("0190-abc", 17)
    assert events.parse_position("abc:0") == ("abc", 0)


@pytest.mark.parametrize(
    "text", ["", "abc", "abc:", ":1", "abc:-1", "abc:1.5", "abc:1:2", "abc:1 ", "a b:1", "abc:²", "abc:" + "9" * 13, "a" * 65 + ":1", "abc:1\n"]
)  # fmt: skip
def test_a_malformed_position_is_refused(text: str) -> None:
    with pytest.raises(BadRequest) as refusal:
        events.parse_position(text)
    assert refusal.value.key == "events.position"
