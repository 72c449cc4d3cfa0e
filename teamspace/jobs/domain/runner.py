"""The server's own worker: claims and runs local jobs, with leases like any other worker."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import ExecutorFailed, QuotaExceeded, Refusal, StaleClaim, Unauthenticated
from teamspace.core.limits import Stopping
from teamspace.jobs.domain import authority
from teamspace.jobs.domain.channels import local_channel
from teamspace.jobs.domain.queue import Queue, StillValid
from teamspace.jobs.domain.slots import JobSlots, KindSlots
from teamspace.jobs.schemas import (
    Cancelled,
    Failed,
    Job,
    JobClaim,
    JobFault,
    Obsolete,
    Outcome,
    Parked,
    QuotaBlock,
    Returned,
)
from teamspace.quota import Spend

log = logging.getLogger("teamspace.jobs")
LOCAL = "local"
_POLL = 2.0
"""Seconds. Notifications from other servers can be lost, so the runner also polls."""
_LEASE = 8
"""Seconds. Short, so that other servers continue the jobs of a killed server within ten seconds."""
_RETRY_DELAYS = (0.1, 1.0, 5.0)
_TRANSIENT_STATUSES = (429, 502, 503, 507)
"""Statuses of refusals that are worth a retry."""


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


class JobContext:
    """What a handler can know of its job."""

    def __init__(
        self, job: Job, executor_id: str, report: Callable[[float, str | None], Awaitable[None]],
        deadline: asyncio.Timeout,
    ) -> None:  # fmt: skip
        self.job_id = job.id
        self.attempt = job.attempt
        """Only increases, so external systems can use it as a fencing token."""
        self.model = job.model
        self.executor_id = executor_id
        self.report = report
        """Report the progress, from 0 to 1, and a message."""
        self._deadline = deadline

    @contextmanager
    def pause_deadline(self) -> Iterator[None]:
        """Stop the clock of the handler's timeout, while it waits for a free resource."""
        now, end = asyncio.get_running_loop().time, self._deadline.when()
        assert end is not None
        left = end - now()
        self._deadline.reschedule(None)
        try:
            yield
        finally:
            self._deadline.reschedule(now() + left)


class HeartbeatLoop:
    """Send heartbeats while the block runs; cancel it when the claim is stale, since its result would be refused.

    Most jobs finish before the first heartbeat is due, so the task is only started by a timer.
    """

    def __init__(self, beat: Callable[[], Awaitable[object]], job_id: str) -> None:
        self._beat, self._job_id = beat, job_id
        self._task: asyncio.Task[None] | None = None
        self._stale: StaleClaim | None = None

    def __enter__(self) -> None:
        working = asyncio.current_task()
        assert working is not None
        self._worker = working
        self._timer = asyncio.get_running_loop().call_later(_LEASE / 3, self._start)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        if self._task:
            self._task.cancel()
        if self._stale and kind is asyncio.CancelledError and not self._worker.uncancel():
            raise self._stale from None

    def _start(self) -> None:
        self._task = asyncio.create_task(self._loop())

    async def _loop(self) -> None:
        while True:
            try:
                await self._beat()
            except StaleClaim as stale:
                self._stale = stale
                self._worker.cancel()
                return
            except Exception:
                log.exception("heartbeat of job %s failed", self._job_id)
            await asyncio.sleep(_LEASE / 3)


