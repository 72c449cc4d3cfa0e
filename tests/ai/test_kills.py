"""`kill -9` while models answer: every turn ends once, is charged once, and what an agent did is not done again."""

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace.app import open_for_inspection
from teamspace.settings import load
from tests.ai.help import joined, parse_events
from tests.durability.leases import end_leases
from tests.support.model_server import ModelServer, calls, says, stalls
from tests.support.served import Served, teamspace
from tests.support.upstream import Behaviour, ReceivedRequest, silent
from tests.support.world import PASSWORD
from tests.worker.help import Site, running_worker

pytestmark = pytest.mark.about("agents", "core", "db", "events", "jobs", "migrations", "quota", "server", "worker")
STREAM, CHAT, AGENT = "/api/ai/chat/stream", "/api/ai/chat", "/api/agent"
REPORTED, TYPICAL = 7, 512
"""Tokens: what the model server reports for each answer, and what is reserved for one of unknown length."""


class Ledger(msgspec.Struct, frozen=True):
    purpose: str
    requests: int
    tokens: int
    settled: bool


class Scripts:
    """Answers each request by the first words of its prompt."""

    def __init__(self, **by_word: list[Behaviour]) -> None:
        self._steps = by_word
        self.asked: list[str] = []

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            return await says("Hi")(request, writer)
        messages = json.loads(request.body)["messages"]
        prompt = next(message["content"] for message in reversed(messages) if message["role"] == "user")
        word = prompt.split()[0]
        self.asked.append(word)
        await self._steps[word].pop(0)(request, writer)


class Client:
    """The first operator, over HTTP. The server may be killed meanwhile."""

    def __init__(self, served: Served, http: httpx2.AsyncClient) -> None:
        self.served, self.http = served, http
        self.events: dict[str, list[dict[str, Any]]] = {}

    async def get(self, path: str) -> Any:
        return (await self.http.get(path)).json()

    async def post(self, path: str, body: Any) -> Any:
        answer = await self.http.post(path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    async def read(self, path: str, body: dict[str, Any], name: str) -> None:
        """Read a stream until it or the server ends."""
        self.events[name] = []
        headers, rest = {"accept": "text/event-stream"}, ""
        try:
            async with self.http.stream("POST", path, json=body, headers=headers) as answer:
                assert answer.status_code == 200
                async for chunk in answer.aiter_text():
                    whole, _, rest = (rest + chunk).rpartition("\n\n")
                    self.events[name] += parse_events(whole)
        except httpx2.HTTPError:
            pass

    async def replay(self, path: str, id: str, after: int = 0) -> list[dict[str, Any]]:
        headers = {"accept": "text/event-stream", "last-event-id": f"{id}:{after}"}
        answer = await self.http.post(path, json={}, headers=headers)
        assert answer.status_code == 200, answer.text
        return parse_events(answer.text)

    async def turns(self, conversation: str) -> list[dict[str, Any]]:
        shown: list[dict[str, Any]] = (await self.get(f"/api/conversations/{conversation}"))["turns"]
        return shown


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}


@asynccontextmanager
async def serving(settings: dict[str, str], model: ModelServer) -> AsyncIterator[Client]:
    allowed = {**settings, "SERVICE_EGRESS_ALLOW": "{}:{}".format(*model.address)}
    served = Served(allowed, program="tests.ai.halting")
    try:
        await asyncio.to_thread(served.start)
        body = {"username": "ann", "password": PASSWORD}
        token = served.call("POST", "/api/bootstrap", body)["token"]
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=served.url, headers=headers, timeout=30) as http:
            client = Client(served, http)
            await client.post("/api/executors", {"name": "Big", "mode": "push", "url": model.url})
            yield client
    finally:
        served.kill()


async def restart(served: Served, settings: dict[str, str]) -> None:
    """Kill the server and start another on its data."""
    await asyncio.to_thread(served.kill)
    if url := settings["SERVICE_DATABASE_URL"]:  # another server might still run its jobs: their leases must end first
        await end_leases(url)
    await asyncio.to_thread(served.start)


