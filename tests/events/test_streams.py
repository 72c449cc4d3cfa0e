"""Streams of content: read by their owner alone, at once in the same process and soon in another, until their end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from teamspace import events
from teamspace.app import open_database
from teamspace.core import clock
from teamspace.core.db import Db, Duplicate, Tx
from teamspace.core.db.postgres import PostgresTransaction
from teamspace.core.errors import NotFound, Overloaded, RateLimited, TooLarge
from teamspace.core.ids import new_id
from teamspace.core.limits import Notifier, Stopping
from teamspace.core.principal import Principal, system
from teamspace.events import StreamRow, Streams, StreamWriter, store
from teamspace.events.domain import streams as module
from teamspace.events.domain import writers
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
        async for rows in streams.read(db, who, stream_id, after):
            self.rows += rows

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


async def opened(streams: Streams, db: Db, who: Principal, stream_id: str = "") -> StreamWriter:
    async with db.maintenance(who) as tx:
        return await streams.open(db, tx, who, stream_id or new_id())


async def ended(streams: Streams, db: Db, stream_id: str, name: str = "done", data: Any = None) -> None:
    async with db.maintenance(system()) as tx:
        await streams.end(tx, stream_id, name, data or {})


async def saved(db: Db) -> int:
    return await db.one(int, "SELECT COUNT(*) FROM stream_batches") or 0


def delta(text: object) -> dict[str, object]:
    return {"text": text}


async def test_a_reader_in_the_same_process_is_told_before_anything_is_saved(
    streams: Streams, world: World, who: Principal
) -> None:
    writer = await opened(streams, world.db, who)
    reading = Reading(streams, world.db, who, writer.id)
    await asyncio.sleep(0)
    writer.append("delta", delta("hello"))
    await until(lambda: reading.rows == [StreamRow(1, "delta", b'{"text":"hello"}')], module.SAVE_SECONDS / 2)
    assert await saved(world.db) == 0
    await ended(streams, world.db, writer.id)
    await reading.task
    assert [row.name for row in reading.rows] == ["delta", "done"]
    assert [row.is_last for row in reading.rows] == [False, True]


async def test_who_reads_what_they_write_here_costs_no_statement(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = await opened(streams, world.db, who)
    monkeypatch.setattr(store, "get_stream", None)
    monkeypatch.setattr(store, "select_batches", None)
    reading = Reading(streams, world.db, who, writer.id)
    for number in range(3):
        writer.append("delta", delta(number))
        await until(lambda: len(reading.rows) == number + 1)  # noqa: B023
    await ended(streams, world.db, writer.id)
    await reading.task
    assert reading.numbers == [1, 2, 3, 4]


async def test_many_rows_that_are_there_come_at_once(streams: Streams, world: World, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    for number in range(450):
        writer.append("delta", delta(number))
    reading = Reading(streams, world.db, who, writer.id)
    await until(lambda: len(reading.rows) == 450, module.POLL_SECONDS / 2)
    assert reading.numbers == list(range(1, 451))
    await ended(streams, world.db, writer.id)
    await reading.task


async def test_many_readers_get_several_rows_at_once(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READS_PER_SECOND", 2)
    writer = await opened(streams, world.db, who)
    reading = Reading(streams, world.db, who, writer.id)
    writer.append("delta", delta(1))
    await until(lambda: len(reading.rows) == 1, 0.4)
    for number in range(2, 5):
        writer.append("delta", delta(number))
        await asyncio.sleep(0.01)
        assert len(reading.rows) == 1, "the first at once, and the next not before half a second"
    await until(lambda: reading.numbers == [1, 2, 3, 4])


async def test_the_rows_of_all_streams_are_saved_together(streams: Streams, world: World, who: Principal) -> None:
    writers = [await opened(streams, world.db, who) for _ in range(3)]
    for number in range(5):
        for writer in writers:
            writer.append("delta", delta(number))
    await until(lambda: not any(writer.unsaved for writer in writers))
    assert await saved(world.db) == 3, "one row each"
    for writer in writers:
        await ended(streams, world.db, writer.id)
        reading = Reading(streams, world.db, who, writer.id, after=2)
        await reading.task
        assert reading.numbers == [3, 4, 5, 6]


async def test_a_stream_that_grows_fast_is_saved_early(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAVE_SECONDS", 60)
    writer = await opened(streams, world.db, who)
    for number in range(2 * module.SAVE_ROWS):
        writer.append("delta", delta(number))
    await until(lambda: not writer.unsaved)


async def test_another_process_continues_where_the_first_reader_ended(
    streams: Streams, world: World, who: Principal, settings: Settings
) -> None:
    writer = await opened(streams, world.db, who)
    first = Reading(streams, world.db, who, writer.id)
    for number in range(50):
        writer.append("delta", delta(number))
        await asyncio.sleep(0.002)
    await until(lambda: len(first.rows) == 50)
    async with open_database(settings) as other_db:
        elsewhere = Streams(Notifier(Stopping()))
        second = Reading(elsewhere, other_db, who, writer.id, after=20)
        for number in range(50, 60):
            writer.append("delta", delta(number))
        await ended(streams, world.db, writer.id, data={"reason": "done"})
        await asyncio.gather(first.task, second.task)
    assert first.numbers == list(range(1, 62)) and second.numbers == list(range(21, 62))
    assert second.rows[-1] == StreamRow(61, "done", b'{"reason":"done"}', is_last=True)
    late = Reading(streams, world.db, who, writer.id)
    await late.task
    assert late.rows == first.rows, "it can be read again until it expires"


async def test_the_end_is_part_of_its_transaction(streams: Streams, world: World, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    writer.append("delta", delta(1))
    reading = Reading(streams, world.db, who, writer.id)
    with pytest.raises(ZeroDivisionError):
        async with world.db.maintenance(system()) as tx:
            await streams.end(tx, writer.id, "error", {})
            writer.append("delta", delta(2))
            await asyncio.sleep(0.05)
            assert reading.numbers == [1], "whether there is a second row is not known yet"
            raise ZeroDivisionError
    await until(lambda: reading.numbers == [1, 2])
    writer.append("delta", delta(3))
    await ended(streams, world.db, writer.id)
    writer.append("delta", delta("too late"))
    await reading.task
    assert [row.name for row in reading.rows] == ["delta", "delta", "delta", "done"]
    assert streams.writer(writer.id) is None and streams._memory.used == 0


async def test_the_end_and_the_last_rows_are_sent_together(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    if world.db.dialect.name == "sqlite":
        return  # it has no round trips
    sent: list[str] = []
    send = PostgresTransaction._send

    async def count(self: PostgresTransaction, sql: str, params: Any) -> Any:
        sent.append(sql)
        return await send(self, sql, params)

    writer = await opened(streams, world.db, who)
    writer.append("delta", delta(1))
    monkeypatch.setattr(PostgresTransaction, "_send", count)
    await ended(streams, world.db, writer.id)
    (both,) = [sql for sql in sent if "UPDATE streams" in sql]
    assert "INSERT INTO stream_batches" in both


async def test_whoever_ends_a_stream_can_read_what_it_had(streams: Streams, world: World, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    writer.append("delta", delta("saved"))
    await streams.save()
    writer.append("delta", delta("unsaved"))
    texts = [("delta", {"text": "saved"}), ("delta", {"text": "unsaved"})]
    async with world.db.maintenance(system()) as tx:
        assert await streams.read_saved(tx, writer.id, dict) == texts
        await streams.end(tx, writer.id, "error", {})
        assert (await streams.read_saved(tx, writer.id, dict))[:2] == texts
    async with world.db.maintenance(system()) as tx:
        assert await streams.read_saved(tx, writer.id, dict) == [*texts, ("error", {})]


async def test_of_several_ends_one_counts(streams: Streams, world: World, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    writer.append("delta", delta(1))
    await asyncio.gather(*(ended(streams, world.db, writer.id, f"end{number}") for number in range(5)))
    await ended(streams, world.db, writer.id, "again")
    await ended(streams, world.db, "unknown")
    reading = Reading(streams, world.db, who, writer.id)
    await reading.task
    assert len(reading.rows) == 2 and reading.rows[1].name.startswith("end")


async def test_a_stream_that_another_process_ends_has_one_end_for_all(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its writer is slow, not dead: what it had not saved is lost, and its readers still get the last row."""
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    writer = await opened(streams, world.db, who)
    writer.append("delta", delta("saved"))
    await streams.save()
    reading = Reading(streams, world.db, who, writer.id)
    await until(lambda: len(reading.rows) == 1)
    await ended(Streams(Notifier(Stopping())), world.db, writer.id, "error")
    writer.append("delta", delta("lost"))
    await reading.task
    assert reading.rows[-1].name == "error"
    await until(lambda: streams.writer(writer.id) is None)
    late = Reading(streams, world.db, who, writer.id, after=2)
    await late.task
    assert [row.name for row in late.rows] == ["error"]
    assert late.rows[0].number > 2, "no reader mistakes it for the row that was lost"


