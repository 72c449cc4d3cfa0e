"""How runs end otherwise: cancelled, parked, suspended, without their owner; and what the sweep repairs."""

import asyncio
from typing import Any

import msgspec
import pytest

from teamspace import jobs, workflows
from teamspace.jobs.domain import sweeping as job_sweeping
from teamspace.tenancy.schemas import Role
from teamspace.workflows import store
from teamspace.workflows.domain import advancing
from teamspace.workflows.schemas import StepResult
from tests.identity.help import run_sql
from tests.jobs.help import ended as job_ended
from tests.jobs.help import get_job
from tests.support.world import World
from tests.workflows import toys
from tests.workflows.help import (
    add_toys,
    broken_invariants,
    call,
    doubling,
    ended,
    get_run,
    map_over,
    publish,
    ref,
    spec,
    start,
    states,
    step_of,
    workflow_world,
)


def saying(slug: str, *texts: str, **more: Any) -> dict[str, Any]:
    """Says the texts one after the other."""
    return spec(slug, *(call(f"say_{text}", "toy_say", **{"with": {"text": text}} | more) for text in texts))


async def held(text: str) -> None:
    """Wait until the toy with this text is called."""
    async with asyncio.timeout(15):
        await toys.STARTED.setdefault(text, asyncio.Event()).wait()


async def test_a_cancelled_run_finishes_its_step_and_starts_no_other(world: World) -> None:
    async with workflow_world(world) as ann:
        toys.GATES["a"] = asyncio.Event()
        await publish(ann, saying("two", "a", "b"))
        run = await start(ann, "two")
        await held("a")
        assert (await get_run(ann, run["id"]))["waiting"] is False
        answer = await ann.post(f"/api/runs/{run['id']}/cancel")
        assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
        job_id = step_of(answer.json(), "say_a")["items"][0]["job_id"]
        again = await ann.post(f"/api/runs/{run['id']}/cancel")
        assert (again.status_code, again.json()["code"]) == (409, "not_cancellable")
        resumed = await ann.post("/api/workflows/two/run", {"resume_from": run["id"]})
        assert (resumed.status_code, resumed.json()["key"]) == (409, "workflows.resume_active")
        toys.GATES["a"].set()
        assert (await job_ended(ann, job_id))["state"] == "succeeded"
        found = await get_run(ann, run["id"])
        assert states(found) == {"say_a": "cancelled", "say_b": "cancelled"}
        assert step_of(found, "say_a")["items"][0]["result"] == "a", "the result is kept"
        assert "b" not in toys.STARTED
        # What has finished meanwhile is not done again.
        new = await start(ann, "two", resume_from=run["id"])
        assert (await ended(ann, new["id"]))["state"] == "succeeded"
        assert sorted(toys.CALLS.values()) == [1, 1]
        assert await broken_invariants(world) == []


async def test_a_run_that_was_cancelled_in_its_last_step_is_resumed_without_a_job(world: World) -> None:
    async with workflow_world(world) as ann:
        toys.GATES["b"] = asyncio.Event()
        await publish(ann, saying("last", "a", "b"))
        run = await start(ann, "last")
        await held("b")
        cancelled = (await ann.post(f"/api/runs/{run['id']}/cancel")).json()
        toys.GATES["b"].set()
        await job_ended(ann, step_of(cancelled, "say_b")["items"][0]["job_id"])
        new = await start(ann, "last", resume_from=run["id"])
        assert (new["state"], new["steps_used"]) == ("succeeded", 2), "it has all results"
        assert sorted(toys.CALLS.values()) == [1, 1]
        assert await broken_invariants(world) == []


async def test_cancelling_a_map_cancels_its_queued_items(world: World) -> None:
    async with workflow_world(world) as ann:
        over = [f"t{number}" for number in range(40)]
        for text in over:
            toys.GATES[text] = asyncio.Event()
        await publish(ann, spec("many", map_over("each", over, "toy_say", **{"with": {"text": ref("item")}})))
        run = await start(ann, "many")
        await held("t0")
        assert (await ann.post(f"/api/runs/{run['id']}/cancel")).status_code == 200
        for gate in toys.GATES.values():
            gate.set()
        async with asyncio.timeout(15):
            while True:
                each = step_of(await get_run(ann, run["id"]), "each")
                if {item["state"] for item in each["items"]} <= {"succeeded", "cancelled"}:
                    break
                await asyncio.sleep(0.02)
        assert 0 < each["succeeded"] < 40
        assert await broken_invariants(world) == []
        new = await ended(ann, (await start(ann, "many", resume_from=run["id"]))["id"])
        assert (new["state"], new["steps_used"], new["resumed_from"]) == ("succeeded", 40, run["id"])
        assert [item["result"] for item in step_of(new, "each")["items"]] == over
        assert len(toys.CALLS) == 40 and set(toys.CALLS.values()) == {1}, "no item was executed twice"
        assert await broken_invariants(world) == []


