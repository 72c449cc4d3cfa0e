"""Measure what a request costs inside the application: CPU time, and statements sent to the database.

The requests go to the ASGI application in this process, without HTTP server and sockets, 16 at a time. On SQLite the
CPU time includes the statements and the commit thread, on PostgreSQL only the client's part. Run from the top of the
repository as `python -m benchmarks.path`; with `--against DIR` the code of another checkout takes turns with this one.
README.md explains the report.
"""

import argparse
import asyncio
import cProfile
import gc
import hashlib
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import apsw
import asyncpg
import uvloop
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from benchmarks.report import machine
from teamspace.app import App, open_database
from teamspace.core.logs import LogHandler
from teamspace.settings import load
from tests.support.postgres import Postgres

OPERATIONS = ("read", "create", "list", "S3 GET", "S3 PUT")
DATABASES = ("sqlite", "postgres")
HOST = "teamspace.test"
AT_A_TIME, OBJECTS, SIZE = 16, 200, 4096
RESULT = Path(__file__).parent / "results" / "path.json"

Headers = dict[str, str]
Call = Callable[..., Awaitable[None]]


class Request:
    """One request as ASGI messages, and the status of its response."""

    def __init__(self, method: str, path: str, headers: Headers, body: bytes = b"") -> None:
        address, _, query = path.partition("?")
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        self.scope = {
            "type": "http", "method": method, "path": address, "raw_path": address.encode(), "query_string": query.encode(),
            "headers": [*pairs, (b"content-length", b"%d" % len(body))] if body else pairs, "client": ("127.0.0.1", 50000),
            "http_version": "1.1", "scheme": "http",
        }  # fmt: skip
        self.status, self.body = 0, b""
        self._sent: bytes | None = body

    async def receive(self) -> dict[str, Any]:
        if self._sent is None:
            await asyncio.get_running_loop().create_future()
        body, self._sent = self._sent, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.body += message.get("body", b"")


class Instance:
    """An application with notes and objects, and requests for it."""

    def __init__(self, gate: Call, token: str) -> None:
        self._gate, self._random, self._number = gate, Random(1), 0
        self._headers = {
            "host": HOST, "authorization": f"Bearer {token}", "accept": "*/*", "user-agent": "path/1",
            "accept-encoding": "gzip, deflate", "connection": "keep-alive",
        }  # fmt: skip
        self._notes: list[str] = []
        self._key_id = self._secret = self._bucket = ""

    async def prepare(self, rows: int) -> None:
        for made in await self.run(islice(self.requests("create"), rows)):
            self._notes.append(json.loads(made.body)["id"])
        (key,) = await self.run([self._json("POST", "/api/s3/credentials", {"name": "benchmark"})])
        made = json.loads(key.body)
        self._key_id, self._secret, self._bucket = made["access_key_id"], made["secret_access_key"], made["bucket"]
        await self.run(self._put(f"read/{number}") for number in range(OBJECTS))

    def requests(self, operation: str) -> Iterator[Request]:
        make: Callable[[], Request] = {
            "read": lambda: self._json("GET", f"/api/notes/{self._random.choice(self._notes)}"),
            "create": self._create,
            "list": lambda: self._json("GET", "/api/notes?limit=50"),
            "S3 GET": lambda: self._signed("GET", f"read/{self._random.randrange(OBJECTS)}"),
            "S3 PUT": lambda: self._put(f"new/{self._next()}"),
        }[operation]
        while True:
            yield make()

    async def run(self, requests: Iterable[Request]) -> list[Request]:
        """Send the requests, some at a time; all must succeed."""
        todo, done = iter(requests), list[Request]()

        async def work() -> None:
            for request in todo:
                await self._gate(request.scope, request.receive, request.send)
                if request.status not in (200, 201):
                    raise RuntimeError(f"{request.scope['path']}: {request.status} {request.body[:300]!r}")
                done.append(request)

        await asyncio.gather(*(work() for _ in range(AT_A_TIME)))
        return done

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _create(self) -> Request:
        number = self._next()
        words = " ".join(f"word{self._random.randrange(1000)}" for _ in range(32))
        return self._json("POST", "/api/notes", {"title": f"Note {number}", "body": words, "visibility": "team"})

    def _json(self, method: str, path: str, body: Any = None) -> Request:
        if body is None:
            return Request(method, path, self._headers)
        return Request(method, path, self._headers | {"content-type": "application/json"}, json.dumps(body).encode())

    def _put(self, key: str) -> Request:
        return self._signed("PUT", key, self._random.randbytes(SIZE))

    def _signed(self, method: str, key: str, body: bytes = b"") -> Request:
        path = f"/{self._bucket}/{key}"
        asked = AWSRequest(method, f"http://{HOST}{path}", {"Host": HOST, "User-Agent": "path/1"}, body)
        if body:
            asked.headers["x-amz-content-sha256"] = hashlib.sha256(body).hexdigest()
        S3SigV4Auth(Credentials(self._key_id, self._secret), "s3", "us-east-1").add_auth(asked)
        return Request(method, path, dict(asked.headers.items()), body)


