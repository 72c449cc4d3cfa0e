"""Measure event streams: memory of an open one, time from a commit to its delivery, and what recording adds to a write.

One server on SQLite, and clients on loopback sockets in this process. Run from the top of the repository as
`python -m benchmarks.events`; README.md explains the report.
"""

import argparse
import asyncio
import json
import resource
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

from benchmarks.processes import cpu_seconds, resident_bytes
from benchmarks.report import machine
from teamspace import events
from teamspace.settings import Settings, load
from tests.cost.help import Call, measure_call
from tests.support.served import HOST, Served
from tests.support.world import Caller, world

STREAMS_OF_TOKEN = 20
TEAMS = 20
NOTE = b'{"title": "x", "visibility": "team"}'
OUTPUT = Path(__file__).parent / "results" / "events.json"

Figures = dict[str, Any]


class Team:
    """A team of people with one token each; a note of the first is told to all."""

    def __init__(self, callers: list[Caller]) -> None:
        self.tokens = [caller.token or "" for caller in callers]
        self.times: list[float] = []
        """When each client was told of the last note."""
        self.size = 0


async def prepare(settings: Settings, streams: int) -> list[Team]:
    async with world(settings) as instance:
        await instance.bootstrap()
        teams = []
        for _ in range(TEAMS):
            org, team = await instance.company()
            people = -(-streams // TEAMS // STREAMS_OF_TOKEN)
            teams.append(Team([await instance.person(org, team) for _ in range(people)]))
        return teams


async def connect(port: int, token: str, team: Team) -> asyncio.Task[None]:
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(f"GET /api/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    await reader.readuntil(b"event: ready")
    team.size += 1

    async def read() -> None:
        try:
            while True:
                await reader.readuntil(b"event: change")
                team.times.append(time.perf_counter())
        finally:
            writer.close()

    return asyncio.create_task(read())


async def create_note(port: int, token: str) -> float:
    """Return when the response arrived: the note was committed shortly before."""
    reader, writer = await asyncio.open_connection(HOST, port)
    head = f"POST /api/notes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(NOTE)}\r\n\r\n".encode() + NOTE)
    assert b" 201 " in await reader.readline()
    answered = time.perf_counter()
    writer.close()
    return answered


async def tell(port: int, team: Team) -> tuple[float, float]:
    """Create a note; return the seconds until the first and until the last client was told."""
    team.times.clear()
    answered = await create_note(port, team.tokens[0])
    async with asyncio.timeout(30):
        while len(team.times) < team.size:  # noqa: ASYNC110 - the clients are separate tasks
            await asyncio.sleep(0.001)
    return max(0.0, min(team.times) - answered), max(0.0, max(team.times) - answered)


async def measure_streams(settings: dict[str, str], teams: list[Team], streams: int, rounds: int) -> Figures:
    with Served(settings) as served:
        assert served.process is not None
        pid, port = served.process.pid, served.port
        for team in teams:
            await create_note(port, team.tokens[0])
        before = resident_bytes([pid])
        readers = [
            await connect(port, team.tokens[number // TEAMS % len(team.tokens)], team)
            for number in range(streams)
            for team in [teams[number % TEAMS]]
        ]
        opened = resident_bytes([pid])
        cpu, began = cpu_seconds([pid]), time.perf_counter()
        times = [await tell(port, teams[number % TEAMS]) for number in range(rounds)]
        cpu, seconds = cpu_seconds([pid]) - cpu, time.perf_counter() - began
        after = resident_bytes([pid])
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
    return {
        "streams": streams,
        "streams_per_team": streams // TEAMS,
        "kib_per_stream": round((opened - before) / 1024 / streams, 1),
        "grown_mib_while_delivering": round((after - opened) / 2**20, 1),
        "first_told_ms": round(median(first for first, _ in times) * 1000, 1),
        "last_told_ms": round(median(last for _, last in times) * 1000, 1),
        "last_told_ms_p95": round(sorted(last for _, last in times)[int(rounds * 0.95)] * 1000, 1),
        "cpu_ms_per_note": round(cpu * 1000 / rounds, 2),
        "seconds": round(seconds, 1),
    }


async def measure_writes(settings: Settings, notes: int) -> Figures:
    """Compare the CPU time of a created note with and without recording it; no one listens."""

    async def record_nothing(*_: object, **__: object) -> None:
        pass

    async with world(settings) as instance:
        ann = await instance.bootstrap()
        call = Call("POST", "/api/notes", headers=[(b"authorization", f"Bearer {ann.token}".encode())], body=NOTE)
        spent: dict[str, list[float]] = {"recorded": [], "unrecorded": []}
        for _ in range(9):
            for name, rounds in spent.items():
                with mock.patch.object(events, "record", events.record if name == "recorded" else record_nothing):
                    began = time.process_time()
                    for _ in range(notes):
                        assert (await measure_call(instance, call))[1] == 201
                    rounds.append((time.process_time() - began) / notes)
    recorded, unrecorded = (median(rounds[1:]) for rounds in spent.values())
    return {"cpu_us_per_note": round(recorded * 1e6), "ratio": round(recorded / unrecorded, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        environment = {"SERVICE_DATA": f"{folder}/streams", "SERVICE_RATE_TOKEN": "0", "SERVICE_RATE_ANONYMOUS": "0"}
        teams = asyncio.run(prepare(load(environment, file=Path("/dev/null")), options.streams))
        streams = asyncio.run(measure_streams(environment, teams, options.streams, options.rounds))
        writes = load({**environment, "SERVICE_DATA": f"{folder}/writes"}, file=Path("/dev/null"))
        report = {
            "machine": machine(),
            "streams": streams,
            "writes": asyncio.run(measure_writes(writes, options.notes)),
        }
    options.output.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps({name: report[name] for name in ("streams", "writes")}, indent=2))


if __name__ == "__main__":
    main()
