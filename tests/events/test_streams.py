"""Streams of content: read by their owner alone, at once in the same process and soon in another, until their end."""

import asyncio

import pytest

from teamspace import events
from teamspace.app import open_database
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import NotFound, TooLarge
from teamspace.core.limits import Notifier, Stopping
from teamspace.core.principal import Principal
from teamspace.events import StreamRow, Streams, StreamWriter
from teamspace.events.domain import streams as module
from teamspace.settings import Settings
from tests.events.help import principal, until
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


class Reading:
    """A reader in the background; `rows` grows as they arrive."""

    def __init__(self, streams: Streams, db: Db, who: Principal, stream_id: str, after: int = 0) -> None:
        self.rows: list[StreamRow] = []
        self.task = asyncio.create_task(self._read(streams, db, who, stream_id, after))

    async def _read(self, streams: Streams, db: Db, who: Principal, stream_id: str, after: int) -> None:
        async for row in streams.read(db, who, stream_id, after):
            self.rows.append(row)

    @property
    def numbers(self) -> list[int]:
        return [row.number for row in self.rows]


@pytest.fixture
async def who(ann: Caller) -> Principal:
    return await principal(ann)


@pytest.fixture
def streams(world: World) -> Streams:
    notifier = Notifier(Stopping())
    world.db.notify = notifier.notify
    return Streams(notifier)


async def opened(streams: Streams, db: Db, who: Principal) -> StreamWriter:
    async with db.maintenance(who) as tx:
        return await streams.open(db, tx, who)


async def saved(db: Db) -> int:
    return await db.one(int, "SELECT COUNT(*) FROM stream_rows") or 0


async def test_a_reader_in_the_same_process_is_told_before_anything_is_saved(
    streams: Streams, world: World, who: Principal
) -> None:
    writer = await opened(streams, world.db, who)
    reading = Reading(streams, world.db, who, writer.id)
    await asyncio.sleep(0)
    writer.append("delta", {"text": "hello"})
    await until(lambda: reading.rows == [StreamRow(1, "delta", '{"text":"hello"}')], module.SAVE_SECONDS / 2)
    assert await saved(world.db) == 0
    await writer.end()
    await reading.task
    assert [row.name for row in reading.rows] == ["delta", "end"]


async def test_rows_are_saved_in_batches(streams: Streams, world: World, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    for number in range(module.SAVE_ROWS - 1):
        writer.append("delta", number)
    await asyncio.sleep(0.05)
    assert await saved(world.db) == 0
    writer.append("delta", "the batch is full")
    await until(lambda: not writer.unsaved)
    assert await saved(world.db) == module.SAVE_ROWS
    writer.append("delta", "alone")
    await until(lambda: not writer.unsaved)
    assert await saved(world.db) == module.SAVE_ROWS + 1


async def test_another_process_continues_where_the_first_reader_ended(
    streams: Streams, world: World, who: Principal, settings: Settings
) -> None:
    writer = await opened(streams, world.db, who)
    first = Reading(streams, world.db, who, writer.id)
    for number in range(50):
        writer.append("delta", number)
        await asyncio.sleep(0.002)
    await until(lambda: len(first.rows) == 50)
    async with open_database(settings) as other_db:
        elsewhere = Streams(Notifier(Stopping()))
        second = Reading(elsewhere, other_db, who, writer.id, after=20)
        for number in range(50, 60):
            writer.append("delta", number)
        await writer.end({"reason": "done"})
        await asyncio.gather(first.task, second.task)
    assert first.numbers == list(range(1, 62)) and second.numbers == list(range(21, 62))
    assert second.rows[-1] == StreamRow(61, "end", '{"reason":"done"}')
    late = Reading(streams, world.db, who, writer.id)
    await late.task
    assert late.rows == first.rows, "it can be read again until it expires"


async def test_only_the_owner_reads_a_stream(streams: Streams, world: World, ann: Caller, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    writer.append("delta", "secret")
    colleague = await principal(await world.person(ann.org, ann.team))
    for other in (colleague, await principal(await world.join(ann, await world.team(ann.org)))):
        with pytest.raises(NotFound):
            await anext(streams.read(world.db, other, writer.id))
    with pytest.raises(NotFound):
        await anext(streams.read(world.db, who, "unknown"))


async def test_a_stream_is_bounded(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    writer = await opened(streams, world.db, who)
    writer.append("delta", "x" * 90)
    with pytest.raises(TooLarge):
        writer.append("delta", "x" * 20)
    await writer.end()
    reading = Reading(streams, world.db, who, writer.id)
    await reading.task
    assert [row.name for row in reading.rows] == ["delta", "end"]


async def test_streams_expire_after_their_last_row(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    ended, abandoned = await opened(streams, world.db, who), await opened(streams, world.db, who)
    await ended.end()
    abandoned.append("delta", {})
    await abandoned.save()
    waiting = Reading(streams, world.db, who, abandoned.id)
    await until(lambda: bool(waiting.rows))
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + module.KEEP_SECONDS - 1)
    await events.tidy(world.db)
    assert await world.db.one(int, "SELECT COUNT(*) FROM streams") == 2
    monkeypatch.setattr(clock, "now", lambda: now + module.KEEP_SECONDS + 1)
    await events.tidy(world.db)
    await waiting.task
    assert await world.db.one(int, "SELECT COUNT(*) FROM streams") == 0
    assert await saved(world.db) == 0
