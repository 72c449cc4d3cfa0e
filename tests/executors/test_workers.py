"""Remote workers: claiming, reporting, and stale claims."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from teamspace import identity, jobs
from teamspace.ai.domain import resolving
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.db.engine import Params, Row
from teamspace.core.errors import Overloaded
from teamspace.jobs.domain.handed_out import HandedOut
from teamspace.tenancy.schemas import OrgRole, Role
from tests.executors.help import Worker, create_job, executor
from tests.identity.help import Hands, hands, refusal, run_sql
from tests.jobs.help import broken_invariants, ended, get_job, queue, result, running
from tests.support.moment import move_clock, stop_clock
from tests.support.world import World

__all__ = ["hands"]

STALE = (409, "stale_claim")


async def test_a_worker_claims_a_job_and_reports_its_result(world: World) -> None:
    ann = await world.bootstrap()
    created, worker = await executor(world, ann, model="llama")
    job = await create_job(ann, "Hello")
    assert (job["state"], job["waiting"]["reason"]) == ("queued", "no_worker")
    claimed = await worker.claim_job(models=["llama"])
    assert claimed["job"] == {
        "id": job["id"],
        "kind": "ai.chat",
        "input": {"prompt": "Hello", "model": "llama"},
        "model": "llama",
        "attempt": 1,
    }
    shown = await get_job(ann, job["id"])
    assert (shown["state"], shown["executor"]) == ("running", created["id"])
    assert shown["lease_expires_at"] == claimed["lease_expires_at"]
    beat = await worker.report("heartbeat", claimed, progress=0.5, message="Half")
    assert beat.json()["lease_expires_at"] > claimed["lease_expires_at"]
    assert (await get_job(ann, job["id"]))["progress"] == 0.5
    assert (await worker.report("complete", claimed, result=result("Hi"))).status_code == 204
    shown = await get_job(ann, job["id"])
    assert (shown["state"], shown["result"]["text"]) == ("succeeded", "Hi")
    assert await broken_invariants(world) == []


@pytest.mark.parametrize("fault", [Overloaded("server.overloaded"), RuntimeError("a bug")])
async def test_a_job_that_cannot_be_given_out_is_tried_later_and_the_next_one_is_given_out(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    first, second = await create_job(ann, "One"), await create_job(ann, "Two")
    resolve, faults = resolving.resolve, [fault]

    async def fail_once(*arguments: Any) -> Any:
        if faults:
            raise faults.pop()
        return await resolve(*arguments)

    monkeypatch.setattr(resolving, "resolve", fail_once)
    assert (await worker.claim_job())["job"]["id"] == second["id"]
    waiting = await get_job(ann, first["id"])
    assert (waiting["state"], waiting["waiting"]["reason"]) == ("queued", "retry")
    assert await broken_invariants(world) == []


async def test_a_claim_without_a_job_is_empty(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    answer = await worker.claim()
    assert (answer.status_code, answer.content) == (204, b"")


async def test_without_an_executor_the_server_runs_the_job(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        assert (await ended(ann, (await create_job(ann))["id"]))["executor"] == "local"


async def test_a_model_and_an_executor_can_be_named(world: World) -> None:
    ann = await world.bootstrap()
    _, small_worker = await executor(world, ann, "Small", model="small")
    _, large_worker = await executor(world, ann, "Large", model="large")
    by_model = await create_job(ann, input={"prompt": "x", "model": "large"})
    by_name = await create_job(ann, input={"prompt": "x", "executor": "small"})
    here = await create_job(ann, input={"prompt": "x", "executor": "local"})
    assert (await large_worker.claim_job())["job"]["id"] == by_model["id"]
    assert (await small_worker.claim_job())["job"]["id"] == by_name["id"]
    assert (await small_worker.claim()).status_code == 204
    async with running(world):
        assert (await ended(ann, here["id"]))["executor"] == "local"
    for target, pointer in (({"model": "none"}, "/input/model"), ({"executor": "none"}, "/input/executor")):
        refused = await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "x", **target}})
        assert refusal(refused) == (400, "invalid_request")
        assert refused.json()["errors"][0]["pointer"] == pointer


async def test_only_operators_choose_an_executor(world: World) -> None:
    ann = await world.bootstrap()
    await executor(world, ann, "Big")
    member = await world.person(ann.org, ann.team)
    refused = await member.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "x", "executor": "big"}})
    assert refusal(refused) == (403, "forbidden")


async def test_a_company_s_executor_serves_only_that_company(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    org_admin = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
    created, worker = await executor(world, org_admin, "Ours", "/api/org/executors")
    assert created["org_id"] == org.id
    theirs = await create_job(ann)
    async with running(world):
        await ended(ann, theirs["id"])
    assert (await worker.claim()).status_code == 204
    ours = await create_job(org_admin)
    assert (await worker.claim_job())["job"]["id"] == ours["id"]
    outsider = await world.person(*(await world.company()))
    assert "Ours" not in (await outsider.get("/api/executors")).text
    assert "Ours" in (await org_admin.get("/api/executors")).text
    assert await broken_invariants(world) == []


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
async def test_a_wrong_claim_token_is_refused(world: World, verb: str) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await create_job(ann)
    claimed = await worker.claim_job()
    bodies: dict[str, dict[str, Any]] = {"complete": {"result": result()}, "fail": {"error": "no"}}
    more = bodies.get(verb, {})
    token = claimed["claim_token"]
    id, attempt, secret = token.split(".")
    for wrong in (
        "",
        "x",
        f"{id}.2.{secret}",
        f"{id}.1.{secret}x",
        f"{id}.{attempt}.",
        f"x.{attempt}.{secret}",
        f"{id}.٣.x",
    ):
        assert refusal(await worker.report(verb, {**claimed, "claim_token": wrong}, **more)) == STALE, wrong
    assert refusal(await worker.post(f"/api/workers/jobs/{id}/{verb}", more)) == STALE
    assert (await get_job(ann, job["id"]))["state"] == "running"


async def test_reports_after_the_lease_expired_are_refused(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    _, other = await executor(world, ann, "Another")
    await create_job(ann)
    late = await worker.claim_job()
    hands.forward(61)
    await move_clock(world, 61)
    await jobs.sweep(world.db, queue(world))
    second = await other.claim_job()
    assert second["job"]["attempt"] == 2
    assert refusal(await worker.report("complete", late, result=result("Late"))) == STALE
    assert refusal(await worker.report("fail", late, error="Late")) == STALE
    assert (await other.report("complete", second, result=result("In time"))).status_code == 204
    assert await broken_invariants(world) == []


async def test_jobs_of_a_retired_executor_go_to_others_and_its_token_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    created, worker = await executor(world, ann, "Old")
    _, other = await executor(world, ann, "New")
    job = await create_job(ann)
    claimed = await worker.claim_job()
    assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
    assert refusal(await worker.report("complete", claimed, result=result())) == (401, "unauthenticated")
    assert refusal(await worker.claim()) == (401, "unauthenticated")
    again = await other.claim_job()
    assert (again["job"]["id"], again["job"]["attempt"]) == (job["id"], 2)
    assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 404
    assert [row["name"] for row in (await ann.get("/api/executors")).json()["items"]] == ["local", "New"]
    assert await broken_invariants(world) == []


async def test_tokens_of_executors_retired_long_ago_are_deleted(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created, _ = await executor(world, ann)
    await ann.delete(f"/api/executors/{created['id']}")
    await run_sql(world, "INSERT INTO login_attempts VALUES ('user:bob', 1, '2000')")
    hands.forward(31 * clock.DAY)
    await identity.delete_expired_credentials(world.db)
    assert not await world.db.exists("SELECT 1 FROM tokens WHERE kind = 'worker'")
    assert not await world.db.exists("SELECT 1 FROM login_attempts")
    assert await broken_invariants(world) == []


async def test_a_job_of_a_retired_executor_keeps_all_its_attempts(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created, worker = await executor(world, ann, "Old")
    _, other = await executor(world, ann, "New")
    job = await create_job(ann)
    await worker.claim_job()
    assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
    states = []
    for tries in range(1, 4):
        await other.report("fail", await other.claim_job(), error={"message": "It did not work.", "retryable": True})
        states.append((await get_job(ann, job["id"]))["state"])
        hands.forward(15)
        await move_clock(world, 15 * tries)
        await jobs.sweep(world.db, queue(world))
    assert states == ["queued", "queued", "failed"]


async def test_a_parked_job_takes_no_slot_once_its_workers_are_gone(world: World, hands: Hands) -> None:
    hands.at = 1_800_000_000.0
    await stop_clock(world, hands.at)
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    limit = {"dimension": "ai.requests", "limit": 1, "window": "day"}
    assert (await ann.post("/api/quota", limit)).status_code == 200
    asked = [await create_job(ann) for _ in range(2)]
    await worker.claim_job()
    assert (await worker.claim()).status_code == 204
    assert (await get_job(ann, asked[1]["id"]))["waiting"]["reason"] == "quota"
    hands.forward(61)
    await stop_clock(world, hands.at)
    await jobs.tidy(world.db, queue(world))
    assert (await get_job(ann, asked[1]["id"]))["waiting"]["reason"] == "no_worker"
    assert await broken_invariants(world) == []


@pytest.mark.both_databases
async def test_each_job_goes_to_one_of_fifty_workers(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    for _ in range(5):
        person = await world.person(ann.org, await world.team(ann.org))
        for _ in range(6):
            await create_job(person)

    async def work() -> list[str]:
        done: list[str] = []
        while (answer := await worker.claim()).status_code == 200:
            claimed = answer.json()
            done.append(claimed["job"]["id"])
            assert (await worker.report("complete", claimed, result=result())).status_code == 204
        return done

    done = [id for part in await asyncio.gather(*(work() for _ in range(50))) for id in part]
    assert (len(done), len(set(done))) == (30, 30)
    assert await broken_invariants(world) == []


@pytest.mark.parametrize("lost_right", ["feature", "person"])
async def test_a_job_that_is_no_longer_allowed_fails_instead_of_being_claimed(world: World, lost_right: str) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    _, worker = await executor(world, ann, model="llama")
    job, code = await create_job(bob, "Hello"), {"feature": "feature_disabled", "person": "unauthenticated"}[lost_right]
    if lost_right == "feature":
        await ann.post("/api/features/chat", {"enabled": False})
    else:
        await ann.delete(f"/api/members/{bob.user_id}")
    assert (await worker.claim(models=["llama"])).status_code == 204
    assert (await get_job(ann, job["id"]))["state"] == "failed"
    assert code in (await world.db.one(str, "SELECT error FROM jobs WHERE id = :id", id=job["id"]) or "")
    assert await broken_invariants(world) == []


@pytest.mark.parametrize("lost_right", ["feature", "person"])
async def test_a_right_that_is_lost_between_two_jobs_counts_for_the_second(world: World, lost_right: str) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    _, worker = await executor(world, ann, model="llama")
    await create_job(bob, "First")
    await worker.claim_job(models=["llama"])
    second = await create_job(bob, "Second")
    if lost_right == "feature":
        await ann.post("/api/features/chat", {"enabled": False})
    else:
        await ann.delete(f"/api/members/{bob.user_id}")
    assert (await worker.claim(models=["llama"])).status_code == 204
    assert (await get_job(ann, second["id"]))["state"] == "failed"


async def test_a_worker_s_next_job_reads_nothing_that_is_known(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, model="llama")
    for number in range(2):
        await create_job(ann, f"Job {number}")
    await queue(world).promote_waiting(world.db)
    await worker.report("complete", await worker.claim_job(), result=result())
    read: list[str] = []
    fetch = Db._fetch

    async def recorded(db: Db, sql: str, params: Params) -> Sequence[Row]:
        read.append(sql)
        return await fetch(db, sql, params)

    monkeypatch.setattr(Db, "_fetch", recorded)
    claimed = await worker.claim_job()
    assert (await worker.report("complete", claimed, result=result())).status_code == 204
    assert [sql for sql in read if "rights_epoch" not in sql] == [], "neither executor nor requester nor job"


async def test_a_result_that_another_process_gets_is_checked_all_the_same(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, model="llama")
    job = await create_job(ann)
    claimed = await worker.claim_job()
    world.app.queue._handed_out = HandedOut()
    refused = await worker.report("complete", claimed, result={"text": 1})
    assert (refused.status_code, refused.json()["code"]) == (422, "response_refused"), refused.text
    assert (await worker.report("complete", claimed, result=result())).status_code == 204
    assert (await get_job(ann, job["id"]))["state"] == "succeeded"


async def test_an_invalid_result_of_a_stale_claim_is_stale(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, model="llama")
    await create_job(ann)
    claimed = await worker.claim_job()
    hands.forward(61)
    await move_clock(world, 61)
    await jobs.sweep(world.db, queue(world))
    assert refusal(await worker.report("complete", claimed, result={"text": 1})) == STALE


async def test_a_worker_s_health_is_shown(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created, worker = await executor(world, ann)
    assert (created["health"], created["last_seen_at"], created["running"]) == ("new", None, 0)

    async def shown() -> dict[str, Any]:
        items: list[dict[str, Any]] = (await ann.get("/api/executors")).json()["items"]
        assert all("token" not in item for item in items)
        return next(item for item in items if item["id"] == created["id"])

    await create_job(ann)
    await worker.claim_job()
    assert ((await shown())["health"], (await shown())["running"]) == ("up", 1)
    for seconds, offset, health in ((61, 61, "stale"), (3600, 3661, "down")):
        hands.forward(seconds)
        await move_clock(world, offset)
        assert (await shown())["health"] == health


async def test_a_worker_token_without_an_executor_claims_nothing(world: World) -> None:
    ann = await world.bootstrap()
    orphan = await world.worker(ann.org, ann.team)
    await run_sql(world, "DELETE FROM executors")
    assert refusal(await Worker(world, orphan.token).claim()) == (403, "forbidden")


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"mode": "pull"}, ""),
    ({"name": "", "mode": "pull"}, "/name"),
    ({"name": "x", "mode": "carry"}, "/mode"),
    ({"name": "x", "mode": "local"}, "/mode"),
    ({"name": "x", "mode": "pull", "capabilities": ["ai.dance"]}, "/capabilities"),
    ({"name": "x", "mode": "pull", "capabilities": []}, "/capabilities"),
)


async def test_an_invalid_executor_is_refused_with_a_pointer_to_the_field(world: World) -> None:
    ann = await world.bootstrap()
    for body, pointer in WRONG:
        answer = await ann.post("/api/executors", body)
        assert refusal(answer) == (400, "invalid_request"), body
        assert answer.json()["errors"][0]["pointer"] == pointer
    await executor(world, ann, "Twice")
    again = await ann.post("/api/executors", {"name": "TWICE", "mode": "pull"})
    assert refusal(again) == (409, "conflict")
    assert (await ann.post("/api/executors", {"name": "x", "mode": "pull", "org_id": "none"})).status_code == 404


async def test_echo_is_charged_like_a_request(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/ai/echo", {"prompt": "x" * 9})
    assert answer.json() == {
        "text": "x" * 9, "model": "echo", "usage": {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3},
        "finish_reason": "stop",
    }  # fmt: skip
    rows = {row["dimension"]: row["used"] for row in (await ann.get("/api/usage")).json()["items"]}
    assert rows == {
        "ai.requests": 1,
        "ai.tokens.total": 3,
        "ai.concurrency": 0,
        "storage.bytes": 0,
        "storage.objects": 0,
    }
    limit = {"dimension": "ai.tokens.total", "limit": 5, "window": "day"}
    assert (await ann.post("/api/quota", limit)).status_code == 200
    refused = await ann.post("/api/ai/echo", {"prompt": "x" * 9})
    assert refusal(refused) == (429, "quota_exceeded")
    assert (refused.json()["dimension"], refused.json()["level"]) == ("ai.tokens.total", "team")
    assert await broken_invariants(world) == []
