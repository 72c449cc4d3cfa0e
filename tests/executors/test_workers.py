"""Remote workers: what they are handed, what they must show, and what never lands."""

import asyncio
from typing import Any

import pytest

from teamspace import identity, jobs
from teamspace.core import clock
from teamspace.tenancy.schemas import OrgRole, Role
from tests.executors.help import Worker, ask, executor
from tests.identity.help import Hands, hands, refusal, run_sql
from tests.jobs.help import ended, look, queue, result, running, unsound
from tests.support.moment import move_clock, stop_clock
from tests.support.world import World

__all__ = ["hands"]

STALE = (409, "stale_claim")


async def test_a_worker_is_handed_a_job_and_brings_its_result(world: World) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann, model="llama")
    job = await ask(ann, "Hello")
    assert (job["state"], job["waiting"]["reason"]) == ("queued", "no_worker")
    handed = await worker.handed(models=["llama"])
    assert handed["job"] == {
        "id": job["id"],
        "kind": "ai.chat",
        "input": {"prompt": "Hello", "model": "llama"},
        "model": "llama",
        "attempt": 1,
    }
    shown = await look(ann, job["id"])
    assert (shown["state"], shown["executor"]) == ("running", made["id"])
    assert shown["lease_expires_at"] == handed["lease_expires_at"]
    beat = await worker.tell("heartbeat", handed, progress=0.5, message="Half")
    assert beat.json()["lease_expires_at"] > handed["lease_expires_at"]
    assert (await look(ann, job["id"]))["progress"] == 0.5
    assert (await worker.tell("complete", handed, result=result("Hi"))).status_code == 204
    shown = await look(ann, job["id"])
    assert (shown["state"], shown["result"]["text"]) == ("succeeded", "Hi")
    assert await unsound(world) == []


async def test_there_may_be_nothing_to_do(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    answer = await worker.claim()
    assert (answer.status_code, answer.content) == (204, b"")


async def test_without_an_executor_the_server_does_it_itself(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        assert (await ended(ann, (await ask(ann))["id"]))["executor"] == "local"


async def test_a_model_and_an_executor_can_be_named(world: World) -> None:
    ann = await world.bootstrap()
    _, small_worker = await executor(world, ann, "Small", model="small")
    _, large_worker = await executor(world, ann, "Large", model="large")
    by_model = await ask(ann, input={"prompt": "x", "model": "large"})
    by_name = await ask(ann, input={"prompt": "x", "executor": "small"})
    here = await ask(ann, input={"prompt": "x", "executor": "local"})
    assert (await large_worker.handed())["job"]["id"] == by_model["id"]
    assert (await small_worker.handed())["job"]["id"] == by_name["id"]
    assert (await small_worker.claim()).status_code == 204
    async with running(world):
        assert (await ended(ann, here["id"]))["executor"] == "local"
    for wish, pointer in (({"model": "none"}, "/input/model"), ({"executor": "none"}, "/input/executor")):
        refused = await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "x", **wish}})
        assert refusal(refused) == (400, "invalid_request")
        assert refused.json()["errors"][0]["pointer"] == pointer


async def test_only_who_runs_the_instance_chooses_an_executor(world: World) -> None:
    ann = await world.bootstrap()
    await executor(world, ann, "Big")
    member = await world.person(ann.org, ann.team)
    refused = await member.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "x", "executor": "big"}})
    assert refusal(refused) == (403, "forbidden")


