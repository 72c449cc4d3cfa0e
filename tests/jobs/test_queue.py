"""The queue: jobs are enqueued in the caller's transaction, claimed under a lease, and ended exactly once."""

import asyncio
from typing import Any

import pytest

from teamspace import jobs
from teamspace.core.errors import ResponseRefused, StaleClaim
from teamspace.core.messages import render
from teamspace.core.principal import system
from teamspace.jobs import Authority
from teamspace.jobs.domain.ending import MAX_LEASE_EXPIRIES
from teamspace.tenancy.schemas import Role
from tests.identity.help import Hands, hands, refusal
from tests.jobs.help import broken_invariants, claim, complete, create_job, ended, fail, get_job, queue, result, running
from tests.support.moment import move_clock
from tests.support.world import World

__all__ = ["hands"]


async def test_a_job_is_created_run_and_shown(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        created = await create_job(ann, "Say something.")
        assert (created["kind"], created["owner"]) == ("ai.chat", ann.user_id)
        job = await ended(ann, created["id"])
    assert (job["state"], job["attempt"], job["error"], job["waiting"]) == ("succeeded", 1, None, None)
    assert "Say something." in job["result"]["text"]
    assert "simulated" in job["result"]["text"]
    assert job["input"] == {"prompt": "Say something."}
    usage = {row["dimension"]: row for row in (await ann.get("/api/usage")).json()["items"]}
    assert usage["ai.requests"]["used"] == 1
    assert usage["ai.tokens.total"]["used"] == job["result"]["usage"]["total_tokens"]
    assert usage["ai.concurrency"]["reserved"] == 0
    assert await broken_invariants(world) == []


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "/kind"),
    ({"kind": "ai.dance", "input": {}}, "/kind"),
    ({"kind": "ai.chat"}, "/input/prompt"),
    ({"kind": "ai.chat", "input": {"prompt": 5}}, "/input/prompt"),
    ({"kind": "ai.chat", "input": {"prompt": "x", "colour": "red"}}, "/input"),
    ({"kind": "ai.chat", "input": {"prompt": "x"}, "priority": 3}, "/priority"),
    ({"kind": "ai.chat", "input": {"prompt": "x"}, "run_at": "tomorrow"}, "/run_at"),
    ({"kind": "ai.chat", "retry_of": "x"}, "/retry_of"),
)


async def test_an_invalid_job_is_refused_with_a_pointer_to_the_field(world: World) -> None:
    ann = await world.bootstrap()
    for body, pointer in WRONG:
        answer = await ann.post("/api/jobs", body)
        assert refusal(answer) == (400, "invalid_request"), body
        assert answer.json()["errors"][0]["pointer"] == pointer
    assert await world.db.one(int, "SELECT COUNT(*) FROM jobs") == 0


async def test_each_job_is_claimed_once(world: World) -> None:
    ann = await world.bootstrap()  # the unlimited plan
    for _ in range(10):
        person = await world.person(ann.org, await world.team(ann.org))
        for _ in range(3):
            await create_job(person)
    taken: list[str] = []

    async def work() -> None:
        while got := await claim(world, 2):
            taken.extend(job.id for job, _ in got)
            for _, claimed in got:
                await complete(world, claimed)

    await asyncio.gather(*(work() for _ in range(8)))
    assert len(taken) == len(set(taken))
    assert len(taken) == 30
    assert await world.db.all(str, "SELECT DISTINCT state FROM jobs") == ["succeeded"]
    assert await broken_invariants(world) == []


async def test_a_team_runs_no_more_jobs_than_its_plan_allows(world: World) -> None:
    org, team = await world.company()  # the free plan: two of a kind at a time
    person = await world.person(org, team)
    created = [await create_job(person) for _ in range(5)]
    first = await claim(world, 10)
    assert [job.id for job, _ in first] == [job["id"] for job in created[:2]]
    assert await claim(world, 10) == []
    assert (await get_job(person, created[3]["id"]))["waiting"]["reason"] == "cap"
    await complete(world, first[0][1])
    (third,) = await claim(world, 10)
    assert third[0].id == created[2]["id"]


async def test_priority_orders_a_team_s_own_jobs(world: World) -> None:
    org, team = await world.company()
    person = await world.person(org, team)
    created = [(await create_job(person, priority=priority))["id"] for priority in (2, 1, 0, 1, 0)]
    order = []
    claimed = await claim(world, 10)
    while claimed:
        job, token = claimed.pop(0)
        order.append(job.id)
        await complete(world, token)
        claimed += await claim(world, 10)
    assert order == [created[2], created[4], created[1], created[3], created[0]]


