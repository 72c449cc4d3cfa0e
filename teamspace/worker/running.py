"""The worker at work: so many jobs at a time, signs of life for each, and an end that gives nothing up unasked.

It survives the server's restarts and its own: what it holds when it dies lapses, and is done by another.
"""

import asyncio
import logging
import random
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from teamspace.completions import Endpoint, Fault
from teamspace.core.egress import Egress
from teamspace.worker import bridge
from teamspace.worker.protocol import LEASE, Away, Dropped, Handed, Rejected, Server

log = logging.getLogger("teamspace.worker")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_AGAIN = 3.0


class WorkerError(Exception):
    """The worker cannot go on; the message is the one line that says why."""


class Worker:
    def __init__(
        self, server: Server, egress: Egress, endpoint: Endpoint, *, kinds: list[str], slots: int
    ) -> None:  # fmt: skip
        self._server, self._egress, self._endpoint = server, egress, endpoint
        self._kinds, self._slots = kinds, slots
        self._draining = asyncio.Event()
        self._held: dict[str, Handed] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Until told to stop, or turned away."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        self._tasks = [asyncio.create_task(self._work()) for _ in range(self._slots)]
        log.info("working on %s, %d at a time", ", ".join(self._kinds), self._slots)
        try:
            await asyncio.gather(*self._tasks)
        except Rejected as fault:
            raise WorkerError(str(fault)) from fault
        except asyncio.CancelledError:
            await self._give_back()
        finally:
            for task in self._tasks:
                task.cancel()
        log.info("stopped")

    def stop(self) -> None:
        """Once: nothing new, and what is held is finished. Twice: what is held goes back."""
        if self._draining.is_set():
            log.warning("stopping at once: %d jobs go back", len(self._held))
            for task in self._tasks:
                task.cancel()
            return
        log.info("stopping: %d jobs are finished first", len(self._held))
        self._draining.set()

    async def _work(self) -> None:
        pause = _FIRST_PAUSE
        while not self._draining.is_set():
            began = time.monotonic()
            try:
                handed = await self._server.claim(self._kinds, [self._endpoint.model] if self._endpoint.model else [])
            except Away as fault:
                log.warning("%s; asking again in %.0f s", fault, pause)
                await self._rest(pause)
                pause = min(_LONGEST_PAUSE, 2 * pause)
                continue
            pause = _FIRST_PAUSE
            if handed:
                await self._do(handed)
            elif time.monotonic() - began < _FIRST_PAUSE:
                # A server that is about to stop does not wait, and neither should it be asked again at once.
                await self._rest(_FIRST_PAUSE)

    async def _rest(self, seconds: float) -> None:
        """Not in step with other workers, and not beyond the end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._draining.wait(), seconds * random.uniform(0.75, 1.25))

    async def _do(self, handed: Handed) -> None:
        self._held[handed.job.id] = handed
        working = asyncio.ensure_future(self._outcome(handed))
        beating = asyncio.create_task(self._beat(handed, working))
        try:
            land = await working
            await self._landed(land)
            log.info("job %s is done", handed.job.id)
        except Dropped as fault:
            log.warning("job %s was taken back: %s", handed.job.id, fault)
        except asyncio.CancelledError:
            if not beating.done():  # it is the second signal that ends this, and not the heartbeat
                raise
            log.warning("job %s was taken back while it ran", handed.job.id)
        finally:
            beating.cancel()
        self._held.pop(handed.job.id, None)

    async def _outcome(self, handed: Handed) -> Callable[[], Awaitable[None]]:
        """What there is to tell the server in the end."""
        try:
            result = await bridge.KINDS[handed.job.kind](self._egress, self._endpoint, handed.job)
        except Fault as fault:
            log.warning("job %s: %s", handed.job.id, fault)
            message, retryable = str(fault), fault.retryable
            return lambda: self._server.fail(handed, message, code="executor_failed", retryable=retryable)
        except (msgspec.ValidationError, KeyError) as fault:
            message = f"This worker cannot do it: {fault}"
            return lambda: self._server.fail(handed, message, code="unsupported", retryable=False)
        return lambda: self._complete(handed, result)

    async def _complete(self, handed: Handed, result: dict[str, object]) -> None:
        try:
            await self._server.complete(handed, result)
        except Rejected as fault:
            await self._server.fail(handed, f"The result was refused: {fault}", code="response_refused")

    async def _landed(self, land: Callable[[], Awaitable[None]]) -> None:
        """Said until it is heard: the server may be starting anew, and the lease goes on a while without it."""
        while True:
            try:
                return await land()
            except Away as fault:
                log.warning("%s; it is told again", fault)
                await asyncio.sleep(_AGAIN * random.uniform(0.5, 1))

    async def _beat(self, handed: Handed, working: "asyncio.Future[Callable[[], Awaitable[None]]]") -> None:
        """Every third of the lease. When the job is in other hands, what is done for it here ends."""
        wait = LEASE / 3
        while True:
            await asyncio.sleep(wait)
            try:
                await self._server.heartbeat(handed)
                wait = LEASE / 3
            except Away as fault:
                log.warning("%s", fault)
                wait = _AGAIN
            except (Dropped, Rejected):
                working.cancel()
                return

    async def _give_back(self) -> None:
        for handed in self._held.values():
            with suppress(Away, Dropped, Rejected):
                await self._server.fail(handed, "The worker was stopped.", code="stopped")
