"""`kill -9` of servers and workers while jobs are created and run: each job ends once.

Clients create jobs with an idempotency key, and repeat unanswered requests with the same key. Workers are separate
processes, beside the server's own worker. A cycle kills the server or a worker; on PostgreSQL, sometimes the database.
In the end a worker with a claimed job is paused for longer than its lease.
"""

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.durability.journal import Violation
from tests.durability.leases import end_leases
from tests.durability.soak import OPERATOR, Busy, Plan, Soak, created
from tests.durability.verification import ask, everything
from tests.durability.wire import Connection, Unanswered, Unreachable
from tests.durability.worker import answer
from tests.support.postgres import Postgres

WORKERS = 3
_PAUSE = 0.03
_PATIENCE = 150.0
"""More than two leases and the longest job."""
_LOCAL, _REMOTE = "local", "remote"
_JOBS_IN_A_MOMENT = 10


@dataclass
class JobRequest:
    """A job that must run exactly once."""

    key: str
    body: dict[str, Any]
    ids: list[str] = field(default_factory=list)
    """The job and its retries."""

    @property
    def prompt(self) -> str:
        prompt: str = self.body["input"]["prompt"]
        return prompt


class JobClient:
    """Creates jobs, some for the server's own worker and some for remote ones."""

    def __init__(self, number: int, port: int, token: str) -> None:
        self.connection = Connection(port, token)
        self.requests: list[JobRequest] = []
        self._number = number

    async def work(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                request = next((each for each in self.requests if not each.ids), None) or self._new_request()
                await self.create(request)
                await asyncio.sleep(_PAUSE)
        except (Unreachable, Unanswered):
            pass
        finally:
            self.connection.close()

    async def create(self, request: JobRequest) -> None:
        reply = await self.connection.call("POST", "/api/jobs", request.body, {"idempotency-key": request.key})
        if reply.status == 202:
            request.ids = [reply.json["id"]]
        elif reply.status == 409:
            request.ids = [await self._find(request)]
        elif reply.status != 503:
            raise Violation(f"creating {request.key} was answered {reply}")

    async def _find(self, request: JobRequest) -> str:
        """Find the job of a request that took effect and whose answer was lost with the server."""
        for item in await everything(self.connection, "/api/jobs"):
            shown = await ask(self.connection, "GET", f"/api/jobs/{item['id']}")
            if shown.json["input"]["prompt"] == request.prompt:
                return str(item["id"])
        raise Violation(f"{request.key} is said to have taken effect, and there is no such job")

    def _new_request(self) -> JobRequest:
        number = len(self.requests)
        key = f"client{self._number}-{number}"
        if number % 3 == 0:
            slow = " [simulate:slow:1]" if number % 12 == 0 else ""
            body = {"kind": "ai.chat", "input": {"prompt": f"{_LOCAL} {key}{slow}", "executor": "local"}}
        else:
            slow = " [work:1]" if number % 16 == 1 else ""
            body = {"kind": "ai.chat", "input": {"prompt": f"{_REMOTE} {key}{slow}", "model": "remote"}}
        self.requests.append(JobRequest(key, body))
        return self.requests[-1]


class WorkerProcess:
    """A worker process and its log; it is started again after a kill."""

    def __init__(self, port: int, token: str, notes: Path, module: str = "worker", *more: str) -> None:
        self._port, self._token = port, token
        self._module, self._more = f"tests.durability.{module}", more
        self.notes = notes
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", self._module, str(self._port), str(self.notes), *self._more]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        with self._process.stdin as stdin:
            stdin.write(f"{self._token}\n")

    def send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    @property
    def lines(self) -> list[tuple[str, str, int]]:
        """Event, job, attempt."""
        text = self.notes.read_text() if self.notes.exists() else ""
        return [(event, job, int(attempt)) for event, job, attempt in map(str.split, text.splitlines())]

    @property
    def current_claim(self) -> tuple[str, int] | None:
        """The claimed job and the attempt, if it is working."""
        lines = self.lines
        return lines[-1][1:] if lines and lines[-1][0] == "claimed" else None

    async def end_of(self, job: str, attempt: int) -> str:
        """Wait until the attempt has ended, and return how."""
        while True:
            for event, *of in self.lines:
                if event != "claimed" and of == [job, attempt]:
                    return event
            await asyncio.sleep(0.05)


class JobSoak(Soak):
    """The cycles on one database. `expire_leases` ends leases in the database instead of waiting for them."""

    def __init__(
        self, plan: Plan, folder: Path, postgres: Postgres | None = None, *, expire_leases: bool = False
    ) -> None:
        super().__init__(plan, folder, postgres)
        self.expire_leases = expire_leases
        self.folder = folder
        self.job_clients: list[JobClient] = []
        self.workers: list[WorkerProcess] = []
        self.counts: Counter[str] = Counter()

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.kill()
        super().__exit__()

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.counts.items()))
        database = "postgres" if self.postgres else "sqlite"
        return f"{database} cycle {self.cycle}/{self.plan.cycles}: {len(self.requests)} jobs created, {counts}"

    @property
    def busy(self) -> Sequence[Busy]:
        return self.job_clients

    @property
    def requests(self) -> list[JobRequest]:
        return [request for client in self.job_clients for request in client.requests]

    async def populate(self) -> None:
        self.operator.token = (await created(self.operator, "/api/bootstrap", OPERATOR))["token"]
        executor = await created(self.operator, "/api/executors", {"name": "Workers", "mode": "pull"})
        port, token = self.served.port, self.operator.token
        self.job_clients = [JobClient(number, port, token) for number in range(self.plan.clients)]
        self.workers = [
            WorkerProcess(port, executor["token"], self.folder / f"notes{number}") for number in range(WORKERS)
        ]
        for worker in self.workers:
            worker.start()

    async def moment(self) -> None:
        """Wait for a moment; on a busy machine until some jobs were created in it, so that there is work to interrupt."""
        enough = len(self.requests) + _JOBS_IN_A_MOMENT
        await super().moment()
        await self.until(lambda: len(self.requests) >= enough)

    async def crash(self) -> None:
        """Create jobs for a moment, and kill the server or a worker."""
        if self.cycle % 2:
            self.counts["servers killed"] += 1
            await super().crash()
            return
        worker = self.workers[self.cycle // 2 % WORKERS]
        async with self.load() as stop:
            await self.moment()
            worker.kill()
            worker.start()
            await self.moment()
            stop.set()
        self.counts["workers killed"] += 1

    async def verify(self) -> None:
        """Do nothing: jobs are verified in the end, since they are requeued only when leases expire."""
        self.operator.close()

    async def finish(self) -> None:
        paused = await self._pause()
        if self.expire_leases:
            await end_leases(self.database)
        async with asyncio.timeout(_PATIENCE):
            for client in self.job_clients:
                await self._wait_until_done(client)
            await self._resume(*paused)
        await self._check_jobs()
        await self._check_notes()
        await self._check_usage()

    # A worker that is paused beyond its lease

    async def _pause(self) -> tuple[WorkerProcess, str, int]:
        """Create a slow job, and pause the worker that claims it."""
        client = self.job_clients[0]
        slow = JobRequest(
            "slow",
            {"kind": "ai.chat", "input": {"prompt": f"{_REMOTE} slow [work:2]", "model": "remote"}, "priority": 0},
        )
        client.requests.append(slow)
        await client.create(slow)
        async with asyncio.timeout(_PATIENCE):
            while True:
                for worker in self.workers:
                    if worker.current_claim and worker.current_claim[0] in slow.ids:
                        worker.send(signal.SIGSTOP)
                        return worker, *worker.current_claim
                await asyncio.sleep(0.05)

    async def _resume(self, worker: WorkerProcess, job: str, attempt: int) -> None:
        """Resume the worker; its result must be refused."""
        worker.send(signal.SIGCONT)
        end = await worker.end_of(job, attempt)
        if end != "stale":
            raise Violation(f"{job} went to another worker, and still attempt {attempt} was accepted")
        self.counts["paused workers refused"] += 1

    # Verification

    async def _wait_until_done(self, client: JobClient) -> None:
        for request in client.requests:
            while not request.ids:
                await client.create(request)
            while True:
                shown = await self._shown(request.ids[-1])
                if shown["state"] == "succeeded":
                    break
                if shown["state"] == "failed":
                    await self._retry(client, request, shown)
                await asyncio.sleep(0.05)

    async def _shown(self, job: str) -> dict[str, Any]:
        shown: dict[str, Any] = (await ask(self.operator, "GET", f"/api/jobs/{job}")).json
        return shown

    async def _retry(self, client: JobClient, request: JobRequest, shown: dict[str, Any]) -> None:
        """The workers of a job were killed three times: the client retries it."""
        if shown["error"]["code"] != "lost" or shown["attempt"] < 3:
            raise Violation(f"{request.key} failed: {shown}")
        reply = await ask(client.connection, "POST", "/api/jobs", {"retry_of": shown["id"]})
        request.ids.append(reply.json["id"])
        self.counts["given up and retried"] += 1

    async def _check_jobs(self) -> None:
        """Check that every job exists once, and no others."""
        listed = [item["id"] for item in await everything(self.operator, "/api/jobs")]
        expected_ids = [id for request in self.requests for id in request.ids]
        if sorted(listed) != sorted(expected_ids):
            raise Violation(f"{len(expected_ids)} jobs were accepted, and {len(listed)} are there")
        for request in self.requests:
            shown = await self._shown(request.ids[-1])
            remote = request.prompt.startswith(_REMOTE)
            intact = (
                shown["result"]["text"] == answer(request.prompt)
                if remote
                else request.prompt in shown["result"]["text"]
            )
            if not intact:
                raise Violation(f"{request.key} ended with another's result: {shown}")

    async def _check_notes(self) -> None:
        """Check that no job was completed twice, and that the API shows what workers were told."""
        accepted = [line[1:] for worker in self.workers for line in worker.lines if line[0] == "accepted"]
        if duplicates := [job for job, times in Counter(job for job, _ in accepted).items() if times > 1]:
            raise Violation(f"completed more than once: {duplicates}")
        for job, attempt in accepted:
            shown = await self._shown(job)
            if (shown["state"], shown["attempt"]) != ("succeeded", attempt):
                raise Violation(f"attempt {attempt} of {job} was accepted, and it is shown as {shown}")
        remote = sum(request.prompt.startswith(_REMOTE) for request in self.requests)
        if not remote - self.counts["workers killed"] <= len(accepted) <= remote:
            raise Violation(f"{remote} jobs were run by workers, which know of {len(accepted)}")
        self.counts["completed by workers"] = len(accepted)
        self.counts["refused as stale"] = sum(line[0] == "stale" for worker in self.workers for line in worker.lines)

    async def _check_usage(self) -> None:
        """Check that each job was charged once, and that no reservation is left."""
        rows = (await ask(self.operator, "GET", "/api/usage")).json["items"]
        usage = {row["dimension"]: row for row in rows}
        if usage["ai.requests"]["used"] != len(self.requests) or any(row["reserved"] for row in rows):
            raise Violation(f"{len(self.requests)} jobs were run, and the usage is {rows}")
