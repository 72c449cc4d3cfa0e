"""Jobs are claimed and landed in batches: a few statements for all of them, whatever their teams."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.db import Tx
from teamspace.core.principal import Call, Principal, system
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority, Failed, JobClaim, JobFault, Outcome, Returned, Succeeded
from teamspace.jobs.domain import queue as queue_module
from teamspace.quota import Spend
from tests.jobs.help import broken_invariants, claim, queue, running
from tests.support.world import World

JOBS = (
    JobSpec("test.small", "small", "Ends at once."),
    JobSpec("test.metered", "metered", "Has a cost.", estimate="estimate", spent="spent"),
)
KIND, METERED = (row.kind for row in JOBS)
CHANNEL = (jobs.local_channel(KIND),)
TEAMS, EACH = 6, 2
SLOW = "slow"


class Small(msgspec.Struct, frozen=True):
    text: str = ""


class Paid(msgspec.Struct, frozen=True):
    text: str = ""


class Gate(asyncio.Event):
    """What slow jobs wait for."""


async def small(input: Small, gate: Gate) -> Small:
    if input.text == SLOW:
        await gate.wait()
    return input


async def metered(input: Paid) -> Paid:
    return input


def estimate(input: Paid) -> Spend:
    return Spend(1, 10)


def spent(result: Paid) -> Spend:
    return Spend(1, 5)


@pytest.fixture
async def gate() -> Gate:
    return Gate()


@pytest.fixture
async def members(world: World, gate: Gate) -> list[Principal]:
    """A member of each of several teams, of two companies."""
    kinds, faults = jobs.bind([sys.modules[__name__]], {Gate: gate})
    assert not faults
    queue(world).kinds.add(kinds)
    companies = [await world.company() for _ in range(2)]
    people = [await world.person(org, await world.team(org)) for org, _ in companies for _ in range(TEAMS // 2)]
    return [
        Principal("api", Call(), user_id=person.user_id, org_id=person.org.id, team_id=person.team.id)
        for person in people
    ]


async def enqueue(world: World, members: list[Principal], kind: str = KIND, each: int = EACH) -> None:
    for who in members:
        async with world.db.maintenance(who) as tx:
            for _ in range(each):
                await queue(world).enqueue(tx, Authority.of(who), kind, Small())


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the statements of transactions."""
    statements: list[str] = []
    with monkeypatch.context() as patched:
        for name in ("_fetch", "defer"):
            _record(patched, name, statements)
        yield statements


def _record(patched: pytest.MonkeyPatch, name: str, statements: list[str]) -> None:
    run = getattr(Tx, name)

    async def recorded(tx: Tx, sql: str, *params: Any, **named: Any) -> Any:
        statements.append(sql)
        return await run(tx, sql, *params, **named)

    patched.setattr(Tx, name, recorded)


async def states(world: World) -> list[str]:
    return await world.db.all(str, "SELECT state FROM jobs ORDER BY id")


async def events(world: World) -> list[tuple[str, str]]:
    rows = await world.db.all(EventRow, "SELECT team_id, subject_id FROM events WHERE change = 'updated' ORDER BY id")
    return [(row.team_id, row.subject_id) for row in rows]


class EventRow(msgspec.Struct, frozen=True):
    team_id: str
    subject_id: str


async def test_a_batch_takes_few_statements_however_many_teams_have_jobs_in_it(
    world: World, members: list[Principal], monkeypatch: pytest.MonkeyPatch
) -> None:
    await enqueue(world, members)
    await queue(world).promote(world.db)
    with counted(monkeypatch) as statements:
        claimed = await claim(world, 100, CHANNEL)
    assert len(claimed) == TEAMS * EACH
    assert len(statements) == 3, "select, take, tell"
    with counted(monkeypatch) as statements:
        landed = await queue(world).land(world.db, [(job, held, Succeeded(Small())) for job, held in claimed])
    assert landed == {held.key for _, held in claimed}
    assert len(statements) == 2, "land, tell"
    assert await states(world) == ["succeeded"] * TEAMS * EACH
    told = sorted((job.team_id, job.id) for job, _ in claimed)
    assert sorted(await events(world)) == sorted(told * 2), "each team, when its job starts and when it ends"
    assert await broken_invariants(world) == []


