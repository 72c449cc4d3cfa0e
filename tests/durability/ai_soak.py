"""`kill -9` while models answer: turns, streams and runs of agents end once, and nothing is charged or done twice.

Clients chat in conversations, streamed or not, and have agents create notes. A model server in this process answers.
After each kill everything that was begun has an end: an answer, or a clear error; streams are read again from the start.
"""

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.ai.help import parse_events
from tests.durability.journal import Violation
from tests.durability.leases import end_leases
from tests.durability.soak import OPERATOR, Busy, Plan, Soak, created
from tests.durability.verification import ask, everything
from tests.support.model_server import ModelServer, calls, says
from tests.support.postgres import Postgres
from tests.support.served import HOST
from tests.support.upstream import ReceivedRequest, completion

_PATIENCE = 60.0
_PATHS = {"chat": "/api/ai/chat", "stream": "/api/ai/chat/stream", "agent": "/api/agent"}
_LAST = ("done", "error")


class Echo:
    """A model that repeats the last word of a prompt, slowly; an agent first has it create a note of that name."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            return await completion()(request, writer)
        self.asked += 1
        asked = json.loads(request.body)
        prompt = next(message for message in reversed(asked["messages"]) if message["role"] == "user")["content"]
        key = prompt.split()[-1]
        if asked.get("tools") and asked["messages"][-1]["role"] != "tool":
            return await calls(("create_note", {"title": key, "body": prompt}))(request, writer)
        await says(answer(key), pause=0.02)(request, writer)


def answer(key: str) -> str:
    return f"I have heard of it and write it down as {key}"


@dataclass
class Request:
    """A turn or a run, and what its client was told."""

    key: str
    way: str
    events: list[dict[str, Any]] = field(default_factory=list)
    text: str | None = None
    """The answer, if the client got it."""
    is_refused: bool = False

    @property
    def is_streamed(self) -> bool:
        return self.way != "chat"

    @property
    def stream_id(self) -> str | None:
        return self.events[0]["id"] if self.events else None


class AiClient:
    """Asks in its own conversation, one request after another."""

    def __init__(self, number: int, port: int, token: str, conversation: str, seed: str) -> None:
        self.conversation = conversation
        self.requests: list[Request] = []
        headers = {"authorization": f"Bearer {token}"}
        self._http = httpx2.AsyncClient(base_url=f"http://{HOST}:{port}", headers=headers, timeout=30)
        self._number = number
        self._keys = itertools.count()
        self._random = random.Random(seed)

    async def work(self, stop: asyncio.Event) -> None:
        with suppress(httpx2.HTTPError):
            while not stop.is_set():
                request = Request(f"c{self._number}r{next(self._keys)}", self._random.choice(list(_PATHS)))
                self.requests.append(request)
                await self._ask(request)

    async def close(self) -> None:
        await self._http.aclose()

    async def _ask(self, request: Request) -> None:
        body = {"prompt": f"Write down {request.key}", "conversation_id": self.conversation}
        if request.is_streamed:
            await self._read(request, body)
            return
        reply = await self._http.post(_PATHS["chat"], json=body)
        self._check_status(request, reply.status_code, reply.text)
        if not request.is_refused:
            request.text = reply.json()["text"]

    async def _read(self, request: Request, body: dict[str, Any]) -> None:
        rest, headers = "", {"accept": "text/event-stream"}
        async with self._http.stream("POST", _PATHS[request.way], json=body, headers=headers) as reply:
            if reply.status_code != 200:
                self._check_status(request, reply.status_code, (await reply.aread()).decode())
                return
            async for chunk in reply.aiter_text():
                whole, _, rest = (rest + chunk).rpartition("\n\n")
                request.events += parse_events(whole)
        if request.events and request.events[-1]["type"] == "done":
            request.text = request.events[-1]["text"]

    def _check_status(self, request: Request, status: int, text: str) -> None:
        if status >= 400:
            # A conversation goes on after its last answer. 502: its server lost the turn. 503: the database is gone.
            if status not in (409, 502, 503):
                raise Violation(f"{request.way} {request.key} was answered {status}: {text}")
            request.is_refused = True

    async def replay(self, request: Request) -> list[dict[str, Any]]:
        headers = {"accept": "text/event-stream", "last-event-id": f"{request.stream_id}:0"}
        reply = await self._http.post(_PATHS[request.way], json={}, headers=headers)
        if reply.status_code != 200:
            raise Violation(f"the stream of {request.key} cannot be read: {reply.status_code} {reply.text}")
        return parse_events(reply.text)


class AiSoak(Soak):
    """The cycles on one database."""

    def __init__(self, plan: Plan, folder: Path, postgres: Postgres | None = None) -> None:
        super().__init__(plan, folder, postgres)
        self.ai_clients: list[AiClient] = []
        self.counts: Counter[str] = Counter()
        self.model = Echo()

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.counts.items()))
        database = "postgres" if self.postgres else "sqlite"
        return f"{database} cycle {self.cycle}/{self.plan.cycles}: {self.model.asked} model calls, {counts}"

    @property
    def busy(self) -> Sequence[Busy]:
        return self.ai_clients

    async def run(self) -> None:
        async with ModelServer() as server:
            server.behaviour = self.model
            self.served.settings["SERVICE_EGRESS_ALLOW"] = "{}:{}".format(*server.address)
            self._model_url = server.url
            try:
                await super().run()
            finally:
                for client in self.ai_clients:
                    await client.close()

    async def populate(self) -> None:
        self.operator.token = (await created(self.operator, "/api/bootstrap", OPERATOR))["token"]
        push = {"name": "Model", "mode": "push", "url": self._model_url}
        await created(self.operator, "/api/executors", push)
        for number in range(self.plan.clients):
            conversation = (await created(self.operator, "/api/conversations", {}))["id"]
            seed = f"{self.plan.seed}/{number}"
            client = AiClient(number, self.served.port, self.operator.token, conversation, seed)
            self.ai_clients.append(client)

    async def moment(self) -> None:
        """Wait for a moment, and until the model was asked: there must be something to interrupt."""
        enough = self.model.asked + self.plan.clients
        await super().moment()
        await self.until(lambda: self.model.asked >= enough)
        await super().moment()

    async def crash(self) -> None:
        async with self.load():
            await self.moment()
            self.served.send_sigkill()
        self.served.kill()
        self.operator.close()
        self.counts["servers killed"] += 1
        await end_leases(self.database)  # waiting for them would take most of the time
        self.start()

    # Verification

    async def verify(self) -> None:
        """Compare everything that was begun since the last kill with what it has become."""
        await self._wait_until_ended()
        notes = Counter(item["title"] for item in await everything(self.operator, "/api/notes"))
        if duplicates := [title for title, times in notes.items() if times > 1]:
            raise Violation(f"created more than once: {duplicates}")
        for client in self.ai_clients:
            for request in client.requests:
                await self._check_stream(client, request)
            await self._check_conversation(client, notes)
            client.requests.clear()
        await self._check_usage()
        self.operator.close()

    async def _get(self, path: str) -> Any:
        """Ask over a new connection: the server closes one that was idle for long."""
        self.operator.close()
        return (await ask(self.operator, "GET", path)).json

    async def _wait_until_ended(self) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                while await self._open_jobs():  # noqa: ASYNC110 - other processes run them
                    await asyncio.sleep(0.1)
        except TimeoutError:
            open = await self._open_jobs()
            raise Violation(f"{_PATIENCE} s after the kill there are jobs without an end: {open}") from None

    async def _open_jobs(self) -> list[dict[str, Any]]:
        newest = (await self._get("/api/jobs?limit=200"))["items"]
        return [job for job in newest if job["state"] in ("queued", "running")]

    async def _check_stream(self, client: AiClient, request: Request) -> None:
        """A stream has each row once and one last row, and says nothing else than what its reader has seen."""
        if request.stream_id is None:
            return
        rows = await client.replay(request)
        numbers = [int(row["at"].partition(":")[2]) for row in rows]
        if numbers != sorted(set(numbers)) or [row["type"] in _LAST for row in rows].count(True) != 1:
            raise Violation(f"the stream of {request.key} has {rows}")
        again = {row["at"]: row for row in rows}
        if any(event != again.get(event["at"], event) for event in request.events):
            raise Violation(f"the stream of {request.key} was {request.events}, and is {rows}")
        if rows[-1]["type"] == "done" and rows[-1]["text"] != answer(request.key):
            raise Violation(f"{request.key} ended with {rows[-1]}")
        if request.way == "agent" and rows[-1]["type"] != "done" and rows[-1]["code"] == "interrupted":
            raise Violation(f"the run {request.key} was not continued: {rows[-1]}")
        self.counts[f"streams {rows[-1]['type']}"] += 1

    async def _check_conversation(self, client: AiClient, notes: Counter[str]) -> None:
        turns = (await self._get(f"/api/conversations/{client.conversation}"))["turns"]
        answers = {turn["parent_id"]: turn for turn in turns if turn["role"] == "assistant"}
        prompts = {turn["content"].split()[-1]: turn["id"] for turn in turns if turn["role"] == "user"}
        if len(turns) != 2 * len(prompts) or len(answers) != len(prompts):
            raise Violation(f"a prompt without one answer: {turns}")
        for request in client.requests:
            told = answers.get(prompts.get(request.key, ""))
            if told is None:
                if request.text is not None or request.events:
                    raise Violation(f"{request.key} was begun, and is not in its conversation")
                continue
            self._check_answer(request, told, notes)

    def _check_answer(self, request: Request, told: dict[str, Any], notes: Counter[str]) -> None:
        done = told["state"] == "done"
        if not done and (told["state"] != "failed" or not told["error"]["code"]):
            raise Violation(f"{request.key} has neither an answer nor an error: {told}")
        if done and told["content"] != answer(request.key):
            raise Violation(f"{request.key} was answered {told}")
        if request.text is not None and not done:
            raise Violation(f"{request.key} was answered {request.text!r}, and its conversation says {told}")
        if request.way == "agent" and done and not notes[request.key]:
            raise Violation(f"the agent of {request.key} has created no note")
        self.counts[f"{request.way} {told['state']}"] += 1

    async def _check_usage(self) -> None:
        """Nothing is reserved when nothing runs, and no call of the model is unpaid."""
        rows = (await self._get("/api/usage"))["items"]
        if left := [row for row in rows if row["reserved"]]:
            raise Violation(f"nothing runs, and there are reservations: {left}")
        used = next(row["used"] for row in rows if row["dimension"] == "ai.requests")
        self.counts["calls charged"] = used
