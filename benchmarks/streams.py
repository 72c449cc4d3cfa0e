"""Measure streams of content: memory of an open one, CPU time of a row, and its delay, with up to 1,000 at a time.

One server and its readers, over loopback sockets. Every stream has a writer in the server that adds 20 rows per second,
as a model adds words. Run from the top of the repository as `python -m benchmarks.streams`; README.md explains the
report.
"""

import argparse
import asyncio
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.processes import cpu_seconds, resident_bytes
from benchmarks.report import machine
from teamspace.settings import Settings, load
from tests.support.served import HOST, Served
from tests.support.world import world

RATE = 20
WARM_UP, OPENING = 3.0, 0.004
"""Seconds before the measurement, and between two streams that are opened."""
STREAMS_OF_TOKEN = 50
OUTPUT = Path(__file__).parent / "results" / "streams.json"

Figures = dict[str, Any]


class Reader(asyncio.Protocol):
    """Counts the rows of one stream, and how late they are."""

    def __init__(self, request: bytes, delays: list[float] | None) -> None:
        self.rows, self._answered = 0, False
        self.ended = asyncio.get_running_loop().create_future()
        self._request, self._delays = request, delays

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self._request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        if not self._answered:
            self._answered = True
            assert b" 200 " in data.partition(b"\r\n")[0], data
        self.rows += data.count(b"event: delta")
        if self._delays is not None:
            at = data.rpartition(b'"at":')[2].partition(b"}")[0]
            if at and data.count(b"event: delta"):
                self._delays.append(time.monotonic() - float(at))
        if b"event: done" in data and not self.ended.done():
            self.ended.set_result(None)

    def connection_lost(self, fault: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(fault or ConnectionError("the stream ended early"))


async def prepare(settings: Settings, streams: int) -> list[str]:
    """Return tokens, one per person, of two companies."""
    async with world(settings) as instance:
        await instance.bootstrap()
        tokens = []
        for _ in range(2):
            org, team = await instance.company()
            people = [await instance.person(org, team) for _ in range(-(-streams // 2 // STREAMS_OF_TOKEN))]
            tokens += [person.token or "" for person in people]
        return tokens


def request(token: str, rows: int) -> bytes:
    body = json.dumps({"rows": rows, "rate": RATE}).encode()
    head = f"POST /api/x/scribe/streams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def measure(settings: dict[str, str], tokens: list[str], streams: int, seconds: float) -> Figures:
    loop = asyncio.get_running_loop()
    rows = int((streams * OPENING + 2 * WARM_UP + seconds) * RATE)
    delays: list[float] = []
    with Served(settings, program="tests.support.scribe") as served:
        assert served.process is not None
        pid = served.process.pid
        before = resident_bytes([pid])
        readers = []
        for number in range(streams):
            asked = request(tokens[number % len(tokens)], rows)
            sampled = delays if number % 50 == 0 else None
            _, reader = await loop.create_connection(lambda: Reader(asked, sampled), HOST, served.port)  # noqa: B023
            readers.append(reader)
            await asyncio.sleep(OPENING)
        await asyncio.sleep(WARM_UP)
        delays.clear()
        count, cpu, began = sum(reader.rows for reader in readers), cpu_seconds([pid]), time.perf_counter()
        await asyncio.sleep(seconds)
        count, cpu = sum(reader.rows for reader in readers) - count, cpu_seconds([pid]) - cpu
        took, resident, late = time.perf_counter() - began, resident_bytes([pid]), sorted(delays)
        async with asyncio.timeout(120):
            await asyncio.gather(*(reader.ended for reader in readers))
        assert {reader.rows for reader in readers} == {rows}, "every row, once"
    return {
        "streams": streams,
        "rows_per_second": round(count / took),
        "cpu_us_per_row": round(cpu / count * 1e6, 1),
        "cpu_share": round(cpu / took, 2),
        "resident_mib": round(resident / 2**20, 1),
        "kib_per_stream": round((resident - before) / 1024 / streams, 1),
        "delay_ms_median": round(late[len(late) // 2] * 1000, 1),
        "delay_ms_p99": round(late[int(len(late) * 0.99)] * 1000, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, nargs="+", default=[100, 500, 1000])
    parser.add_argument("--seconds", type=float, default=10)
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
        figures = [asyncio.run(measure(environment, tokens, count, options.seconds)) for count in options.streams]
    options.output.write_text(json.dumps({"machine": machine(), "streams": figures}, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
