"""Long polls of workers: whose claims count, and how many may wait."""

import asyncio
from collections.abc import MutableMapping
from functools import partial
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.limits import KeyedConcurrencyLimit
from teamspace.executors import store
from teamspace.jobs import Queue
from teamspace.tenancy.schemas import OrgRole, Role
from tests.executors.help import Worker, ask, executor
from tests.identity.help import refusal
from tests.jobs.help import look, queue, result, unsound
from tests.support.world import Caller, World

Message = MutableMapping[str, Any]


class Poll:
    """One claim over ASGI, whose client can go away at any moment."""

    def __init__(self, world: World, worker: Worker, **asking: Any) -> None:
        self.gone, self.sent = asyncio.Event(), list[Message]()
        self._body: bytes | None = msgspec.json.encode({"kinds": ["ai.chat"], **asking})
        scope = {
            "type": "http", "method": "POST", "path": "/api/workers/claim", "query_string": b"",
            "headers": [(b"authorization", f"Bearer {worker.token}".encode())], "client": ("127.0.0.1", 50000),
        }  # fmt: skip
        self.task = asyncio.create_task(world.app.gate(scope, self._receive, self._send))

    async def _receive(self) -> Message:
        if (body := self._body) is not None:
            self._body = None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)


async def counted(world: World, job_id: str) -> tuple[str, int, int]:
    """Its state, how many attempts it has left, and how often its lease has expired."""
    state = await world.db.one(str, "SELECT state FROM jobs WHERE id = :id", id=job_id) or ""
    left = await world.db.one(int, "SELECT max_attempts - attempt FROM jobs WHERE id = :id", id=job_id) or 0
    lease_expiries = await world.db.one(int, "SELECT lease_expiries FROM jobs WHERE id = :id", id=job_id) or 0
    return state, left, lease_expiries


async def until_waiting(world: World, polls: int = 1) -> None:
    """Each counts for its token and for its company."""
    async with asyncio.timeout(10):
        while True:
            if queue(world).wake._shares._taken.total() == 2 * polls:
                return
            await asyncio.sleep(0.01)


