"""`kill -9` of the server while runs go on: every item of every step is executed, none twice, and results stay in order.

Clients start runs with an idempotency key. A run creates a note for each title, reads them all, and creates one more at the
end; in the end there are exactly the notes that the runs name.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.durability.journal import Violation
from tests.durability.leases import end_leases
from tests.durability.soak import OPERATOR, Busy, Plan, Soak, created
from tests.durability.verification import ask, everything
from tests.durability.wire import Connection, Unanswered, Unreachable
from tests.support.postgres import Postgres

_PAUSE = 0.1
_PATIENCE = 300.0
_ITEMS = 8
SPEC = {
    "slug": "soak", "start": "write", "max_steps": 50, "inputs": {"titles": {"type": "array"}, "last": {"type": "string"}},
    "steps": [
        {"id": "write", "kind": "map", "over": {"$ref": "input.titles"}, "tool": "create_note", "retry": 3,
         "with": {"title": {"$ref": "item"}, "body": "soak"}},
        {"id": "read", "kind": "map", "over": {"$ref": "steps.write.output.results"}, "tool": "read_note", "retry": 3,
         "with": {"id": {"$ref": "item.result.note_id"}}},
        {"id": "done", "kind": "choice", "when": {"exists": {"$ref": "steps.read.output.results.0"}}, "then": "last",
         "else": "last", "retry": 3},
        {"id": "last", "kind": "tool", "tool": "create_note", "retry": 3,
         "with": {"title": {"$ref": "input.last"}, "body": "soak"}},
    ],
}  # fmt: skip


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
                key = next((key for key, id in self.runs.items() if not id), f"r{self._number}-{len(self.runs)}")
                await self.start(key)
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
            self.runs[key] = await self._find(key)
        elif reply.status != 503:
            raise Violation(f"starting {key} was answered {reply}")

    async def _find(self, key: str) -> str:
        """Find the run of a request that took effect and whose answer was lost with the server."""
        for item in await everything(self.connection, "/api/runs"):
            shown = (await ask(self.connection, "GET", f"/api/runs/{item['id']}")).json
            if shown["input"]["last"] == f"{key} last":
                return str(item["id"])
        raise Violation(f"{key} is said to have taken effect, and there is no such run")


def titles(key: str) -> list[str]:
    return [f"{key} {number}" for number in range(_ITEMS)]


class RunSoak(Soak):
    """The cycles on one database. `expire_leases` ends leases in the database instead of waiting for them."""

    start_limit = 60.0

    def __init__(
        self, plan: Plan, folder: Path, postgres: Postgres | None = None, *, expire_leases: bool = False
    ) -> None:
        super().__init__(plan, folder, postgres)
        self.expire_leases = expire_leases
        self.run_clients: list[RunClient] = []
        self.counts: Counter[str] = Counter()

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.counts.items()))
        database = "postgres" if self.postgres else "sqlite"
        return f"{database} cycle {self.cycle}/{self.plan.cycles}: {len(self.keys)} runs started, {counts}"

    @property
    def busy(self) -> Sequence[Busy]:
        return self.run_clients

    @property
    def keys(self) -> list[str]:
        return [key for client in self.run_clients for key in client.runs]

    async def populate(self) -> None:
        self.operator.token = (await created(self.operator, "/api/bootstrap", OPERATOR))["token"]
        await created(self.operator, "/api/workflows", SPEC)
        clients = min(self.plan.clients, 4)
        self.run_clients = [RunClient(each, self.served.port, self.operator.token) for each in range(clients)]

    async def crash(self) -> None:
        self.counts["servers killed"] += 1
        await super().crash()

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
                    await self._check_run(key, await self._ended(client, client.runs[key]))
        await self._check_notes()

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
                reply = await ask(client.connection, "POST", "/api/workflows/soak/run", {"resume_from": run_id})
                run_id = reply.json["id"]
            await asyncio.sleep(0.1)

    async def _check_run(self, key: str, run: dict[str, Any]) -> None:
        steps = {step["id"]: step for step in run["steps"]}
        read = [item["result"]["title"] for item in steps["read"]["items"]]
        if run["steps_used"] != 2 * _ITEMS + 2 or read != titles(key):
            raise Violation(f"{key} has used {run['steps_used']} jobs, and read {read}")
        self.counts["runs ended"] += 1

    async def _check_notes(self) -> None:
        """Check that each title was written once; a job that was given up after its effect has the key of another run."""
        found = Counter(note["title"] for note in await everything(self.operator, "/api/notes"))
        expected = Counter(title for key in self.keys for title in (*titles(key), f"{key} last"))
        if self.counts["resumed"] == 0 and found != expected:
            raise Violation(f"notes are missing: {expected - found}, or were written twice: {found - expected}")
        if expected - found:
            raise Violation(f"notes are missing: {expected - found}")
