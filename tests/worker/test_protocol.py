"""What a worker makes of the server's answers, against a server that gives those that a real one seldom does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from teamspace.completions import ModelEndpoint
from teamspace.core.egress import Egress, NetworkReach
from teamspace.worker import running
from teamspace.worker.protocol import Server
from tests.support.upstream import Asked, Upstream, completion, reply, silent, status

JOB = {"id": "j1", "kind": "ai.chat", "input": {"prompt": "Hello"}, "model": None, "attempt": 1}
HANDED = {"job": JOB, "claim_token": "j1.1.secret", "lease_expires_at": "2030-01-01T00:00:00.000Z"}


class Scripted:
    """Hands one job out, and answers what is said about it as it is told to."""

    def __init__(self, job: dict[str, Any] | None = None, **answers: list[int]) -> None:
        self.jobs = [HANDED if job is None else {**HANDED, "job": {**JOB, **job}}]
        self.answers = answers
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.over = asyncio.Event()

    async def __call__(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        verb = asked.path.rsplit("/", 1)[1]
        body = msgspec.json.decode(asked.body)
        if verb == "claim":
            if self.jobs:
                return await reply(writer, 200, self.jobs.pop())
            return await reply(writer, 204, b"")
        self.told.append((verb, body))
        answers = self.answers.get(verb, [])
        code = answers.pop(0) if answers else 204
        await reply(writer, code, {"detail": "As told."} if code != 204 else b"")
        if code in (204, 409) and (verb != "heartbeat" or code == 409):
            self.over.set()


@asynccontextmanager
async def at_work(script: Scripted, model: Upstream) -> AsyncIterator[running.Worker]:
    async with Upstream(script) as upstream, model:
        egress = Egress()
        server = Server(egress, f"http://127.0.0.1:{upstream.port}", "token")
        worker = running.Worker(server, egress, ModelEndpoint(model.url, NetworkReach.ANY), kinds=["ai.chat"], slots=1)
        task = asyncio.create_task(worker.run())
        yield worker
        await asyncio.wait_for(script.over.wait(), 10)
        worker.stop()
        await asyncio.wait_for(task, 10)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LEASE", 0.3)
    monkeypatch.setattr(running, "LEASE", 0.3)
    monkeypatch.setattr(running, "_RETRY_SECONDS", 0.05)


async def test_a_job_is_claimed_done_and_brought() -> None:
    script, model = Scripted(), Upstream(completion("Hi"))
    async with at_work(script, model):
        pass
    (verb, body), *more = script.told
    assert (verb, body["claim_token"], body["result"]["text"], more) == ("complete", "j1.1.secret", "Hi", [])


async def test_it_shows_signs_of_life_while_it_works() -> None:
    async def slow(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)
        await completion()(asked, writer)

    script = Scripted()
    async with at_work(script, Upstream(slow)):
        pass
    verbs = [verb for verb, _ in script.told]
    assert (verbs[-1], set(verbs[:-1])) == ("complete", {"heartbeat"})
    assert len(verbs) >= 4


async def test_a_job_in_other_hands_is_dropped_at_once() -> None:
    script = Scripted(heartbeat=[204, 409])
    async with at_work(script, Upstream(silent)):
        pass
    assert [verb for verb, _ in script.told] == ["heartbeat", "heartbeat"]


async def test_a_result_that_came_too_late_is_dropped() -> None:
    script = Scripted(complete=[409])
    async with at_work(script, Upstream()):
        pass
    assert [verb for verb, _ in script.told] == ["complete"]


async def test_a_result_is_brought_again_until_it_is_heard() -> None:
    script = Scripted(complete=[503, 500, 204])
    async with at_work(script, Upstream()):
        pass
    assert [verb for verb, _ in script.told if verb != "heartbeat"] == ["complete"] * 3
    assert len({str(body) for verb, body in script.told if verb == "complete"}) == 1


async def test_a_result_that_is_refused_fails_the_job() -> None:
    script = Scripted(complete=[422])
    async with at_work(script, Upstream()):
        await asyncio.wait_for(script.over.wait(), 10)
    assert [verb for verb, _ in script.told if verb != "heartbeat"] == ["complete", "fail"]


@pytest.mark.parametrize(("code", "retryable"), [(500, True), (429, True), (401, False), (400, False)])
async def test_a_model_server_s_fault_is_told(code: int, retryable: bool) -> None:
    script = Scripted()
    async with at_work(script, Upstream(status(code))):
        pass
    (verb, body), *_ = script.told
    assert (verb, body["error"]["code"], body["error"]["retryable"]) == ("fail", "executor_failed", retryable)


@pytest.mark.parametrize("job", [{"kind": "ai.dance"}, {"input": {"prompt": 7}}])
async def test_what_it_cannot_do_is_told_and_not_tried_again(job: dict[str, Any]) -> None:
    script = Scripted(job)
    async with at_work(script, Upstream()):
        pass
    (verb, body), *_ = script.told
    assert (verb, body["error"]["code"], body["error"]["retryable"]) == ("fail", "unsupported", False)
