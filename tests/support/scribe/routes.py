"""Routes of the scribe: write a stream, read it, end it."""

import asyncio
import time

import msgspec

from teamspace import events
from teamspace.core.db import Db
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal, system
from teamspace.core.replies import EventStream
from teamspace.core.routing import BEARER, Route
from teamspace.events import Streams, StreamWriter

ROUTES = (
    Route("POST", "/api/x/scribe/streams", BEARER, Permission.CHAT_USE, None, "write", "Write a stream and read it."),
    Route("GET", "/api/x/scribe/streams", BEARER, Permission.CHAT_USE, None, "read", "Read after `Last-Event-ID`."),
    Route("DELETE", "/api/x/scribe/streams/:id", BEARER, Permission.CHAT_USE, None, "end", "End a stream."),
)  # fmt: skip
_writing: set[asyncio.Task[None]] = set()


class Plan(msgspec.Struct, frozen=True):
    rows: int
    rate: float
    """Rows per second."""
    wait: float = 0
    """Seconds before the first."""


async def write(db: Db, who: Principal, streams: Streams, body: Plan) -> EventStream:
    streams.check_room(who)
    async with db.maintenance(who) as tx:
        writer = await streams.open(db, tx, who, new_id())
    task = asyncio.create_task(_write(db, streams, writer, body))
    _writing.add(task)
    task.add_done_callback(_writing.discard)
    return events.to_event_stream(streams.read(db, who, writer.id), writer.id)


async def _write(db: Db, streams: Streams, writer: StreamWriter, plan: Plan) -> None:
    await asyncio.sleep(plan.wait)
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(plan.rows):
        writer.append("delta", {"text": f" word{number}", "at": time.monotonic()})
        await asyncio.sleep(began + (number + 1) / plan.rate - loop.time())
    async with db.maintenance(system()) as tx:
        await streams.end(tx, writer.id, "done", {})


async def read(db: Db, who: Principal, streams: Streams, last_event_id: str) -> EventStream:
    stream_id, number = events.parse_position(last_event_id)
    streams.check_room(who)
    await streams.check_readable(db, who, stream_id)
    return events.to_event_stream(streams.read(db, who, stream_id, number), stream_id)


async def end(db: Db, who: Principal, streams: Streams, id: str) -> None:
    async with db.maintenance(who) as tx:
        await streams.end(tx, id, "error", {"code": "interrupted"})
