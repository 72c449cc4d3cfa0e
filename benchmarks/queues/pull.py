"""Remote workers: claim jobs from a real server over HTTP and complete them."""

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
from benchmarks.queues.side import TEAMS, Tally
from benchmarks.queues.storage import Storage
from benchmarks.subject import environment
from teamspace import jobs

KIND = "ai.chat"
CLIENTS = 16
RESULT = {"text": "Done", "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
CLAIM = json.dumps({"kinds": [KIND], "max_wait": 1}).encode()


def pulled(storage: Storage, count: int) -> Seen:
    """Drain the queue over HTTP; the CPU time is the server's."""
    token = uvloop.run(_filled(storage, count))
    storage.settle()
    port = free_port()
    command = [sys.executable, "-m", "teamspace", "serve"]
    settings = environment(storage.folder / "data", port, storage.url)
    server = Server(command, port, "/health", storage.folder / "log", settings)
    server.start()
    try:
        used, stored = server.cpu_seconds(), storage.database_cpu()
        worker = [sys.executable, "-m", "benchmarks.queues.pull", str(port), token]
        report = json.loads(subprocess.run(worker, capture_output=True, timeout=STEP_LIMIT, check=True).stdout)
        if report["done"] != count:
            raise RuntimeError(f"only {report['done']} of {count} jobs were claimed")
        cpu, database_cpu = server.cpu_seconds() - used, storage.database_cpu() - stored
        return Seen(count, report["seconds"], cpu, database_cpu)
    finally:
        server.stop()


async def _filled(storage: Storage, count: int) -> str:
    """Enqueue `count` jobs for an executor and return its token."""
    async with filling.opened(filling.settings(storage.folder, storage.url), Tally()) as made:
        operator = await filling.founded(made, TEAMS)
        answer = await operator.post("/api/executors", {"name": "Puller", "mode": "pull", "capabilities": [KIND]})
        people = await filling.members(made.db)
        queue = made.app.queue
        input = queue.encode(KIND, queue.kinds[KIND].read_input({"prompt": "Hello"}))
        await filling.fill(
            made.db, count, lambda number: people[number % TEAMS], kind=KIND, channel=jobs.any_channel(KIND),
            input=input,
        )  # fmt: skip
        return str(answer.json()["token"])


class Connection:
    """One worker: claims and completes jobs until there are none left."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self._reader, self._writer, self._token = reader, writer, token

    async def ask(self, path: str, body: bytes) -> tuple[int, bytes]:
        self._writer.write(request("POST", path, self._token, body))
        answer = b""
        while (start := body_start(answer)) < 0 and not answer.startswith(b"HTTP/1.1 204"):
            part = await self._reader.read(65536)
            if not part:
                raise ConnectionError(f"connection closed: {answer!r}")
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
    """Also records when the last job was done."""

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
    parser = argparse.ArgumentParser(description="Work as a remote worker until no jobs are left.")
    parser.add_argument("port", type=int)
    parser.add_argument("token")
    options = parser.parse_args()
    uvloop.run(_work(options.port, options.token))