async def test_a_writer_is_forgotten_when_another_process_has_ended_its_stream(
    streams: Streams, world: World, who: Principal
) -> None:
    idle, running = await opened(streams, world.db, who), await opened(streams, world.db, who)
    await ended(Streams(Notifier(Stopping())), world.db, idle.id)
    streams._check_due = 0
    await streams.save()
    assert streams.writer(idle.id) is None and streams.writer(running.id) is running


async def test_another_process_continues_a_stream(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    writer = await opened(streams, world.db, who)
    writer.append("delta", delta("a"))
    await streams.save()
    writer.append("delta", delta("lost"))
    early = Reading(streams, world.db, who, writer.id)
    await until(lambda: len(early.rows) == 2)
    elsewhere = Streams(Notifier(Stopping()))
    second = await opened(elsewhere, world.db, who, writer.id)
    local = Reading(elsewhere, world.db, who, writer.id)
    second.append("delta", delta("b"))
    await until(lambda: len(local.rows) == 2)
    await streams.save()
    assert streams.writer(writer.id) is None
    await ended(elsewhere, world.db, writer.id)
    await asyncio.gather(early.task, local.task)
    texts = [msgspec.json.decode(row.data).get("text") for row in local.rows]
    assert texts == ["a", "b", None]
    assert [row.name for row in early.rows] == ["delta", "delta", "delta", "done"]
    with pytest.raises(Duplicate):
        await opened(streams, world.db, who, writer.id)


async def test_only_the_owner_reads_a_stream(streams: Streams, world: World, ann: Caller, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    writer.append("delta", delta("secret"))
    colleague = await principal(await world.person(ann.org, ann.team))
    for other in (colleague, await principal(await world.join(ann, await world.team(ann.org)))):
        with pytest.raises(NotFound):
            await anext(streams.read(world.db, other, writer.id))
        with pytest.raises(Duplicate):
            await opened(streams, world.db, other, writer.id)
    with pytest.raises(NotFound):
        await anext(streams.read(world.db, who, "unknown"))


@pytest.mark.parametrize("after", [-1, 3, 10**30])
async def test_a_number_that_the_stream_does_not_have(
    streams: Streams, world: World, who: Principal, after: int
) -> None:
    writer = await opened(streams, world.db, who)
    before = Reading(streams, world.db, who, writer.id, after)
    writer.append("delta", delta(1))
    await ended(streams, world.db, writer.id)
    behind = Reading(streams, world.db, who, writer.id, after)
    await asyncio.gather(before.task, behind.task)
    assert before.numbers == behind.numbers == ([1, 2] if after < 0 else [2])


async def test_who_has_seen_the_last_row_gets_nothing(streams: Streams, world: World, who: Principal) -> None:
    writer = await opened(streams, world.db, who)
    await ended(streams, world.db, writer.id)
    reading = Reading(streams, world.db, who, writer.id, after=1)
    await reading.task
    assert reading.rows == []


async def test_a_stream_is_bounded(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "MAX_BYTES", 100)
    writer = await opened(streams, world.db, who)
    writer.append("delta", delta("x" * 80))
    with pytest.raises(TooLarge):
        writer.append("delta", delta("x" * 20))
    await ended(streams, world.db, writer.id)
    reading = Reading(streams, world.db, who, writer.id)
    await reading.task
    assert [row.name for row in reading.rows] == ["delta", "done"]


async def test_what_is_not_saved_is_bounded(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await opened(streams, world.db, who), await opened(streams, world.db, who)

    @asynccontextmanager
    async def unreachable(*_: object, **__: object) -> AsyncIterator[Tx]:
        raise Overloaded("database.unreachable")
        yield

    with monkeypatch.context() as broken:
        broken.setattr(world.db, "maintenance", unreachable)
        broken.setattr(writers, "MAX_UNSAVED_ROWS", 10)
        broken.setattr(writers, "MAX_UNSAVED_BYTES", 15 * (writers.ROW_BYTES + len('{"text":1}')))
        for _ in range(10):
            one.append("delta", delta(1))
        with pytest.raises(Overloaded):
            one.append("delta", delta(1))
        for _ in range(5):
            other.append("delta", delta(1))
        with pytest.raises(Overloaded):
            other.append("delta", delta(1))
        with pytest.raises(Overloaded):
            await streams.save()
    await streams.save()
    one.append("delta", delta(1))
    for writer in (one, other):
        await ended(streams, world.db, writer.id)
        reading = Reading(streams, world.db, who, writer.id)
        await reading.task
        assert len(reading.rows) == (12 if writer is one else 6)
    assert streams._memory.used == 0


async def test_a_stream_that_was_not_opened_leaves_nothing(streams: Streams, world: World, who: Principal) -> None:
    with pytest.raises(ZeroDivisionError):
        async with world.db.maintenance(who) as tx:
            writer = await streams.open(world.db, tx, who, new_id())
            writer.append("delta", delta(1))
            raise ZeroDivisionError
    assert streams.writer(writer.id) is None
    assert streams._memory.used == 0
    await streams.save()


async def test_a_reader_that_leaves_or_stalls_holds_nothing(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OF_TOKEN", 1)
    limited = Streams(streams._notifier)
    writer = await opened(limited, world.db, who)
    writer.append("delta", delta(1))
    stalled = limited.read(world.db, who, writer.id)
    await anext(stalled)
    with pytest.raises(RateLimited):
        limited.check_room(who)
    for number in range(100):
        writer.append("delta", delta(number))
    await limited.save()
    assert not writer.unsaved and limited._memory.used == 0
    await stalled.aclose()
    limited.check_room(who)
    assert not limited._notifier._topics


async def test_streams_expire_after_their_last_row(
    streams: Streams, world: World, who: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    done, abandoned = await opened(streams, world.db, who), await opened(streams, world.db, who)
    await ended(streams, world.db, done.id)
    abandoned.append("delta", {})
    await streams.save()
    waiting = Reading(streams, world.db, who, abandoned.id)
    await until(lambda: bool(waiting.rows))
    now = clock.now()
    for seconds, left in (
        (module.KEEP_SECONDS - 1, 2),
        (module.KEEP_SECONDS + 1, 1),
        (module.KEEP_OPEN_SECONDS + 1, 0),
    ):
        monkeypatch.setattr(clock, "now", lambda seconds=seconds: now + seconds)
        await events.tidy(world.db)
        assert await world.db.one(int, "SELECT COUNT(*) FROM streams") == left
    await waiting.task
    assert await saved(world.db) == 0
    abandoned.append("delta", {})
    await streams.save()
    assert streams.writer(abandoned.id) is None