# One checkout, one database: a process of its own


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as held:
        folder = held.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        variables = {
            "SERVICE_DATA": folder, "SERVICE_DATABASE_URL": options.database, "SERVICE_RATE_TOKEN": "0",
            "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_BASE_URL": f"http://{HOST}",
        }  # fmt: skip
        settings = load(variables, file=Path(folder) / "no.env")
        async with open_database(settings) as db:
            lines = LogHandler("text", held.enter_context(open(os.devnull, "w")))  # noqa: ASYNC230
            app = App(settings, db, lines)
            first = Request("POST", "/api/bootstrap", {"content-type": "application/json"}, _FIRST)
            await app.gate(first.scope, first.receive, first.send)
            instance = Instance(app.gate, json.loads(first.body)["token"])
            await instance.prepare(options.rows)
            gc.collect()
            gc.freeze()
            found = {one: await _operation(instance, one, options) for one in options.operations}
            await app.finish()
            lines.flush()
    return found


_FIRST = json.dumps({"username": "ann", "password": "correct horse battery"}).encode()


async def _operation(instance: Instance, operation: str, options: argparse.Namespace) -> dict[str, float]:
    with _counting() as count:
        counted = len(await instance.run(islice(instance.requests(operation), options.requests // 10)))
    requests = list(islice(instance.requests(operation), options.requests))
    profile = cProfile.Profile() if options.profile else None
    if profile:
        profile.enable()
    began = time.process_time()
    await instance.run(requests)
    spent = time.process_time() - began
    if profile:
        profile.disable()
        print(f"\n{operation}", file=sys.stderr)
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(45)
    return {"cpu_us": round(spent / len(requests) * 1e6, 1), "statements": round(count[0] / counted, 2)}


@contextmanager
def _counting() -> Iterator[list[int]]:
    """Count the statements that are sent to either database; on PostgreSQL each is a round trip."""
    count = [0]

    def counted(method: Any) -> Any:
        async def call(self: Any, query: str, *arguments: Any, **options: Any) -> Any:
            count[0] += 1
            return await method(self, query, *arguments, **options)

        return call

    def trace(event: dict[str, Any]) -> None:
        count[0] += not event["sql"].startswith("--")  # the statements of a trigger

    connection: Any = asyncpg.Connection
    kept = connection.execute, connection._execute
    connection.execute, connection._execute = counted(kept[0]), counted(kept[1])
    for opened in apsw.connections():
        opened.trace_v2(apsw.SQLITE_TRACE_STMT, trace)
    try:
        yield count
    finally:
        connection.execute, connection._execute = kept
        for opened in apsw.connections():
            opened.trace_v2(0, None)


# Several of them in turn


def rounds(options: argparse.Namespace) -> dict[str, Any]:
    checkouts = {"before": options.against, "after": Path.cwd()} if options.against else {"after": Path.cwd()}
    seen: dict[str, dict[str, dict[str, list[dict[str, float]]]]] = {}
    with ExitStack() as held:
        urls = {"sqlite": lambda: ""}
        if "postgres" in options.databases:
            urls["postgres"] = _databases(held)
        for _ in range(options.rounds):
            for database in options.databases:
                for name, checkout in checkouts.items():
                    for operation, figures in _child(options, checkout, urls[database]()).items():
                        seen.setdefault(database, {}).setdefault(operation, {}).setdefault(name, []).append(figures)
    return {
        database: {operation: {name: _middle(all) for name, all in by.items()} for operation, by in operations.items()}
        for database, operations in seen.items()
    }


def _databases(held: ExitStack) -> Callable[[], str]:
    server, made = held.enter_context(Postgres.start(fsync=True)), [0]

    def create() -> str:
        made[0] += 1
        return server.create_database(f"path_{made[0]}")

    return create


def _child(options: argparse.Namespace, checkout: Path, database: str) -> dict[str, dict[str, float]]:
    command = [
        sys.executable, "-P", __file__, "--child", "--database", database, "--rows", str(options.rows),
        "--requests", str(options.requests), "--operations", *options.operations,
    ]  # fmt: skip
    command += ["--folder", str(options.folder)] if options.folder else []
    command += ["--profile"] if options.profile else []
    made = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(checkout)}, stdout=subprocess.PIPE, check=True)
    found: dict[str, dict[str, float]] = json.loads(made.stdout)
    return found


def _middle(rounds: list[dict[str, float]]) -> dict[str, float]:
    """The lowest CPU time: whatever else the machine does can only add to it."""
    return {"cpu_us": min(one["cpu_us"] for one in rounds), "statements": median(one["statements"] for one in rounds)}


def show(found: dict[str, Any]) -> None:
    for database, operations in found.items():
        print(f"\n{database:10}{'CPU us':>10}{'before':>10}{'saved':>8}{'statements':>12}{'before':>8}")
        for operation, by in operations.items():
            after, before = by["after"], by.get("before")
            line = f"{operation:10}{after['cpu_us']:10.0f}"
            if before:
                saved = 1 - after["cpu_us"] / before["cpu_us"]
                line += f"{before['cpu_us']:10.0f}{saved:8.0%}{after['statements']:12.1f}{before['statements']:8.1f}"
            else:
                line += f"{'':18}{after['statements']:12.1f}"
            print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="a checkout to compare with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=2000, help="of each kind in a round")
    parser.add_argument("--rows", type=int, default=2000, help="notes in the database")
    parser.add_argument("--databases", nargs="+", default=DATABASES, choices=DATABASES)
    parser.add_argument("--operations", nargs="+", default=OPERATIONS, choices=OPERATIONS)
    parser.add_argument(
        "--profile", action="store_true", help="print where the time goes (cProfile; adds to every call)"
    )
    parser.add_argument("--folder", type=Path, help="where to put the data")
    parser.add_argument("--output", type=Path, default=RESULT)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--database", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(uvloop.run(measure(options))))
        return
    found = rounds(options)
    show(found)
    if not options.profile:
        options.output.write_text(json.dumps({"machine": machine(), **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
