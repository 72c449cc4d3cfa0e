"""What a claim gets, and what a worker's words do to a job."""

from typing import Any

import pytest

from tests.executors.help import MODEL, ask, executor
from tests.jobs import help
from tests.jobs.help import look, running, unsound
from tests.support.world import World


async def test_a_failure_ends_the_job(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    for error in ("No such file", {"message": "No such file"}, {"message": "No such file", "retryable": False}):
        job = await ask(ann)
        handed = await worker.handed()
        assert (await worker.tell("fail", handed, error=error)).status_code == 204
        shown = await look(ann, job["id"])
        assert (shown["state"], shown["attempt"], shown["error"]["message"]) == ("failed", 1, "No such file")
    assert await unsound(world) == []


async def test_a_worker_may_ask_for_another_attempt(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ask(ann)
    error = {"message": "Out of memory", "code": "memory", "retryable": True}
    assert (await worker.tell("fail", await worker.handed(), error=error)).status_code == 204
    shown = await look(ann, job["id"])
    assert (shown["state"], shown["waiting"]["reason"]) == ("queued", "retry")


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
@pytest.mark.parametrize("token", [{}, {"claim_token": None}, {"claim_token": ""}, {"claim_token": "a.1.b"}])
async def test_without_its_claim_token_nothing_is_said_of_a_job(
    world: World, verb: str, token: dict[str, str | None]
) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ask(ann)
    await worker.handed()
    said: dict[str, dict[str, Any]] = {"complete": {"result": help.result()}, "fail": {"error": "No"}}
    answer = await worker.post(f"/api/workers/jobs/{job['id']}/{verb}", {**said.get(verb, {}), **token})
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_claim"), answer.text


async def test_the_first_lease_is_a_minute_like_every_other(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ask(ann)
    handed = await worker.handed()
    left = await world.db.one(float, f"SELECT {_seconds(world)} FROM jobs WHERE id = :id", id=job["id"])
    assert left is not None and 55 < left <= 60
    assert handed["lease_expires_at"] == (await look(ann, job["id"]))["lease_expires_at"]


def _seconds(world: World) -> str:
    """From now to the end of the lease."""
    if world.db.dialect.name == "sqlite":
        return "(julianday(lease_until) - julianday('now')) * 86400"
    return "CAST(EXTRACT(EPOCH FROM CAST(lease_until AS TIMESTAMPTZ) - clock_timestamp()) AS DOUBLE PRECISION)"


@pytest.mark.parametrize("asking", [{"kinds": []}, {"kinds": None}, {}, {"kinds": ["ai.chat"]}, {"models": []}])
async def test_what_is_left_out_or_empty_restricts_nothing(world: World, asking: dict[str, Any]) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ask(ann)
    answer = await worker.post("/api/workers/claim", asking)
    assert answer.json()["job"]["id"] == job["id"]


async def test_kinds_that_the_executor_does_not_take_get_nothing(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    await ask(ann)
    for kinds in (["ai.dance"], ["text.extract"]):
        assert (await worker.post("/api/workers/claim", {"kinds": kinds})).status_code == 204


@pytest.mark.parametrize(
    ("of_executor", "asked", "gets"),
    [
        (None, ["llama"], True),
        (None, ["mistral", "llama"], True),
        (None, ["mistral"], False),
        ("llama", ["llama"], True),
        ("llama", [], True),
        ("llama", ["mistral"], False),
    ],
)
async def test_models_in_a_claim_restrict(world: World, of_executor: str | None, asked: list[str], gets: bool) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, **({"model": of_executor} if of_executor else {}))
    await ask(ann)
    assert (await worker.claim(models=asked)).status_code == (200 if gets else 204)


async def test_a_claim_for_some_models_gets_jobs_that_name_none(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello", "executor": "Big one"}})
    assert (await worker.handed(models=["mistral"]))["job"]["id"] == job.json()["id"]


async def test_an_idle_worker_takes_nothing_that_the_server_can_do(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    assert (await worker.claim()).status_code == 204
    job = await help.ask(ann)
    assert (await worker.claim()).status_code == 204
    async with running(world):
        assert (await help.ended(ann, job["id"]))["executor"] == "local"


async def test_an_executor_made_for_no_kinds_in_particular_takes_all_that_there_are(world: World) -> None:
    ann = await world.bootstrap()
    made, _ = await executor(world, ann)
    kinds = {kind.name for kind in world.app.queue.kinds if kind.row.remote}
    assert set(made["capabilities"]) == kinds
    assert await world.db.all(str, "SELECT capabilities FROM executors") == ["[]"]


@pytest.mark.parametrize("wish", [{"model": MODEL}, {"executor": "Big one"}])
async def test_jobs_of_an_executor_that_is_retired_are_done_here(world: World, wish: dict[str, str]) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann, model=MODEL)
    asked = [
        (await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello", **wish}})).json()["id"]
        for _ in range(3)
    ]
    assert (await worker.handed())["job"]["id"] == asked[0], "one of them is in its hands"
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
    async with running(world):
        for job_id in asked:
            done = await help.ended(ann, job_id)
            assert (done["state"], done["executor"]) == ("succeeded", "local")
    assert await unsound(world) == []


async def test_jobs_stay_where_another_executor_has_their_model(world: World) -> None:
    ann = await world.bootstrap()
    made, _ = await executor(world, ann, model=MODEL)
    _, other = await executor(world, ann, name="Another", model=MODEL)
    job = await ask(ann)
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
    assert (await other.handed())["job"]["id"] == job["id"]
