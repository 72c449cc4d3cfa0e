"""`kill -9` while models answer: turns, streams and runs of agents end once, and nothing is charged or done twice.

Clients chat in conversations, streamed or not, and have agents create notes. A model server in this process answers, and
workers that are killed as well. After each kill everything that was begun has an end: an answer, or a clear error; streams
are read again from the start. What each answer costs is a number that no other has, so that the ledger can be compared
with the calls: each is paid once, unless a kill has hidden how it ended.
"""

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx2

from tests.ai.help import parse_events
from tests.durability.ai_worker import answer, has_to_write, key_of, read_calls, usage
from tests.durability.job_soak import WorkerProcess
from tests.durability.journal import Violation
from tests.durability.leases import end_leases
from tests.durability.ledger import count_audited, count_rounds, read_entries
from tests.durability.soak import OPERATOR, Busy, Plan, Soak, created
from tests.durability.verification import ask, everything
from tests.support.model_server import ModelServer, calls, says
from tests.support.postgres import Postgres
from tests.support.served import HOST
from tests.support.upstream import ReceivedRequest, completion

_PATIENCE = 60.0
_PATHS = {"chat": "/api/ai/chat", "stream": "/api/ai/chat/stream", "agent": "/api/agent"}
_LAST = ("done", "error")
_PUSH, _PULL = "Model", "Workers"
_WORKERS = 3
_FIRST = 1_000_000
"""What the first answer costs: more than is reserved for any. Each worker has a range of this length."""


class Echo:
    """A model that repeats the last word of a prompt, slowly; an agent first has it create a note of that name."""

    def __init__(self) -> None:
        self.calls: dict[int, str] = {}
        """The key of each call, by what it costs."""

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            return await completion()(request, writer)
        asked = json.loads(request.body)
        messages, number = asked["messages"], _FIRST + len(self.calls)
        key = self.calls[number] = key_of(messages)
        if has_to_write(messages, asked.get("tools")):
            wanted = ("create_note", {"title": key, "body": key})
            return await calls(wanted, usage=usage(number))(request, writer)
        await says(answer(key), pause=0.02, usage=usage(number))(request, writer)


