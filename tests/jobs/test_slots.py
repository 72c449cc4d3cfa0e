"""Slots of a server process: by kind, and of each kind a share for every company."""

import asyncio
import sys
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import Call, Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import Queue
from teamspace.jobs.domain.slots import JobSlots
from teamspace.jobs.schemas import ReadyJob
from teamspace.settings import Settings
from tests.jobs.help import ask, ended, look, queue, running, unsound
from tests.support.world import Caller, World
from tests.support.world import world as made

HANG = "Never mind. [simulate:hang]"
JOBS = (JobSpec("test.hang", "work", "Hangs, if it is told to."),)


class Wish(msgspec.Struct, frozen=True):
    hang: bool


async def work(input: Wish) -> Wish:
    await asyncio.sleep(3600 if input.hang else 0)
    return input


def begun(slots: JobSlots, kind: str, *companies: str) -> int:
    """How many of the jobs begin that these companies ask for, each without end."""
    turns = [ReadyJob(f"{company}{number}", company, kind) for company in companies for number in range(100)]
    return len(slots.take(turns, 1000))


def test_one_company_comes_to_half_of_the_slots_and_the_next_to_half_of_what_is_left() -> None:
    slots = JobSlots(16)
    assert [begun(slots, "chat", company) for company in "abcdef"] == [8, 4, 2, 1, 1, 0]
    assert slots.claim_slots(["chat@local"], 10) == []
    assert begun(slots, "hash", "a") == 8, "another kind has slots of its own"


def test_a_company_at_its_share_is_passed_over_and_not_waited_for() -> None:
    slots = JobSlots(4)
    begun(slots, "chat", "a")
    ((opening),) = slots.claim_slots(["chat@local"], 10)
    assert (opening.limit, opening.excluded_orgs) == (2, ("a",))
    slots.of("chat").release("a")
    ((opening),) = slots.claim_slots(["chat@local"], 10)
    assert (opening.limit, opening.excluded_orgs) == (3, ())


def test_the_only_slot_is_for_everybody() -> None:
    slots = JobSlots(1)
    assert begun(slots, "chat", "a", "b") == 1
    slots.of("chat").release("a")
    assert begun(slots, "chat", "b") == 1


async def test_companies_whose_work_hangs_hold_up_neither_others_nor_other_kinds(settings: Settings) -> None:
    async with made(msgspec.structs.replace(settings, job_slots=8)) as world:
        ann = await world.bootstrap()
        kinds, faults = jobs.bind([sys.modules[__name__]], {})
        assert not faults
        queue(world).kinds.add(kinds)
        hanging = [await enqueue(world, *await several(world), hang=True) for _ in range(2)]
        task = asyncio.create_task(world.app.runner.run())
        try:
            await until_running(world, 6)
            held = [await count_running(world, ids) for ids in hanging]
            assert sum(held) == 6 and max(held) <= 4, "of 8 slots, in whichever order they came"
            (same_kind,) = await enqueue(world, ann, hang=False)
            other_kind = (await ask(ann))["id"]
            assert (await ended(ann, same_kind))["state"] == "succeeded"
            assert (await ended(ann, other_kind))["state"] == "succeeded"
            assert [await count_running(world, ids) for ids in hanging] == held
        finally:
            world.app.stopping.begin()
            await world.app.runner.abort()
            await asyncio.wait_for(task, 20)
        assert await unsound(world) == []


async def test_a_slot_that_is_freed_is_taken_at_once(settings: Settings) -> None:
    """Also by a company at its share: nobody waits for the next look, two seconds later."""
    async with made(msgspec.structs.replace(settings, simulate=True, job_slots=2)) as world:
        ann = await world.bootstrap()
        async with running(world):
            done = [await ended(ann, job["id"]) for job in [await ask(ann, f"number {n}") for n in range(6)]]
        assert {job["state"] for job in done} == {"succeeded"}


async def test_work_that_is_cut_off_goes_back_and_costs_neither_attempt_nor_lapse(settings: Settings) -> None:
    async with made(msgspec.structs.replace(settings, simulate=True)) as world:
        ann = await world.bootstrap()
        task = asyncio.create_task(world.app.runner.run())
        job = await ask(ann, HANG)
        await until_running(world, 1)
        world.app.stopping.begin()
        await world.app.runner.abort()
        await asyncio.wait_for(task, 20)
        shown = await look(ann, job["id"])
        assert (shown["state"], shown["max_attempts"] - shown["attempt"]) == ("queued", 3)
        assert await world.db.all(int, "SELECT lease_expiries FROM jobs") == [0]
        usage = {row["dimension"]: row for row in (await ann.get("/api/usage")).json()["items"]}
        assert (usage["ai.concurrency"]["reserved"], usage["ai.requests"]["used"]) == (0, 0)
        ((again, _),) = await queue(world).claim(
            world.db, [jobs.local_channel("ai.chat")], count=1, executor_id=jobs.LOCAL
        )
        assert (again.id, again.attempt, again.lease_expiries) == (job["id"], 2, 0)
        assert await unsound(world) == []


async def test_what_is_claimed_while_the_rest_is_cut_off_goes_back_too(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with made(msgspec.structs.replace(settings, simulate=True)) as world:
        ann, claim = await world.bootstrap(), Queue.claim

        async def late(*given: Any, **more: Any) -> Any:
            """The claim is committed, and its answer comes when everything else has been cut off."""
            claimed = await claim(*given, **more)
            if claimed:
                world.app.stopping.begin()
                await world.app.runner.abort()
            return claimed

        monkeypatch.setattr(Queue, "claim", late)
        job = await ask(ann, HANG)
        await asyncio.wait_for(world.app.runner.run(), 20)
        shown = await look(ann, job["id"])
        assert (shown["state"], shown["max_attempts"] - shown["attempt"]) == ("queued", 3)
        assert await unsound(world) == []


async def test_words_that_misbehave_are_words_where_the_setting_is_off(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        job = await ended(ann, (await ask(ann, HANG))["id"])
    assert job["state"] == "succeeded"
    assert HANG in job["result"]["text"]


async def several(world: World) -> list[Caller]:
    """People of one company, each in a team of their own, which has its own cap."""
    org, first = await world.company()
    teams = [first, *[await world.team(org) for _ in range(7)]]
    return [await world.person(org, team) for team in teams]


async def enqueue(world: World, *people: Caller, hang: bool) -> list[str]:
    ids = []
    for person in people:
        who = Principal("api", Call(), user_id=person.user_id, org_id=person.org.id, team_id=person.team.id)
        async with world.db.maintenance(who) as tx:
            ids.append(await queue(world).enqueue(tx, who, "test.hang", Wish(hang)))
    return ids


async def count_running(world: World, ids: list[str]) -> int:
    running = await world.db.all(str, "SELECT id FROM jobs WHERE state = 'running'")
    return len(set(ids) & set(running))


async def until_running(world: World, count: int) -> None:
    async with asyncio.timeout(20):
        while True:
            if await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE state = 'running'") == count:
                return
            await asyncio.sleep(0.02)