async def until(condition: Callable[[], Any], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if await found if asyncio.iscoroutine(found) else found:
                return
            await asyncio.sleep(0.05)


async def ledger(settings: dict[str, str]) -> list[Ledger]:
    """What is reserved and settled, in the order of its beginning."""
    async with open_for_inspection(load(settings, file=Path("/dev/null"))) as db:
        return await db.all(
            Ledger, "SELECT purpose, requests, tokens, settled_at IS NOT NULL AS settled FROM quota_ledger ORDER BY id"
        )


async def ended_jobs(client: Client, *kinds: str) -> bool:
    items = (await client.get("/api/jobs?limit=50"))["items"]
    return all(job["state"] not in ("queued", "running") for job in items if job["kind"] in kinds)


async def test_turns_and_runs_survive_the_kill_of_their_server(settings: dict[str, str]) -> None:
    """Four at once: a streamed turn, a chat, an agent whose model answers, and one that has just created a note."""
    note = calls(("create_note", {"title": "Once", "body": "Only once."}))
    script = Scripts(
        stream=[stalls("One two three"), says("Go on.")], chat=[silent], think=[stalls("Well"), says("Thought.")],
        note=[note, says("Noted.")],
    )  # fmt: skip
    async with ModelServer() as model, serving(settings, model) as client:
        model.behaviour = script
        talk, chat, run = [(await client.post("/api/conversations", {}))["id"] for _ in range(3)]
        reading = [
            asyncio.create_task(each)
            for each in (
                client.read(STREAM, {"prompt": "stream it", "conversation_id": talk}, "stream"),
                client.read(CHAT, {"prompt": "chat", "conversation_id": chat}, "chat"),
                client.read(AGENT, {"prompt": "think hard"}, "think"),
                client.read(AGENT, {"prompt": "note it", "conversation_id": run}, "note"),
            )
        ]

        async def all_underway() -> bool:
            notes = (await client.get("/api/notes"))["items"]
            return len(script.asked) == 4 and len(notes) == 1 and joined(client.events["stream"]) == "One two three"

        await until(all_underway)
        await asyncio.sleep(0.4)  # rows are saved every quarter of a second
        await restart(client.served, settings)
        await asyncio.gather(*reading)
        await until(lambda: ended_jobs(client, "ai.turn", "ai.agent"))
        await _check_turns(client, talk, chat)
        await _check_runs(client, run)
        await _check_charges(client, settings)
        continued = await client.post(CHAT, {"prompt": "stream on", "conversation_id": talk})
        assert continued["text"] == "Go on."
        assert [turn["state"] for turn in await client.turns(talk)] == ["done", "failed", "done", "done"]
        assert await asyncio.to_thread(client.served.stop) == 0
    healthy = await asyncio.to_thread(teamspace, "doctor", settings=settings)
    assert healthy.returncode == 0, healthy.stdout


async def _check_turns(client: Client, talk: str, chat: str) -> None:
    (_, streamed), (_, answered) = await client.turns(talk), await client.turns(chat)
    for turn, shown in ((streamed, "One two three"), (answered, "")):
        assert (turn["state"], turn["error"]["code"], turn["content"]) == ("failed", "interrupted", shown)
    rows = await client.replay(STREAM, streamed["id"])
    types = [row["type"] for row in rows]
    assert types == ["start", *["delta"] * (len(types) - 2), "error"], "deltas that arrive together are one"
    assert joined(rows) == "One two three"
    seen = client.events["stream"]
    rest = await client.replay(STREAM, streamed["id"], after=int(seen[-1]["at"].partition(":")[2]))
    assert seen + rest == rows, "a reader that returns sees every row once"


async def _check_runs(client: Client, conversation: str) -> None:
    for name, text, steps in (("think", "Thought.", []), ("note", "Noted.", ["create_note"])):
        rows = await client.replay(AGENT, client.events[name][0]["id"])
        numbers = [int(row["at"].partition(":")[2]) for row in rows]
        assert numbers == sorted(set(numbers))
        assert [row["type"] for row in rows if row["type"] in ("done", "error")] == ["done"]
        assert rows[-1]["text"] == text
        assert [step["tool"] for step in rows[-1]["steps"]] == steps
        assert client.events[name] == rows[: len(client.events[name])]
    assert [note["title"] for note in (await client.get("/api/notes"))["items"]] == ["Once"]
    _, answer = await client.turns(conversation)
    assert (answer["state"], answer["content"], len(answer["steps"])) == ("done", "Noted.", 1)


async def _check_charges(client: Client, settings: dict[str, str]) -> None:
    """Reported tokens where the model has reported them, the estimate where its answer was lost; each call once."""
    rows = await ledger(settings)
    assert all(row.settled and row.requests == 1 for row in rows), rows
    turns = [row.tokens for row in rows if row.purpose == "ai.turn"]
    agents = [row.tokens for row in rows if row.purpose == "ai.agent"]
    assert turns == [pytest.approx(TYPICAL, abs=10)] * 2
    assert sorted(agents)[:3] == [REPORTED] * 3, "two answers after the restart, and one before"
    assert len(agents) == 4 and agents[-1] == REPORTED and max(agents) > TYPICAL
    usage = {row["dimension"]: row for row in (await client.get("/api/usage"))["items"]}
    assert usage["ai.tokens.total"]["used"] == sum(turns) + sum(agents)
    assert [row["reserved"] for row in usage.values()] == [0] * len(usage)


# Remote workers


class Held:
    """A model server that answers when it is released."""

    def __init__(self, answer: Behaviour) -> None:
        self.answer = answer
        self.called, self.release = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        self.called.set()
        await self.release.wait()
        await self.answer(request, writer)


async def test_a_turn_survives_its_worker_and_a_worker_its_server(settings: dict[str, str], tmp_path: Path) -> None:
    lost, held = Held(says("Never")), Held(says("By another"))
    async with ModelServer() as first, ModelServer() as second:
        first.behaviour, second.behaviour = lost, held
        with Served(settings) as served:
            site = Site(served, tmp_path)
            token = await site.executor()
            talk = (await site.call("POST", "/api/conversations", {}))["id"]
            body = {"prompt": "Hello", "executor": "Remote", "conversation_id": talk}
            with running_worker(site, token, first.url) as worker:
                asking = asyncio.create_task(asyncio.to_thread(_ask, served, body, site.token))
                await asyncio.wait_for(lost.called.wait(), 30)
                worker.signal(signal.SIGKILL)
                await worker.wait()
            await end_leases(settings["SERVICE_DATABASE_URL"] or tmp_path / "data/teamspace.sqlite", "ai.chat")
            held.release.set()
            with running_worker(site, token, second.url):
                assert (await asking)["text"] == "By another"
                assert await site.used() == {"ai.requests": 1, "ai.tokens.total": REPORTED, "ai.concurrency": 0}
                await _kill_the_server_of_a_worker(site, settings, held, body)

            async def is_told() -> bool:
                turns = (await site.call("GET", f"/api/conversations/{talk}"))["turns"]
                return [turn["state"] for turn in turns] == ["done", "done", "done", "failed"]

            await until(is_told)
    healthy = await asyncio.to_thread(teamspace, "doctor", settings=settings)
    assert healthy.returncode == 0, healthy.stdout


async def _kill_the_server_of_a_worker(site: Site, settings: dict[str, str], held: Held, body: dict[str, str]) -> None:
    """The turn has ended when the worker returns its answer: the answer is only charged."""
    held.called.clear()
    held.release.clear()
    asking = asyncio.create_task(asyncio.to_thread(_ask, site.served, body, site.token))
    await asyncio.wait_for(held.called.wait(), 30)
    site.served.kill()
    if url := settings["SERVICE_DATABASE_URL"]:
        await end_leases(url, "ai.turn")
    await asyncio.to_thread(site.served.start)
    held.release.set()
    assert "error" in await asking
    expected = {"ai.requests": 2, "ai.tokens.total": 2 * REPORTED, "ai.concurrency": 0}

    async def is_charged() -> bool:
        return await site.used() == expected

    await until(is_charged)


async def test_a_stream_and_an_agent_survive_their_workers_and_the_agent_its_server(
    settings: dict[str, str], tmp_path: Path
) -> None:
    lost, held = Held(says("Never")), Held(says("Noted."))
    async with ModelServer() as first, ModelServer() as second:
        first.behaviour = lost
        second.script([says("By another"), calls(("create_note", {"title": "Once", "body": "x"})), held])
        with Served(settings) as served:
            site = Site(served, tmp_path)
            token = await site.executor()
            await site.call("PUT", "/api/model-roles", {"roles": {"chat": "Remote"}})
            headers = {"authorization": f"Bearer {site.token}"}
            async with httpx2.AsyncClient(base_url=served.url, headers=headers, timeout=60) as http:
                client = Client(served, http)
                await _lose_a_worker(
                    site, settings, token, first, second, client.read(STREAM, {"prompt": "Hi"}, "chat")
                )
                assert (joined(client.events["chat"]), client.events["chat"][-1]["type"]) == ("By another", "done")
                await _lose_a_worker(
                    site, settings, token, first, second, client.read(AGENT, {"prompt": "Note it"}, "agent"), held=held
                )
                rows = await client.replay(AGENT, client.events["agent"][0]["id"])
                assert [row["executor"] for row in rows if row["type"] == "start"] == ["Remote"] * 2
                assert (rows[-1]["type"], rows[-1]["text"]) == ("done", "Noted.")
                assert [step["tool"] for step in rows[-1]["steps"]] == ["create_note"]
                assert [note["title"] for note in (await client.get("/api/notes"))["items"]] == ["Once"]
            assert len(second.chat_requests()) == 3, (
                "the answer of a round is awaited by the next server, not asked again"
            )
            assert await site.used() == {"ai.requests": 3, "ai.tokens.total": 3 * REPORTED, "ai.concurrency": 0}
            recorded = (await site.call("GET", "/api/audit?action=ai.call"))["items"]
            assert len(recorded) == 2, "nor recorded again"
    healthy = await asyncio.to_thread(teamspace, "doctor", settings=settings)
    assert healthy.returncode == 0, healthy.stdout


async def _lose_a_worker(
    site: Site, settings: dict[str, str], token: Path, first: ModelServer, second: ModelServer,
    reading: Coroutine[Any, Any, None], held: Held | None = None,
) -> None:  # fmt: skip
    """Kill the worker while its model answers, and start another; then kill the server while the model is `held`."""
    lost = first.behaviour
    assert isinstance(lost, Held)
    lost.called.clear()
    with running_worker(site, token, first.url) as worker:

        async def is_remote() -> bool:
            return bool((await site.call("GET", "/api/ai/model"))["executor"] == "Remote")

        await until(is_remote, 60)
        asking = asyncio.create_task(reading)
        await asyncio.wait_for(lost.called.wait(), 30)
        worker.signal(signal.SIGKILL)
        await worker.wait()
    await end_leases(settings["SERVICE_DATABASE_URL"] or Path(settings["SERVICE_DATA"]) / "teamspace.sqlite", "ai.chat")
    with running_worker(site, token, second.url):
        if held is not None:
            await asyncio.wait_for(held.called.wait(), 30)
            site.served.kill()
            if url := settings["SERVICE_DATABASE_URL"]:
                await end_leases(url, "ai.agent")
            await asyncio.to_thread(site.served.start)
            held.release.set()
        await asking
        if held is not None:
            await until(lambda: _are_over(site))


async def _are_over(site: Site) -> bool:
    jobs = (await site.call("GET", "/api/jobs?kind=ai.agent"))["items"]
    return all(job["state"] not in ("queued", "running") for job in jobs)


def _ask(served: Served, body: dict[str, str], token: str) -> dict[str, Any]:
    """Chat, once there is a worker; if the server is gone, the result has the field `error`."""
    headers = {"authorization": f"Bearer {token}"}
    try:
        while True:
            answer = httpx2.post(f"{served.url}{CHAT}", json=body, headers=headers, timeout=60)
            if answer.status_code != 503:
                break
            time.sleep(0.1)
    except httpx2.HTTPError as fault:
        return {"error": repr(fault)}
    shown: dict[str, Any] = answer.json()
    return shown