class Runner:
    def __init__(
        self, db: Db, queue: Queue, stopping: Stopping, *, slots: int,
        sources: Callable[[], Awaitable[Sequence[WorkSource]]] | None = None,
    ) -> None:  # fmt: skip
        self._db, self._queue, self._stopping = db, queue, stopping
        self._slots = JobSlots(slots)
        self._more_sources = sources
        self._tasks: set[asyncio.Task[None]] = set()
        self._working: dict[asyncio.Task[None], JobClaim] = {}
        """The tasks whose handler still runs. The other tasks are writing their results."""
        self._aborted = False
        self._wake_up = asyncio.Event()
        self._outcomes: list[tuple[JobClaim, Outcome, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Claim and run jobs until the server stops, then wait for the running ones."""
        while not self._stopping and not self._db.outdated:
            try:
                sources = await self._sources()
                with self._queue.wake.subscribe({channel for source in sources for channel in source.channels}) as news:
                    self._wake_up = news
                    if not await self._claim(sources):
                        await self._queue.wake.wait(news, _POLL * random.uniform(0.75, 1.25))
            except Exception:
                log.exception("claiming jobs failed, retrying")
                await asyncio.sleep(_POLL)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _sources(self) -> list[WorkSource]:
        own = WorkSource(LOCAL, tuple(local_channel(kind.name) for kind in self._queue.kinds if kind.handler))
        return [own, *(await self._more_sources() if self._more_sources else ())]

    @property
    def working(self) -> int:
        """The number of jobs whose handler runs."""
        return len(self._working)

    async def abort(self) -> None:
        """Cancel the running handlers and requeue their jobs at once. The attempts do not count."""
        self._aborted = True  # a claim in progress requeues its jobs too
        aborted = dict(self._working)
        for task in aborted:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for claim in aborted.values():
            await self._requeue(claim)

    async def _requeue(self, claim: JobClaim) -> None:
        if await self._queue.finish_many(self._db, [(claim, Returned())]):
            log.info("job %s was interrupted and requeued", claim.job_id)

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
                lease=_LEASE,
            )
            for job, claim in claimed:
                if self._aborted:
                    await self._requeue(claim)
                    continue
                task = asyncio.create_task(self._work(job, claim))
                self._working[task] = claim
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            taken += len(claimed)
        return taken

    async def _work(self, job: Job, claim: JobClaim) -> None:
        slots = self._slots.of(job.kind)
        try:
            await self._run_job(job, claim)
        finally:
            self._free_slot(slots, slots.finish_writing)

    async def _run_job(self, job: Job, claim: JobClaim) -> None:
        try:
            outcome = await self._find_outcome(job, claim)
        except StaleClaim:
            log.warning("job %s lost its claim while it ran", job.id)
        else:
            await self._write_outcome(claim, outcome)

    async def _find_outcome(self, job: Job, claim: JobClaim) -> Outcome:
        """Run the handler and return how it ended."""
        kind = self._queue.kinds[job.kind]
        try:
            result = await self._run_in_slot(job, claim)
        except StaleClaim:
            raise
        except TimeoutError:
            return Failed(JobFault.keyed("jobs.timed_out", "timeout"))
        except Unauthenticated:
            return Failed(authority.REQUESTER_GONE)
        except Obsolete as obsolete:
            return Cancelled(obsolete.fault)
        except QuotaExceeded as refusal:
            return Parked(QuotaBlock.of(refusal))
        except ExecutorFailed as failure:
            spent = None if failure.tokens is None else Spend(1, failure.tokens)
            return Failed(JobFault.of(failure, failure.code, retryable=failure.retryable), spent)
        except Refusal as refusal:
            transient = refusal.status in _TRANSIENT_STATUSES
            return Failed(JobFault.of(refusal, refusal.code, retryable=transient))
        except Exception:
            log.exception("job %s of kind %s failed", job.id, job.kind)
            return Failed(JobFault.keyed("jobs.internal_error", "internal_error"))
        return kind.judge(msgspec.json.decode(job.input, type=kind.input), result)

    async def _run_in_slot(self, job: Job, claim: JobClaim) -> msgspec.Struct:
        slots, task = self._slots.of(job.kind), asyncio.current_task()
        assert task is not None
        try:
            return await self._run_handler(job, claim)
        finally:
            del self._working[task]
            self._free_slot(slots, partial(slots.start_writing, job.org_id))

    def _free_slot(self, slots: KindSlots, free: Callable[[], None]) -> None:
        """Free a slot, and claim again if jobs could have been skipped for lack of one."""
        was_short = slots.is_short
        free()
        if was_short:
            self._wake_up.set()

    async def _run_handler(self, job: Job, claim: JobClaim) -> msgspec.Struct:
        kind = self._queue.kinds[job.kind]
        assert kind.handler is not None
        arguments = dict(kind.provided)

        async def report(progress: float, message: str | None = None) -> None:
            await self._queue.extend(self._db, claim, progress=min(1, max(0, progress)), message=message)

        if "input" in kind.runner_arguments:
            arguments["input"] = msgspec.json.decode(job.input, type=kind.input)
        if "db" in kind.runner_arguments:
            arguments["db"] = self._db
        if "who" in kind.runner_arguments or kind.row.feature or kind.row.permission:
            who = await authority.get_principal(self._db, kind, job)
            if "who" in kind.runner_arguments:
                arguments["who"] = who
        with HeartbeatLoop(lambda: self._queue.extend(self._db, claim), job.id):
            async with asyncio.timeout(kind.row.seconds) as deadline:
                if "work" in kind.runner_arguments:
                    arguments["work"] = JobContext(job, claim.executor_id, report, deadline)
                return await kind.handler(**arguments)

    async def _write_outcome(self, claim: JobClaim, outcome: Outcome) -> None:
        """Store the outcome in a batch: while one batch is written, the next one collects."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._outcomes.append((claim, outcome, done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_outcomes())
        await done

    async def _write_outcomes(self) -> None:
        while self._outcomes:
            batch, self._outcomes = self._outcomes, []
            await self._write_batch([(claim, outcome) for claim, outcome, _ in batch])
            for *_, done in batch:
                if not done.done():
                    done.set_result(None)
        self._writer = None

    async def _write_batch(self, ended: Sequence[tuple[JobClaim, Outcome]]) -> None:
        """Write a batch of outcomes, with retries: a busy database must not cost the work of the batch.

        If the batch fails, each outcome is written alone: one that cannot be written must not cost the others.
        """
        try:
            await self._write(ended)
        except Exception:
            log.exception("writing %d outcomes failed, retrying one by one", len(ended))
            for one in ended:
                await self._write_alone(one)

    async def _write_alone(self, ended: tuple[JobClaim, Outcome]) -> None:
        for pause in _RETRY_DELAYS:
            try:
                return await self._write([ended])
            except Exception:
                log.exception("writing the outcome of job %s failed, retrying", ended[0].job_id)
                await asyncio.sleep(pause)
        log.error("the outcome of job %s is lost; it runs again when its lease expires", ended[0].job_id)

    async def _write(self, ended: Sequence[tuple[JobClaim, Outcome]]) -> None:
        written = await self._queue.finish_many(self._db, ended)
        for job_id in {claim.job_id for claim, _ in ended} - written:
            log.warning("job %s lost its claim before it finished; its outcome is dropped", job_id)
