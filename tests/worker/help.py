"""A server, and workers as separate processes."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from teamspace.client import AsyncClient, Client
from tests.support import preloaded
from tests.support.served import Served

PERSON = {"username": "ann", "password": "correct horse battery", "org": "Acme", "team": "General"}


class Site:
    """A running server, called by its first operator."""

    def __init__(self, served: Served, folder: Path) -> None:
        self.served, self.folder = served, folder
        with Client(served.url, "") as anyone:
            self.token = anyone.instance.bootstrap(**PERSON).token
        self._target: dict[str, str] = {}
        """The executor created last; jobs are sent to it."""

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        return await asyncio.to_thread(self.served.call, method, path, body, self.token)

    def client(self) -> AsyncClient:
        return AsyncClient(self.served.url, self.token)

    async def create_job(self, prompt: str = "Hello", **more: Any) -> str:
        async with self.client() as client:
            input = {"prompt": prompt, "max_tokens": 8, **self._target, **more}
            return (await client.jobs.create(kind="ai.chat", input=input)).id

    async def wait_for(self, job_id: str, *states: str, seconds: float = 60) -> dict[str, Any]:
        async with asyncio.timeout(seconds):
            while True:
                job: dict[str, Any] = await self.call("GET", f"/api/jobs/{job_id}")
                if job["state"] in states:
                    return job
                await asyncio.sleep(0.05)

    async def wait_until_done(self, job_id: str, seconds: float = 60) -> dict[str, Any]:
        return await self.wait_for(job_id, "succeeded", "failed", seconds=seconds)

    async def used(self) -> dict[str, int]:
        """Return the AI usage by dimension."""
        async with self.client() as client:
            rows = (await client.quota.usage()).items
        return {row.dimension: row.used for row in rows if row.dimension.startswith("ai.")}

    async def executor(self, name: str = "Remote") -> Path:
        """Create an executor and return the file with its worker token."""
        async with self.client() as client:
            created = await client.executors.create(name=name, mode="pull")
        self._target = {"executor": name}
        path = self.folder / f"{name}.token"
        path.write_text(f"{created.token}\n")
        return path


class WorkerProcess:
    """`teamspace worker` as a process."""

    def __init__(self, site: Site, token: Path, url: str, *more: str) -> None:
        self.log = token.with_suffix(f".{os.urandom(3).hex()}.log")
        command = ["worker", "--server", site.served.url, "--token-file", str(token), "--url", url, *more]
        with self.log.open("wb") as log:
            self.process = preloaded.start("teamspace", *command, env=os.environ, cwd="/", stdout=log, stderr=log)

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    async def wait(self, seconds: float = 30) -> int:
        return await asyncio.to_thread(self.process.wait, seconds)


@contextmanager
def running_worker(site: Site, token: Path, url: str, *more: str) -> Iterator[WorkerProcess]:
    worker = WorkerProcess(site, token, url, *more)
    try:
        yield worker
    finally:
        worker.process.kill()
        worker.process.wait()
