"""`kill -9` of the server while runs go on: every item of every step is executed, none twice, and results stay in order.

Clients start runs with an idempotency key. A run creates a note for each title, reads them all, asks a model, and creates
one more note at the end. In the end there are exactly the notes that the runs name, and the model, which runs in this
process, was asked again only where a kill has interrupted it.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.durability.journal import Violation
from tests.durability.leases import end_leases
from tests.durability.ledger import read_payments
from tests.durability.soak import OPERATOR, Busy, Plan, Soak, created
from tests.durability.verification import ask, everything
from tests.durability.wire import Connection, Unanswered, Unreachable
from tests.support.model_server import ModelServer, says
from tests.support.postgres import Postgres
from tests.support.upstream import ReceivedRequest, completion

_PAUSE = 0.4
_PATIENCE = 900.0
_THINKING = 0.05
"""Seconds until the model answers."""
_STORED_WITHIN = 1.0
"""Seconds after which an answer must have been stored."""
_REACHED_WITHIN = 3.0
_OUTAGE = 15.0
"""Seconds within which the server uses PostgreSQL again after a kill."""
_ITEMS = 8
SPEC = {
    "slug": "soak", "start": "write", "max_steps": 50, "inputs": {"titles": {"type": "array"}, "last": {"type": "string"}},
    "steps": [
        {"id": "write", "kind": "map", "over": {"$ref": "input.titles"}, "tool": "create_note", "retry": 3,
         "with": {"title": {"$ref": "item"}, "body": "soak"}},
        {"id": "read", "kind": "map", "over": {"$ref": "steps.write.output.results"}, "tool": "read_note", "retry": 3,
         "with": {"id": {"$ref": "item.result.note_id"}}},
        {"id": "done", "kind": "choice", "when": {"exists": {"$ref": "steps.read.output.results.0"}}, "then": "ask",
         "else": "ask", "retry": 3},
        {"id": "ask", "kind": "tool", "tool": "chat_message", "retry": 3, "with": {"text": {"$ref": "input.last"}}},
        {"id": "last", "kind": "tool", "tool": "create_note", "retry": 3,
         "with": {"title": {"$ref": "input.last"}, "body": "soak"}},
    ],
}  # fmt: skip


LOST = "lost"
"""Instead of an id: the request took effect, and its answer was lost with the server."""


class PaidModel:
    """A model that is slow enough to be interrupted, and remembers who has asked it when."""

    def __init__(self, outage: float) -> None:
        self.asked = 0
        self.interrupted_at: list[float] = []
        self.repeated: list[str] = []
        """What was asked again without reason."""
        self._outage = outage
        self._asks: dict[str, tuple[float, float]] = {}
        """When the last call about each run began, and when it was answered."""

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            return await completion()(request, writer)
        prompt = json.loads(request.body)["messages"][-1]["content"]
        began = time.monotonic()
        if prompt in self._asks and not self._was_interrupted(*self._asks[prompt]):
            self.repeated.append(prompt)
        self.asked += 1
        self._asks[prompt] = began, began + _THINKING
        await asyncio.sleep(_THINKING)
        await says(f"About {prompt}")(request, writer)
        self._asks[prompt] = began, time.monotonic()

    def _was_interrupted(self, began: float, answered: float) -> bool:
        return any(began - self._outage <= at <= answered + _STORED_WITHIN for at in self.interrupted_at)


class RunClient:
    """Starts runs."""

    def __init__(self, number: int, port: int, token: str) -> None:
        self.connection = Connection(port, token)
        self.runs: dict[str, str] = {}
        """The id of the run by the key of its request; empty if that is not known yet."""
        self._number = number

    async def work(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                # A request without an answer is repeated in the end: the server waits some seconds for its first answer.
                await self.start(f"r{self._number}-{len(self.runs)}")
                await asyncio.sleep(_PAUSE)
        except (Unreachable, Unanswered):
            pass
        finally:
            self.connection.close()

    async def start(self, key: str) -> None:
        self.runs.setdefault(key, "")
        body = {"input": {"titles": titles(key), "last": f"{key} last"}}
        reply = await self.connection.call("POST", "/api/workflows/soak/run", body, {"idempotency-key": key})
        if reply.status == 202:
            self.runs[key] = reply.json["id"]
        elif reply.status == 409:
            self.runs[key] = LOST
        elif reply.status != 503:
            raise Violation(f"starting {key} was answered {reply}")


def titles(key: str) -> list[str]:
    return [f"{key} {number}" for number in range(_ITEMS)]


class RunSoak(Soak):
    """The cycles on one database. `expire_leases` ends leases in the database instead of waiting for them."""

    def __init__(
        self, plan: Plan, folder: Path, postgres: Postgres | None = None, *, expire_leases: bool = False
    ) -> None:
        super().__init__(plan, folder, postgres)
        self.expire_leases = expire_leases
        self.run_clients: list[RunClient] = []
        self.counts: Counter[str] = Counter()
        self.model = PaidModel(_OUTAGE if postgres else 0.0)

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.counts.items()))
        database = "postgres" if self.postgres else "sqlite"
        return f"{database} cycle {self.cycle}/{self.plan.cycles}: {len(self.keys)} runs started, {self.model.asked} model calls, {counts}"

    async def run(self) -> None:
        async with ModelServer() as server:
            server.behaviour = self.model
            self.served.settings["SERVICE_EGRESS_ALLOW"] = "{}:{}".format(*server.address)
            self._model_url = server.url
            await super().run()

    @property
    def busy(self) -> Sequence[Busy]:
        return self.run_clients

    @property
    def keys(self) -> list[str]:
        return [key for client in self.run_clients for key in client.runs]

    async def populate(self) -> None:
        self.operator.token = (await created(self.operator, "/api/bootstrap", OPERATOR))["token"]
        await created(self.operator, "/api/executors", {"name": "Model", "mode": "push", "url": self._model_url})
        await created(self.operator, "/api/workflows", SPEC)
        clients = min(self.plan.clients, 2)
        self.run_clients = [RunClient(each, self.served.port, self.operator.token) for each in range(clients)]

    async def moment(self) -> None:
        """Wait for a moment, after which something is killed; every other time until runs have come as far as the model."""
        enough = self.model.asked + 2
        await self.until(lambda: not self.cycle % 2 or self.model.asked >= enough, _REACHED_WITHIN)
        await super().moment()
        self.model.interrupted_at.append(time.monotonic())

    async def crash(self) -> None:
        self.counts["servers killed"] += 1
        await super().crash()

    async def before_restart(self) -> None:
        await end_leases(self.database)  # waiting for them would take most of the time

    async def verify(self) -> None:
        """Do nothing: runs are verified in the end, since their jobs are requeued only when leases expire."""
        self.operator.close()

    async def finish(self) -> None:
        if self.expire_leases:
            await end_leases(self.database)
        async with asyncio.timeout(_PATIENCE):
            for client in self.run_clients:
                for key in list(client.runs):
                    while not client.runs[key]:
                        await client.start(key)
            found = await self._find_runs()
            for client in self.run_clients:
                for key, id in client.runs.items():
                    if key not in found or id not in (found[key], LOST):
                        raise Violation(f"{key} has taken effect as {id}, and there is {found.get(key, 'no run')}")
                    await self._check_run(key, await self._ended(client, found[key]))
        await self._check_notes()
        await self._check_payments()

    async def _find_runs(self) -> dict[str, str]:
        """Return the id of each run by the key of its request."""
        found = dict[str, str]()
        for item in await everything(self.operator, "/api/runs"):
            key = (
                (await ask(self.operator, "GET", f"/api/runs/{item['id']}")).json["input"]["last"].removesuffix(" last")
            )
            if key in found:
                raise Violation(f"{key} was started twice")
            found[key] = item["id"]
        return found

    async def _ended(self, client: RunClient, run_id: str) -> dict[str, Any]:
        while True:
            run: dict[str, Any] = (await ask(self.operator, "GET", f"/api/runs/{run_id}")).json
            if run["state"] == "succeeded":
                return run
            if run["state"] != "running":
                # The server was killed three times during one job: the client resumes the run.
                if run["error"]["code"] != "lost":
                    raise Violation(f"a run ended otherwise: {run['error']}")
                self.counts["resumed"] += 1
                client.connection.close()  # the server closes one that was idle for long
                reply = await ask(client.connection, "POST", "/api/workflows/soak/run", {"resume_from": run_id})
                run_id = reply.json["id"]
            await asyncio.sleep(0.1)

    async def _check_run(self, key: str, run: dict[str, Any]) -> None:
        steps = {step["id"]: step for step in run["steps"]}
        read = [item["result"]["title"] for item in steps["read"]["items"]]
        if run["usage"]["requests"] > 1 or steps["ask"]["output"]["result"] != f"About {key} last":
            raise Violation(f"{key} has paid {run['usage']} for {steps['ask']}")
        if run["steps_used"] != 2 * _ITEMS + 3 or read != titles(key):
            raise Violation(f"{key} has used {run['steps_used']} jobs, and read {read}")
        self.counts["runs ended"] += 1

    async def _check_notes(self) -> None:
        """Check that each title was written once; a job that was given up after its effect has the key of another run."""
        found = Counter(note["title"] for note in await everything(self.operator, "/api/notes"))
        expected = Counter(title for key in self.keys for title in (*titles(key), f"{key} last"))
        if self.counts["resumed"] == 0 and found != expected:
            raise Violation(f"notes are missing: {expected - found}, or were written twice: {found - expected}")
        if expected - found or (found - expected).total() > self.counts["resumed"] * _ITEMS:
            raise Violation(f"notes are missing: {expected - found}, or too many were written: {found - expected}")

    async def _check_payments(self) -> None:
        """Check that no answer was paid for again, and no call was free."""
        if self.model.repeated:
            raise Violation(f"the model was asked again, and nothing had interrupted it: {self.model.repeated}")
        paid = await read_payments(self.database)
        self.counts |= {"answers paid": paid.answers, "calls interrupted": paid.calls - paid.answers}
        if paid.calls < self.model.asked:
            raise Violation(f"the model was asked {self.model.asked} times, and {paid.calls} calls are in the ledger")
        if not len(self.keys) <= paid.answers <= len(self.keys) + self.counts["resumed"]:
            raise Violation(f"{len(self.keys)} runs have paid for {paid.answers} answers")
