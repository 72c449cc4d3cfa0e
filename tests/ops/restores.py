"""Backups of a server that is written to all the while, each restored and compared with a journal kept outside.

A round takes a backup by the command line while clients write, restores it into a fresh place, on PostgreSQL
and SQLite in turn, has it examined in depth, serves from it, and compares: what was acknowledged
before the backup began is there with its content, and nothing is there by half.
"""

import argparse
import asyncio
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.durability.client import Client, token_state
from tests.durability.journal import State, Violation
from tests.durability.soak import Plan, Soak
from tests.durability.trail import Trail
from tests.durability.verification import ask
from tests.durability.verification import everything as all_pages
from tests.durability.wire import Connection
from tests.ops.chronicle import Chronicle
from tests.ops.logos import Logos
from tests.support.postgres import Postgres
from tests.support.served import Served, teamspace

_PROGRESS_EVERY = 10


class Restores(Soak):
    """The rounds on one database."""

    def __init__(self, count: int, plan: Plan, folder: Path, cluster: Postgres, database: str) -> None:
        super().__init__(plan, folder, cluster if database == "postgres" else None)
        self.journal.close()
        self.journal = self.chronicle = Chronicle(folder / "journal")
        self._count = count
        self._folder = folder
        self._cluster = cluster
        self._during = 0
        self._seconds: dict[str, list[float]] = {"backup": [], "restore": [], "doctor": []}

    async def run(self) -> None:
        self.start()
        await self.populate()
        self.logos = Logos(self.served.port, self.operator.token, self.plan.seed)
        while self.cycle < self._count:
            self.cycle += 1
            backup = await self._backed_up()
            await self.verify()
            with self._place() as place:
                await self._restored(backup, place)
            backup.unlink()
            if self.cycle % _PROGRESS_EVERY == 0:
                print(self, flush=True)
        self.doctor()

    def __str__(self) -> str:
        timings = ", ".join(
            f"{name} {sum(seconds) / len(seconds):.2f} s (slowest {max(seconds):.2f} s)"
            for name, seconds in self._seconds.items()
        )
        return (
            f"{'postgres' if self.postgres else 'sqlite'} {self.cycle}/{self._count}: {self.journal.acknowledged} writes"
            f" acknowledged, {self._during} of them while a backup was made; {timings}"
        )

    async def _backed_up(self) -> Path:
        target = self._folder / f"{self.cycle}.tar"
        async with self.load() as stop:
            logos = asyncio.create_task(self.logos.work(stop))
            await self.moment()
            acknowledged = self.journal.acknowledged
            self.chronicle.begin([subject for client in self.clients for subject in client.subjects])
            self.logos.begin()
            await self._command("backup", str(target), settings=self.settings)
            self.chronicle.end()
            self._during += self.journal.acknowledged - acknowledged
            await self.moment()
            stop.set()
            await logos
        return target

    @contextmanager
    def _place(self) -> Iterator[dict[str, str]]:
        """A fresh place with the secret key and nothing else, on either database in turn; the other one comes first."""
        data, name = self._folder / "restored", f"restored_{self.cycle}"
        data.mkdir()
        shutil.copy(self.data / "secret.key", data)
        on_the_other = self.cycle % 2 == 1
        url = self._cluster.create_database(name) if on_the_other != bool(self.postgres) else ""
        try:
            yield {"SERVICE_DATA": str(data), "SERVICE_DATABASE_URL": url}
        finally:
            shutil.rmtree(data)
            self._cluster.drop_database(name)

    async def _restored(self, backup: Path, place: dict[str, str]) -> None:
        await self._command("restore", str(backup), settings=place)
        await self._command("doctor", "--deep", settings=place)
        recorded = await Trail(
            place["SERVICE_DATABASE_URL"] or Path(place["SERVICE_DATA"]) / "teamspace.sqlite"
        ).added()
        self.chronicle.check_settled(recorded)
        with Served(place) as served:
            seen = await self._seen(served.port)
        for name, past in self.chronicle.pasts.items():
            past.check(seen.pop(name, None), recorded)
        if seen:
            raise Violation(f"these were gone before the backup, or came from nowhere: {sorted(seen)}")

    async def _seen(self, port: int) -> dict[str, State]:
        """Every note and token of the clients, by its name."""
        await self.logos.check(port)
        operator = Connection(port, self.operator.token)
        tokens = await all_pages(operator, "/api/tokens")
        operator.close()
        seen: dict[str, State] = {token["name"]: token_state(token) for token in tokens if _is_ours(token["name"])}
        for notes in await asyncio.gather(*(_notes(client, port) for client in self.clients)):
            seen |= notes
        return seen

    async def _command(self, *arguments: str, settings: dict[str, str]) -> None:
        began = time.monotonic()
        done: subprocess.CompletedProcess[str] = await asyncio.to_thread(teamspace, *arguments, settings=settings)
        self._seconds[arguments[0]].append(time.monotonic() - began)
        if done.returncode:
            raise Violation(f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def _is_ours(name: str) -> bool:
    return name.startswith("c") and "n" in name and name[1:].replace("n", "").isdigit()


async def _notes(client: Client, port: int) -> dict[str, State]:
    connection = Connection(port, client.person.token)
    try:
        listed = await all_pages(connection, "/api/notes?owner=me")
        shown = [(await ask(connection, "GET", f"/api/notes/{item['id']}")).json for item in listed]
    finally:
        connection.close()
    notes = {note["title"].split()[0]: note for note in shown}
    if len(notes) != len(shown):
        raise Violation(f"client {client.person.number} has a note twice")
    return notes


# The command line


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ops.restores",
        description="Back a server up while it is written to, restore every backup, and compare it with a journal.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--count", type=int, default=50, help="how often")
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite", help="what the server runs on")
    parser.add_argument("--clients", type=int, default=Plan.clients, help="how many write at a time")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="of what is written and how long")
    return parser.parse_args()


def main() -> None:
    options = parse()
    # `timeout` and CI end a run with SIGTERM: it cleans up as for Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    plan = Plan(clients=options.clients, seed=options.seed)
    print(f"seed {plan.seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix=f"teamspace-restores-{options.database}-"))
    began = time.monotonic()
    with Postgres.start(fsync=True) as cluster, Restores(options.count, plan, folder, cluster, options.database) as run:
        try:
            asyncio.run(run.run())
        except Violation as violation:
            sys.exit(f"VIOLATION in round {run.cycle} of seed {plan.seed}: {violation}\n  everything is in {folder}")
        except KeyboardInterrupt:
            sys.exit(130)
    shutil.rmtree(folder)
    print(f"{run}; {time.monotonic() - began:.0f} s in all: every restore was whole")


if __name__ == "__main__":
    main()