async def test_a_busy_team_does_not_make_others_wait(world: World) -> None:
    org, busy = await world.company()
    first = await world.person(org, busy)
    for _ in range(30):
        await create_job(first)
    claimed = await claim(world)  # one worker, always busy
    for number in range(9):
        quiet = await world.person(org, await world.team(org))
        mine = (await create_job(quiet))["id"]
        waited = 0
        while claimed[0][0].id != mine:
            await complete(world, claimed[0][1])
            claimed = await claim(world)
            waited += 1
        assert waited <= 2, number


async def test_an_invalid_result_is_refused_and_the_job_stays_claimed(world: World) -> None:
    ann = await world.bootstrap()
    job = await create_job(ann)
    ((_, claimed),) = await claim(world)
    for wrong in ({}, {"text": 5}, "text", None, {"text": "x", "usage": {}}):
        with pytest.raises(ResponseRefused):
            await complete(world, claimed, wrong if wrong is not None else [])
    assert (await get_job(ann, job["id"]))["state"] == "running"
    await complete(world, claimed)
    assert (await get_job(ann, job["id"]))["result"]["text"] == "Done"


async def test_completing_again_with_the_same_result_is_accepted_and_with_another_refused(world: World) -> None:
    ann = await world.bootstrap()
    await create_job(ann)
    ((_, claimed),) = await claim(world)
    for _ in range(3):
        await complete(world, claimed, result("Once"))
    with pytest.raises(StaleClaim):
        await complete(world, claimed, result("Twice"))
    with pytest.raises(StaleClaim):
        await fail(world, claimed)
    usage = (await ann.get("/api/usage")).json()["items"]
    assert usage[0]["used"] == 1
    assert await broken_invariants(world) == []


