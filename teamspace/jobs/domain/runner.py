"""The server's own worker: claims what is to be done here, a few at a time, under a lease as everybody does."""

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
from teamspace.core.principal import system
from teamspace.jobs.domain import asker
from teamspace.jobs.domain.places import local_place
from teamspace.jobs.domain.queue import Queue, Still
from teamspace.jobs.domain.slots import Slots, SlotsByKind
from teamspace.jobs.schemas import Claim, Claimed, Fault, Obsolete

log = logging.getLogger("teamspace.jobs")
LOCAL = "local"
_POLL = 2.0
"""News from another server may be lost: nobody sleeps for long."""
_LEASE = 8
"""Short: when this server is killed, others go on with its jobs within ten seconds."""
_AGAIN_AFTER = (0.1, 1.0, 5.0)
_PASSING = (429, 502, 503, 507)
"""Refusals that another attempt may not meet."""


class Station(msgspec.Struct, frozen=True):
    """An executor that this server works for, and where its jobs are."""

    executor_id: str
    places: tuple[str, ...]
    org_id: str | None = None
    most: int = 1000
    """How many more it takes."""
    still: Still | None = None
    """Asked in the transaction of a claim whether the executor is still there."""
    models: tuple[str, ...] | None = None
    """Those that it has, where that is known: jobs that name another are not for it."""


class Work:
    """A job as its handler sees it."""

    def __init__(
        self, job: Claimed, executor_id: str, report: Callable[[float, str | None], Awaitable[None]],
        deadline: asyncio.Timeout,
    ) -> None:  # fmt: skip
        self.job_id = job.id
        self.attempt = job.attempt
        """A number that only rises: what a handler does elsewhere can be fenced with it."""
        self.model = job.model
        self.executor_id = executor_id
        self.report = report
        """How far it is, from 0 to 1, and a word about it."""
        self._deadline = deadline

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Waiting for a turn is no part of the time that the work may take."""
        now, end = asyncio.get_running_loop().time, self._deadline.when()
        assert end is not None
        left = end - now()
        self._deadline.reschedule(None)
        try:
            yield
        finally:
            self._deadline.reschedule(now() + left)


class Beating:
    """Signs of life while the block runs. A claim that does not hold any more ends it: nothing of it would land.

    Most jobs are done before the first beat is due, so until then there is a timer and no task.
    """

    def __init__(self, beat: Callable[[], Awaitable[object]], job_id: str) -> None:
        self._beat, self._job_id = beat, job_id
        self._task: asyncio.Task[None] | None = None
        self._stale: StaleClaim | None = None

    def __enter__(self) -> None:
        working = asyncio.current_task()
        assert working is not None
        self._working = working
        self._timer = asyncio.get_running_loop().call_later(_LEASE / 3, self._begin)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        if self._task:
            self._task.cancel()
        if self._stale and kind is asyncio.CancelledError and not self._working.uncancel():
            raise self._stale from None

    def _begin(self) -> None:
        self._task = asyncio.create_task(self._go_on())

    async def _go_on(self) -> None:
        while True:
            try:
                await self._beat()
            except StaleClaim as stale:
                self._stale = stale
                self._working.cancel()
                return
            except Exception:
                log.exception("a heartbeat of job %s failed", self._job_id)
            await asyncio.sleep(_LEASE / 3)


class Runner:
    def __init__(
        self, db: Db, queue: Queue, stopping: Stopping, *, slots: int,
        stations: Callable[[], Awaitable[Sequence[Station]]] | None = None,
    ) -> None:  # fmt: skip
        self._db, self._queue, self._stopping = db, queue, stopping
        self._slots = SlotsByKind(slots)
        self._stations = stations
        self._under_way: set[asyncio.Task[None]] = set()
        self._working: dict[asyncio.Task[None], Claim] = {}
        """Of those under way; the others are done, and on their way to the disk."""
        self._cut = False
        self._news = asyncio.Event()
        self._results: list[tuple[Claim, msgspec.Struct, asyncio.Future[None]]] = []
        self._landing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Until the server stops; then what is under way is finished."""
        while not self._stopping and not self._db.outdated:
            try:
                stations = await self._all_stations()
                with self._queue.wake.listening({place for station in stations for place in station.places}) as news:
                    self._news = news
                    if not await self._claim(stations):
                        await self._queue.wake.wait(news, _POLL * random.uniform(0.75, 1.25))
            except Exception:
                log.exception("claiming jobs failed; it is tried again")
                await asyncio.sleep(_POLL)
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _all_stations(self) -> list[Station]:
        own = Station(LOCAL, tuple(local_place(kind.name) for kind in self._queue.kinds if kind.handler))
        return [own, *(await self._stations() if self._stations else ())]

    @property
    def working(self) -> int:
        """How many jobs are being worked on."""
        return len(self._working)

    async def cut_off(self) -> None:
        """End the work that is not done. Its jobs go back into the queue at once, as if they had not been begun."""
        self._cut = True  # a claim may be on its way: what it brings goes back as well
        cut = dict(self._working)
        for task in cut:
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)
        for claim in cut.values():
            await self._put_back(claim)

    async def _put_back(self, claim: Claim) -> None:
        async with self._db.upkeep(system()) as tx:
            if await self._queue.put_back(tx, claim):
                log.info("job %s was cut off, and waits for its turn again", claim.job_id)

    async def _claim(self, stations: Sequence[Station]) -> int:
        """How many were taken."""
        taken = 0
        for station in stations:
            claimed = await self._queue.claim(
                self._db,
                station.places,
                count=station.most,
                executor_id=station.executor_id,
                org_id=station.org_id,
                models=station.models,
                slots=self._slots,
                still=station.still,
                lease=_LEASE,
            )
            for job, claim in claimed:
                if self._cut:
                    await self._put_back(claim)
                    continue
                task = asyncio.create_task(self._work(job, claim))
                self._working[task] = claim
                self._under_way.add(task)
                task.add_done_callback(self._under_way.discard)
            taken += len(claimed)
        return taken

    async def _work(self, job: Claimed, claim: Claim) -> None:
        slots = self._slots.of(job.kind)
        try:
            await self._ended(job, claim)
        finally:
            self._freed(slots, slots.landed)

    async def _ended(self, job: Claimed, claim: Claim) -> None:
        try:
            result = await self._worked(job, claim)
        except StaleClaim:
            log.warning("job %s was taken back while it ran here", job.id)
        except TimeoutError:
            await self._fail(claim, Fault("It took too long.", "timeout"))
        except Unauthenticated:
            await self._fail(claim, asker.GONE)
        except Obsolete as obsolete:
            await self._drop(claim, obsolete.fault)
        except QuotaExceeded as refusal:
            await self._park(claim, refusal)
        except ExecutorFailed as failure:
            await self._fail(claim, Fault(failure.detail, failure.code, failure.retryable))
        except Refusal as refusal:
            await self._fail(claim, Fault(refusal.detail, refusal.code, refusal.status in _PASSING))
        except Exception:
            log.exception("job %s of kind %s failed", job.id, job.kind)
            await self._fail(claim, Fault("Something went wrong on the server.", "internal_error"))
        else:
            await self._land(claim, result)

    async def _worked(self, job: Claimed, claim: Claim) -> msgspec.Struct:
        slots, task = self._slots.of(job.kind), asyncio.current_task()
        assert task is not None
        try:
            return await self._handled(job, claim)
        finally:
            del self._working[task]
            self._freed(slots, partial(slots.worked, job.org_id))

    def _freed(self, slots: Slots, free: Callable[[], None]) -> None:
        """Whoever was passed over for want of a slot is looked for again."""
        was_short = slots.is_short
        free()
        if was_short:
            self._news.set()

    async def _handled(self, job: Claimed, claim: Claim) -> msgspec.Struct:
        kind = self._queue.kinds[job.kind]
        assert kind.handler is not None
        given = dict(kind.provided)

        async def report(progress: float, message: str | None = None) -> None:
            await self._queue.extend(self._db, claim, progress=min(1, max(0, progress)), message=message)

        if "input" in kind.wants:
            given["input"] = msgspec.json.decode(job.input, type=kind.input)
        if "db" in kind.wants:
            given["db"] = self._db
        if "who" in kind.wants or kind.row.feature or kind.row.permission:
            who = await asker.standing(self._db, kind, job)
            if "who" in kind.wants:
                given["who"] = who
        with Beating(lambda: self._queue.extend(self._db, claim), job.id):
            async with asyncio.timeout(kind.row.seconds) as deadline:
                if "work" in kind.wants:
                    given["work"] = Work(job, claim.executor_id, report, deadline)
                return await kind.handler(**given)

    async def _land(self, claim: Claim, result: msgspec.Struct) -> None:
        """With all that end meanwhile: while one batch is on its way to the disk, the next gathers."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._results.append((claim, result, done))
        if self._landing is None:
            self._landing = asyncio.create_task(self._land_all())
        await done

    async def _land_all(self) -> None:
        while self._results:
            batch, self._results = self._results, []
            await self._kept([(claim, result) for claim, result, _ in batch])
            for *_, done in batch:
                if not done.done():
                    done.set_result(None)
        self._landing = None

    async def _kept(self, ended: list[tuple[Claim, msgspec.Struct]]) -> None:
        """A database that is busy for a moment must not cost the work of a whole batch."""
        for pause in _AGAIN_AFTER:
            try:
                landed = await self._queue.land(self._db, ended)
            except Exception:
                log.exception("%d results could not be kept; it is tried again", len(ended))
                await asyncio.sleep(pause)
                continue
            for job_id in {claim.job_id for claim, _ in ended} - landed:
                _dropped(job_id)
            return
        log.error("%d results are lost: their jobs lapse, and are done again", len(ended))

    async def _park(self, claim: Claim, refusal: QuotaExceeded) -> None:
        """A budget that the handler met waits like one that the claim met."""
        try:
            async with self._db.upkeep(system()) as tx:
                await self._queue.park(tx, claim, refusal)
        except StaleClaim:
            _dropped(claim.job_id)

    async def _drop(self, claim: Claim, fault: Fault) -> None:
        try:
            async with self._db.upkeep(system()) as tx:
                await self._queue.drop(tx, claim, fault)
        except StaleClaim:
            _dropped(claim.job_id)

    async def _fail(self, claim: Claim, fault: Fault) -> None:
        try:
            async with self._db.upkeep(system()) as tx:
                await self._queue.fail(tx, claim, fault)
        except StaleClaim:
            _dropped(claim.job_id)


def _dropped(job_id: str) -> None:
    log.warning("job %s was taken back before it was done here: what came of it is dropped", job_id)
