"""`kill -9` in a loop: a real server under load, a journal outside it, and a comparison after each crash.

A cycle writes for a moment, kills the server, starts it again and compares everything with the journal. On PostgreSQL,
sometimes PostgreSQL is killed instead, and the server has to recover by itself.
"""

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from tests.durability.client import Client, Person
from tests.durability.journal import Journal, Violation
from tests.durability.trail import Trail
from tests.durability.verification import BUSY_LIMIT, ask, collect, verify
from tests.durability.wire import Connection
from tests.support.postgres import Postgres
from tests.support.served import Served, teamspace

OPERATOR = {"username": "operator", "password": "a soaking wet passphrase"}
_LOAD_MS = (5, 500)
_INTERRUPTED_EVERY = 7
_PROGRESS_EVERY = 10
_PATIENCE = 60.0


class Busy(Protocol):
    async def work(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set or the server is gone."""


@dataclass(frozen=True)
class Plan:
    """The size of a run."""

    cycles: int = 500
    clients: int = 16
    seed: int = 0
    doctor_every: int = 10
    outage_every: int = 10
    """On PostgreSQL: cycles between two kills of PostgreSQL instead of the server."""
    workers: int = 1
    """Server processes. With several, sometimes only one of them is killed, or only their supervisor."""


class Soak:
    """The cycles on one database."""

    program = "teamspace"

    def __init__(self, plan: Plan, folder: Path, postgres: Postgres | None = None) -> None:
        self.plan = plan
        self.data = folder / "data"
        self.postgres = postgres
        self.journal = Journal(folder / "journal")
        url = postgres.create_database(folder.name) if postgres else ""
        self.settings = {
            "SERVICE_DATA": str(self.data), "SERVICE_DATABASE_URL": url, "SERVICE_WORKERS": str(plan.workers),
        }  # fmt: skip
        self.served = Served(self.settings, self.program)
        self.database: Path | str = url or self.data / "teamspace.sqlite"
        self.trail = Trail(self.database)
        self.operator = Connection(self.served.port)
        self.clients: list[Client] = []
        self.cycle = 0
        self.slowest_start = self.slowest_recovery = 0.0
        self._random = random.Random(plan.seed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.served.kill()
        self.journal.close()

    async def run(self) -> None:
        self.start()
        await self.populate()
        while self.cycle < self.plan.cycles:
            self.cycle += 1
            if self.postgres and self.cycle % self.plan.outage_every == 0:
                await self._outage(self.postgres)
            elif self.plan.workers > 1 and self.cycle % 3 == 1:
                await self.lose_process()
            elif self.plan.workers > 1 and self.cycle % 3 == 2:
                await self.lose_supervisor()
            else:
                await self.crash()
            await self.verify()
            if self.cycle % self.plan.doctor_every == 0:
                await collect(self.clients, self.journal)
                self.doctor()
            if self.cycle % _PROGRESS_EVERY == 0:
                print(self, flush=True)
        await self.finish()
        self.doctor()

    async def finish(self) -> None:
        """Verify what can only be verified in the end."""

    def __str__(self) -> str:
        recovery = f", slowest recovery {self.slowest_recovery:.2f} s" if self.postgres else ""
        return (
            f"{'postgres' if self.postgres else 'sqlite'} cycle {self.cycle}/{self.plan.cycles}:"
            f" {self.journal.acknowledged} writes acknowledged, {self.journal.unknown} unknown,"
            f" slowest start {self.slowest_start:.2f} s{recovery}, doctor ok"
        )

    def start(self) -> None:
        try:
            seconds = self.served.start()
        except RuntimeError as fault:
            raise Violation(str(fault)) from None
        self.slowest_start = max(self.slowest_start, seconds)

    async def populate(self) -> None:
        """Create an operator, and an admin for each client."""
        first = await created(self.operator, "/api/bootstrap", OPERATOR)
        self.operator.token = first["token"]
        drafts = [{"username": f"client{number}", "role": "admin"} for number in range(self.plan.clients)]
        made = [await created(self.operator, "/api/members", draft) for draft in drafts]
        self.operator.close()
        ids = [member["member"]["user_id"] for member in made]
        for number, member in enumerate(made):
            person = Person(number, ids[number], first["team"]["id"], member["token"])
            colleagues = [first["user"]["id"], *ids[:number], *ids[number + 1 :]]
            seed = f"{self.plan.seed}/{number}"
            self.clients.append(Client(person, self.served.port, self.journal, colleagues, seed))

    @property
    def busy(self) -> Sequence[Busy]:
        """The clients that work during a kill."""
        return self.clients

    @asynccontextmanager
    async def load(self) -> AsyncIterator[asyncio.Event]:
        """Run all clients, until the event is set or the server is gone."""
        stop = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                for client in self.busy:
                    group.create_task(client.work(stop))
                yield stop
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None

    async def verify(self) -> None:
        await verify(self.clients, self.operator, self.journal, self.trail)
        self.operator.close()

    def doctor(self) -> None:
        found = teamspace("doctor", settings=self.settings)
        if found.returncode:
            raise Violation(f"doctor ended with {found.returncode}:\n{found.stdout}{found.stderr}")

    async def crash(self) -> None:
        """Write for a moment, kill the server, start it again."""
        async with self.load():
            await self.moment()
            self.served.send_sigkill()
        self.served.kill()
        if self.cycle % _INTERRUPTED_EVERY == 0:
            self._interrupted_start()
        await self.before_restart()
        self.start()

    async def lose_process(self) -> None:
        """Kill one of the server's processes while all write: the others go on, and it is replaced."""
        processes = serving(self.served)
        async with self.load() as stop:
            await self.moment()
            os.kill(self._random.choice(processes), signal.SIGKILL)
            await self.moment()
            stop.set()
        await until(lambda: len(serving(self.served)) == self.plan.workers and serving(self.served) != processes)
        await until(self.served.healthy)

    async def lose_supervisor(self) -> None:
        """Kill the supervisor: its processes finish what they accepted, and only then can another server start."""
        assert self.served.process is not None
        processes = serving(self.served)
        async with self.load():
            await self.moment()
            os.kill(self.served.process.pid, signal.SIGKILL)
        await until(lambda: not any(is_alive(pid) for pid in processes))
        self.served.kill()
        self.start()

    async def before_restart(self) -> None:
        """Prepare the database while no server uses it."""

    def _interrupted_start(self) -> None:
        """A server can also die while it starts."""
        self.served.launch()
        time.sleep(self._random.uniform(0, 0.5))
        self.served.kill()

    async def _outage(self, postgres: Postgres) -> None:
        """Write, kill and restart PostgreSQL, and go on writing; the server is not restarted."""
        async with self.load() as stop:
            await self.moment()
            postgres.kill()
            try:
                await self.moment()
            finally:
                await asyncio.to_thread(postgres.restart)
            await self._recovery()
            await self.moment()
            stop.set()

    async def _recovery(self) -> None:
        began = time.monotonic()
        answer = await ask(self.operator, "GET", "/api/whoami")
        if answer.status != 200:
            raise Violation(f"{BUSY_LIMIT} s after PostgreSQL came back the server answers {answer}")
        self.slowest_recovery = max(self.slowest_recovery, time.monotonic() - began)

    async def moment(self) -> None:
        await asyncio.sleep(self._random.uniform(*_LOAD_MS) / 1000)

    async def until(self, is_enough: Callable[[], bool], seconds: float = 10) -> None:
        """Wait until there is something to interrupt, at most for so long: on a busy machine a moment is too short."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not is_enough():  # noqa: ASYNC110 - the clients count
                    await asyncio.sleep(0.02)


def serving(served: Served) -> list[int]:
    """Return the processes that serve, without Python's resource tracker."""
    assert served.process is not None
    supervisor = served.process.pid
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return [
        int(pid) for pid in children if is_alive(int(pid)) and "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()
    ]


def is_alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise Violation("the server's processes did not recover")
        await asyncio.sleep(0.05)


async def created(connection: Connection, path: str, draft: dict[str, Any]) -> dict[str, Any]:
    answer = await ask(connection, "POST", path, draft)
    if answer.status != 201:
        raise RuntimeError(f"POST {path} was answered {answer}")
    made: dict[str, Any] = answer.json
    return made
