"""The worker's loop: run several jobs at a time, send heartbeats, and finish running jobs before stopping.

It survives restarts of the server. If the worker dies, the leases of its jobs expire and another worker runs them.
"""

import asyncio
import logging
import random
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from teamspace.completions import CompletionError, ModelEndpoint, SchemaMismatch
from teamspace.core.egress import Egress
from teamspace.core.errors import BadRequest, Overloaded
from teamspace.worker import bridge
from teamspace.worker.protocol import LEASE, Assignment, ClaimLost, RequestRejected, Server, ServerUnavailable

log = logging.getLogger("teamspace.worker")
_FIRST_PAUSE, _MAX_PAUSE = 0.5, 30.0
_RETRY_SECONDS = 3.0


class WorkerError(Exception):
    """The worker cannot continue; the message says why, in one line."""


class Worker:
    def __init__(
        self, server: Server, egress: Egress, endpoint: ModelEndpoint, *, kinds: list[str], slots: int
    ) -> None:  # fmt: skip
        self._server, self._egress, self._endpoint = server, egress, endpoint
        self._kinds, self._slots = kinds, slots
        self._draining = asyncio.Event()
        self._jobs: dict[str, Assignment] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Work until stopped by a signal, or raise WorkerError when the server rejects the worker."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        self._tasks = [asyncio.create_task(self._work()) for _ in range(self._slots)]
        log.info("started: kinds %s, %d slots", ", ".join(self._kinds), self._slots)
        try:
            await asyncio.gather(*self._tasks)
        except RequestRejected as fault:
            raise WorkerError(str(fault)) from fault
        except asyncio.CancelledError:
            await self._return_jobs()
        finally:
            for task in self._tasks:
                task.cancel()
        log.info("stopped")

    def stop(self) -> None:
        """First call: claim no more jobs and finish the running ones. Second call: return the running jobs."""
        if self._draining.is_set():
            log.warning("stopping at once: returning %d jobs", len(self._jobs))
            for task in self._tasks:
                task.cancel()
            return
        log.info("stopping: finishing %d jobs first", len(self._jobs))
        self._draining.set()

    async def _work(self) -> None:
        pause = _FIRST_PAUSE
        while not self._draining.is_set():
            began = time.monotonic()
            try:
                assignment = await self._server.claim(
                    self._kinds, [self._endpoint.model] if self._endpoint.model else []
                )
            except ServerUnavailable as fault:
                log.warning("%s; retrying in %.0f s", fault, pause)
                await self._sleep(pause)
                pause = min(_MAX_PAUSE, 2 * pause)
                continue
            pause = _FIRST_PAUSE
            if assignment:
                await self._run_job(assignment)
            elif time.monotonic() - began < _FIRST_PAUSE:
                # A server that is shutting down responds at once; do not poll it in a busy loop.
                await self._sleep(_FIRST_PAUSE)

    async def _sleep(self, seconds: float) -> None:
        """Sleep with jitter, or until the worker is stopped."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._draining.wait(), seconds * random.uniform(0.75, 1.25))

    async def _run_job(self, assignment: Assignment) -> None:
        self._jobs[assignment.job.id] = assignment
        work = asyncio.ensure_future(self._perform(assignment))
        heartbeats = asyncio.create_task(self._send_heartbeats(assignment, work))
        try:
            report = await work
            await self._deliver(report)
            log.info("job %s finished", assignment.job.id)
        except ClaimLost as fault:
            log.warning("job %s lost its claim: %s", assignment.job.id, fault)
        except asyncio.CancelledError:
            if not heartbeats.done():  # cancelled by the second signal, not by the heartbeat
                raise
            log.warning("job %s lost its claim while it ran", assignment.job.id)
        finally:
            heartbeats.cancel()
        self._jobs.pop(assignment.job.id, None)

    async def _perform(self, assignment: Assignment) -> Callable[[], Awaitable[None]]:
        """Run the job and return the request that reports its outcome."""
        try:
            result = await bridge.KINDS[assignment.job.kind](self._egress, self._endpoint, assignment.job)
        except CompletionError as fault:
            log.warning("job %s: %s", assignment.job.id, fault)
            message, retryable = str(fault), fault.retryable
            return lambda: self._server.fail(assignment, message, code="executor_failed", retryable=retryable)
        except SchemaMismatch as fault:
            log.warning("job %s: %s", assignment.job.id, fault)
            refusal = str(fault)
            return lambda: self._server.fail(assignment, refusal, code="response_refused", retryable=False)
        except Overloaded as fault:
            busy = str(fault)
            return lambda: self._server.fail(assignment, busy, code=Overloaded.code)
        except (msgspec.ValidationError, KeyError, BadRequest) as fault:
            message = f"This worker cannot run the job: {fault}"
            return lambda: self._server.fail(assignment, message, code="unsupported", retryable=False)
        return lambda: self._complete(assignment, result)

    async def _complete(self, assignment: Assignment, result: msgspec.Struct) -> None:
        try:
            await self._server.complete(assignment, result)
        except RequestRejected as fault:
            await self._server.fail(assignment, f"The result was refused: {fault}", code="response_refused")

    async def _deliver(self, report: Callable[[], Awaitable[None]]) -> None:
        """Report the outcome, with retries: the server may be restarting, and the lease lasts longer than that."""
        while True:
            try:
                return await report()
            except ServerUnavailable as fault:
                log.warning("%s; retrying", fault)
                await asyncio.sleep(_RETRY_SECONDS * random.uniform(0.5, 1))

    async def _send_heartbeats(
        self, assignment: Assignment, work: "asyncio.Future[Callable[[], Awaitable[None]]]"
    ) -> None:
        """Send a heartbeat every third of the lease; cancel the work when the claim is stale."""
        wait = LEASE / 3
        while True:
            await asyncio.sleep(wait)
            try:
                await self._server.heartbeat(assignment)
                wait = LEASE / 3
            except ServerUnavailable as fault:
                log.warning("%s", fault)
                wait = _RETRY_SECONDS
            except (ClaimLost, RequestRejected):
                work.cancel()
                return

    async def _return_jobs(self) -> None:
        for assignment in self._jobs.values():
            with suppress(ServerUnavailable, ClaimLost, RequestRejected):
                await self._server.fail(assignment, "The worker was stopped.", code="stopped")