async def test_a_worker_that_hung_up_while_it_waited_claims_nothing(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    poll = Poll(world, worker, max_wait=30)
    await until_waiting(world)
    poll.gone.set()
    await asyncio.wait_for(poll.task, 10)
    job = await ask(ann)
    assert await counted(world, job["id"]) == ("queued", 3, 0)
    assert (await worker.handed())["job"] == {**(await worker_view(ann, job["id"])), "attempt": 1}


async def worker_view(ann: Caller, job_id: str) -> dict[str, Any]:
    shown = await look(ann, job_id)
    return {name: shown[name] for name in ("id", "kind", "input", "model")}


async def test_a_claim_whose_answer_cannot_be_delivered_costs_its_job_no_lapse(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await ask(ann)
    claim, polls = Queue.claim, list[Poll]()

    async def left_behind(*given: Any, **more: Any) -> Any:
        taken = await claim(*given, **more)
        if taken:
            polls[-1].gone.set()
            await asyncio.sleep(0.05)
        return taken

    with monkeypatch.context() as patched:
        patched.setattr(Queue, "claim", left_behind)
        for _ in range(4):  # more often than a job may lapse
            polls.append(Poll(world, worker, max_wait=1))
            await asyncio.wait_for(polls[-1].task, 10)
            assert polls[-1].sent == []
            assert await counted(world, job["id"]) == ("queued", 3, 0)
    usage = {row["dimension"]: row for row in (await ann.get("/api/usage")).json()["items"]}
    assert usage["ai.concurrency"]["reserved"] == 0
    handed = await worker.handed()
    assert (handed["job"]["id"], handed["job"]["attempt"]) == (job["id"], 5)
    assert (await worker.tell("complete", handed, result=result())).status_code == 204
    assert await unsound(world) == []


async def test_an_open_poll_of_a_retired_executor_is_handed_nothing(world: World) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann)
    waiting = asyncio.create_task(worker.claim(max_wait=30))
    await until_waiting(world)
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
    job = await ask(ann, input={"prompt": "x", "executor": "local"})
    queue(world).notify([jobs.any_channel("ai.chat"), jobs.executor_channel("ai.chat", made["id"])])
    assert refusal(await asyncio.wait_for(waiting, 10)) == (401, "unauthenticated")
    assert await counted(world, job["id"]) == ("queued", 3, 0)
    assert await unsound(world) == []


async def test_a_retirement_between_two_looks_of_a_poll_is_seen_by_its_claim(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executor was read before it was retired, and the job is there: the claim itself looks again."""
    ann = await world.bootstrap()
    made, worker = await executor(world, ann)
    await executor(world, ann, "Other")
    job = await ask(ann)
    claim = Queue.claim

    async def too_late(*given: Any, **more: Any) -> Any:
        monkeypatch.setattr(Queue, "claim", claim)
        assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
        return await claim(*given, **more)

    monkeypatch.setattr(Queue, "claim", too_late)
    assert refusal(await worker.claim()) == (401, "unauthenticated")
    assert await counted(world, job["id"]) == ("queued", 3, 0)
    assert await unsound(world) == []


async def test_a_server_claims_nothing_for_a_push_executor_that_was_retired(world: World) -> None:
    """It remembers for a moment which there are, so the claim looks again."""
    ann = await world.bootstrap()
    made, _ = await executor(world, ann)
    job, channel = await ask(ann), jobs.any_channel("ai.chat")
    await queue(world).register_channels(world.db, [channel], "")
    assert (await ann.delete(f"/api/executors/{made['id']}")).status_code == 204
    still = partial(store.is_active, id=made["id"])
    assert not await queue(world).claim(world.db, [channel], count=1, executor_id=made["id"], still_valid=still)
    assert await counted(world, job["id"]) == ("queued", 3, 0)
    assert await unsound(world) == []


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
async def test_a_claim_token_is_of_no_use_to_another_executor(world: World, verb: str) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, "One")
    _, other = await executor(world, ann, "Other")
    job = await ask(ann)
    handed = await worker.handed()
    bodies: dict[str, dict[str, Any]] = {"complete": {"result": result()}, "fail": {"error": "no"}}
    more = bodies.get(verb, {})
    assert refusal(await other.tell(verb, handed, **more)) == (409, "stale_claim")
    assert (await look(ann, job["id"]))["state"] == "running"
    assert (await worker.tell(verb, handed, **more)).status_code in (200, 204)
    if verb == "complete":
        assert refusal(await other.tell(verb, handed, **more)) == (409, "stale_claim")
        assert (await worker.tell(verb, handed, **more)).status_code == 204, "its own, again"


async def test_one_token_and_one_company_have_so_many_polls_open(world: World) -> None:
    ann = await world.bootstrap()
    queue(world).wake._shares = KeyedConcurrencyLimit("waiting requests", token=1, company=2)
    org, team = await world.company()
    boss = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
    workers = [(await executor(world, boss, name, "/api/org/executors"))[1] for name in ("One", "Two", "Three")]
    _, stranger = await executor(world, ann)
    polls = [Poll(world, worker, max_wait=30) for worker in workers[:2]]
    await until_waiting(world, 2)
    for worker in (workers[0], workers[2]):
        refused = await worker.claim(max_wait=30)
        assert refusal(refused) == (429, "rate_limited")
        assert refused.headers["retry-after"]
        assert (await worker.claim()).status_code == 204, "who does not wait is not counted"
    polls.append(Poll(world, stranger, max_wait=30))
    await until_waiting(world, 3)
    for poll in polls:
        poll.gone.set()
        await asyncio.wait_for(poll.task, 10)
    assert not queue(world).wake._shares._taken
