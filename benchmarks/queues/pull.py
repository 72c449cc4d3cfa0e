"""Remote workers: jobs handed out by a real server over HTTP, and their results brought back."""

import argparse
import asyncio
import json
import subprocess
import sys
import time

import uvloop

from benchmarks.load import body_start, request
from benchmarks.processes import Server, free_port
from benchmarks.queues import filling
from benchmarks.queues.driving import STEP_LIMIT, Seen
from benchmarks.queues.place import Place
from benchmarks.queues.side import TEAMS, Tally
from benchmarks.subject import environment
from teamspace import jobs

KIND = "ai.chat"
CLIENTS = 16
RESULT = {"text": "Done", "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
CLAIM = json.dumps({"kinds": [KIND], "max_wait": 1}).encode()


def pulled(place: Place, count: int) -> Seen:
    """The same queue drained over HTTP; the CPU is the server's."""
    token = uvloop.run(_filled(place, count))
    place.settle()
    port = free_port()
    command = [sys.executable, "-m", "teamspace", "serve"]
    settings = environment(place.folder / "data", port, place.url)
    server = Server(command, port, "/health", place.folder / "log", settings)
    server.start()
    try:
        used, stored = server.cpu_seconds(), place.database_cpu()
        worker = [sys.executable, "-m", "benchmarks.queues.pull", str(port), token]
        told = json.loads(subprocess.run(worker, capture_output=True, timeout=STEP_LIMIT, check=True).stdout)
        if told["done"] != count:
            raise RuntimeError(f"{told['done']} of {count} jobs were handed out")
        cpu, database_cpu = server.cpu_seconds() - used, place.database_cpu() - stored
        return Seen(count, told["seconds"], cpu, database_cpu)
    finally:
        server.stop()


async def _filled(place: Place, count: int) -> str:
    """The token of an executor for which so many jobs wait."""
    async with filling.opened(filling.settings(place.folder, place.url), Tally()) as made:
        operator = await filling.founded(made, TEAMS)
        answer = await operator.post("/api/executors", {"name": "Puller", "mode": "pull", "capabilities": [KIND]})
        people = await filling.members(made.db)
        await filling.fill(
            made.db, count, lambda number: people[number % TEAMS], kind=KIND, place=jobs.any_place(KIND),
            input='{"prompt":"Hello"}',
        )  # fmt: skip
        return str(answer.json()["token"])


class Connection:
    """One worker: claims, does nothing, brings the result, until nothing comes any more."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self._reader, self._writer, self._token = reader, writer, token

    async def ask(self, path: str, body: bytes) -> tuple[int, bytes]:
        self._writer.write(request("POST", path, self._token, body))
        answer = b""
        while (start := body_start(answer)) < 0 and not answer.startswith(b"HTTP/1.1 204"):
            part = await self._reader.read(65536)
            if not part:
                raise ConnectionError(f"cut off: {answer!r}")
            answer += part
        status = int(answer[9:12])
        if status >= 300:
            raise RuntimeError(answer.decode())
        return status, answer[start:]

    async def work(self, tally: "Ends") -> None:
        while True:
            status, body = await self.ask("/api/workers/claim", CLAIM)
            if status == 204:
                return
            handed = json.loads(body)
            result = {"claim_token": handed["claim_token"], "result": RESULT}
            await self.ask(f"/api/workers/jobs/{handed['job']['id']}/complete", json.dumps(result).encode())
            tally()


class Ends(Tally):
    """When the last was done, too."""

    last = 0.0

    def __call__(self) -> None:
        super().__call__()
        self.last = time.monotonic()


async def _work(port: int, token: str) -> None:
    tally = Ends()
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CLIENTS)]
    await asyncio.gather(*(Connection(*streams, token).work(tally) for streams in opened))
    print(json.dumps({"done": tally.done, "seconds": tally.last - tally.first}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Work as a remote worker until no job comes.")
    parser.add_argument("port", type=int)
    parser.add_argument("token")
    options = parser.parse_args()
    uvloop.run(_work(options.port, options.token))
