"""Measure streams of content: memory of an open one, CPU time of a row, and its delay, with up to 1,000 at a time.

One server and its readers, over loopback sockets. Every stream gets 20 rows per second: of chat turns, answered by the
simulated model, or of a plugin that only writes rows. Run from the top of the repository as `python -m
benchmarks.streams`; README.md explains the report.
"""

import argparse
import asyncio
import itertools
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.processes import cpu_seconds, resident_bytes
from benchmarks.report import machine
from teamspace import quota
from teamspace.core.principal import system
from teamspace.quota.schemas import Dimension, Level, Plan, QuotaDraft
from teamspace.settings import Settings, load
from tests.support.served import HOST, Served
from tests.support.world import world

RATE = 20
OPENING, WARM_UP, LASTING = 0.02, 3.0, 200
"""Seconds for opening one stream, before the measurement, and how long a stream lasts."""
AT_ONCE = 4
"""Streams that are opened at a time."""
STREAMS_OF_TOKEN = 50
OUTPUT = Path(__file__).parent / "results" / "streams.json"

Figures = dict[str, Any]


class Reader(asyncio.Protocol):
    """Counts the rows of one stream, and how late they are."""

    def __init__(self, request: bytes, delays: list[float] | None) -> None:
        self.rows = 0
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._request, self._delays = request, delays

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self._request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        if not self.status.done():
            self.status.set_result(int(data.split(b" ", 2)[1]))
        self.rows += data.count(b"event: delta")
        if self._delays is not None:
            found = data.rpartition(b'"at":')
            if found[1]:
                self._delays.append(time.monotonic() - float(found[2].partition(b"}")[0]))


async def connect(port: int, request: bytes, delays: list[float] | None) -> Reader:
    """Open a stream; while the server sheds load, try again."""
    loop = asyncio.get_running_loop()
    for _ in range(100):
        transport, reader = await loop.create_connection(lambda: Reader(request, delays), HOST, port)
        status = await reader.status
        if status == 200:
            return reader
        transport.close()
        assert status == 503, status
        await asyncio.sleep(0.5)
    raise TimeoutError("the server sheds load all the time")


async def connect_all(port: int, requests: list[bytes], delays: list[float]) -> list[Reader]:
    opening = asyncio.Semaphore(AT_ONCE)

    async def connect_one(number: int, request: bytes) -> Reader:
        async with opening:
            return await connect(port, request, delays if number % 50 == 0 else None)

    return await asyncio.gather(*(connect_one(*numbered) for numbered in enumerate(requests)))


async def prepare(settings: Settings, streams: int) -> list[str]:
    """Return tokens, one per person, of two companies without limits."""
    async with world(settings) as instance:
        await instance.bootstrap()
        tokens = []
        for _ in range(2):
            org, team = await instance.company()
            async with instance.db.maintenance(system()) as tx:
                await quota.apply_plan(tx, org.id, Plan.ENTERPRISE)
                draft = QuotaDraft(Dimension.CONCURRENCY, None)
                await quota.set_limit(tx, Level.ORG, org.id, org.id, draft)
            people = [await instance.person(org, team) for _ in range(-(-streams // 2 // STREAMS_OF_TOKEN))]
            tokens += [person.token or "" for person in people]
        return tokens


class Source(msgspec.Struct, frozen=True):
    """What writes the streams."""

    program: str
    path: str
    body: Callable[[float], dict[str, Any]]
    """The request for a stream; its rows begin after so many seconds, if it can wait."""

    def request(self, token: str, wait: float) -> bytes:
        body = json.dumps(self.body(wait)).encode()
        head = f"POST {self.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


PROMPT = f"[simulate:slow:{LASTING}]" + " word" * (LASTING * RATE)
"""The simulated model repeats the words, in that time."""
SOURCES = {
    "chat": Source("teamspace", "/api/ai/chat/stream", lambda _: {"prompt": PROMPT}),
    "rows": Source(
        "tests.support.scribe",
        "/api/x/scribe/streams",
        lambda wait: {"rows": LASTING * RATE, "rate": RATE, "wait": wait},
    ),
}


async def measure(source: Source, settings: dict[str, str], tokens: list[str], streams: int, seconds: int) -> Figures:
    wait = streams * OPENING
    delays: list[float] = []
    with Served(settings, program=source.program) as served:
        assert served.process is not None
        pid = served.process.pid
        before = resident_bytes([pid])
        requests = [source.request(tokens[number % len(tokens)], wait) for number in range(streams)]
        began = time.perf_counter()
        readers = await connect_all(served.port, requests, delays)
        await asyncio.sleep(max(0, wait - (time.perf_counter() - began)) + WARM_UP)
        delays.clear()
        count, cpu, began = sum(reader.rows for reader in readers), cpu_seconds([pid]), time.perf_counter()
        await asyncio.sleep(seconds)
        count, cpu = sum(reader.rows for reader in readers) - count, cpu_seconds([pid]) - cpu
        took, resident, late = time.perf_counter() - began, resident_bytes([pid]), sorted(delays)
    return {
        "streams": streams,
        "rows_per_second": round(count / took),
        "cpu_us_per_row": round(cpu / count * 1e6, 1),
        "cpu_share": round(cpu / took, 2),
        "resident_mib": round(resident / 2**20, 1),
        "kib_per_stream": round((resident - before) / 1024 / streams, 1),
        "delay_ms_median": round(late[len(late) // 2] * 1000, 1) if late else None,
        "delay_ms_p99": round(late[int(len(late) * 0.99)] * 1000, 1) if late else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, nargs="+", default=[100, 500, 1000])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--sources", nargs="+", choices=SOURCES, default=list(SOURCES))
    parser.add_argument("--postgres", metavar="URL", help="an empty database; SQLite otherwise")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "SERVICE_DATA": f"{folder}/data", "SERVICE_DATABASE_URL": options.postgres or "",
            "SERVICE_RATE_TOKEN": "0", "SERVICE_RATE_ANONYMOUS": "0",
        }  # fmt: skip
        tokens = asyncio.run(prepare(load(environment, file=Path("/dev/null")), max(options.streams)))
        figures: dict[str, list[Figures]] = {name: [] for name in options.sources}
        for name, count in itertools.product(options.sources, options.streams):
            found = asyncio.run(measure(SOURCES[name], environment, tokens, count, options.seconds))
            figures[name].append(found)
            print(name, json.dumps(found), flush=True)
    options.output.write_text(json.dumps({"machine": machine(), **figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
