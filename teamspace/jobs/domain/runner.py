"""The server's own worker: claims jobs from the queue and runs them, with leases like any other worker."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec

from teamspace.core.db import Db
from teamspace.core.limits import Stopping
from teamspace.jobs.domain.attempts import ATTEMPT_LEASE, JobAttempts
from teamspace.jobs.domain.channels import local_channel
from teamspace.jobs.domain.queue import Queue, StillValid
from teamspace.jobs.domain.slots import JobSlots, KindSlots
from teamspace.jobs.schemas import Job, JobClaim

log = logging.getLogger("teamspace.jobs")
LOCAL = "local"
_POLL = 2.0
"""Seconds. Notifications from other servers can be lost, so the runner also polls."""


class WorkSource(msgspec.Struct, frozen=True):
    """An executor that this server works for, and the channels of its jobs."""

    executor_id: str
    channels: tuple[str, ...]
    org_id: str | None = None
    limit: int = 1000
    """How many more jobs it can take."""
    still_valid: StillValid | None = None
    """Called in the transaction of a claim: whether the executor still exists."""
    models: tuple[str, ...] | None = None
    """The models it has, if known. Jobs that name another model are not claimed for it."""


class Runner:
    def __init__(
        self, db: Db, queue: Queue, attempts: JobAttempts, stopping: Stopping, *, slots: int,
        sources: Callable[[], Awaitable[Sequence[WorkSource]]] | None = None,
    ) -> None:  # fmt: skip
        self._db, self._queue, self._attempts, self._stopping = db, queue, attempts, stopping
        self._slots = JobSlots(slots)
        self._more_sources = sources
        self._aborted = False
        self._wake_up = asyncio.Event()
        queue.succession.successor = self

    async def run(self) -> None:
        """Claim and run jobs until the server stops, then wait for the running ones."""
        while not self._stopping and not self._db.outdated:
            try:
                sources = await self._sources()
                with self._queue.wake.subscribe({channel for source in sources for channel in source.channels}) as news:
                    self._wake_up = news
                    if await self._claim(sources):
                        # Handlers that only compute end now, and free their slots for the next claim.
                        await asyncio.sleep(0)
                    else:
                        await self._queue.wake.wait(news, _POLL * random.uniform(0.75, 1.25))
            except Exception:
                log.exception("claiming jobs failed, retrying")
                await asyncio.sleep(_POLL)
        await self._attempts.wait()

    async def _sources(self) -> list[WorkSource]:
        own = WorkSource(LOCAL, tuple(local_channel(kind.name) for kind in self._queue.kinds if kind.handler))
        return [own, *(await self._more_sources() if self._more_sources else ())]

    async def abort(self) -> None:
        """Cancel the running handlers and requeue their jobs at once. The attempts do not count."""
        self._aborted = True  # a claim in progress requeues its jobs too
        await self._attempts.abort(self._db)

    async def _claim(self, sources: Sequence[WorkSource]) -> int:
        """Claim jobs and start them; return how many were claimed."""
        taken = 0
        for source in sources:
            claimed = await self._queue.claim(
                self._db,
                source.channels,
                count=source.limit,
                executor_id=source.executor_id,
                org_id=source.org_id,
                models=source.models,
                slots=self._slots,
                still_valid=source.still_valid,
                lease=ATTEMPT_LEASE,
            )
            for job, claim in claimed:
                if self._aborted:
                    await self._attempts.give_back(self._db, claim)
                else:
                    self.start(job, claim)
            taken += len(claimed)
        return taken

    def take_slot(self, kind: str, org_id: str) -> bool:
        """Take a slot for a job that follows another; not when the server stops, since a run would never end."""
        slots = self._slots.of(kind)
        if self._aborted or self._stopping or self._db.outdated or not slots.admits(org_id):
            return False
        slots.take(org_id)
        return True

    def free_slot(self, kind: str, org_id: str) -> None:
        slots = self._slots.of(kind)
        self._free_slot(slots, partial(slots.release, org_id))

    def start(self, job: Job, claim: JobClaim) -> None:
        """Run a job that was claimed and has a slot. One that follows another can begin while the server is aborted."""
        if self._aborted:
            self.free_slot(job.kind, job.org_id)
            self._attempts.give_back_soon(self._db, claim)
            return
        slots = self._slots.of(job.kind)
        handled = partial(self._free_slot, slots, partial(slots.start_writing, job.org_id))
        attempt = self._attempts.start(self._db, job, claim, handled=handled)
        attempt.task.add_done_callback(lambda _: self._free_slot(slots, slots.finish_writing))

    def _free_slot(self, slots: KindSlots, free: Callable[[], None]) -> None:
        """Free a slot, and claim again if jobs could have been skipped for lack of one."""
        if not self._wake_up.is_set() and slots.is_short:
            self._wake_up.set()
        free()
