"""Features and permissions that a kind requires, and jobs whose handler hits a quota."""

import asyncio
import sys
from typing import Any

import msgspec

from teamspace import jobs, quota
from teamspace.core.principal import Call, Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority
from teamspace.quota import Dimension, Level, LimitState
from teamspace.quota.schemas import Window
from teamspace.tenancy.schemas import Role
from tests.jobs.help import broken_invariants, create_job, ended, get_job, queue, running
from tests.support.world import Caller, World

JOBS = (JobSpec("test.spend", "spend", "Meets a budget until there is one."),)
DRAFT = {"kind": "ai.chat", "input": {"prompt": "Hello"}}


class Spending(msgspec.Struct, frozen=True):
    pass


class Budget:
    def __init__(self) -> None:
        self.left = 0


async def spend(input: Spending, budget: Budget) -> Spending:
    if not budget.left:
        raise quota.refusal(LimitState(Level.TEAM, Dimension.REQUESTS, 1, Window.DAY, 1, 0))
    return input


async def switch_feature(ann: Caller, feature: str, *, on: bool) -> None:
    answer = await ann.post(f"/api/features/{feature}", {"enabled": on})
    assert answer.status_code == 200, answer.text


async def test_jobs_of_a_disabled_feature_are_refused(world: World) -> None:
    ann = await world.bootstrap()
    before = await create_job(ann)
    await switch_feature(ann, "chat", on=False)
    refused = await ann.post("/api/jobs", DRAFT)
    assert (refused.status_code, refused.json()["code"]) == (403, "feature_disabled")
    async with running(world):
        done = await ended(ann, before["id"])
    assert (done["state"], done["error"]["code"]) == ("failed", "feature_disabled"), (
        "it was created while the feature was on"
    )
    again = await ann.post("/api/jobs", {"retry_of": before["id"]})
    assert (again.status_code, again.json()["code"]) == (403, "feature_disabled")
    await switch_feature(ann, "chat", on=True)
    assert (await ann.post("/api/jobs", DRAFT)).status_code == 202


async def test_a_kind_requires_its_own_permission(world: World) -> None:
    ann = await world.bootstrap()
    chatting = await world.token(await world.person(ann.org, ann.team, Role.MEMBER), scope=["chat:use"])
    refused = await chatting.post("/api/jobs", {"kind": "repo.extract_text", "input": {"object_id": "x"}})
    assert (refused.status_code, refused.json()["code"]) in {(403, "forbidden"), (403, "out_of_scope")}, refused.text


async def test_a_job_is_parked_when_its_handler_hits_a_quota(world: World) -> None:
    ann, budget = await world.bootstrap(), Budget()
    kinds, faults = jobs.bind([sys.modules[__name__]], {Budget: budget})
    assert not faults
    queue(world).kinds.add(kinds)
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    async with world.db.maintenance(who) as tx:
        job_id = await queue(world).enqueue(tx, Authority.of(who), "test.spend", Spending())
    async with running(world):
        shown = await wait_until_parked(ann, job_id)
        assert (shown["state"], shown["attempt"]) == ("queued", 0), "no attempt is counted"
        budget.left = 1
        limit = {"dimension": "ai.requests", "limit": 9, "window": "day"}
        assert (await ann.post("/api/quota", limit)).status_code == 200
        await jobs.sweep(world.db, queue(world))
        assert (await ended(ann, job_id))["state"] == "succeeded"
    assert await broken_invariants(world) == []


async def wait_until_parked(ann: Caller, job_id: str) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while True:
            shown = await get_job(ann, job_id)
            if shown["waiting"] and shown["waiting"]["reason"] == "quota":
                return shown
            await asyncio.sleep(0.02)
