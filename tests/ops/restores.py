"""Backups of a server under writes, each restored and compared with an external journal.

A round makes a backup with the command line while clients write, restores it into an empty instance, on PostgreSQL
and SQLite in turn, runs `doctor --deep`, starts a server on it, and compares: everything acknowledged before the
backup began is there with its content, and nothing is there in part.
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
from tests.ops.backup_journal import BackupJournal
from tests.ops.logos import Logos
from tests.support.postgres import Postgres
from tests.support.served import Served, teamspace

_PROGRESS_EVERY = 10


class Restores(Soak):
    """The rounds on one database."""

    def __init__(self, count: int, plan: Plan, folder: Path, cluster: Postgres, database: str) -> None:
        super().__init__(plan, folder, cluster if database == "postgres" else None)
        self.journal.close()
        self.journal = self.backup_journal = BackupJournal(folder / "journal")
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
            backup = await self._back_up()
            await self.verify()
            with self._empty_instance() as target:
                await self._restore_and_compare(backup, target)
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

    async def _back_up(self) -> Path:
        target = self._folder / f"{self.cycle}.tar"
        async with self.load() as stop:
            logos = asyncio.create_task(self.logos.work(stop))
            await self.moment()
            acknowledged = self.journal.acknowledged
            self.backup_journal.begin([subject for client in self.clients for subject in client.subjects])
            self.logos.begin()
            await self._command("backup", str(target), settings=self.settings)
            self.backup_journal.end()
            self._during += self.journal.acknowledged - acknowledged
            await self.moment()
            stop.set()
            await logos
        return target

    @contextmanager
    def _empty_instance(self) -> Iterator[dict[str, str]]:
        """Settings of an instance with nothing but the secret key, on the other database in odd rounds."""
        data, name = self._folder / "restored", f"restored_{self.cycle}"
        data.mkdir()
        shutil.copy(self.data / "secret.key", data)
        on_other_database = self.cycle % 2 == 1
        url = self._cluster.create_database(name) if on_other_database != bool(self.postgres) else ""
        try:
            yield {"SERVICE_DATA": str(data), "SERVICE_DATABASE_URL": url}
        finally:
            shutil.rmtree(data)
            self._cluster.drop_database(name)

    async def _restore_and_compare(self, backup: Path, target: dict[str, str]) -> None:
        await self._command("restore", str(backup), settings=target)
        await self._command("doctor", "--deep", settings=target)
        recorded = await Trail(
            target["SERVICE_DATABASE_URL"] or Path(target["SERVICE_DATA"]) / "teamspace.sqlite"
        ).added()
        self.backup_journal.check_acknowledged(recorded)
        with Served(target) as served:
            seen = await self._read_state(served.port)
        for name, history in self.backup_journal.histories.items():
            history.check(seen.pop(name, None), recorded)
        if seen:
            raise Violation(f"these were deleted before the backup, or never existed: {sorted(seen)}")

    async def _read_state(self, port: int) -> dict[str, State]:
        """Every note and token of the clients, by name."""
        await self.logos.check(port)
        operator = Connection(port, self.operator.token)
        tokens = await all_pages(operator, "/api/tokens")
        operator.close()
        seen: dict[str, State] = {
            token["name"]: token_state(token) for token in tokens if _is_from_client(token["name"])
        }
        for notes in await asyncio.gather(*(_notes(client, port) for client in self.clients)):
            seen |= notes
        return seen

    async def _command(self, *arguments: str, settings: dict[str, str]) -> None:
        began = time.monotonic()
        result: subprocess.CompletedProcess[str] = await asyncio.to_thread(teamspace, *arguments, settings=settings)
        self._seconds[arguments[0]].append(time.monotonic() - began)
        if result.returncode:
            raise Violation(f"{arguments} ended with {result.returncode}:\n{result.stdout}{result.stderr}")


def _is_from_client(name: str) -> bool:
    return name.startswith("c") and "n" in name and name[1:].replace("n", "").isdigit()


async def _notes(client: Client, port: int) -> dict[str, State]:
    connection = Connection(port, client.person.token)
    try:
        listed = await all_pages(connection, "/api/notes?owner=me")
        fetched = [(await ask(connection, "GET", f"/api/notes/{item['id']}")).json for item in listed]
    finally:
        connection.close()
    notes = {note["title"].split()[0]: note for note in fetched}
    if len(notes) != len(fetched):
        raise Violation(f"client {client.person.number} has two notes of one name")
    return notes


# The command line


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ops.restores",
        description="Back up a server under writes, restore every backup, and compare it with a journal.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--count", type=int, default=50, help="number of rounds")
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite", help="database of the server")
    parser.add_argument("--clients", type=int, default=Plan.clients, help="number of concurrent writers")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(2**32), help="seed of the random writes and pauses"
    )
    return parser.parse_args()


def main() -> None:
    options = parse()
    # `timeout` and CI end a run with SIGTERM: clean up as for Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    plan = Plan(clients=options.clients, seed=options.seed)
    print(f"seed {plan.seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix=f"teamspace-restores-{options.database}-"))
    began = time.monotonic()
    with Postgres.start(fsync=True) as cluster, Restores(options.count, plan, folder, cluster, options.database) as run:
        try:
            asyncio.run(run.run())
        except Violation as violation:
            sys.exit(f"VIOLATION in round {run.cycle} of seed {plan.seed}: {violation}\n  all files are in {folder}")
        except KeyboardInterrupt:
            sys.exit(130)
    shutil.rmtree(folder)
    print(f"{run}; {time.monotonic() - began:.0f} s in total: every restore was complete")


if __name__ == "__main__":
    main()