async def test_a_batch_asks_once_whether_jobs_wait_for_its_slots(
    world: World, members: list[Principal], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [*members[:2], *members[-2:]]  # of each company, as many as it has slots
    await enqueue(world, some, METERED, each=1)
    claimed = await claim(world, 100, (jobs.local_channel(METERED),))
    assert len(claimed) == len(some)
    with counted(monkeypatch) as statements:
        await queue(world).land(world.db, [(job, held, Succeeded(Paid())) for job, held in claimed])
    assert len([sql for sql in statements if "parked" in sql]) == 1, "of any team"
    assert await broken_invariants(world) == []


async def test_places_that_a_worker_frees_wait_a_moment_for_its_next_claim(
    world: World, members: list[Principal], monkeypatch: pytest.MonkeyPatch
) -> None:
    await enqueue(world, members[:1])
    monkeypatch.setattr(queue_module, "_BATCH_SECONDS", 0.0)
    await queue(world).promote(world.db)
    [(_, first), (_, second)] = await claim(world, 100, CHANNEL)
    promoting = queue(world)._dirty_event
    assert not promoting.is_set()
    monkeypatch.setattr(queue_module, "_BATCH_SECONDS", 60.0)
    await finish(world, first)
    assert not promoting.is_set()
    await claim(world, 1, CHANNEL)
    assert not queue(world)._dirty, "the claim has promoted it"
    monkeypatch.setattr(queue_module, "_BATCH_SECONDS", 0.01)
    await finish(world, second)
    async with asyncio.timeout(5):
        await promoting.wait()


async def finish(world: World, held: JobClaim) -> None:
    """Store the result of a remote worker."""
    async with world.db.maintenance(system()) as tx:
        assert await queue(world).finish_each(tx, [(held, Succeeded(Small()))])


async def test_stale_claims_are_left_out_of_a_batch(world: World, members: list[Principal]) -> None:
    await enqueue(world, members[:2])
    (one, lost), (other, ended), *_ = claimed = await claim(world, 100, CHANNEL)
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE jobs SET lease_until = moment(-1) WHERE id = :id", id=one.id)
    assert await queue(world).land(world.db, [(other, ended, Succeeded(Small("first")))])
    landed = await queue(world).land(world.db, [(job, held, Succeeded(Small("second"))) for job, held in claimed])
    assert landed == {held.key for _, held in claimed[2:]}
    assert sorted(await states(world)) == ["running", *["succeeded"] * (len(claimed) - 1)]
    result = await world.db.one(str, "SELECT result FROM jobs WHERE id = :id", id=other.id)
    assert result == '{"text":"first"}'
    assert lost.key not in landed


async def test_the_jobs_of_a_batch_can_end_in_different_ways(world: World, members: list[Principal]) -> None:
    await enqueue(world, members[:2])
    claimed = await claim(world, 100, CHANNEL)
    long = Small("x" * 20_000)
    outcomes: list[Outcome] = [
        Succeeded(long), Failed(JobFault("No", retryable=False)), Failed(JobFault("Again")), Returned(),
    ]  # fmt: skip
    ended = [(job, held, outcome) for (job, held), outcome in zip(claimed, outcomes, strict=True)]
    assert len(await queue(world).land(world.db, ended)) == len(outcomes)
    rows = await world.db.all(
        EndRow, "SELECT id, state, phase, attempt, max_attempts, result, error IS NOT NULL FROM jobs"
    )
    found = {row.id: row for row in rows}
    one, two, three, four = (found[job.id] for job, _ in claimed)
    assert (one.state, one.result, one.has_error) == ("succeeded", msgspec.json.encode(long).decode(), False)
    assert (two.state, two.has_error) == ("failed", True)
    assert (three.state, three.phase, three.attempt, three.has_error) == ("queued", "scheduled", 1, True)
    assert (four.state, four.phase, four.attempt, four.max_attempts) == ("queued", "ready", 1, three.max_attempts + 1)
    assert await broken_invariants(world) == []


class EndRow(msgspec.Struct, frozen=True):
    id: str
    state: str
    phase: str
    attempt: int
    max_attempts: int
    result: str | None
    has_error: bool


async def test_an_outcome_is_stored_once_however_many_write_it(world: World, members: list[Principal]) -> None:
    await enqueue(world, members)
    claimed = await claim(world, 100, CHANNEL)
    forwards = [(job, held, Succeeded(Small("forwards"))) for job, held in claimed]
    backwards = [(job, held, Succeeded(Small("backwards"))) for job, held in reversed(claimed)]
    landed = await asyncio.gather(*(queue(world).land(world.db, batch) for batch in (forwards, backwards) * 4))
    assert sum(len(keys) for keys in landed) == len(claimed)
    assert len(await events(world)) == 2 * len(claimed)
    assert await broken_invariants(world) == []


async def test_other_servers_get_one_notification_of_many_ends(
    world: World, members: list[Principal], monkeypatch: pytest.MonkeyPatch
) -> None:
    relayed: list[str] = []
    monkeypatch.setattr(queue_module, "_FEW_ENDS", 2)
    world.app.queue.wake.relay = relayed.append
    await enqueue(world, members)
    claimed = await claim(world, 100, CHANNEL)
    relayed.clear()
    ended = [(job, held, Succeeded(Small())) for job, held in claimed]
    await queue(world).land(world.db, ended[:1])
    few = [topic for topic in relayed if topic.startswith("job-end")]
    assert len(few) == 1 and few != ["job-ends"]
    relayed.clear()
    waiting = [asyncio.create_task(queue(world).wait_for_end(world.db, job.id, 10)) for job, _ in claimed[1:]]
    await asyncio.sleep(0.01)
    await queue(world).land(world.db, ended[1:])
    assert [topic for topic in relayed if topic.startswith("job-end")] == ["job-ends"]
    async with asyncio.timeout(1.5):
        assert set(await asyncio.gather(*waiting)) == {"succeeded"}, "before the poll"


async def test_a_slow_job_delays_neither_the_landing_nor_the_start_of_others(
    world: World, members: list[Principal], gate: Gate
) -> None:
    who = members[0]
    async with world.db.maintenance(who) as tx:
        slow = await queue(world).enqueue(tx, Authority.of(who), KIND, Small(SLOW))
    await enqueue(world, members)
    async with running(world):
        async with asyncio.timeout(20):
            while True:
                if (await states(world)).count("succeeded") == TEAMS * EACH:
                    break
                await asyncio.sleep(0.01)
        assert (await states(world)).count("running") == 1, "the slow one"
        gate.set()
        assert await queue(world).wait_for_end(world.db, slow, 10) == "succeeded"
