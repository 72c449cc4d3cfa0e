"""A worker: claims jobs, runs them, sends heartbeats, and finishes running jobs before it stops.

It survives restarts of the server. If the worker dies, the leases of its jobs expire and another worker runs them.
"""

import asyncio
import inspect
import logging
import random
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from teamspace.client.aio.client import AsyncClient
from teamspace.client.blocking.client import Client
from teamspace.client.errors import BadResponse, Conflict, ConnectionFailed, TeamspaceError
from teamspace.client.models import JobAssignment, ReportedError, TokenUsage
from teamspace.client.retrying import Retry

T = TypeVar("T")
log = logging.getLogger("teamspace.worker")

LEASE = 60.0
"""Seconds from a claim, and from each heartbeat."""
MAX_WAIT = 10.0
"""Seconds to wait for a job in one request. The server allows 30, but stopping the worker would take as long."""
_SILENCE = MAX_WAIT + 20
_FIRST_PAUSE, _MAX_PAUSE = 0.5, 30.0
_RETRY_SECONDS = 3.0
_MAX_MESSAGE = 4000
_TEMPORARY = (408, 429)


class JobFailed(Exception):
    """Raised by a handler: the job failed, and `retryable` says whether another attempt may succeed.

    `usage` is what it has used of a model all the same.
    """

    def __init__(
        self, message: str, *, code: str = "failed", retryable: bool = False, usage: TokenUsage | None = None
    ) -> None:
        super().__init__(message)
        self.usage = usage
        self.error = ReportedError(message=message[:_MAX_MESSAGE], code=code, retryable=retryable)


class Job:
    """A claimed job, as a handler gets it."""

    def __init__(self, assignment: JobAssignment) -> None:
        job = assignment.job
        self.id, self.kind, self.input, self.model, self.attempt = job.id, job.kind, job.input, job.model, job.attempt
        self.claim_token = assignment.claim_token
        self.progress: float | None = None
        """Set it from 0 to 1: people see it, with `message`, after the next heartbeat."""
        self.message: str | None = None


Handler = Callable[[Job], Any]
"""Returns the result: a struct or what JSON can represent. A plain function runs in a thread of its own."""
Report = Callable[[], Awaitable[object]]


