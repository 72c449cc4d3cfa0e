"""Which jobs a claim gets, and how a worker's reports change a job."""

from typing import Any

import pytest

from teamspace import jobs
from teamspace.core.principal import system
from tests.ai.help import requests_used, tokens_used
from tests.cost.help import LIMIT, longest_step
from tests.executors.help import MODEL, create_job, executor
from tests.jobs import help
from tests.jobs.help import broken_invariants, get_job, running
from tests.support.rows import NUMBERS, insert
from tests.support.world import World

QUEUED = (
    "INSERT INTO jobs (id, org_id, team_id, user_id, kind, channel, model, state, phase, priority, run_at, attempt,"
    f" max_attempts, lease_expiries, input, created_at) {NUMBERS} SELECT 'x' || CAST(n AS TEXT), :org, :team, :user,"
    " 'ai.chat', :channel, 'm', 'queued', 'ready', 0, '', 0, 1, 0, '{}', '' FROM numbers",
)


async def test_a_failure_ends_the_job(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    for error in ("No such file", {"message": "No such file"}, {"message": "No such file", "retryable": False}):
        job = await create_job(ann)
        claimed = await worker.claim_job()
        assert (await worker.report("fail", claimed, error=error)).status_code == 204
        shown = await get_job(ann, job["id"])
        assert (shown["state"], shown["attempt"], shown["error"]["message"]) == ("failed", 1, "No such file")
    assert await broken_invariants(world) == []


async def test_a_worker_can_report_a_retryable_failure(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await create_job(ann)
    error = {"message": "Out of memory", "code": "memory", "retryable": True}
    assert (await worker.report("fail", await worker.claim_job(), error=error)).status_code == 204
    shown = await get_job(ann, job["id"])
    assert (shown["state"], shown["waiting"]["reason"]) == ("queued", "retry")


async def test_what_a_failed_attempt_has_used_is_charged(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    error = {"message": "The answer was cut off", "retryable": True}
    await create_job(ann)
    first = await worker.report("fail", await worker.claim_job(), error=error, usage=usage(30, 12))
    assert first.status_code == 204, first.text
    assert (await tokens_used(ann), await requests_used(ann)) == (42, 1)
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE jobs SET run_at = moment(0) WHERE state = 'queued'")
    await jobs.sweep(world.db, world.app.queue)
    second = await worker.claim_job(max_wait=5)
    assert (await worker.report("complete", second, result=help.result())).status_code == 204
    assert (await tokens_used(ann), await requests_used(ann)) == (42 + 7, 2), "each attempt on its own"
    await create_job(ann)
    assert (await worker.report("fail", await worker.claim_job(), error="No")).status_code == 204
    assert (await tokens_used(ann), await requests_used(ann)) == (42 + 7, 2), "it reports nothing"
    assert await broken_invariants(world) == []


@pytest.mark.parametrize("figure", [-1, 10**9 + 1, 1.5, "7", None])
async def test_a_failure_cannot_report_what_a_result_cannot(world: World, figure: Any) -> None:
    """The figures are those of a result, with the same limits."""
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    await create_job(ann)
    claimed = await worker.claim_job()
    reported = {**usage(1, 1), "total_tokens": figure}
    failed = await worker.report("fail", claimed, error="No", usage=reported)
    assert failed.status_code == 400, failed.text
    completed = await worker.report("complete", claimed, result={**help.result(), "usage": reported})
    assert completed.status_code == 422, completed.text
    assert await tokens_used(ann) == 0


def usage(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
@pytest.mark.parametrize("token", [{}, {"claim_token": None}, {"claim_token": ""}, {"claim_token": "a.1.b"}])
async def test_a_report_without_the_claim_token_is_refused(
    world: World, verb: str, token: dict[str, str | None]
) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await create_job(ann)
    await worker.claim_job()
    bodies: dict[str, dict[str, Any]] = {"complete": {"result": help.result()}, "fail": {"error": "No"}}
    answer = await worker.post(f"/api/workers/jobs/{job['id']}/{verb}", {**bodies.get(verb, {}), **token})
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_claim"), answer.text


async def test_the_first_lease_is_a_minute_long(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await create_job(ann)
    claimed = await worker.claim_job()
    left = await world.db.one(float, f"SELECT {_seconds(world)} FROM jobs WHERE id = :id", id=job["id"])
    assert left is not None and 55 < left <= 60
    assert claimed["lease_expires_at"] == (await get_job(ann, job["id"]))["lease_expires_at"]


def _seconds(world: World) -> str:
    """SQL for the seconds until the lease ends."""
    if world.db.dialect.name == "sqlite":
        return "(julianday(lease_until) - julianday('now')) * 86400"
    return "CAST(EXTRACT(EPOCH FROM CAST(lease_until AS TIMESTAMPTZ) - clock_timestamp()) AS DOUBLE PRECISION)"


@pytest.mark.parametrize("filters", [{"kinds": []}, {"kinds": None}, {}, {"kinds": ["ai.chat"]}, {"models": []}])
async def test_absent_or_empty_filters_restrict_nothing(world: World, filters: dict[str, Any]) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await create_job(ann)
    answer = await worker.post("/api/workers/claim", filters)
    assert answer.json()["job"]["id"] == job["id"]


async def test_a_claim_for_other_kinds_gets_nothing(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    await create_job(ann)
    for kinds in (["ai.dance"], ["text.extract"]):
        assert (await worker.post("/api/workers/claim", {"kinds": kinds})).status_code == 204


@pytest.mark.parametrize(
    ("executor_model", "models", "gets_job"),
    [
        (None, ["llama"], True),
        (None, ["mistral", "llama"], True),
        (None, ["mistral"], False),
        ("llama", ["llama"], True),
        ("llama", [], True),
        ("llama", ["mistral"], False),
    ],
)
async def test_a_claim_gets_only_jobs_for_its_models(
    world: World, executor_model: str | None, models: list[str], gets_job: bool
) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, **({"model": executor_model} if executor_model else {}))
    await create_job(ann)
    assert (await worker.claim(models=models)).status_code == (200 if gets_job else 204)


async def test_a_claim_for_some_models_gets_jobs_without_a_model(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello", "executor": "Big one"}})
    assert (await worker.claim_job(models=["mistral"]))["job"]["id"] == job.json()["id"]


async def test_an_idle_worker_gets_no_job_that_the_server_can_run(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    assert (await worker.claim()).status_code == 204
    job = await help.create_job(ann)
    assert (await worker.claim()).status_code == 204
    async with running(world):
        assert (await help.ended(ann, job["id"]))["executor"] == "local"


async def test_an_executor_without_kinds_takes_all_kinds(world: World) -> None:
    ann = await world.bootstrap()
    created, _ = await executor(world, ann)
    kinds = {kind.name for kind in world.app.queue.kinds if kind.row.remote}
    assert set(created["capabilities"]) == kinds
    assert await world.db.all(str, "SELECT capabilities FROM executors") == ["[]"]


@pytest.mark.parametrize("target", [{"model": MODEL}, {"executor": "Big one"}])
async def test_jobs_of_a_retired_executor_are_run_by_the_server(world: World, target: dict[str, str]) -> None:
    ann = await world.bootstrap()
    created, worker = await executor(world, ann, model=MODEL)
    job_ids = [
        (await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello", **target}})).json()["id"]
        for _ in range(3)
    ]
    assert (await worker.claim_job())["job"]["id"] == job_ids[0], "it has claimed one of them"
    assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
    async with running(world):
        for job_id in job_ids:
            done = await help.ended(ann, job_id)
            assert (done["state"], done["executor"]) == ("succeeded", "local")
    assert await broken_invariants(world) == []


async def test_a_long_queue_of_a_retired_executor_does_not_block_the_loop(world: World) -> None:
    ann = await world.bootstrap()
    created, _ = await executor(world, ann, model=MODEL)
    facts = {"org": ann.org.id, "team": ann.team.id, "user": ann.user_id, "channel": f"ai.chat@model:{MODEL}"}
    await insert(world, QUEUED, {**facts, "first": 1, "last": 20_000})
    seconds, answer = await longest_step(ann.delete(f"/api/executors/{created['id']}"))
    assert answer.status_code == 204, answer.text
    assert seconds < LIMIT
    assert await world.db.all(str, "SELECT DISTINCT channel FROM jobs") == ["ai.chat@local"]


async def test_jobs_stay_remote_while_another_executor_has_their_model(world: World) -> None:
    ann = await world.bootstrap()
    created, _ = await executor(world, ann, model=MODEL)
    _, other = await executor(world, ann, name="Another", model=MODEL)
    job = await create_job(ann)
    assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
    assert (await other.claim_job())["job"]["id"] == job["id"]
