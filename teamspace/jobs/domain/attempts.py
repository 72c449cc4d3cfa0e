"""Runs the handlers of jobs in this process: heartbeats, stop requests, and the outcome, stored exactly once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from teamspace.core.db import Db, Tx
from teamspace.core.errors import (
    ExecutorFailed,
    OrgSuspended,
    QuotaExceeded,
    Refusal,
    ResponseRefused,
    TenantSuspended,
    Unauthenticated,
)
from teamspace.core.principal import Principal
from teamspace.core.signals import Signal
from teamspace.jobs.domain import authority
from teamspace.jobs.domain.queue import Queue
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
    Succeeded,
)
from teamspace.quota import Spend

T = TypeVar("T")
log = logging.getLogger("teamspace.jobs")
ATTEMPT_LEASE = 8
"""Seconds. Short, so that other servers continue the jobs of a killed server within ten seconds."""
_BEATS = ATTEMPT_LEASE / 3
_MAX_BATCH = 4 * 1024 * 1024
"""Characters of inputs and results that are written by one transaction: it holds the event loop on SQLite."""
_FAILURE_SIZE = 384 * 1024
"""What an outcome without a result counts as: its kind can take some milliseconds to store what the job has shown."""
_RETRY_DELAYS = (0.1, 1.0, 5.0)
_TRANSIENT_STATUSES = (429, 502, 503, 507)
"""Statuses of refusals that are worth a retry."""
_FINAL_STATUSES = (400, 401, 403, 404, 405, 413, 415)
"""Statuses of refusals that a repetition gets again."""


class JobContext:
    """What a handler can know of its job."""

    def __init__(
        self, job: Job, executor_id: str, report: Callable[[float, str | None], Awaitable[None]],
        deadline: asyncio.Timeout, stop: Signal, get_principal: Callable[[], Awaitable[Principal]],
        confirm: Callable[[Tx], Awaitable[None]],
    ) -> None:  # fmt: skip
        self.job_id = job.id
        self.attempt = job.attempt
        """Only increases, so external systems can use it as a fencing token."""
        self.model = job.model
        self.executor_id = executor_id
        self.report = report
        """Report the progress, from 0 to 1, and a message."""
        self.stop = stop
        """Set when a person asks the handler to stop; it may then return what it has."""
        self.get_principal = get_principal
        """Return the requester with the rights of this moment; raises if they have left or may no longer do this."""
        self.confirm = confirm
        """Raise StaleClaim in a transaction of the handler's if another attempt may have begun: its work stands."""
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


class JobAttempt:
    """One run of a job's handler in this process."""

    def __init__(
        self, job: Job, claim: JobClaim, who: Principal | None, input: msgspec.Struct | None,
        handled: Callable[[], None] | None,
    ) -> None:  # fmt: skip
        self.job, self.claim = job, claim
        self.key = claim.key
        self.who = who
        """The requester, if the job was just started and their rights need not be read again."""
        self.handled = handled
        """Called when the handler has returned, before its outcome is stored."""
        self.stop = Signal()
        self.stale = False
        """The claim is no longer valid, so the handler was cancelled: its result would be refused."""
        self.aborted = False
        """The server stops, so the handler was cancelled."""
        self.outcome: Outcome | None = None
        """None until it is stored: what is not stored has not happened, and someone else may end the job otherwise."""
        self.error: Exception | None = None
        """What the handler raised."""
        self.input = input
        """None until it is decoded."""
        self.task: asyncio.Task[None]

    async def wait(self) -> None:
        """Wait until the outcome is stored. The attempt goes on if the waiter is cancelled."""
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.task.add_done_callback(partial(_set, ended))
        await ended


class _Unwritten(NamedTuple):
    """An outcome that is not stored yet."""

    attempt: JobAttempt
    outcome: Outcome
    done: asyncio.Future[bool]

    @property
    def size(self) -> int:
        end = len(self.outcome.json) if isinstance(self.outcome, Succeeded) else _FAILURE_SIZE
        return len(self.attempt.job.input) + end


