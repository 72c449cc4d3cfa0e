"""Open streams are bounded: slow readers, limits, the stop of the server, and thousands of idle ones."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator

import pytest

from teamspace.core.errors import RateLimited
from teamspace.core.limits import KeyedConcurrencyLimit
from teamspace.events.domain import hub as hubs
from teamspace.events.domain import subscribers
from teamspace.events.domain.recording import TOPIC
from tests.events.help import Process, parse, principal, until
from tests.support.world import Caller, World


async def test_a_reader_that_falls_behind_is_reset_and_costs_no_more(
    server: Process, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscribers, "MAX_BUFFERED", 4)
    chunks = server.hub.listen(server.db, await principal(ann), None)
    ready = parse(await anext(chunks))
    pending = asyncio.ensure_future(anext(chunks))
    for _ in range(3):
        await asyncio.sleep(0)
    for number in range(10):
        await ann.post("/api/notes", {"title": f"{number}"})
        await server.hub._advance(server.db)
        (subscriber,) = server.hub._open
        assert len(subscriber.buffer) <= 4
    first, rest = parse(await pending), parse(await anext(chunks))
    assert [event.name for event in ready] == ["ready"]
    names = [event.name for event in (*first, *rest)]
    assert "reset" in names and len(names) < 10
    resumed = await server.listen(ann, rest[-1].cursor)
    assert resumed.names == ["ready"], "after the reset it has missed nothing"
    await chunks.aclose()


async def test_idle_streams_are_pinged(server: Process, ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribers, "PING_SECONDS", 0.01)
    chunks = server.hub.listen(server.db, await principal(ann), None)
    assert [await anext(chunks) for _ in range(3)][1:] == [b": ping\n\n"] * 2
    await chunks.aclose()
    assert server.hub.size == 0


async def test_streams_are_limited_per_token(server: Process, ann: Caller) -> None:
    who = await principal(ann)
    for _ in range(hubs.OF_TOKEN):
        await server.listen(ann)
    with pytest.raises(RateLimited):
        server.hub.check_room(who)
    await server.streams[0].close()
    server.hub.check_room(who)


async def test_a_stop_ends_all_streams_at_once(server: Process, ann: Caller) -> None:
    streams = [await server.listen(ann) for _ in range(5)]
    running = asyncio.create_task(server.hub.run(server.db))
    await asyncio.sleep(0)
    server.stopping.begin()
    await asyncio.wait_for(running, 1)
    await until(lambda: all(stream.ended for stream in streams), 1)
    assert (await server.listen(ann)).ended, "and no stream is opened any more"


@pytest.mark.by_turns
async def test_two_thousand_streams_share_one_process(
    server: Process, world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are told, and memory stays flat."""
    count, companies = 2000, 4
    limits = KeyedConcurrencyLimit("busy.event_streams", token=count, company=count, server=count)
    monkeypatch.setattr(server.hub, "_limits", limits)
    people = []
    for _ in range(companies):
        org, team = await world.company()
        people += [await world.person(org, team) for _ in range(10)]
    callers = [await principal(person) for person in people]
    received = [0] * count

    async def read(number: int, chunks: AsyncIterator[bytes]) -> None:
        async for chunk in chunks:
            received[number] += len(parse(chunk))

    readers = [
        asyncio.create_task(read(number, server.hub.listen(server.db, callers[number % len(callers)], None)))
        for number in range(count)
    ]
    await until(lambda: sum(received) == count, 30)

    async def tell() -> None:
        for person in people[:: len(people) // companies]:
            await person.post("/api/notes", {"title": "x", "visibility": "team"})
        expected = sum(received) + count
        await server.settle()
        await until(lambda: sum(received) == expected, 30)

    await tell()
    tracemalloc.start()
    await tell()
    before = tracemalloc.take_snapshot()
    for _ in range(3):
        await tell()
    grown = sum(entry.size_diff for entry in tracemalloc.take_snapshot().compare_to(before, "filename"))
    tracemalloc.stop()
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    assert server.hub.size == 0
    assert grown < 400_000, f"{grown} bytes for 2,000 streams and three events each"


async def test_a_session_can_listen_and_a_head_request_opens_nothing(
    world: World, server: Process, ann: Caller
) -> None:
    stream = await server.listen(await world.session(ann))
    assert stream.names == ["ready"] and not stream.ended
    answer = await ann("HEAD", "/api/events")
    assert (answer.status_code, answer.content, world.app.hub.size) == (200, b"", 0)


async def test_a_stream_is_open_to_the_client_of_a_suspended_company(
    world: World, server: Process, ann: Caller
) -> None:
    org, team = await world.company()
    person = await world.person(org, team)
    await world.suspend(org)
    stream = await server.listen(person)
    await server.settle()
    assert stream.names == ["ready"] and not stream.ended, "reads stay open"


@pytest.mark.by_turns
async def test_many_streams_miss_double_and_leak_nothing_across_a_restart(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    """Four companies, ten people in each, several streams per person; every note is private or visible to its team."""
    count = 50 if thorough else 5
    monkeypatch.setattr(hubs, "OF_TOKEN", count)
    people = [person for _ in range(4) for person in await create_people(world, 10)]
    expected: dict[str, list[str]] = {person.user_id: [] for person in people}

    async def write() -> None:
        for number, author in enumerate(people[::3]):
            visibility = ("private", "team")[number % 2]
            note = (await author.post("/api/notes", {"title": "x", "visibility": visibility})).json()["id"]
            for reader in people:
                if reader is author or (visibility == "team" and reader.team.id == author.team.id):
                    expected[reader.user_id].append(note)

    first = Process(world.db)
    streams = [(person, await first.listen(person)) for person in people for _ in range(count)]
    await write()
    await first.settle()
    await first.close()
    await write()  # while no server runs
    second = Process(world.db)
    resumed = [(stream, await second.listen(person, stream.cursor)) for person, stream in streams]
    await write()
    await second.settle()
    await second.close()
    for (person, before), (_, after) in zip(streams, resumed, strict=True):
        assert [id for _, id, _ in (*before.changes, *after.changes)] == expected[person.user_id]
        assert {*before.names, *after.names} == {"ready", "change"}


async def create_people(world: World, count: int) -> list[Caller]:
    org, team = await world.company()
    return [await world.person(org, team) for _ in range(count)]


async def test_without_streams_no_commit_wakes_the_process(server: Process, ann: Caller) -> None:
    running = asyncio.create_task(server.hub.run(server.db))
    await asyncio.sleep(0)
    assert TOPIC not in server.notifier._topics
    stream = await server.listen(ann)
    await until(lambda: TOPIC in server.notifier._topics)
    await stream.close()
    server.notifier.notify(TOPIC)
    await until(lambda: TOPIC not in server.notifier._topics)
    server.stopping.begin()
    await asyncio.wait_for(running, 1)
