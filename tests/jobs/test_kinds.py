"""What a kind asks of whoever asks for it, and what becomes of a job that meets a budget on the way."""

import asyncio
import sys
from typing import Any

import msgspec

from teamspace import jobs, quota
from teamspace.core.principal import Call, Principal
from teamspace.core.tables import JobSpec
from teamspace.quota import Dimension, Level, LimitState
from teamspace.quota.schemas import Window
from teamspace.tenancy.schemas import Role
from tests.jobs.help import ask, ended, look, queue, running, unsound
from tests.support.world import Caller, World

JOBS = (JobSpec("test.spend", "spend", "Meets a budget until there is one."),)
WISH = {"kind": "ai.chat", "input": {"prompt": "Hello"}}


class Spending(msgspec.Struct, frozen=True):
    pass


class Budget:
    def __init__(self) -> None:
        self.left = 0


async def spend(input: Spending, budget: Budget) -> Spending:
    if not budget.left:
        raise quota.refusal(LimitState(Level.TEAM, Dimension.REQUESTS, 1, Window.DAY, 1, 0))
    return input


async def switched(ann: Caller, feature: str, *, on: bool) -> None:
    answer = await ann.post(f"/api/features/{feature}", {"enabled": on})
    assert answer.status_code == 200, answer.text


async def test_a_feature_that_is_off_refuses_its_jobs(world: World) -> None:
    ann = await world.bootstrap()
    before = await ask(ann)
    await switched(ann, "chat", on=False)
    refused = await ann.post("/api/jobs", WISH)
    assert (refused.status_code, refused.json()["code"]) == (403, "feature_disabled")
    async with running(world):
        done = await ended(ann, before["id"])
    assert (done["state"], done["error"]["code"]) == ("failed", "feature_disabled"), "asked for while it was on"
    again = await ann.post("/api/jobs", {"retry_of": before["id"]})
    assert (again.status_code, again.json()["code"]) == (403, "feature_disabled")
    await switched(ann, "chat", on=True)
    assert (await ann.post("/api/jobs", WISH)).status_code == 202


async def test_a_kind_asks_for_the_permission_of_what_it_stands_for(world: World) -> None:
    ann = await world.bootstrap()
    chatting = await world.token(await world.person(ann.org, ann.team, Role.MEMBER), scope=["chat:use"])
    refused = await chatting.post("/api/jobs", {"kind": "repo.extract_text", "input": {"object_id": "x"}})
    assert (refused.status_code, refused.json()["code"]) in {(403, "forbidden"), (403, "out_of_scope")}, refused.text


async def test_a_budget_that_a_handler_meets_parks_its_job(world: World) -> None:
    ann, budget = await world.bootstrap(), Budget()
    kinds, faults = jobs.bind([sys.modules[__name__]], {Budget: budget})
    assert not faults
    queue(world).kinds.add(kinds)
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    async with world.db.maintenance(who) as tx:
        job_id = await queue(world).enqueue(tx, who, "test.spend", Spending())
    async with running(world):
        shown = await parked(ann, job_id)
        assert (shown["state"], shown["attempt"]) == ("queued", 0), "no attempt is counted"
        budget.left = 1
        limit = {"dimension": "ai.requests", "limit": 9, "window": "day"}
        assert (await ann.post("/api/quota", limit)).status_code == 200
        await jobs.sweep(world.db, queue(world))
        assert (await ended(ann, job_id))["state"] == "succeeded"
    assert await unsound(world) == []


async def parked(ann: Caller, job_id: str) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while True:
            shown = await look(ann, job_id)
            if shown["waiting"] and shown["waiting"]["reason"] == "quota":
                return shown
            await asyncio.sleep(0.02)