class JobAttempts:
    """All attempts that run in this process."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._working: dict[tuple[str, int], JobAttempt] = {}
        """The attempts whose handler runs, by job and number: a job that was lost can be claimed here again."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._beating: asyncio.Task[None] | None = None
        self._outcomes: list[_Unwritten] = []
        self._writer: asyncio.Task[None] | None = None

    @property
    def working(self) -> int:
        """The number of jobs whose handler runs."""
        return len(self._working)

    def start(
        self, db: Db, job: Job, claim: JobClaim, *, who: Principal | None = None, input: msgspec.Struct | None = None,
        handled: Callable[[], None] | None = None,
    ) -> JobAttempt:  # fmt: skip
        """Run the handler of a claimed job in the background and store its outcome; await the attempt's task for that.

        With `who`, the job was started for them just now, and runs as them; with `input`, that need not be decoded.
        """
        attempt = JobAttempt(job, claim, who, input, handled)
        self._working[attempt.key] = attempt
        attempt.task = asyncio.create_task(self._run(db, attempt))
        self._tasks.add(attempt.task)
        attempt.task.add_done_callback(self._tasks.discard)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat(db))
        return attempt

    def stop(self, job_id: str) -> None:
        """Ask the handler of a job to stop, if it runs here."""
        for attempt in self._working.values():
            if attempt.job.id == job_id:
                attempt.stop.set()

    async def wait(self) -> None:
        """Wait until all handlers have returned and their outcomes are stored."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def abort(self, db: Db) -> None:
        """Cancel the running handlers and give their jobs back at once. The attempts do not count."""
        aborted = list(self._working.values())
        for attempt in aborted:
            attempt.aborted = True
            attempt.task.cancel()
        await self.wait()
        for attempt in aborted:
            await self.give_back(db, attempt.claim)

    async def give_back(self, db: Db, claim: JobClaim) -> None:
        if await self._queue.finish_many(db, [(claim, Returned())]):
            log.info("job %s was interrupted and requeued", claim.job_id)

    def give_back_soon(self, db: Db, claim: JobClaim) -> None:
        """Give back a job that was not begun, in a task that `wait` waits for."""
        task = asyncio.create_task(self.give_back(db, claim))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Heartbeats: one statement extends all leases of this process.

    async def _beat(self, db: Db) -> None:
        while self._working:
            await asyncio.sleep(_BEATS)
            try:
                await self._extend_leases(db)
            except Exception:
                log.exception("the heartbeat of %d jobs failed", self.working)
        self._beating = None

    async def _extend_leases(self, db: Db) -> None:
        for beating in split_by_size(list(self._working.values()), lambda attempt: len(attempt.job.input)):
            await self._extend_some(db, beating)

    async def _extend_some(self, db: Db, beating: Sequence[JobAttempt]) -> None:
        valid = await self._queue.extend_many(db, [attempt.claim for attempt in beating], ATTEMPT_LEASE)
        for attempt in beating:
            asked_to_stop = valid.get(attempt.key)
            if attempt.key not in self._working:
                continue  # it has ended meanwhile
            if asked_to_stop is None:
                attempt.stale = True
                attempt.task.cancel()
            elif asked_to_stop:
                attempt.stop.set()

    # One attempt

    async def _run(self, db: Db, attempt: JobAttempt) -> None:
        try:
            outcome = await self._find_outcome(db, attempt)
        except asyncio.CancelledError:
            if not (attempt.stale or attempt.aborted):
                raise
            if attempt.stale:
                log.warning("job %s lost its claim while it ran", attempt.job.id)
            return
        finally:
            del self._working[attempt.key]
            if attempt.handled:
                attempt.handled()
        if await self._write_outcome(db, attempt, outcome):
            attempt.outcome = outcome

    async def _find_outcome(self, db: Db, attempt: JobAttempt) -> Outcome:
        """Run the handler and return how it ended."""
        job, kind = attempt.job, self._queue.kinds[attempt.job.kind]
        try:
            input = attempt.input = attempt.input or msgspec.json.decode(job.input, type=kind.input)
            result = await self._run_noted(db, attempt)
        except TimeoutError:
            # Nobody will report what a model has done: it is charged with what was reserved.
            return Failed(JobFault.keyed("jobs.timed_out", "timeout"), job.estimate)
        except Unauthenticated:
            return Failed(authority.REQUESTER_GONE)
        except Obsolete as obsolete:
            return Cancelled(obsolete.fault)
        except QuotaExceeded as refusal:
            if not kind.row.parks:
                return Failed(JobFault.of(refusal, refusal.code, retryable=False))
            return Parked(QuotaBlock.of(refusal))
        except (ExecutorFailed, ResponseRefused) as failure:
            spent = None if failure.tokens is None else Spend(1, failure.tokens)
            retryable = failure.retryable or kind.row.retries_refusals
            return Failed(JobFault.of(failure, failure.code, retryable=retryable), spent)
        except (OrgSuspended, TenantSuspended) as refusal:
            # It waits in the queue until the company is open again, unless an attempt must not be repeated.
            return Returned() if kind.row.repeatable else Failed(JobFault.of(refusal, refusal.code, retryable=False))
        except Refusal as refusal:
            transient = refusal.status in _TRANSIENT_STATUSES or (
                kind.row.retries_refusals and refusal.status not in _FINAL_STATUSES
            )
            return Failed(JobFault.of(refusal, refusal.code, retryable=transient))
        except (Exception, SystemExit):  # a plugin may try to leave
            log.exception("job %s of kind %s failed", job.id, job.kind)
            return Failed(JobFault.keyed("jobs.internal_error", "internal_error"))
        return await kind.judge(input, result)

    async def _run_noted(self, db: Db, attempt: JobAttempt) -> msgspec.Struct:
        try:
            return await self._run_handler(db, attempt)
        except Exception as error:
            attempt.error = error
            raise

    async def _run_handler(self, db: Db, attempt: JobAttempt) -> msgspec.Struct:
        job, claim, kind = attempt.job, attempt.claim, self._queue.kinds[attempt.job.kind]
        assert kind.handler is not None
        arguments = dict(kind.provided)

        async def report(progress: float, message: str | None = None) -> None:
            await self._queue.extend(db, claim, progress=min(1, max(0, progress)), message=message)

        if "input" in kind.runner_arguments:
            arguments["input"] = attempt.input
        if "db" in kind.runner_arguments:
            arguments["db"] = db
        if "who" in kind.runner_arguments or kind.row.feature or kind.row.permission:
            who = await self._get_principal(db, attempt)
            if "who" in kind.runner_arguments:
                arguments["who"] = who
        async with asyncio.timeout(kind.row.seconds) as deadline:
            if "work" in kind.runner_arguments:
                requester = partial(authority.get_principal, db, kind, job)
                confirm = partial(self._queue.confirm, claim=claim)
                arguments["work"] = JobContext(
                    job, claim.executor_id, report, deadline, attempt.stop, requester, confirm
                )
            return await kind.handler(**arguments)

    async def _get_principal(self, db: Db, attempt: JobAttempt) -> Principal:
        kind = self._queue.kinds[attempt.job.kind]
        if attempt.who is None:
            return await authority.get_principal(db, kind, attempt.job)
        return authority.continue_as(attempt.who, kind, attempt.job)

    # Outcomes are stored in batches: while one batch is written, the next one collects.

    async def _write_outcome(self, db: Db, attempt: JobAttempt, outcome: Outcome) -> bool:
        """Store an outcome; return whether it was."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._outcomes.append(_Unwritten(attempt, outcome, done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_outcomes(db))
        return await done

    async def _write_outcomes(self, db: Db) -> None:
        while self._outcomes:
            unwritten, self._outcomes = self._outcomes, []
            for batch in split_by_size(unwritten, lambda each: each.size):
                written = await self.write_batch(
                    db, [(each.attempt.job, each.attempt.claim, each.outcome) for each in batch]
                )
                for each in batch:
                    if not each.done.done():
                        each.done.set_result(each.attempt.key in written)
        self._writer = None

    async def write_batch(self, db: Db, ended: Sequence[tuple[Job, JobClaim, Outcome]]) -> set[tuple[str, int]]:
        """Write a batch of outcomes, with retries: a busy database must not cost the work of the batch.

        Returns the keys of the claims whose outcome was stored.

        If the batch fails, each outcome is written alone: one that cannot be written must not cost the others.
        """
        try:
            return await self._write(db, ended)
        except Exception:
            log.exception("writing %d outcomes failed, retrying one by one", len(ended))
            return set[tuple[str, int]]().union(*[await self._write_alone(db, one) for one in ended])

    async def _write_alone(self, db: Db, ended: tuple[Job, JobClaim, Outcome]) -> set[tuple[str, int]]:
        for pause in _RETRY_DELAYS:
            try:
                return await self._write(db, [ended])
            except Exception:
                log.exception("writing the outcome of job %s failed, retrying", ended[0].id)
                await asyncio.sleep(pause)
        log.error("the outcome of job %s is lost; it runs again when its lease expires", ended[0].id)
        return set()

    async def _write(self, db: Db, ended: Sequence[tuple[Job, JobClaim, Outcome]]) -> set[tuple[str, int]]:
        written = await self._queue.land(db, ended)
        for job_id, _ in {claim.key for _, claim, _ in ended} - written:
            log.warning("job %s lost its claim before it finished; its outcome is dropped", job_id)
        return written


def _set(ended: asyncio.Future[None], _: object) -> None:
    if not ended.done():
        ended.set_result(None)


def split_by_size(items: Sequence[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Split into batches that one transaction can write."""
    batch: list[T] = []
    total = 0
    for item in items:
        if batch and total + size(item) > _MAX_BATCH:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch
