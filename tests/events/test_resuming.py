"""Streams resume where they ended, without a missed or doubled event, on any process."""

import asyncio
import random

import pytest

from teamspace import events
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.principal import Principal, system
from teamspace.events import Change
from teamspace.events.domain import hub as hubs
from teamspace.events.domain import retention
from tests.events.help import Process, Stream, until
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


async def note(caller: Caller) -> str:
    answer = await caller.post("/api/notes", {"title": "x", "body": "secret"})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def ids(*streams: Stream) -> list[str]:
    return [id for stream in streams for _, id, _ in stream.changes]


async def test_a_stream_resumes_after_the_last_event_it_saw(server: Process, ann: Caller) -> None:
    first = await server.listen(ann)
    assert first.names == ["ready"]
    seen = await note(ann)
    await server.settle()
    cursor = first.cursor
    await first.close()
    missed = [await note(ann) for _ in range(3)]
    again = await server.listen(ann, cursor)
    await server.settle()
    await until(lambda: len(again.changes) == 3)
    live = await note(ann)
    await server.settle()
    assert ids(first) == [seen] and ids(again) == [*missed, live]
    assert again.names[0] == "ready" and again.events[0].cursor != cursor, "cursors are encrypted anew"


async def test_many_missed_events_are_read_in_pages(
    server: Process, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "PAGE", 3)
    first = await server.listen(ann)
    await first.close()
    missed = [await note(ann) for _ in range(10)]
    await server.settle()  # no one listens: the hub forgets its position
    again = await server.listen(ann, first.cursor)
    await until(lambda: len(again.changes) >= 10)
    assert ids(again) == missed


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_an_event_of_an_open_transaction_is_neither_missed_nor_first(server: Process, ann: Caller) -> None:
    """PostgreSQL commits out of order: the transaction that began first commits last."""
    stream = await server.listen(ann)
    who = system(org_id=ann.org.id)
    held, release = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with server.db.maintenance(who) as tx:
            await _record_usage(tx, ann)
            await tx.exists("SELECT 1")  # rows that nobody reads are sent with the next statement
            held.set()
            await release.wait()

    holding = asyncio.create_task(hold())
    await held.wait()
    later = await note(ann)
    await server.deliver()
    assert stream.changes == [], "the earlier transaction may still commit"
    cursor = stream.cursor
    release.set()
    await holding
    await server.settle()
    expected = [("usage", ann.team.id, "updated"), ("note", later, "created")]
    assert stream.changes == expected
    again = await server.listen(ann, cursor)
    await until(lambda: len(again.changes) == 2)
    assert again.changes == expected


async def _record_usage(tx, ann: Caller) -> None:  # type: ignore[no-untyped-def]
    await events.record(tx, "usage", ann.team.id, change=Change.UPDATED, org_id=ann.org.id, team_id=ann.team.id)


@pytest.mark.parametrize("seed", range(3))
async def test_concurrent_writers_and_a_restless_reader(world: World, ann: Caller, seed: int) -> None:
    """The reader disconnects at random and resumes, each time on another of two processes."""
    chance = random.Random(seed)
    db = world.db
    processes = [Process(db), Process(db)]

    def notify_all(topic: str) -> None:
        for process in processes:
            process.notifier.receive(topic)

    db.notify = notify_all
    running = [asyncio.create_task(process.hub.run(db)) for process in processes]
    written: list[str] = []

    async def write() -> None:
        for _ in range(12):
            await asyncio.sleep(chance.random() * 0.02)
            written.append(await note(ann))

    async def write_slowly() -> None:
        who: Principal = system(org_id=ann.org.id)
        for _ in range(6):
            async with db.maintenance(who) as tx:
                await _record_usage(tx, ann)
                if db.dialect.name == "postgres":
                    await asyncio.sleep(chance.random() * 0.05)

    stream = await processes[0].listen(ann)
    writers = asyncio.gather(*(write() for _ in range(4)), write_slowly())
    read = [stream]
    while not writers.done():
        await asyncio.sleep(chance.random() * 0.05)
        await stream.close()
        last = [event.cursor for each in read for event in each.events][-1]
        stream = await chance.choice(processes).listen(ann, last)
        read.append(stream)
    await writers
    await until(lambda: len(set(ids(*read)) - {ann.team.id}) == len(written))
    told = [id for id in ids(*read) if id != ann.team.id]
    assert "reset" not in [name for each in read for name in each.names]
    assert sorted(told) == sorted(written), "each once"
    for process, task in zip(processes, running, strict=True):
        process.stopping.begin()
        await process.close()
        await task


async def test_a_cursor_before_the_oldest_event_is_reset(
    server: Process, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = await server.listen(ann)
    start = stream.cursor
    for _ in range(5):
        await note(ann)
    await server.settle()
    third = stream.events[3].cursor
    monkeypatch.setattr(retention, "KEEP_PER_COMPANY", 2)
    await events.tidy(server.db)
    assert await server.db.one(int, "SELECT COUNT(*) FROM events") == 2
    old, kept = await server.listen(ann, start), await server.listen(ann, third)
    await until(lambda: len(kept.changes) == 2)
    assert old.names == ["ready", "reset"] and kept.names == ["ready", "change", "change"]
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + retention.KEEP_SECONDS + 1)
    await events.tidy(server.db)
    assert await server.db.one(int, "SELECT COUNT(*) FROM events") == 0
    assert (await server.listen(ann, third)).names == ["ready", "reset"]
    last = await server.listen(ann, stream.cursor)
    assert last.names == ["ready"], "it has seen everything that was deleted"


async def test_a_made_up_or_foreign_cursor_is_reset(server: Process, ann: Caller, world: World) -> None:
    org, team = await world.company()
    stranger = await world.person(org, team)
    for cursor in ("1", "nonsense", "v1:00000000:AAAA", (await server.listen(stranger)).cursor):
        assert (await server.listen(ann, cursor)).names == ["ready", "reset"]


async def test_a_cursor_of_another_log_is_reset(server: Process, ann: Caller) -> None:
    cursor = (await server.listen(ann)).cursor
    async with server.db.maintenance(system()) as tx:
        await tx.run("UPDATE event_log SET id = 'restored'")
    restarted = Process(server.db)
    stream = await restarted.listen(ann, cursor)
    assert stream.names == ["ready", "reset"]
    await restarted.close()


async def test_no_content_is_in_the_log(server: Process, ann: Caller) -> None:
    created = await note(ann)
    await ann.delete(f"/api/notes/{created}")
    rows = await _rows(server.db)
    assert rows == [["note", created, "created"], ["note", created, "deleted"]]


async def _rows(db: Db) -> list[list[str]]:
    kinds = await db.all(str, "SELECT kind || ' ' || subject_id || ' ' || change FROM events ORDER BY id")
    return [row.split(" ") for row in kinds]
