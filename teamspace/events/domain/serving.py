"""Streams as server-sent events: each has its position as id, so that a client can resume."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.core.replies import EventStream, ServerSentEvent
from teamspace.events.schemas import StreamRow

_POSITION = re.compile(r"([A-Za-z0-9_-]{1,64}):([0-9]{1,12})", re.ASCII)


def to_event_stream(batches: AsyncGenerator[Sequence[StreamRow], None], stream_id: str) -> EventStream:
    """Return the rows as events `id: <stream id>:<number>`, whose data also has its name as `type`."""
    return EventStream(_to_events(batches, stream_id))


async def _to_events(
    batches: AsyncGenerator[Sequence[StreamRow], None], stream_id: str
) -> AsyncGenerator[Sequence[ServerSentEvent], None]:
    async with aclosing(batches):
        async for rows in batches:
            yield [ServerSentEvent(row.name, _with_type(row), f"{stream_id}:{row.number}") for row in rows]


def _with_type(row: StreamRow) -> msgspec.Raw:
    """Put the type in front of the other fields, without decoding them."""
    separator = b"" if row.data == b"{}" else b","
    return msgspec.Raw(b'{"type":%s%s%s' % (msgspec.json.encode(row.name), separator, row.data[1:]))


def parse_position(last_event_id: str) -> tuple[str, int]:
    """Return stream id and number of the last event that a client has seen."""
    found = _POSITION.fullmatch(last_event_id)
    if found is None:
        raise BadRequest.at("Last-Event-ID", "events.position")
    return found[1], int(found[2])
