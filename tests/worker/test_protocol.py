"""How a worker handles the server's answers, tested with a server that gives rare ones."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from teamspace.client import AsyncClient, AsyncWorker
from teamspace.client import worker as running
from teamspace.completions import ModelEndpoint
from teamspace.core.egress import Egress, NetworkReach
from teamspace.worker.bridge import make_worker
from tests.support.upstream import ReceivedRequest, Upstream, completion, reply, silent, status

JOB = {"id": "j1", "kind": "ai.chat", "input": {"prompt": "Hello"}, "model": None, "attempt": 1}
CLAIMED = {"job": JOB, "claim_token": "j1.1.secret", "lease_expires_at": "2030-01-01T00:00:00.000Z"}


class ScriptedServer:
    """Offers one job, and answers reports about it with the given statuses."""

    def __init__(self, job: dict[str, Any] | None = None, **answers: list[int]) -> None:
        self.jobs = [CLAIMED if job is None else {**CLAIMED, "job": {**JOB, **job}}]
        self.answers = answers
        self.reports: list[tuple[str, dict[str, Any]]] = []
        self.over = asyncio.Event()

    @property
    def outcomes(self) -> list[tuple[str, dict[str, Any]]]:
        """The reports that are not heartbeats: how many of those there are depends on the time."""
        return [report for report in self.reports if report[0] != "heartbeat"]

    async def __call__(self, asked: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        verb = asked.path.rsplit("/", 1)[1]
        body = msgspec.json.decode(asked.body)
        if verb == "claim":
            if self.jobs:
                return await reply(writer, 200, self.jobs.pop())
            return await reply(writer, 204, b"")
        self.reports.append((verb, body))
        answers = self.answers.get(verb, [])
        code = answers.pop(0) if answers else 204
        await reply(writer, code, {"detail": "As told."} if code != 204 else b"")
        if code in (204, 409) and (verb != "heartbeat" or code == 409):
            self.over.set()


@asynccontextmanager
async def working(script: ScriptedServer, model: Upstream) -> AsyncIterator[AsyncWorker]:
    async with Upstream(script) as upstream, model, AsyncClient(f"http://127.0.0.1:{upstream.port}", "token") as client:
        endpoint = ModelEndpoint(model.url, NetworkReach.ANY)
        worker = make_worker(client, Egress(), endpoint, kinds=["ai.chat"], slots=1)
        task = asyncio.create_task(worker.run())
        yield worker
        await asyncio.wait_for(script.over.wait(), 10)
        worker.stop()
        await asyncio.wait_for(task, 10)


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LEASE", 0.3)
    monkeypatch.setattr(running, "_RETRY_SECONDS", 0.05)


async def test_a_job_is_claimed_run_and_completed() -> None:
    script, model = ScriptedServer(), Upstream(completion("Hi"))
    async with working(script, model):
        pass
    (verb, body), *more = script.outcomes
    assert (verb, body["claim_token"], body["result"]["text"], more) == ("complete", "j1.1.secret", "Hi", [])


async def test_a_worker_sends_heartbeats() -> None:
    async def slow(asked: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)
        await completion()(asked, writer)

    script = ScriptedServer()
    async with working(script, Upstream(slow)):
        pass
    verbs = [verb for verb, _ in script.reports]
    assert (verbs[-1], set(verbs[:-1])) == ("complete", {"heartbeat"})
    assert len(verbs) >= 4


async def test_a_stale_job_is_dropped_at_once() -> None:
    script = ScriptedServer(heartbeat=[204, 409])
    async with working(script, Upstream(silent)):
        pass
    assert [verb for verb, _ in script.reports] == ["heartbeat", "heartbeat"]


async def test_a_late_result_is_dropped() -> None:
    script = ScriptedServer(complete=[409])
    async with working(script, Upstream()):
        pass
    assert [verb for verb, _ in script.outcomes] == ["complete"]


async def test_a_result_is_sent_again_until_it_is_accepted() -> None:
    script = ScriptedServer(complete=[503, 500, 204])
    async with working(script, Upstream()):
        pass
    assert [verb for verb, _ in script.outcomes] == ["complete"] * 3
    assert len({str(body) for verb, body in script.reports if verb == "complete"}) == 1


async def test_a_refused_result_fails_the_job() -> None:
    script = ScriptedServer(complete=[422])
    async with working(script, Upstream()):
        await asyncio.wait_for(script.over.wait(), 10)
    assert [verb for verb, _ in script.outcomes] == ["complete", "fail"]


FORMAT = {"type": "json_schema", "schema": {"type": "object", "required": ["n"]}}


def answering(*texts: str) -> Upstream:
    """A model server that gives these answers."""
    left = list(texts)

    async def answer(asked: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await completion(left.pop(0))(asked, writer)

    return Upstream(answer)


async def test_a_response_format_is_honoured_after_one_repair() -> None:
    script = ScriptedServer({"input": {"prompt": "Hello", "response_format": FORMAT}})
    async with working(script, answering("No.", '{"n": 1}')):
        pass
    (verb, body), *_ = script.outcomes
    assert (verb, body["result"]["parsed"], body["result"]["usage"]["total_tokens"]) == ("complete", {"n": 1}, 14)


async def test_a_broken_response_format_fails_the_job() -> None:
    script = ScriptedServer({"input": {"prompt": "Hello", "response_format": FORMAT}})
    async with working(script, answering("No.", "{}")):
        pass
    (verb, body), *_ = script.outcomes
    assert (verb, body["error"]["code"], body["error"]["retryable"]) == ("fail", "response_refused", False)
    assert '"n" is a required property' in body["error"]["message"]
    assert body["usage"]["total_tokens"] == 14, "of both attempts"


async def test_a_format_that_the_worker_cannot_check_is_unsupported() -> None:
    wanted = {"type": "json_schema", "schema": {"$ref": "https://example.com/schema"}}
    script = ScriptedServer({"input": {"prompt": "Hello", "response_format": wanted}})
    async with working(script, Upstream()):
        pass
    (verb, body), *_ = script.outcomes
    assert (verb, body["error"]["code"]) == ("fail", "unsupported")


@pytest.mark.parametrize(("code", "retryable"), [(500, True), (429, True), (401, False), (400, False)])
async def test_a_failure_of_the_model_server_is_reported(code: int, retryable: bool) -> None:
    script = ScriptedServer()
    async with working(script, Upstream(status(code))):
        pass
    (verb, body), *_ = script.outcomes
    assert (verb, body["error"]["code"], body["error"]["retryable"]) == ("fail", "executor_failed", retryable)
    assert "usage" not in body, "nothing indicates that the model has done work"


@pytest.mark.parametrize("job", [{"kind": "ai.dance"}, {"input": {"prompt": 7}}])
async def test_an_unsupported_job_fails_without_a_retry(job: dict[str, Any]) -> None:
    script = ScriptedServer(job)
    async with working(script, Upstream()):
        pass
    (verb, body), *_ = script.outcomes
    assert (verb, body["error"]["code"], body["error"]["retryable"]) == ("fail", "unsupported", False)