async def test_only_its_owner_and_admins_cancel_a_run(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
    await publish(ann, saying("one", "a"))
    run = await start(bob, "one")
    answer = await eve.post(f"/api/runs/{run['id']}/cancel")
    assert (answer.status_code, answer.json()["key"]) == (403, "workflows.cancel_others")
    assert (await ann.post(f"/api/runs/{run['id']}/cancel")).status_code == 200
    run = await start(bob, "one")
    assert (await bob.post(f"/api/runs/{run['id']}/cancel")).json()["state"] == "cancelled"
    assert await broken_invariants(world) == []


async def test_cancelling_a_steps_job_cancels_the_run(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    await publish(ann, spec("many", map_over("each", ["a", "b"], "toy_say", **{"with": {"text": ref("item")}})))
    run = await start(ann, "many")
    job_id = step_of(run, "each")["items"][1]["job_id"]
    assert (await ann.post(f"/api/jobs/{job_id}/cancel")).status_code == 200
    found = await get_run(ann, run["id"])
    assert (found["state"], found["error"]["code"], found["error"]["step"]) == ("cancelled", "cancelled", "each")
    assert [item["state"] for item in step_of(found, "each")["items"]] == ["cancelled", "cancelled"]
    assert await broken_invariants(world) == []


async def test_a_step_without_budget_is_parked_not_failed(world: World) -> None:
    async with workflow_world(world) as ann:
        limit = {"dimension": "ai.tokens.total", "limit": 10, "window": "month"}
        assert (await ann.post("/api/quota", limit)).status_code == 200
        await publish(ann, spec("spending", call("spend", "toy_spend", **{"with": {"tokens": 50}})))
        run = await start(ann, "spending")
        job_id = step_of(run, "spend")["items"][0]["job_id"]
        async with asyncio.timeout(15):
            while True:
                job = await get_job(ann, job_id)
                if job["waiting"] and job["waiting"]["reason"] == "quota":
                    break
                await asyncio.sleep(0.02)
        found = await get_run(ann, run["id"])
        assert (found["state"], found["waiting"]) == ("running", True)
        assert (await ann.post("/api/quota", limit | {"limit": 1000})).status_code == 200
        found = await ended(ann, run["id"])
        assert (found["state"], found["usage"]) == ("succeeded", {"requests": 1, "tokens": 50})
        assert step_of(found, "spend")["usage"] == {"requests": 1, "tokens": 50}
        assert step_of(found, "spend")["items"][0]["attempt"] == 1
        assert await broken_invariants(world) == []


async def test_a_run_of_someone_who_left_fails(world: World) -> None:
    async with workflow_world(world) as ann:
        bob = await world.person(ann.org, ann.team)
        await publish(ann, saying("two", "a", "b"))
        toys.GATES["a"] = asyncio.Event()
        run = await start(bob, "two")
        await held("a")
        assert (await ann.delete(f"/api/members/{bob.user_id}")).status_code == 204
        toys.GATES["a"].set()
        found = await ended(ann, run["id"])
        assert (found["state"], found["error"]["code"]) == ("failed", "unauthenticated")
        assert found["error"]["step"] in ("say_a", "say_b")
        assert await broken_invariants(world) == []


async def test_a_run_waits_while_its_company_is_suspended(world: World) -> None:
    async with workflow_world(world) as ann:
        org, team = await world.company()
        bea = await world.person(org, team, Role.OWNER)
        await publish(bea, saying("three", "a", "b", "c"))
        toys.GATES["a"] = asyncio.Event()
        run = await start(bea, "three")
        await held("a")
        assert (await ann.post(f"/api/orgs/{org.slug}/suspend")).status_code in (200, 204)
        toys.GATES["a"].set()
        await asyncio.sleep(0.5)
        found = await get_run(bea, run["id"])
        assert (found["state"], found["waiting"]) == ("running", True)
        assert "b" not in toys.STARTED
        assert (await ann.post(f"/api/orgs/{org.slug}/resume")).status_code in (200, 204)
        assert (await ended(bea, run["id"]))["state"] == "succeeded"
        assert await broken_invariants(world) == []


async def test_a_job_whose_company_is_suspended_while_it_runs_goes_back_to_the_queue(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with workflow_world(world) as ann:
        org, team = await world.company()
        bea = await world.person(org, team, Role.OWNER)
        await publish(bea, spec("double", call("one", "toy_double", **{"with": {"number": 4}})))
        real, suspended = world.app.toolbox.call, asyncio.Event()

        async def suspend_first(*args: Any) -> Any:
            if not suspended.is_set():
                suspended.set()
                assert (await ann.post(f"/api/orgs/{org.slug}/suspend")).status_code in (200, 204)
            return await real(*args)

        monkeypatch.setattr(world.app.toolbox, "call", suspend_first)
        run = await start(bea, "double")
        async with asyncio.timeout(15):
            await suspended.wait()
        await asyncio.sleep(0.3)
        found = await get_run(bea, run["id"])
        assert (found["state"], found["waiting"], sum(toys.CALLS.values())) == ("running", True, 0)
        assert (await ann.post(f"/api/orgs/{org.slug}/resume")).status_code in (200, 204)
        assert (await ended(bea, run["id"]))["state"] == "succeeded"


async def test_a_feature_that_is_turned_off_ends_the_run(world: World) -> None:
    async with workflow_world(world) as ann:
        await publish(ann, saying("two", "a", "b"))
        toys.GATES["a"] = asyncio.Event()
        run = await start(ann, "two")
        await held("a")
        assert (await ann.post("/api/features/workflows", {"enabled": False})).status_code == 200
        toys.GATES["a"].set()
        async with asyncio.timeout(15):
            while True:
                stored = await store.get_stored(world.db, run["id"])
                if stored and stored.state != "running":
                    break
                await asyncio.sleep(0.02)
        assert (await ann.post("/api/features/workflows", {"enabled": True})).status_code == 200
        found = await get_run(ann, run["id"])
        assert (found["state"], found["error"]["code"], found["error"]["step"]) == (
            "failed",
            "feature_disabled",
            "say_b",
        )


async def test_a_run_keeps_the_spec_that_it_began_with(world: World) -> None:
    async with workflow_world(world) as ann:
        await publish(ann, saying("two", "a", "b"))
        toys.GATES["a"] = asyncio.Event()
        run = await start(ann, "two")
        await held("a")
        await publish(ann, saying("two", "c"))
        toys.GATES["a"].set()
        found = await ended(ann, run["id"])
        assert (found["version"], states(found)) == (1, {"say_a": "succeeded", "say_b": "succeeded"})
        assert found["spec"] == saying("two", "a", "b") | {"version": 1}
        assert states(await ended(ann, (await start(ann, "two"))["id"])) == {"say_c": "succeeded"}


@pytest.mark.parametrize("end", ["succeeded", "failed", "cancelled"])
async def test_the_sweep_goes_on_with_a_run_that_no_job_advances(
    world: World, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the transaction that ended the job had not told its kind."""
    add_toys(world)
    ann = await world.bootstrap()
    await publish(ann, doubling())
    run = await start(ann, "doubling", {"below": 2})
    job_id = step_of(run, "list")["items"][0]["job_id"]
    result = '{"value":[0,1],"counts":{"each":2}}' if end == "succeeded" else None
    error = '{"message":"No","code":"broken"}' if end == "failed" else None
    await run_sql(
        world,
        "UPDATE jobs SET state = :end, result = :result, error = :error, rank = NULL, finished_at = moment(0) WHERE id = :id",
        id=job_id, end=end, result=result, error=error,
    )  # fmt: skip
    await workflows.RunSweeper().sweep(world.db, world.app.queue)
    found = await get_run(ann, run["id"])
    if end == "succeeded":
        assert states(found) == {"list": "succeeded", "each": "running", "total": "pending"}
        assert step_of(found, "each")["total"] == 2
    else:
        assert (found["state"], states(found)["list"]) == (end, end)
    await workflows.RunSweeper().sweep(world.db, world.app.queue)
    assert (await get_run(ann, run["id"]))["steps_used"] == found["steps_used"], "a second sweep finds nothing to do"
    assert await broken_invariants(world) == []


async def test_results_are_found_when_their_jobs_are_archived(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workflow_world(world) as ann:
        toys.FAILURES["x"] = ["missing"]
        raw = spec(
            "archived",
            call("list", "toy_range", **{"with": {"below": 3}}),
            map_over("each", ref("steps.list.output.result"), "toy_double", **{"with": {"number": ref("item")}}),
            call("say", "toy_say", **{"with": {"text": "x"}}),
            call("total", "toy_sum", **{"with": {"results": ref("steps.each.output.results")}}),
        )
        await publish(ann, raw)
        first = await ended(ann, (await start(ann, "archived"))["id"])
        assert (first["state"], first["error"]["step"]) == ("failed", "say")
        monkeypatch.setattr(job_sweeping, "ARCHIVE_AFTER", -60)
        await jobs.tidy(world.db, world.app.queue)
        assert await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE run_id = :id", id=first["id"]) == 0
        again = await get_run(ann, first["id"])
        assert step_of(again, "each")["items"] == step_of(first, "each")["items"]
        assert step_of(again, "each")["succeeded"] == 3
        monkeypatch.undo()
        second = await ended(ann, (await start(ann, "archived", resume_from=first["id"]))["id"])
        assert (second["state"], step_of(second, "total")["output"]) == ("succeeded", {"result": 6})
        assert second["steps_used"] == 6
        assert await broken_invariants(world) == []


async def test_long_results_are_kept_whole_and_shown_cut(world: World) -> None:
    async with workflow_world(world) as ann:
        raw = spec(
            "long",
            call("fill", "toy_fill", **{"with": {"length": 2_500_000}}),
            call("any", "toy_any", **{"with": {"value": ref("steps.fill.output.result")}}),
            call("choose", "toy_fill", **{"with": {"length": 2_700_000}}),
        )
        raw["max_steps"] = 3
        await publish(ann, raw)
        run = await ended(ann, (await start(ann, "long"))["id"], seconds=60)
        assert (run["state"], run["error"]["key"]) == ("failed", "workflows.output_too_large")
        shown = step_of(run, "any")["output"]["result"]
        assert set(shown) == {"truncated"} and shown["truncated"] > 2_500_000
        job = await get_job(ann, step_of(run, "any")["items"][0]["job_id"])
        assert job["result"]["value"] == "x" * 2_500_000


async def test_the_detail_of_a_run_is_bounded(world: World) -> None:
    async with workflow_world(world) as ann:
        over = [30_000] * 60
        await publish(
            ann, spec("wide", map_over("each", over, "toy_fill", **{"with": {"length": ref("item")}}), max_steps=60)
        )
        run = await ended(ann, (await start(ann, "wide"))["id"], seconds=60)
        results = [item["result"] for item in step_of(run, "each")["items"]]
        whole = [result for result in results if isinstance(result, str)]
        assert 30 <= len(whole) < 60
        assert all(set(result) == {"truncated"} for result in results[len(whole) :])


async def test_two_ends_in_one_batch_advance_a_run_once(world: World) -> None:
    """All items of a map end in one transaction: the first one told finds the step done, the others find it gone on."""
    async with workflow_world(world) as ann:
        await publish(ann, doubling())
        run = await ended(ann, (await start(ann, "doubling", {"below": 40}))["id"])
        assert (run["state"], step_of(run, "total")["output"]) == ("succeeded", {"result": 1560})
        assert await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE run_id = :id", id=run["id"]) == 42


async def test_a_batch_in_which_one_item_fails_does_not_advance(world: World) -> None:
    add_toys(world)
    ann = await world.bootstrap()
    await publish(
        ann,
        spec(
            "two",
            map_over("each", [1, 2], "toy_double", **{"with": {"number": ref("item")}}),
            call("end", "toy_range", **{"with": {"below": 0}}),
        ),
    )
    run = await start(ann, "two")
    claimed = await claim_steps(world, 2)
    outcomes: list[jobs.Outcome] = [
        jobs.Succeeded(StepResult(msgspec.Raw(b"2"))),
        jobs.Failed(jobs.JobFault("No", "broken", retryable=False)),
    ]
    await world.app.queue.finish_many(
        world.db, [(claim, outcome) for (_, claim), outcome in zip(claimed, outcomes, strict=True)]
    )
    found = await get_run(ann, run["id"])
    assert (found["state"], states(found)) == ("failed", {"each": "failed", "end": "skipped"})
    assert await broken_invariants(world) == []


async def claim_steps(world: World, count: int) -> list[tuple[jobs.Job, jobs.JobClaim]]:
    claimed = list[tuple[jobs.Job, jobs.JobClaim]]()
    async with asyncio.timeout(15):
        while len(claimed) < count:
            claimed += await world.app.queue.claim(
                world.db, [jobs.local_channel(advancing.KIND)], count=count, executor_id=jobs.LOCAL
            )
            await asyncio.sleep(0.01)
    return claimed
