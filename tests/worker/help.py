"""A server, an executor and its worker, each a process of its own."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.served import Served

PERSON = {"username": "ann", "password": "correct horse battery", "org": "Acme", "team": "General"}


class Office:
    """A running server, seen by its first operator."""

    def __init__(self, served: Served, folder: Path) -> None:
        self.served, self.folder = served, folder
        self.token: str = served.call("POST", "/api/bootstrap", PERSON)["token"]
        self._asked: dict[str, str] = {}
        """Of whom: of the executor that was set up last."""

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        return await asyncio.to_thread(self.served.call, method, path, body, self.token)

    async def ask(self, prompt: str = "Hello", **more: Any) -> str:
        body = {"kind": "ai.chat", "input": {"prompt": prompt, "max_tokens": 8, **self._asked, **more}}
        return str((await self.call("POST", "/api/jobs", body))["id"])

    async def until(self, job_id: str, *states: str, seconds: float = 60) -> dict[str, Any]:
        async with asyncio.timeout(seconds):
            while True:
                job: dict[str, Any] = await self.call("GET", f"/api/jobs/{job_id}")
                if job["state"] in states:
                    return job
                await asyncio.sleep(0.05)

    async def done(self, job_id: str, seconds: float = 60) -> dict[str, Any]:
        return await self.until(job_id, "succeeded", "failed", seconds=seconds)

    async def used(self) -> dict[str, int]:
        """Of what model work is counted in."""
        rows = (await self.call("GET", "/api/usage"))["items"]
        return {row["dimension"]: row["used"] for row in rows if row["dimension"].startswith("ai.")}

    async def executor(self, name: str = "Hands") -> Path:
        """The file with its worker token."""
        made = await self.call("POST", "/api/executors", {"name": name, "mode": "pull"})
        self._asked = {"executor": name}
        path = self.folder / f"{name}.token"
        path.write_text(made["token"] + "\n")
        return path


class Hired:
    """`teamspace worker` as a process."""

    def __init__(self, office: Office, token: Path, url: str, *more: str) -> None:
        self.log = token.with_suffix(f".{os.urandom(3).hex()}.log")
        command = ["worker", "--server", office.served.url, "--token-file", str(token), "--url", url, *more]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "teamspace", *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/"
            )

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    async def ended(self, seconds: float = 30) -> int:
        return await asyncio.to_thread(self.process.wait, seconds)


@contextmanager
def hired(office: Office, token: Path, url: str, *more: str) -> Iterator[Hired]:
    worker = Hired(office, token, url, *more)
    try:
        yield worker
    finally:
        worker.process.kill()
        worker.process.wait()