async def test_a_failed_job_is_retried_with_growing_delays_and_then_given_up(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created = await create_job(ann)
    offset = 0.0
    for attempt in (1, 2, 3):
        ((job, claimed),) = await claim(world)
        assert job.attempt == attempt
        await fail(world, claimed)
        shown = await get_job(ann, created["id"])
        if attempt < 3:
            assert (shown["state"], shown["waiting"]["reason"]) == ("queued", "retry")
            assert await claim(world) == []
            hands.forward(20)
            offset += 20
            await move_clock(world, offset)
            await jobs.sweep(world.db, queue(world))
    assert (shown["state"], shown["error"]["code"], shown["attempt"]) == ("failed", "broken", 3)
    again = await ann.post("/api/jobs", {"retry_of": created["id"]})
    assert again.status_code == 202
    assert again.json()["retry_of"] == created["id"]
    assert await broken_invariants(world) == []


async def test_a_final_failure_is_not_retried(world: World) -> None:
    ann = await world.bootstrap()
    created = await create_job(ann)
    ((_, claimed),) = await claim(world)
    await fail(world, claimed, retryable=False)
    assert (await get_job(ann, created["id"]))["state"] == "failed"


async def test_an_attempt_whose_lease_expired_changes_nothing(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created = await create_job(ann)
    ((_, late),) = await claim(world)
    hands.forward(61)
    await move_clock(world, 61)
    for attempt in (complete(world, late), fail(world, late), queue(world).extend(world.db, late)):
        with pytest.raises(StaleClaim):
            await attempt
    await jobs.sweep(world.db, queue(world))
    ((job, claimed),) = await claim(world)
    assert (job.id, job.attempt) == (created["id"], 2)
    for attempt in (complete(world, late), fail(world, late), queue(world).extend(world.db, late)):
        with pytest.raises(StaleClaim):
            await attempt
    await complete(world, claimed, result("By the second"))
    assert (await get_job(ann, created["id"]))["result"]["text"] == "By the second"
    assert await broken_invariants(world) == []


async def test_a_heartbeat_extends_the_lease_and_reports_progress(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created = await create_job(ann)
    ((_, claimed),) = await claim(world)
    for seconds, offset in ((10, 10), (50, 60), (50, 110)):
        hands.forward(seconds)
        await move_clock(world, offset)
        await queue(world).extend(world.db, claimed, progress=0.25, message="A quarter")
        await jobs.sweep(world.db, queue(world))
    shown = await get_job(ann, created["id"])
    assert (shown["state"], shown["progress"], shown["message"]) == ("running", 0.25, "A quarter")
    await complete(world, claimed)
    assert await broken_invariants(world) == []


async def test_a_job_whose_lease_expires_too_often_is_given_up(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created = await create_job(ann)
    for lapse in range(1, MAX_LEASE_EXPIRIES + 1):
        assert len(await claim(world)) == 1
        hands.forward(61)
        await move_clock(world, 61 * lapse)
        await jobs.sweep(world.db, queue(world))
    shown = await get_job(ann, created["id"])
    assert (shown["state"], shown["error"]["code"]) == ("failed", "lost")
    assert (shown["error"]["key"], shown["error"]["params"]) == ("jobs.lost", {"times": MAX_LEASE_EXPIRIES})
    assert shown["error"]["message"] == render(shown["error"]["key"], shown["error"]["params"])
    assert await broken_invariants(world) == []


async def test_a_scheduled_job_waits_for_its_start_time(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created = await create_job(ann, run_at="2001-01-01T00:00:00Z")
    assert created["waiting"]["reason"] == "next"
    later = await create_job(ann, run_at="2999-01-01T00:00:00+01:00")
    assert (later["waiting"]["reason"], later["waiting"]["until"]) == ("scheduled", "2998-12-31T23:00:00.000Z")
    assert [job.id for job, _ in await claim(world, 5)] == [created["id"]]


async def test_only_queued_jobs_can_be_cancelled(world: World) -> None:
    org, team = await world.company()
    person = await world.person(org, team)
    created = [(await create_job(person))["id"] for _ in range(4)]
    ((job, claimed), _) = await claim(world, 2)
    refused = await person.post(f"/api/jobs/{job.id}/cancel")
    assert refusal(refused) == (409, "not_cancellable")
    for waiting in created[2:]:
        answer = await person.post(f"/api/jobs/{waiting}/cancel")
        assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
        assert refusal(await person.post(f"/api/jobs/{waiting}/cancel")) == (409, "not_cancellable")
    await complete(world, claimed)
    assert await claim(world, 5) == []
    assert await broken_invariants(world) == []


async def test_the_next_job_can_be_cancelled_while_another_completes(world: World) -> None:
    org, team = await world.company()
    person = await world.person(org, team)
    created = [(await create_job(person))["id"] for _ in range(32)]
    claimed = await claim(world, 2)
    for waiting in created[2::2]:
        (_, token), *claimed = claimed
        _, answer = await asyncio.gather(complete(world, token), person.post(f"/api/jobs/{waiting}/cancel"))
        assert answer.status_code == 200
        claimed += await claim(world, 1)
    assert await broken_invariants(world) == []


async def test_a_full_quota_parks_a_job_and_tells_when_it_resets(world: World, hands: Hands) -> None:
    hands.at = 1_709_208_030.0
    await move_clock(world, hands.at - 1_800_000_000)
    ann = await world.bootstrap()
    limit = {"dimension": "ai.requests", "limit": 1, "window": "hour"}
    assert (await ann.post("/api/quota", limit)).status_code == 200
    first, second = await create_job(ann), await create_job(ann)
    taken = await claim(world, 5)
    assert [job.id for job, _ in taken] == [first["id"]]
    shown = await get_job(ann, second["id"])
    assert (shown["state"], shown["waiting"]["reason"], shown["attempt"]) == ("queued", "quota", 0)
    assert (shown["waiting"]["quota"]["dimension"], shown["waiting"]["quota"]["level"]) == ("ai.requests", "team")
    assert shown["waiting"]["until"] == "2024-02-29T13:00:00.000Z"
    assert shown["waiting"]["key"] == "waiting.quota"
    assert shown["waiting"]["params"] == {"dimension": "ai.requests", "level": "team"}
    assert shown["waiting"]["detail"] == "The quota ai.requests (team) is used up."
    await complete(world, taken[0][1])
    refused = await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "x"}})
    assert refusal(refused) == (429, "quota_exceeded")
    assert refused.headers["retry-after"] == "3570"
    assert await broken_invariants(world) == []


async def test_jobs_of_a_suspended_company_wait_and_running_ones_complete(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    person = await world.person(org, team)
    created = [(await create_job(person))["id"] for _ in range(3)]
    ((_, claimed),) = await claim(world)
    assert (await ann.post(f"/api/orgs/{org.slug}/suspend")).status_code == 200
    assert await claim(world, 5) == []
    assert (await get_job(person, created[1]))["waiting"]["reason"] == "suspended"
    await complete(world, claimed)
    assert await claim(world, 5) == []
    assert (await ann.post(f"/api/orgs/{org.slug}/resume")).status_code == 200
    await jobs.tidy(world.db, queue(world))
    assert {job.id for job, _ in await claim(world, 5)} == set(created[1:])


async def test_a_job_without_a_subject_is_its_requesters_and_others_see_a_summary(world: World) -> None:
    org, team = await world.company()
    admin, one, other = [await world.person(org, team, role) for role in (Role.ADMIN, Role.MEMBER, Role.MEMBER)]
    mine, theirs = (await create_job(one))["id"], (await create_job(other))["id"]
    for reader, views in ((admin, ["outline", "outline"]), (one, ["outline", "full"])):
        items = (await reader.get("/api/jobs")).json()["items"]
        assert [(job["id"], job["view"]) for job in items] == list(zip([theirs, mine], views, strict=True))
    shown = (await one.get(f"/api/jobs/{theirs}")).json()
    assert shown.keys() == {"view", "id", "kind", "state", "created_at", "started_at", "finished_at"}
    assert (shown["view"], shown["kind"], shown["state"]) == ("outline", "ai.chat", "queued")
    assert refusal(await one.post(f"/api/jobs/{theirs}/cancel")) == (403, "forbidden")
    assert refusal(await one.post("/api/jobs", {"retry_of": theirs})) == (404, "not_found")
    cancelled = await admin.post(f"/api/jobs/{theirs}/cancel")
    assert (cancelled.status_code, cancelled.json()["view"]) == (200, "outline"), (
        "managers cancel what they cannot read"
    )
    assert [job["id"] for job in (await admin.get("/api/jobs?state=queued&limit=1")).json()["items"]] == [mine]


async def test_old_jobs_are_archived_and_still_found(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    old = await create_job(ann)
    ((_, claimed),) = await claim(world)
    await complete(world, claimed)
    hands.forward(8 * 24 * 3600)
    await move_clock(world, 8 * 24 * 3600)
    new = await create_job(ann)
    await jobs.tidy(world.db, queue(world))
    assert await world.db.all(str, "SELECT id FROM job_archive") == [old["id"]]
    assert (await get_job(ann, old["id"]))["result"]["text"] == "Done"
    assert [job["id"] for job in (await ann.get("/api/jobs")).json()["items"]] == [new["id"], old["id"]]
    first = (await ann.get("/api/jobs?limit=1")).json()
    assert [job["id"] for job in first["items"]] == [new["id"]]
    rest = (await ann.get(f"/api/jobs?limit=1&cursor={first['next_cursor']}")).json()
    assert [job["id"] for job in rest["items"]] == [old["id"]]
    assert await broken_invariants(world) == []


async def test_a_job_of_a_rolled_back_transaction_is_not_queued(world: World) -> None:
    ann = await world.bootstrap()
    principal = system(org_id=ann.org.id, team_id=ann.team.id)
    kind = queue(world).kinds["ai.chat"]
    with pytest.raises(RuntimeError):
        async with world.db.maintenance(principal) as tx:
            await queue(world).enqueue(tx, Authority.of(principal), "ai.chat", kind.read_input({"prompt": "x"}))
            raise RuntimeError
    assert await claim(world, 5) == []


async def test_a_negative_token_count_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    await create_job(ann)
    ((_, claimed),) = await claim(world)
    with pytest.raises(ResponseRefused):
        await complete(world, claimed, result(tokens=-5))


async def test_a_smaller_plan_withdraws_jobs_admitted_beyond_its_cap(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    person = await world.person(org, team)
    assert (await ann("PATCH", f"/api/orgs/{org.slug}", {"plan": "pro"})).status_code == 200
    created = [(await create_job(person))["id"] for _ in range(4)]
    ((first, claimed),) = await claim(world)
    assert (await ann("PATCH", f"/api/orgs/{org.slug}", {"plan": "free"})).status_code == 200
    ((second, _),) = await claim(world, 5)
    assert [first.id, second.id] == created[:2]
    assert (await get_job(person, created[2]))["waiting"]["reason"] == "cap"
    await complete(world, claimed)
    assert [job.id for job, _ in await claim(world, 5)] == created[2:3]
    assert await broken_invariants(world) == []
