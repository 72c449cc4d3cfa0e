"""A step that alone follows another goes on in its place, at once; not if it would overtake a job, or the server stops."""

import asyncio
from typing import Any

import pytest

from teamspace.core.db import Tx
from teamspace.core.ids import new_id
from teamspace.core.principal import system
from teamspace.jobs import JobClaim, Queue, local_channel
from teamspace.jobs import store as jobs_store
from teamspace.jobs.schemas import Job, NewJob, State
from teamspace.quota import QuotaAccount
from tests.jobs.help import running
from tests.support.world import World
from tests.workflows import toys
from tests.workflows.help import (
    add_toys,
    broken_invariants,
    call,
    doubling,
    ended,
    publish,
    run_to_end,
    spec,
    start,
    states,
    workflow_world,
)

pytestmark = pytest.mark.both_databases

KIND = "workflow.step"
STEPS = 5


def line(slug: str = "line") -> dict[str, Any]:
    return spec(slug, *(call(f"s{number}", "toy_say", **{"with": {"text": str(number)}}) for number in range(STEPS)))


def record_claims(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    claimed: list[str] = []
    claim = Queue.claim

    async def noted(*args: Any, **named: Any) -> list[tuple[Job, JobClaim]]:
        found = await claim(*args, **named)
        claimed.extend(job.step or "" for job, _ in found)
        return found

    monkeypatch.setattr(Queue, "claim", noted)
    return claimed


async def test_only_the_first_step_of_a_line_is_claimed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = record_claims(monkeypatch)
    async with workflow_world(world) as ann:
        run = await run_to_end(ann, line())
        assert set(states(run).values()) == {"succeeded"}
        assert claimed == ["s0"]
        assert set(toys.CALLS.values()) == {1}
        assert await broken_invariants(world) == []


async def test_the_step_after_a_map_goes_on_in_the_place_of_its_last_item(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed = record_claims(monkeypatch)
    async with workflow_world(world) as ann:
        run = await run_to_end(ann, doubling(), {"below": 40})
        assert run["state"] == "succeeded"
        assert sorted(claimed) == ["each"] * 40 + ["list"], "the items wait for their turn, as ever"
        assert set(toys.CALLS.values()) == {1}
        assert await broken_invariants(world) == []


async def test_a_server_that_stops_leaves_the_next_step_in_the_queue(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    await publish(ann, line())
    gate = toys.GATES["1"] = asyncio.Event()
    async with running(world):
        run = await start(ann, "line")
        async with asyncio.timeout(20):
            await toys.STARTED.setdefault("1", asyncio.Event()).wait()
        world.app.stopping.begin()
        gate.set()
    rows = await world.db.all(
        str, "SELECT step || ' ' || state FROM jobs WHERE run_id = :id ORDER BY step", id=run["id"]
    )
    assert rows == ["s0 succeeded", "s1 succeeded", "s2 queued"]


def _new(text: str) -> NewJob:
    id = new_id()
    return NewJob(id, new_id(), text, 0, "{}", text, "run", id, 1)


async def _insert(tx: Tx, account: QuotaAccount) -> State:
    new = _new("next")
    claim = JobClaim(new.id, 1, "secret", "local", 8)
    job = await jobs_store.insert_next(
        tx, KIND, account, new, channel=local_channel(KIND), priority=1, claim=claim, rank=7
    )
    assert job is not None
    assert (job.rank, job.attempt) == ((7, 1) if job.state is State.RUNNING else (None, 0))
    assert job.scope is None
    return job.state


async def _wait(tx: Tx, account: QuotaAccount, rank: int | None = None) -> None:
    await jobs_store.insert_many(tx, KIND, account, [_new("waits")], channel=local_channel(KIND), priority=1)
    if rank is not None:
        await tx.run("UPDATE jobs SET rank = :rank WHERE step = 'waits'", rank=rank)


async def test_nobody_is_overtaken(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    ben = await world.person(org, team)
    own, other = QuotaAccount(ann.org.id, ann.team.id, ann.user_id), QuotaAccount(org.id, team.id, ben.user_id)
    seen: dict[str, State] = {}

    async def see(name: str, *waiting: tuple[QuotaAccount, int | None], suspended: bool = False) -> None:
        async with world.db.maintenance(system()) as tx:
            for account, rank in waiting:
                await _wait(tx, account, rank)
            if suspended:
                await tx.run("UPDATE orgs SET suspended_at = 'now' WHERE id = :id", id=own.org_id)
            seen[name] = await _insert(tx, own)
            await tx.run("UPDATE orgs SET suspended_at = NULL WHERE id = :id", id=own.org_id)
            await tx.run("DELETE FROM jobs")

    await see("nobody waits")
    await see("another team waits to be admitted", (other, None))
    await see("a job of another team could be claimed", (other, 3))
    await see("a job of the same lane waits", (own, None))
    await see("the company is suspended", suspended=True)
    assert seen == {
        "nobody waits": State.RUNNING,
        "another team waits to be admitted": State.RUNNING,
        "a job of another team could be claimed": State.QUEUED,
        "a job of the same lane waits": State.QUEUED,
        "the company is suspended": State.QUEUED,
    }


async def test_a_step_that_cannot_be_stored_frees_its_slot(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The transaction fails once after the next step was inserted: it is tried again, and the run ends."""
    failures = iter([True])
    insert = jobs_store.insert_next

    async def fail_once(*args: Any, **named: Any) -> Job | None:
        job = await insert(*args, **named)
        if next(failures, False):
            raise RuntimeError("the database is gone")
        return job

    monkeypatch.setattr(jobs_store, "insert_next", fail_once)
    async with workflow_world(world) as ann:
        await publish(ann, line())
        run = await ended(ann, (await start(ann, "line"))["id"])
        assert run["state"] == "succeeded"
        assert world.app.runner._slots.of(KIND)._used.total() == 0
        assert set(toys.CALLS.values()) == {1}
