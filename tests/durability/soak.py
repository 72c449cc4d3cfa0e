"""`kill -9` in a loop: a real server under load, a journal outside it, and a comparison after each crash.

A cycle writes for a moment, kills the server, starts it again and compares everything with the
journal. On PostgreSQL, every now and then it is PostgreSQL that is killed, and the server has to
come through by itself.
"""

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.durability.client import Client, Person
from tests.durability.journal import Journal, Violation
from tests.durability.trail import Trail
from tests.durability.verification import BUSY_LIMIT, ask, collect, verify
from tests.durability.wire import Connection
from tests.support.postgres import Postgres
from tests.support.served import Served, teamspace

START_LIMIT = 5.0
OPERATOR = {"username": "operator", "password": "a soaking wet passphrase"}
_LOAD_MS = (5, 500)
_INTERRUPTED_EVERY = 7
_PROGRESS_EVERY = 10


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    cycles: int = 500
    clients: int = 16
    seed: int = 0
    doctor_every: int = 10
    outage_every: int = 10
    """On PostgreSQL: every how many cycles PostgreSQL dies instead of the server."""


class Soak:
    """The cycles on one database."""

    def __init__(self, plan: Plan, folder: Path, postgres: Postgres | None = None) -> None:
        self.plan = plan
        self.data = folder / "data"
        self.postgres = postgres
        self.journal = Journal(folder / "journal")
        url = postgres.create_database(folder.name) if postgres else ""
        self.settings = {"SERVICE_DATA": str(self.data), "SERVICE_DATABASE_URL": url}
        self.served = Served(self.settings)
        self.trail = Trail(url or self.data / "teamspace.sqlite")
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
            else:
                await self._crash()
            await self.verify()
            if self.cycle % self.plan.doctor_every == 0:
                await collect(self.clients, self.journal)
                self.doctor()
            if self.cycle % _PROGRESS_EVERY == 0:
                print(self, flush=True)
        self.doctor()

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
        if seconds > START_LIMIT:
            raise Violation(f"the server took {seconds:.1f} s to start")

    async def populate(self) -> None:
        """An operator, and an admin for each client."""
        first = await _made(self.operator, "/api/bootstrap", OPERATOR)
        self.operator.token = first["token"]
        wishes = [{"username": f"client{number}", "role": "admin"} for number in range(self.plan.clients)]
        made = [await _made(self.operator, "/api/members", wish) for wish in wishes]
        self.operator.close()
        ids = [member["member"]["user_id"] for member in made]
        for number, member in enumerate(made):
            person = Person(number, ids[number], first["team"]["id"], member["token"])
            colleagues = [first["user"]["id"], *ids[:number], *ids[number + 1 :]]
            seed = f"{self.plan.seed}/{number}"
            self.clients.append(Client(person, self.served.port, self.journal, colleagues, seed))

    @asynccontextmanager
    async def load(self) -> AsyncIterator[asyncio.Event]:
        """All clients write, until the event is set or the server is gone."""
        stop = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                for client in self.clients:
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

    async def _crash(self) -> None:
        """Write for a moment, kill the server, start it again."""
        async with self.load():
            await self._moment()
            self.served.strike()
        self.served.kill()
        if self.cycle % _INTERRUPTED_EVERY == 0:
            self._interrupted_start()
        self.start()

    def _interrupted_start(self) -> None:
        """A server can also die while it starts."""
        self.served.launch()
        time.sleep(self._random.uniform(0, 0.5))
        self.served.kill()

    async def _outage(self, postgres: Postgres) -> None:
        """Write, kill PostgreSQL and bring it back, and go on writing: the server is left alone."""
        async with self.load() as stop:
            await self._moment()
            postgres.kill()
            try:
                await self._moment()
            finally:
                await asyncio.to_thread(postgres.restart)
            await self._recovery()
            await self._moment()
            stop.set()

    async def _recovery(self) -> None:
        began = time.monotonic()
        answer = await ask(self.operator, "GET", "/api/whoami")
        if answer.status != 200:
            raise Violation(f"{BUSY_LIMIT} s after PostgreSQL came back the server answers {answer}")
        self.slowest_recovery = max(self.slowest_recovery, time.monotonic() - began)

    async def _moment(self) -> None:
        await asyncio.sleep(self._random.uniform(*_LOAD_MS) / 1000)


async def _made(connection: Connection, path: str, wish: dict[str, Any]) -> dict[str, Any]:
    answer = await ask(connection, "POST", path, wish)
    if answer.status != 201:
        raise RuntimeError(f"POST {path} was answered {answer}")
    made: dict[str, Any] = answer.json
    return made


# The command line


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/soak",
        description="Kill the server under load, again and again, and check that it keeps what it acknowledged.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--cycles", type=int, default=Plan.cycles, help="how often, on each database")
    parser.add_argument("--database", choices=["sqlite", "postgres", "both"], default="both", help="what to run on")
    parser.add_argument("--clients", type=int, default=Plan.clients, help="how many write at a time")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="of what is written and how long")
    parser.add_argument("--doctor-every", type=int, default=Plan.doctor_every, help="cycles between two checks")
    parser.add_argument("--keep", action="store_true", help="keep the data of a failed run; its journal is always kept")
    return parser.parse_args()


def run(plan: Plan, database: str, *, keep: bool) -> bool:
    """Soak one database; whether every promise was kept."""
    folder = Path(tempfile.mkdtemp(prefix=f"teamspace-soak-{database}-"))
    needed = False
    try:
        with _database(database) as postgres, Soak(plan, folder, postgres) as soak:
            try:
                asyncio.run(soak.run())
            except Violation as violation:
                needed = True
                _report(soak, violation, keep=keep)
                return False
            print(f"{soak}: every promise was kept", flush=True)
            return True
    finally:
        if not needed:
            shutil.rmtree(folder)


def _database(name: str) -> AbstractContextManager[Postgres | None]:
    return Postgres.start(fsync=True) if name == "postgres" else nullcontext()


def _report(soak: Soak, violation: Violation, *, keep: bool) -> None:
    soak.served.kill()
    print(f"VIOLATION in cycle {soak.cycle} of seed {soak.plan.seed}: {violation}")
    print(f"  journal  {soak.journal.path}\n  log      {soak.served.log}")
    if not keep:
        shutil.rmtree(soak.data)
        print("  the data was removed; --keep keeps it")
        return
    print(f"  data     {soak.data}")
    if soak.postgres:
        soak.postgres.kill()
        copy = soak.data.with_name("postgres")
        shutil.copytree(soak.postgres.folder / "data", copy)
        print(f"  postgres {copy}")


def main() -> None:
    options = parse()
    # `timeout` and CI end a run with SIGTERM: it cleans up as for Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    plan = Plan(options.cycles, options.clients, options.seed, options.doctor_every)
    databases = ["sqlite", "postgres"] if options.database == "both" else [options.database]
    print(f"seed {plan.seed}", flush=True)
    try:
        kept = [run(plan, database, keep=options.keep) for database in databases]
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(not all(kept))


if __name__ == "__main__":
    main()