class AsyncWorker:
    """Runs jobs of the kinds that it has handlers for, up to `slots` at a time."""

    def __init__(
        self, client: AsyncClient, handlers: Mapping[str, Handler], *, slots: int = 1, models: Sequence[str] = ()
    ) -> None:  # fmt: skip
        """`models` are those it offers, for jobs that name one."""
        self._workers = client.with_options(timeout=_SILENCE, retry=Retry(attempts=1)).workers
        self._handlers, self._slots, self._models = handlers, slots, models
        self._draining, self._returning = asyncio.Event(), False
        self._jobs: dict[str, Job] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Work until `stop` or a signal, or raise TeamspaceError when the server refuses the worker."""
        self._stop_on_signals()
        self._tasks = [asyncio.create_task(self._work()) for _ in range(self._slots)]
        log.info("started: kinds %s, %d slots", ", ".join(self._handlers), self._slots)
        try:
            await asyncio.gather(*self._tasks)
        except asyncio.CancelledError:
            await self._return_jobs()
            if not self._returning:  # cancelled by the program, not by the second signal
                raise
        finally:
            for task in self._tasks:
                task.cancel()
        log.info("stopped")

    def stop(self) -> None:
        """First call: claim no more jobs and finish the running ones. Second call: return the running jobs."""
        if self._draining.is_set():
            self._returning = True
            log.warning("stopping at once: returning %d jobs", len(self._jobs))
            for task in self._tasks:
                task.cancel()
            return
        log.info("stopping: finishing %d jobs first", len(self._jobs))
        self._draining.set()

    def _stop_on_signals(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # only the main thread gets signals
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # on Windows
                loop.add_signal_handler(number, self.stop)

    async def _work(self) -> None:
        pause = _FIRST_PAUSE
        while not self._draining.is_set():
            began = time.monotonic()
            try:
                assignment = await self._workers.claim(
                    kinds=list(self._handlers), models=list(self._models), max_wait=MAX_WAIT
                )
            except TeamspaceError as fault:
                if not _is_temporary(fault):
                    raise
                log.warning("%s; retrying in %.0f s", fault, pause)
                await self._sleep(pause)
                pause = min(_MAX_PAUSE, 2 * pause)
                continue
            pause = _FIRST_PAUSE
            if assignment:
                await self._run_job(Job(assignment))
            elif time.monotonic() - began < _FIRST_PAUSE:
                # A server that is shutting down responds at once; do not poll it in a busy loop.
                await self._sleep(_FIRST_PAUSE)

    async def _sleep(self, seconds: float) -> None:
        """Sleep with jitter, or until the worker is stopped."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds * random.uniform(0.75, 1.25)):
                await self._draining.wait()

    async def _run_job(self, job: Job) -> None:
        self._jobs[job.id] = job
        work = asyncio.ensure_future(self._perform(job))
        heartbeats = asyncio.create_task(self._send_heartbeats(job, work))
        try:
            await self._deliver(await work)
            log.info("job %s finished", job.id)
        except TeamspaceError as fault:
            log.warning("job %s is dropped: %s", job.id, fault)
        except asyncio.CancelledError:
            if not heartbeats.done():  # cancelled by the second signal, not by the heartbeat
                raise
            log.warning("job %s lost its claim while it ran", job.id)
        finally:
            heartbeats.cancel()
        self._jobs.pop(job.id, None)

    async def _perform(self, job: Job) -> Report:
        """Run the job and return the request that reports its outcome."""
        handler = self._handlers.get(job.kind)
        try:
            if handler is None:
                raise JobFailed(f"This worker cannot run {job.kind}.", code="unsupported")
            result = msgspec.to_builtins(await _call(handler, job))
        except JobFailed as fault:
            log.warning("job %s: %s", job.id, fault)
            failure = fault
        except Exception as fault:
            log.exception("job %s: its handler failed", job.id)
            failure = JobFailed(f"{type(fault).__name__}: {fault}", code="worker_failed", retryable=True)
        else:
            return lambda: self._complete(job, result)
        return lambda: self._fail(job, failure)

    async def _fail(self, job: Job, failure: JobFailed) -> None:
        await self._workers.fail(job.id, error=failure.error, claim_token=job.claim_token, usage=failure.usage or UNSET)

    async def _complete(self, job: Job, result: Any) -> None:
        try:
            await self._workers.complete(job.id, result=result, claim_token=job.claim_token)
        except TeamspaceError as fault:
            if _is_temporary(fault) or isinstance(fault, Conflict):
                raise
            log.warning("job %s: its result was refused: %s", job.id, fault)
            refused = JobFailed(f"The result was refused: {fault.message}", code="response_refused", retryable=True)
            await self._fail(job, refused)

    async def _deliver(self, report: Report) -> None:
        """Report the outcome, with retries: the server may be restarting, and the lease lasts longer than that."""
        while True:
            try:
                await report()
                return
            except TeamspaceError as fault:
                if not _is_temporary(fault):
                    raise
                log.warning("%s; retrying", fault)
                await asyncio.sleep(_RETRY_SECONDS * random.uniform(0.5, 1))

    async def _send_heartbeats(self, job: Job, work: "asyncio.Future[Report]") -> None:
        """Send a heartbeat every third of the lease; cancel the work when the claim is stale."""
        wait = LEASE / 3
        while True:
            await asyncio.sleep(wait)
            try:
                await self._workers.heartbeat(
                    job.id, claim_token=job.claim_token, progress=job.progress, message=job.message
                )
                wait = LEASE / 3
            except TeamspaceError as fault:
                if not _is_temporary(fault):
                    work.cancel()
                    return
                log.warning("%s", fault)
                wait = _RETRY_SECONDS

    async def _return_jobs(self) -> None:
        stopped = JobFailed("The worker was stopped.", code="stopped", retryable=True)
        for job in self._jobs.values():
            with suppress(TeamspaceError):
                await self._fail(job, stopped)


class Worker:
    """The same for programs without asyncio: handlers are plain functions, and `run` blocks.

    Worker(client, {"x.my-plugin.report": write_report}).run()
    """

    def __init__(
        self, client: Client, handlers: Mapping[str, Handler], *, slots: int = 1, models: Sequence[str] = ()
    ) -> None:  # fmt: skip
        self._options, self._handlers, self._slots, self._models = client.options, handlers, slots, models
        self._running: tuple[asyncio.AbstractEventLoop, AsyncWorker] | None = None
        self._stopped = False

    def run(self) -> None:
        """Work until `stop` or a signal, or raise TeamspaceError when the server refuses the worker."""
        asyncio.run(self._run())

    def stop(self) -> None:
        """Can be called from any thread. The first call finishes running jobs, the second returns them."""
        self._stopped = True
        if self._running:
            loop, worker = self._running
            loop.call_soon_threadsafe(worker.stop)

    async def _run(self) -> None:
        options = self._options
        async with AsyncClient(options.url, options.token, verify=options.verify) as client:
            worker = AsyncWorker(client, self._handlers, slots=self._slots, models=self._models)
            self._running = (asyncio.get_running_loop(), worker)
            try:
                if not self._stopped:
                    await worker.run()
            finally:
                self._running = None


def _is_temporary(fault: TeamspaceError) -> bool:
    unknown = isinstance(fault, ConnectionFailed | BadResponse)
    return unknown or fault.status >= 500 or fault.status in _TEMPORARY


async def _call(handler: Handler, job: Job) -> Any:
    if inspect.iscoroutinefunction(handler):
        return await handler(job)
    return await asyncio.wrap_future(_start(lambda: handler(job)))


def _start(function: Callable[[], T]) -> "Future[T]":
    """Run a function in a thread that does not keep the process alive: a stopped worker has returned its job."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as fault:
            future.set_exception(fault)

    threading.Thread(target=run, daemon=True).start()
    return future
