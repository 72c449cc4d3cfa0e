"""Measure what a request costs inside the application: CPU time, and statements sent to the database.

The requests go to the ASGI application in this process, without HTTP server and sockets, 16 at a time. Chats are answered
at once by a model server in another process. On SQLite the CPU time includes the statements and the commit thread, on
PostgreSQL only the client's part. Run from the top of the repository as `python -m benchmarks.path`; with `--against DIR`
the code of another checkout takes turns with this one. README.md explains the report.
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
from itertools import islice, product
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

from benchmarks.gateways import COMPLETIONS, LIMITS, PROMPT, Bare
from benchmarks.report import machine
from benchmarks.upstream import MODEL
from teamspace.app import App, open_database
from teamspace.core.logs import LogHandler
from teamspace.settings import load
from tests.support.postgres import Postgres

OPERATIONS = ("read", "create", "list", "S3 GET", "S3 PUT", "chat", "chat stream")
DATABASES = ("sqlite", "postgres")
HOST = "teamspace.test"
AT_A_TIME, PART, OBJECTS, SIZE = 16, 200, 200, 4096
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
        await self.run(self._json("POST", "/api/quota", limit) for limit in LIMITS)

    def requests(self, operation: str) -> Iterator[Request]:
        make: Callable[[], Request] = {
            "read": lambda: self._json("GET", f"/api/notes/{self._random.choice(self._notes)}"),
            "create": self._create,
            "list": lambda: self._json("GET", "/api/notes?limit=50"),
            "S3 GET": lambda: self._signed("GET", f"read/{self._random.randrange(OBJECTS)}"),
            "S3 PUT": lambda: self._put(f"new/{self._next()}"),
            "chat": lambda: self._chat(stream=False),
            "chat stream": lambda: self._chat(stream=True),
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

    def _chat(self, *, stream: bool) -> Request:
        messages = [{"role": "user", "content": PROMPT}]
        return self._json("POST", COMPLETIONS, {"model": "default", "messages": messages, "stream": stream})

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


# One checkout, one database: a process that runs what it is told on its standard input


async def serve(options: argparse.Namespace) -> None:
    with ExitStack() as held:
        folder = held.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        variables = {
            "SERVICE_DATA": folder, "SERVICE_DATABASE_URL": options.database, "SERVICE_RATE_TOKEN": "0", "SERVICE_WORKERS": "1",
            "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_BASE_URL": f"http://{HOST}",
            "SERVICE_EXECUTORS": json.dumps(
                [{"name": "upstream", "url": f"http://127.0.0.1:{options.upstream}/v1", "model": MODEL}]
            ),
            "SERVICE_EGRESS_ALLOW": f"127.0.0.1:{options.upstream}",
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
            print("ready", flush=True)
            for line in sys.stdin:
                print(json.dumps(await _part(instance, line.strip(), options)), flush=True)
            await app.finish()
            lines.flush()


_FIRST = json.dumps({"username": "ann", "password": "correct horse battery"}).encode()


async def _part(instance: Instance, operation: str, options: argparse.Namespace) -> dict[str, float]:
    """Run some requests: once to count their statements, and once to measure them."""
    with _counting() as count:
        await instance.run(islice(instance.requests(operation), AT_A_TIME))
    requests = list(islice(instance.requests(operation), PART))
    profile = cProfile.Profile(time.thread_time) if options.profile else None
    if profile:
        profile.enable()
    process, loop = time.process_time(), time.thread_time()
    await instance.run(requests)
    process, loop = time.process_time() - process, time.thread_time() - loop
    if profile:
        profile.disable()
        print(f"\n{operation}", file=sys.stderr)
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(45)
    return {"cpu_us": process / PART * 1e6, "loop_us": loop / PART * 1e6, "statements": count[0] / AT_A_TIME}


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

Parts = dict[str, dict[str, list[dict[str, float]]]]


def measure(options: argparse.Namespace, database: str) -> Parts:
    """Return the figures of every part, by operation and checkout. Checkouts alternate part by part, since what else the
    machine does changes the CPU time of a request by half."""
    parts: Parts = {operation: {} for operation in options.operations}
    with ExitStack() as held:
        upstream = Bare(Path(held.enter_context(tempfile.TemporaryDirectory())))
        held.callback(upstream.server.stop)
        upstream.prepare()
        server = held.enter_context(Postgres.start(fsync=True)) if database == "postgres" else None
        children = {
            name: held.enter_context(
                _child(
                    options,
                    Path(name),
                    server.create_database(f"path_{number}") if server else "",
                    upstream.server.port,
                )
            )
            for number, name in enumerate([*map(str, options.against), str(Path.cwd())])
        }
        for _ in range(options.rounds):
            for operation, name in product(options.operations, children):
                parts[operation].setdefault(name, []).append(_ask(children[name], operation))
    return parts


@contextmanager
def _child(
    options: argparse.Namespace, checkout: Path, database: str, upstream: int
) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-P", __file__, "--child", "--database", database, "--rows", str(options.rows)]
    command += ["--upstream", str(upstream)]
    command += ["--folder", str(options.folder)] if options.folder else []
    command += ["--profile"] if options.profile else []
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        if child.stdout.readline() != "ready\n":
            raise RuntimeError(f"the code in {checkout} did not start")
        yield child
        child.stdin.close()


def _ask(child: subprocess.Popen[str], operation: str) -> dict[str, float]:
    assert child.stdin is not None
    assert child.stdout is not None
    print(operation, file=child.stdin, flush=True)
    found: dict[str, float] = json.loads(child.stdout.readline())
    return found


def summary(parts: Parts) -> dict[str, Any]:
    """Return the lower quartile of the parts, and the median of the ratios to the first checkout's parts."""
    found: dict[str, Any] = {}
    for operation, by in parts.items():
        first = next(iter(by.values()))
        for name, some in by.items():
            ratios = (one["cpu_us"] / other["cpu_us"] for one, other in zip(some, first, strict=True))
            found.setdefault(operation, {})[name] = {
                "cpu_us": round(sorted(one["cpu_us"] for one in some)[len(some) // 4], 1),
                "loop_us": round(sorted(one["loop_us"] for one in some)[len(some) // 4], 1),
                "ratio": round(median(ratios), 3),
                "statements": round(median(one["statements"] for one in some), 1),
            }
    return found


def show(database: str, found: dict[str, Any]) -> None:
    print(f"\n{database:10}{'CPU us':>10}{'of loop':>10}{'ratio':>8}{'statements':>12}")
    for operation, by in found.items():
        for name, one in by.items():
            figures = f"{one['cpu_us']:10.0f}{one['loop_us']:10.0f}{one['ratio']:8.2f}{one['statements']:12.1f}"
            print(f"{operation:10}{figures}  {name if len(by) > 1 else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, nargs="+", default=[], help="checkouts to compare with")
    parser.add_argument("--rounds", type=int, default=15, help=f"parts of {PART} requests of each kind")
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
    parser.add_argument("--upstream", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        uvloop.run(serve(options))
        return
    found = {}
    for database in options.databases:
        found[database] = summary(measure(options, database))
        show(database, found[database])
    if not options.profile:
        options.output.write_text(json.dumps({"machine": machine(), **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
