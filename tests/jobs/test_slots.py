"""Slots of a server process: separate for each kind, and shared between companies."""

import asyncio
import sys
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import Call, Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority, Queue
from teamspace.jobs.domain.slots import JobSlots
from teamspace.jobs.schemas import ReadyJob
from teamspace.settings import Settings
from tests.jobs.help import broken_invariants, create_job, ended, get_job, queue, running
from tests.support.world import Caller, World
from tests.support.world import world as open_world

HANG = "Never mind. [simulate:hang]"
JOBS = (JobSpec("test.hang", "work", "Hangs if its input says so."),)


class HangInput(msgspec.Struct, frozen=True):
    hang: bool


async def work(input: HangInput) -> HangInput:
    await asyncio.sleep(3600 if input.hang else 0)
    return input


def count_started(slots: JobSlots, kind: str, *companies: str) -> int:
    """Return how many jobs start if each company has a hundred of them ready."""
    ready = [ReadyJob(f"{company}{number}", company, kind) for company in companies for number in range(100)]
    return len(slots.take(ready, 1000))


def test_a_company_gets_half_of_the_slots_and_the_next_half_of_the_rest() -> None:
    slots = JobSlots(16)
    assert [count_started(slots, "chat", company) for company in "abcdef"] == [8, 4, 2, 1, 1, 0]
    assert slots.claim_slots(["chat@local"], 10) == []
    assert count_started(slots, "hash", "a") == 8, "another kind has slots of its own"


def test_a_company_at_its_share_is_skipped() -> None:
    slots = JobSlots(4)
    count_started(slots, "chat", "a")
    ((slot),) = slots.claim_slots(["chat@local"], 10)
    assert (slot.limit, slot.excluded_orgs) == (1, ("a",)), "half of the two free ones"
    slots.of("chat").release("a")
    ((slot),) = slots.claim_slots(["chat@local"], 10)
    assert (slot.limit, slot.excluded_orgs) == (2, ())


def test_a_single_slot_serves_every_company() -> None:
    slots = JobSlots(1)
    assert count_started(slots, "chat", "a", "b") == 1
    slots.of("chat").release("a")
    assert count_started(slots, "chat", "b") == 1


async def test_hanging_jobs_delay_neither_other_companies_nor_other_kinds(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, job_slots=8)) as world:
        ann = await world.bootstrap()
        kinds, faults = jobs.bind([sys.modules[__name__]], {})
        assert not faults
        queue(world).kinds.add(kinds)
        hanging = [await enqueue(world, *await create_members(world), hang=True) for _ in range(2)]
        task = asyncio.create_task(world.app.runner.run())
        try:
            await wait_until_running(world, 6)
            running_counts = [await count_running(world, ids) for ids in hanging]
            assert sum(running_counts) == 6 and max(running_counts) <= 4, "of 8 slots, in either order"
            (same_kind,) = await enqueue(world, ann, hang=False)
            other_kind = (await create_job(ann))["id"]
            assert (await ended(ann, same_kind))["state"] == "succeeded"
            assert (await ended(ann, other_kind))["state"] == "succeeded"
            assert [await count_running(world, ids) for ids in hanging] == running_counts
        finally:
            world.app.stopping.begin()
            await world.app.runner.abort()
            await asyncio.wait_for(task, 20)
        assert await broken_invariants(world) == []


async def test_a_freed_slot_is_taken_at_once(settings: Settings) -> None:
    """Also by a company at its share, without waiting for the next poll two seconds later."""
    async with open_world(msgspec.structs.replace(settings, simulate=True, job_slots=2)) as world:
        ann = await world.bootstrap()
        async with running(world):
            done = [await ended(ann, job["id"]) for job in [await create_job(ann, f"number {n}") for n in range(6)]]
        assert {job["state"] for job in done} == {"succeeded"}


async def test_aborted_work_is_requeued_without_costing_an_attempt_or_a_lease_expiry(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, simulate=True)) as world:
        ann = await world.bootstrap()
        task = asyncio.create_task(world.app.runner.run())
        job = await create_job(ann, HANG)
        await wait_until_running(world, 1)
        world.app.stopping.begin()
        await world.app.runner.abort()
        await asyncio.wait_for(task, 20)
        shown = await get_job(ann, job["id"])
        assert (shown["state"], shown["max_attempts"] - shown["attempt"]) == ("queued", 3)
        assert await world.db.all(int, "SELECT lease_expiries FROM jobs") == [0]
        usage = {row["dimension"]: row for row in (await ann.get("/api/usage")).json()["items"]}
        assert (usage["ai.concurrency"]["reserved"], usage["ai.requests"]["used"]) == (0, 0)
        ((again, _),) = await queue(world).claim(
            world.db, [jobs.local_channel("ai.chat")], count=1, executor_id=jobs.LOCAL
        )
        assert (again.id, again.attempt, again.lease_expiries) == (job["id"], 2, 0)
        assert await broken_invariants(world) == []


async def test_a_job_claimed_during_the_abort_is_requeued_too(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(msgspec.structs.replace(settings, simulate=True)) as world:
        ann, claim = await world.bootstrap(), Queue.claim

        async def late(*args: Any, **options: Any) -> Any:
            """The claim is committed, and returns after everything else was aborted."""
            claimed = await claim(*args, **options)
            if claimed:
                world.app.stopping.begin()
                await world.app.runner.abort()
            return claimed

        monkeypatch.setattr(Queue, "claim", late)
        job = await create_job(ann, HANG)
        await asyncio.wait_for(world.app.runner.run(), 20)
        shown = await get_job(ann, job["id"])
        assert (shown["state"], shown["max_attempts"] - shown["attempt"]) == ("queued", 3)
        assert await broken_invariants(world) == []


async def test_simulation_commands_are_plain_text_when_simulation_is_off(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        job = await ended(ann, (await create_job(ann, HANG))["id"])
    assert job["state"] == "succeeded"
    assert HANG in job["result"]["text"]


async def create_members(world: World) -> list[Caller]:
    """Create eight people of one company, each in their own team with its own cap."""
    org, first = await world.company()
    teams = [first, *[await world.team(org) for _ in range(7)]]
    return [await world.person(org, team) for team in teams]


async def enqueue(world: World, *people: Caller, hang: bool) -> list[str]:
    ids = []
    for person in people:
        who = Principal("api", Call(), user_id=person.user_id, org_id=person.org.id, team_id=person.team.id)
        async with world.db.maintenance(who) as tx:
            ids.append(await queue(world).enqueue(tx, Authority.of(who), "test.hang", HangInput(hang)))
    return ids


async def count_running(world: World, ids: list[str]) -> int:
    running = await world.db.all(str, "SELECT id FROM jobs WHERE state = 'running'")
    return len(set(ids) & set(running))


async def wait_until_running(world: World, count: int) -> None:
    async with asyncio.timeout(20):
        while True:
            if await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE state = 'running'") == count:
                return
            await asyncio.sleep(0.02)
