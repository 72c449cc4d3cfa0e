"""Measure what a request costs with 1,000 rows and with 1,000,000: reads, lists, writes and searches of notes and files.

All notes and files are private, and one person owns them. Requests go through the gate in this process, one at a time, as
the owner, as a member who owns nothing, and as one with a grant for up to 10,000 notes and files. What is read, searched
and listed from is chosen at random. The sizes take turns, so that a busy moment of the machine affects both. Run from the top of the repository as `python -m benchmarks.growth`;
README.md explains the report.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import product
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from benchmarks.instances import CpuClock, S3Client, new_world, s3_client, settings_of
from benchmarks.report import machine
from teamspace.fulltext.domain.words import TOKENIZER_VERSION
from teamspace.settings import Settings
from tests.support.postgres import Postgres, vacuum
from tests.support.rows import NUMBERS, insert_in_batches
from tests.support.world import Caller, World

GRANTS = 10_000
STORED = 200
"""Objects with content, which are stored before the others."""
REPEATED = 20
"""Requests in a row, in each round."""
_BATCH = 50_000
_SMALL = os.urandom(2048).hex().encode()
Figures = dict[str, Any]

_NOTE, _OBJECT = (f"'{letter}' || CAST(10000000 + n AS TEXT)" for letter in "no")
_WORD = "'word' || CAST(10000000 + n AS TEXT)"
_TEXT = "INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)"
STATEMENTS = (
    "INSERT INTO notes (id, org_id, team_id, owner_id, title, body, visibility, tags, version, created_at, updated_at)"
    f" {NUMBERS} SELECT {_NOTE}, :org, :team, :owner, {_WORD}, 'A note.', 'private', '[]', 1, :now, :now FROM numbers",
    "INSERT INTO note_grants (note_id, principal_type, principal_id, org_id, permission, granted_by, created_at)"
    f" {NUMBERS} SELECT {_NOTE}, 'user', :user, :org, 'notes:read', :owner, :now FROM numbers WHERE n % :every = 0",
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, sha256, etag, text_state, written_at, created_at, updated_at) {NUMBERS} SELECT {_OBJECT}, :org,"
    f" :team, :owner, 'folder/' || {_OBJECT}, {_OBJECT}, 'text/plain', 'private', 1, 1, FALSE, 0, '', '', 'none', :now,"
    " :now, :now FROM numbers",
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, sha256, etag, content_type,"
    f" filename, author_id, actor_kind, created_at) {NUMBERS} SELECT 'v' || {_OBJECT}, {_OBJECT}, :org, 1, FALSE, 0, '',"
    f" '', '', 'text/plain', {_OBJECT}, :owner, 's3', :now FROM numbers",
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
    f" granted_by, created_at) {NUMBERS} SELECT {_OBJECT}, 'user', :user, :org, :team, 'folder/' || {_OBJECT}, FALSE,"
    " 'view', :owner, :now FROM numbers WHERE n % :every = 0",
    f"{_TEXT} {NUMBERS} SELECT 1000 + n * 2, 'note', {_NOTE}, :org, {TOKENIZER_VERSION}, {_WORD}, '', 'A note.', {_WORD},"
    " '', 'a note' FROM numbers",
    f"{_TEXT} {NUMBERS} SELECT 1001 + n * 2, 'object', {_OBJECT}, :org, {TOKENIZER_VERSION}, {_OBJECT}, '', '', {_OBJECT},"
    " '', '' FROM numbers",
)


async def fill(made: World, owner: Caller, holder: Caller, rows: int) -> None:
    facts = {
        "org": owner.org.id, "team": owner.team.id, "owner": owner.user_id, "user": holder.user_id,
        "every": every(rows), "now": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    await insert_in_batches(made, STATEMENTS, facts, 0, rows, _BATCH)


class Person:
    """Someone who asks for random rows, of those that the holder of grants may read."""

    def __init__(self, caller: Caller, client: S3Client, rows: int) -> None:
        self.caller, self.client = caller, client
        self._random, self._rows, self._every = Random(1), rows, every(rows)

    def number(self) -> int:
        return 10_000_000 + self._random.randrange(1, self._rows // self._every) * self._every

    def stored(self) -> str:
        """Return the key of one of the objects that have content."""
        return stored_keys(self._rows)[self._random.randrange(STORED)]


def every(rows: int) -> int:
    """Return of how many rows one has a grant."""
    return max(rows // GRANTS, 1)


def stored_keys(rows: int) -> list[str]:
    """Return the keys of the objects with content, spread over the bucket."""
    return [f"folder/o{10_000_000 + number * rows // STORED}x" for number in range(STORED)]


# Requests: each is made when it is called, and sent when it is awaited


async def read_note(by: Person) -> int:
    return (await by.caller.get(f"/api/notes/n{by.number()}")).status_code


async def list_notes(by: Person) -> int:
    return (await by.caller.get("/api/notes?limit=50")).status_code


async def create_note(by: Person) -> int:
    return (await by.caller.post("/api/notes", {"title": "New", "body": "A note."})).status_code


async def find_note(by: Person) -> int:
    return (await by.caller.get(f"/api/search?q=word{by.number()}")).status_code


async def read_file(by: Person) -> int:
    return (await by.caller.get(f"/api/repo-obj/o{by.number()}")).status_code


async def list_files(by: Person) -> int:
    return (await by.caller.get("/api/repo?limit=50")).status_code


async def store_file(by: Person) -> int:
    answer = await by.caller("PUT", f"/api/repo/new/{time.perf_counter_ns()}", content=_SMALL)
    return answer.status_code


def get_object(by: Person) -> Awaitable[int]:
    return _status(by.client.ask("GET", by.stored()))


def put_object(by: Person) -> Awaitable[int]:
    return _status(by.client.ask("PUT", f"folder/o{by.number()}x{time.perf_counter_ns()}", body=_SMALL))


def list_objects(by: Person) -> Awaitable[int]:
    return _status(by.client.ask("GET", query=f"list-type=2&max-keys=50&start-after=folder%2Fo{by.number()}"))


async def _status(asked: Awaitable[tuple[int, bytes]]) -> int:
    return (await asked)[0]


REQUESTS: dict[str, Callable[[Person], Awaitable[int]]] = {
    "read a note": read_note, "list notes": list_notes, "create a note": create_note, "find a note": find_note,
    "read a file's facts": read_file, "list files": list_files, "store a file of 4 KiB": store_file,
    "S3 GET 4 KiB": get_object, "S3 PUT 4 KiB": put_object, "S3 LIST 50": list_objects,
}  # fmt: skip


class Instance:
    def __init__(self, made: World, people: dict[str, Person], server: Postgres) -> None:
        self.people, self._used = people, CpuClock(made, server)
        self._times: dict[tuple[str, str], list[float]] = {}
        self._cpu: dict[tuple[str, str], float] = {}

    async def ask(self, who: str, name: str, asked: Awaitable[int]) -> None:
        status = await asked
        may_read = who == "owner" or (who == "member with grants" and name != "S3 GET 4 KiB")
        if status not in (200, 201) and (may_read or status not in (403, 404)):
            raise RuntimeError(f"{name}, {who}: {status}")

    async def measure(self, who: str, name: str) -> None:
        requests = [REQUESTS[name](self.people[who]) for _ in range(REPEATED)]  # the signatures are not measured
        times, used = self._times.setdefault((who, name), []), self._used()
        for asked in requests:
            began = time.perf_counter()
            await self.ask(who, name, asked)
            times.append((time.perf_counter() - began) * 1e3)
        self._cpu[who, name] = self._cpu.get((who, name), 0.0) + self._used() - used

    def report(self) -> Figures:
        found: Figures = {who: {} for who in self.people}
        for (who, name), times in self._times.items():
            cpu = self._cpu[who, name] * 1e3 / len(times)
            found[who][name] = {"p50_ms": round(median(times), 2), "cpu_ms": round(cpu, 2)}
        return found


@asynccontextmanager
async def opened(settings: Settings, rows: int, server: Postgres) -> AsyncIterator[Instance]:
    async with new_world(settings) as made:
        owner = await made.bootstrap()
        member, holder = [await made.person(owner.org, owner.team) for _ in range(2)]
        callers = {"owner": owner, "member": member, "member with grants": holder}
        people = {name: Person(caller, await s3_client(made, caller), rows) for name, caller in callers.items()}
        began = time.perf_counter()
        for key in stored_keys(rows):
            await _status(people["owner"].client.ask("PUT", key, body=os.urandom(4096)))
        await fill(made, owner, holder, rows)
        if settings.database_url:
            vacuum(settings.database_url)
        print(f"{made.db.dialect.name}, {rows:,}: filled in {time.perf_counter() - began:.0f} s", flush=True)
        yield Instance(made, people, server)


async def compare(folder: Path, server: Postgres, options: argparse.Namespace) -> Figures:
    async with AsyncExitStack() as stack:
        instances = dict[tuple[str, int], Instance]()
        for rows, database in product(options.rows, options.databases):
            url = server.create_database(f"rows{rows}") if database == "postgres" else ""
            settings = settings_of(folder / f"{database}{rows}", url)
            instances[database, rows] = await stack.enter_async_context(opened(settings, rows, server))
        for name, who in product(REQUESTS, next(iter(instances.values())).people):
            for each in instances.values():
                await each.ask(who, name, REQUESTS[name](each.people[who]))
            for each in [*instances.values()] * options.rounds:
                await each.measure(who, name)
        return {
            database: {f"{rows:,} rows": instances[database, rows].report() for rows in options.rows}
            | {"growth of cpu_ms": grown(*(instances[database, rows].report() for rows in options.rows))}
            for database in options.databases
        }


def grown(small: Figures, large: Figures) -> Figures:
    """Return how many times more CPU the same request takes with more rows."""
    return {
        who: {name: round(each["cpu_ms"] / small[who][name]["cpu_ms"], 2) for name, each in figures.items()}
        for who, figures in large.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs=2, help="of notes, and of files")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--short", action="store_true", help="few rows, for CI")
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=("sqlite", "postgres"))
    parser.add_argument("--folder", type=Path, help="where to work")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    options.rows = options.rows or ([200, 400] if options.short else [1_000, 1_000_000])
    options.rounds = options.rounds or (1 if options.short else 10)
    # A short run must not replace the results of a full one.
    name = "growth-short.json" if options.short else "growth.json"
    output = options.output or Path(__file__).parent / "results" / name
    facts = machine()
    with tempfile.TemporaryDirectory(dir=options.folder) as name, Postgres.start() as server:
        report = asyncio.run(compare(Path(name), server, options))
    facts["load_average_after"] = round(os.getloadavg()[0], 2)
    for database, figures in report.items():
        print(database, json.dumps(figures["growth of cpu_ms"], indent=2))
    output.write_text(json.dumps({"machine": facts, **report}, indent=2) + "\n")


if __name__ == "__main__":
    main()