async def test_a_company_s_executor_works_for_that_company_alone(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    boss = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
    made, worker = await executor(world, boss, "Ours", "/api/org/executors")
    assert made["org_id"] == org.id
    theirs = await ask(ann)
    async with running(world):
        await ended(ann, theirs["id"])
    assert (await worker.claim()).status_code == 204
    ours = await ask(boss)
    assert (await worker.handed())["job"]["id"] == ours["id"]
    outsider = await world.person(*(await world.company()))
    assert "Ours" not in (await outsider.get("/api/executors")).text
    assert "Ours" in (await boss.get("/api/executors")).text
    assert await unsound(world) == []


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
async def test_a_claim_token_that_does_not_fit_is_refused(world: World, verb: str) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ask(ann)
    handed = await worker.handed()
    bodies: dict[str, dict[str, Any]] = {"complete": {"result": result()}, "fail": {"error": "no"}}
    more = bodies.get(verb, {})
    token = handed["claim_token"]
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
        assert refusal(await worker.tell(verb, {**handed, "claim_token": wrong}, **more)) == STALE, wrong
    assert refusal(await worker.post(f"/api/workers/jobs/{id}/{verb}", more)) == STALE
    assert (await look(ann, job["id"]))["state"] == "running"


async def test_a_worker_that_slept_through_its_lease_lands_nothing(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    _, other = await executor(world, ann, "Another")
    await ask(ann)
    late = await worker.handed()
    hands.forward(61)
    await move_clock(world, 61)
    await jobs.sweep(world.db, queue(world))
    second = await other.handed()
    assert second["job"]["attempt"] == 2
    assert refusal(await worker.tell("complete", late, result=result("Late"))) == STALE
    assert refusal(await worker.tell("fail", late, error="Late")) == STALE
    assert (await other.tell("complete", second, result=result("In time"))).status_code == 204
    assert await unsound(world) == []


async def test_a_retired_executor_s_jobs_go_to_others_and_its_worker_is_nobody(world: World) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann, "Old")
    _, other = await executor(world, ann, "New")
    job = await ask(ann)
    handed = await worker.handed()
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
    assert refusal(await worker.tell("complete", handed, result=result())) == (401, "unauthenticated")
    assert refusal(await worker.claim()) == (401, "unauthenticated")
    again = await other.handed()
    assert (again["job"]["id"], again["job"]["attempt"]) == (job["id"], 2)
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 404
    assert [row["name"] for row in (await ann.get("/api/executors")).json()["items"]] == ["local", "New"]
    assert await unsound(world) == []


async def test_the_token_of_an_executor_that_was_retired_long_ago_is_forgotten(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    made, _ = await executor(world, ann)
    await ann.delete(f"/api/executors/{made['id']}")
    await run_sql(world, "INSERT INTO login_attempts VALUES ('user:bob', 1, '2000')")
    hands.forward(31 * clock.DAY)
    await identity.delete_expired_credentials(world.db)
    assert not await world.db.exists("SELECT 1 FROM tokens WHERE kind = 'worker'")
    assert not await world.db.exists("SELECT 1 FROM login_attempts")
    assert await unsound(world) == []


async def test_a_job_cut_off_with_its_executor_has_all_its_attempts_left(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann, "Old")
    _, other = await executor(world, ann, "New")
    job = await ask(ann)
    await worker.handed()
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
    states = []
    for tries in range(1, 4):
        await other.tell("fail", await other.handed(), error={"message": "It did not work.", "retryable": True})
        states.append((await look(ann, job["id"]))["state"])
        hands.forward(15)
        await move_clock(world, 15 * tries)
        await jobs.sweep(world.db, queue(world))
    assert states == ["queued", "queued", "failed"]


async def test_what_waits_for_a_quota_holds_no_room_once_its_workers_are_gone(world: World, hands: Hands) -> None:
    hands.at = 1_800_000_000.0
    await stop_clock(world, hands.at)
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    limit = {"dimension": "ai.requests", "limit": 1, "window": "day"}
    assert (await ann.post("/api/quota", limit)).status_code == 200
    asked = [await ask(ann) for _ in range(2)]
    await worker.handed()
    assert (await worker.claim()).status_code == 204
    assert (await look(ann, asked[1]["id"]))["waiting"]["reason"] == "quota"
    hands.forward(61)
    await stop_clock(world, hands.at)
    await jobs.tidy(world.db, queue(world))
    assert (await look(ann, asked[1]["id"]))["waiting"]["reason"] == "no_worker"
    assert await unsound(world) == []


@pytest.mark.both_databases
async def test_fifty_workers_and_each_job_goes_to_one(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    for _ in range(5):
        person = await world.person(ann.org, await world.team(ann.org))
        for _ in range(6):
            await ask(person)

    async def work() -> list[str]:
        done: list[str] = []
        while (answer := await worker.claim()).status_code == 200:
            handed = answer.json()
            done.append(handed["job"]["id"])
            assert (await worker.tell("complete", handed, result=result())).status_code == 204
        return done

    done = [id for part in await asyncio.gather(*(work() for _ in range(50))) for id in part]
    assert (len(done), len(set(done))) == (30, 30)
    assert await unsound(world) == []


@pytest.mark.parametrize("how", ["feature", "person"])
async def test_what_may_not_be_done_any_more_is_handed_to_nobody(world: World, how: str) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    _, worker = await executor(world, ann, model="llama")
    job, code = await ask(bob, "Hello"), {"feature": "feature_disabled", "person": "unauthenticated"}[how]
    if how == "feature":
        await ann.post("/api/features/chat", {"enabled": False})
    else:
        await ann.delete(f"/api/members/{bob.user_id}")
    assert (await worker.claim(models=["llama"])).status_code == 204
    shown = await look(ann, job["id"])
    assert (shown["state"], shown["error"]["code"]) == ("failed", code)
    assert await unsound(world) == []


async def test_a_worker_s_health_is_shown(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann)
    assert (made["health"], made["last_seen_at"], made["running"]) == ("new", None, 0)

    async def shown() -> dict[str, Any]:
        items: list[dict[str, Any]] = (await ann.get("/api/executors")).json()["items"]
        assert all("token" not in item for item in items)
        return next(item for item in items if item["id"] == made["id"])

    await ask(ann)
    await worker.handed()
    assert ((await shown())["health"], (await shown())["running"]) == ("up", 1)
    for seconds, ahead, health in ((61, 61, "stale"), (3600, 3661, "down")):
        hands.forward(seconds)
        await move_clock(world, ahead)
        assert (await shown())["health"] == health


async def test_a_token_of_no_executor_claims_nothing(world: World) -> None:
    ann = await world.bootstrap()
    stray = await world.worker(ann.org, ann.team)
    await run_sql(world, "DELETE FROM executors")
    assert refusal(await Worker(world, stray.token).claim()) == (403, "forbidden")


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"mode": "pull"}, ""),
    ({"name": "", "mode": "pull"}, "/name"),
    ({"name": "x", "mode": "carry"}, "/mode"),
    ({"name": "x", "mode": "local"}, "/mode"),
    ({"name": "x", "mode": "pull", "capabilities": ["ai.dance"]}, "/capabilities"),
    ({"name": "x", "mode": "pull", "capabilities": []}, "/capabilities"),
)


async def test_what_is_wrong_with_an_executor_is_told_by_name(world: World) -> None:
    ann = await world.bootstrap()
    for body, pointer in WRONG:
        answer = await ann.post("/api/executors", body)
        assert refusal(answer) == (400, "invalid_request"), body
        assert answer.json()["errors"][0]["pointer"] == pointer
    await executor(world, ann, "Twice")
    again = await ann.post("/api/executors", {"name": "TWICE", "mode": "pull"})
    assert refusal(again) == (409, "conflict")
    assert (await ann.post("/api/executors", {"name": "x", "mode": "pull", "org_id": "none"})).status_code == 404


async def test_the_echo_costs_what_a_request_would(world: World) -> None:
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
    assert await unsound(world) == []