@dataclass
class Request:
    """A turn or a run, and what its client was told."""

    key: str
    way: str
    executor: str
    """Whom it names. Agents follow the role, which changes with each cycle."""
    events: list[dict[str, Any]] = field(default_factory=list)
    text: str | None = None
    """The answer, if the client got it."""
    is_refused: bool = False

    @property
    def is_streamed(self) -> bool:
        return self.way != "chat"

    @property
    def body(self) -> dict[str, Any]:
        named = {} if self.way == "agent" else {"executor": self.executor}
        return {"prompt": f"Write down {self.key}", **named}

    @property
    def paid_calls(self) -> int:
        """How many calls its answer takes."""
        return 2 if self.way == "agent" else 1

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
                way, executor = self._random.choice(list(_PATHS)), self._random.choice([_PUSH, _PULL])
                request = Request(f"c{self._number}r{next(self._keys)}", way, executor)
                self.requests.append(request)
                await self._ask(request)

    async def close(self) -> None:
        await self._http.aclose()

    async def _ask(self, request: Request) -> None:
        body = {**request.body, "conversation_id": self.conversation}
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
        self.folder = folder
        self.ai_clients: list[AiClient] = []
        self.workers: list[WorkerProcess] = []
        self.interrupted = 0
        """Requests without an answer: how their last call ended is not known."""
        self.counts: Counter[str] = Counter()
        self.model = Echo()

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.kill()
        super().__exit__()

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.counts.items()))
        database = "postgres" if self.postgres else "sqlite"
        return f"{database} cycle {self.cycle}/{self.plan.cycles}: {len(self.sent)} model calls, {counts}"

    @property
    def sent(self) -> dict[int, str]:
        """All calls that a model or a worker has received."""
        return self.model.calls | {n: key for worker in self.workers for n, key in read_calls(worker.notes).items()}

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
        push = {"name": _PUSH, "mode": "push", "url": self._model_url}
        await created(self.operator, "/api/executors", push)
        token = (await created(self.operator, "/api/executors", {"name": _PULL, "mode": "pull"}))["token"]
        for number in range(_WORKERS):
            notes, first = self.folder / f"notes{number}", str((number + 2) * _FIRST)
            self.workers.append(WorkerProcess(self.served.port, token, notes, "ai_worker", first))
            self.workers[-1].start()
        for number in range(self.plan.clients):
            conversation = (await created(self.operator, "/api/conversations", {}))["id"]
            seed = f"{self.plan.seed}/{number}"
            client = AiClient(number, self.served.port, self.operator.token, conversation, seed)
            self.ai_clients.append(client)

    async def moment(self) -> None:
        """Wait for a moment, and until the model was asked: there must be something to interrupt. Then kill a worker."""
        enough = len(self.model.calls) + self.plan.clients // 2 + 1
        await super().moment()
        await self.until(lambda: len(self.model.calls) >= enough)
        await super().moment()
        worker = self._random.choice(self.workers)
        worker.kill()
        worker.start()
        self.counts["workers killed"] += 1
        with suppress(OSError, asyncpg.PostgresError):  # PostgreSQL may be gone
            await end_leases(self.database, "ai.chat")  # waiting for them would take most of the time

    async def before_restart(self) -> None:
        self.counts["servers killed"] += 1
        await end_leases(self.database)

    async def lose_process(self) -> None:
        await super().lose_process()
        self.counts["processes killed"] += 1
        await end_leases(self.database)

    async def lose_supervisor(self) -> None:
        await super().lose_supervisor()
        self.counts["supervisors killed"] += 1
        await end_leases(self.database)

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
        await self._check_ledger()
        for client in self.ai_clients:
            client.requests.clear()
        # In every other cycle, agents ask the workers.
        roles = {"roles": {"chat": _PULL if self.cycle % 2 else None}}
        await ask(self.operator, "PUT", "/api/model-roles", roles)
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

    async def _check_ledger(self) -> None:
        """Compare what was paid and recorded with the calls that were received. No request is open now."""
        rows = (await self._get("/api/usage"))["items"]
        if left := [row for row in rows if row["reserved"]]:
            raise Violation(f"nothing runs, and there are reservations: {left}")
        entries, sent = await read_entries(self.database), self.sent
        if left := [entry for entry in entries if not entry.settled]:
            raise Violation(f"nothing runs, and there are reservations: {left}")
        paid = Counter(entry.tokens for entry in entries if entry.tokens >= _FIRST)
        if wrong := [number for number, times in paid.items() if times > 1 or number not in sent]:
            raise Violation(f"paid twice, or never received: {[(number, sent.get(number)) for number in wrong]}")
        self._check_answered(sent, paid)
        charged = sum(entry.requests for entry in entries)  # the doctor compares the counters with the ledger
        if charged - len(paid) > self.interrupted:
            raise Violation(f"{charged} calls were charged, and {len(paid)} paid, of {self.interrupted} interrupted")
        await self._check_audit(Counter(entry.purpose for entry in entries))
        self.counts["calls paid"], self.counts["calls with an unknown end"] = len(paid), len(sent) - len(paid)

    def _check_answered(self, sent: Mapping[int, str], paid: Counter[int]) -> None:
        """What was answered was paid: once, and all calls that it took."""
        by_key: dict[str, list[int]] = {}
        for number, key in sent.items():
            by_key.setdefault(key, []).append(number)
        for request in (request for client in self.ai_clients for request in client.requests):
            numbers = by_key.get(request.key, [])
            settled = [number for number in numbers if number in paid]
            if request.text is None:
                self.interrupted += max(1, len(numbers) - len(settled))
            elif len(settled) != request.paid_calls:
                raise Violation(f"{request.way} {request.key} was answered with {numbers}, and {settled} were paid")
        accepted = [n for worker in self.workers for n in read_calls(worker.notes, "accepted")]
        if unpaid := [number for number in accepted if number not in paid]:
            raise Violation(f"workers have answered {[(number, sent[number]) for number in unpaid]}, which is not paid")

    async def _check_audit(self, reserved: Counter[str]) -> None:
        """What was reserved for a person was recorded in the same commit. A worker's job can be claimed repeatedly."""
        audited, rounds = await count_audited(self.database), await count_rounds(self.database)
        for action, expected in (("ai.turn", reserved["ai.turn"]), ("ai.call", reserved["ai.agent"] + rounds)):
            if audited.get(action, 0) != expected:
                raise Violation(f"{action} was recorded {audited.get(action, 0)} times, and begun {expected} times")
