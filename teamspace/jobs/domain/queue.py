"""The job queue: enqueue in the caller's transaction, claim with a lease, finish exactly once.

Every attempt has its own number and secret. After the lease has expired or the job was claimed again, they no longer
match: a stale attempt cannot change the job.
"""

import asyncio
import logging
import random
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from teamspace import quota, tenancy
from teamspace.core import crypto
from teamspace.core.db import Db, Tx
from teamspace.core.errors import QuotaExceeded, StaleClaim
from teamspace.core.ids import new_id
from teamspace.core.limits import Notifier
from teamspace.core.principal import Principal, system
from teamspace.jobs import store
from teamspace.jobs.domain import lanes
from teamspace.jobs.domain.channels import kind_of, local_channel
from teamspace.jobs.domain.kinds import Kinds
from teamspace.jobs.domain.slots import JobSlots
from teamspace.jobs.schemas import (
    NORMAL,
    ClaimedJob,
    ClaimSlot,
    JobClaim,
    JobFault,
    Lane,
    QuotaBlock,
    ReadyJob,
    ReleasedJob,
    State,
)

log = logging.getLogger("teamspace.jobs")
StillValid = Callable[[Tx], Awaitable[bool]]
LEASE = 60
"""Seconds, for remote workers; long enough for a network outage."""
MAX_LEASE_EXPIRIES = 3
_MAX_DELAY = 15 * 60
_SLOT_RETRY_SECONDS = 1
_RETRY_SECONDS = 1.0
_BATCH_SECONDS = 0.01
"""Seconds between two promotions. Lanes that become dirty in between are promoted together."""
_LANES_PER_BATCH = 50
"""Lanes per transaction. Other writers of these lanes wait for it."""


class Queue:
    """The job kinds, the notifier of waiting workers, and the dirty lanes.

    Lanes are promoted after the commit that changed them, many at a time, so enqueueing is one insert. If the server
    dies in between, the next `tidy` promotes them.
    """

    def __init__(self, kinds: Kinds, wake: Notifier, *, hosted: bool = False) -> None:
        self.kinds = kinds
        self.wake = wake
        self._hosted = hosted
        self._dirty: set[Lane] = set()
        self._dirty_event = asyncio.Event()

    # Promotion

    async def run(self, db: Db) -> None:
        """Promote dirty lanes until cancelled."""
        while True:
            await self._dirty_event.wait()
            try:
                async with self._promotion(db):
                    pass
                await asyncio.sleep(_BATCH_SECONDS)
            except Exception:
                log.exception("promoting jobs failed, retrying")
                await asyncio.sleep(_RETRY_SECONDS)

    async def promote(self, db: Db) -> None:
        while self._dirty:
            async with self._promotion(db):
                pass

    @asynccontextmanager
    async def _promotion(self, db: Db) -> AsyncIterator[Tx]:
        """Open a transaction that first promotes dirty lanes. If it is lost, jobs are delayed, not lost."""
        dirty, self._dirty = split_first(self._dirty, _LANES_PER_BATCH)
        self._dirty_event.clear()
        try:
            async with db.maintenance(system(), durable=False) as tx:
                channels = await lanes.promote(tx, dirty)
                yield tx
        except BaseException:
            self.mark_dirty(dirty)
            raise
        self.mark_dirty(())
        self.notify(channels)

    async def promote_waiting(self, db: Db, org_id: str | None = None, kinds: Iterable[str] | None = None) -> None:
        """Promote every lane with waiting jobs."""
        self.mark_dirty(await lanes.find_waiting(db, org_id, kinds))
        await self.promote(db)

    def mark_dirty(self, dirty: Iterable[Lane]) -> None:
        """Promote these lanes soon: jobs have entered or left them."""
        self._dirty.update(dirty)
        if self._dirty:
            self._dirty_event.set()

    # Enqueue

    async def enqueue(
        self, tx: Tx, who: Principal, kind: str, input: msgspec.Struct, *, channel: str | None = None,
        model: str | None = None, priority: int = NORMAL, run_at: str | None = None, retry_of: str | None = None,
    ) -> str:  # fmt: skip
        """Insert a job in the caller's transaction and return its id."""
        id, lane = new_id(), Lane(who.org_id, who.team_id, kind)
        await store.insert(
            tx, id, lane, who.user_id, channel=channel or local_channel(kind), model=model, priority=priority, run_at=run_at,
            max_attempts=self.kinds[kind].row.max_attempts, input=msgspec.json.encode(input).decode(), retry_of=retry_of,
        )  # fmt: skip
        self._mark_dirty_on_commit(tx, lane)
        return id

    # Claim

    async def claim(
        self, db: Db, channels: Sequence[str], *, count: int, executor_id: str, org_id: str | None = None,
        models: Sequence[str] | None = None, slots: JobSlots | None = None, still_valid: StillValid | None = None,
        lease: float = LEASE,
    ) -> list[tuple[ClaimedJob, JobClaim]]:  # fmt: skip
        """Claim up to `count` admitted jobs, in the order of their ranks. Jobs over a quota are parked.

        With `models`, jobs that name another model are skipped. With `slots`, each job occupies one.
        `still_valid` is called in the transaction; if it returns False, nothing is claimed.
        """
        claim_slots = (
            slots.claim_slots(channels, count) if slots else [ClaimSlot(channel, count) for channel in channels]
        )
        if not claim_slots:
            return []
        secret = secrets.token_urlsafe(16)
        ready: list[ReadyJob] = []
        claimed: list[tuple[ClaimedJob, JobClaim]] = []
        try:
            async with self._promotion(db) as tx:
                if (self._hosted and await tenancy.is_suspended(tx)) or (still_valid and not await still_valid(tx)):
                    return []
                waiting = await store.select_admitted(tx, claim_slots, org_id=org_id, models=models)
                ready = slots.take(waiting, count) if slots else waiting[:count]
                admitted = await self._take(tx, ready, executor_id, crypto.digest(secret), lease)
            claimed = [(job, JobClaim(job.id, job.attempt, secret, executor_id, lease)) for job in admitted]
        finally:
            if slots:
                begun = {job.id for job, _ in claimed}
                for job in ready:
                    if job.id not in begun:
                        slots.of(job.kind).release(job.org_id)
        return claimed

    async def _take(
        self, tx: Tx, ready: Sequence[ReadyJob], executor_id: str, claim_hash: str, lease: float
    ) -> list[ClaimedJob]:
        if not ready:
            return []
        ids = [job.id for job in ready]
        taken = await store.take(tx, ids, executor_id=executor_id, claim_hash=claim_hash, lease=lease)
        if len(taken) > 1:
            await quota.lock_companies(tx, [job.org_id for job in taken if self.kinds[job.kind].estimate])
        by_rank = sorted(taken, key=lambda job: job.rank)  # RETURNING guarantees no order
        return [job for job in by_rank if await self._reserve_quota(tx, job)]

    async def _reserve_quota(self, tx: Tx, job: ClaimedJob) -> bool:
        """Reserve quota for the job, or park it and return False."""
        kind = self.kinds[job.kind]
        if kind.estimate is None:
            return True
        account = quota.QuotaAccount(job.org_id, job.team_id, job.user_id)
        estimate = kind.estimate(msgspec.json.decode(job.input, type=kind.input))
        reserved = await quota.try_reserve(tx, account, estimate, purpose=job.kind)
        if isinstance(reserved, quota.LimitState):
            await self._park_job(tx, job.id, quota.refusal(reserved))
            return False
        await store.set_reservation(tx, job.id, reserved)
        return True

    async def park(self, tx: Tx, claim: JobClaim, refusal: QuotaExceeded) -> None:
        """Park a running job that has exceeded a quota. The attempt does not count."""
        job = await store.get_running(tx, claim, crypto.digest(claim.secret))
        if job is None:
            raise stale_claim()
        if job.reservation_id:
            await quota.release(tx, job.reservation_id)
            await self.free_slots(tx, [job.lane])
        await self._park_job(tx, job.id, refusal)

    async def _park_job(self, tx: Tx, job_id: str, refusal: QuotaExceeded) -> None:
        dimension, level, until = (refusal.extra[name] for name in ("dimension", "level", "resets_at"))
        # A slot can become free at any moment. A limit without a window can still be raised.
        seconds = _SLOT_RETRY_SECONDS if dimension == quota.Dimension.CONCURRENCY else _MAX_DELAY
        await store.park(tx, job_id, QuotaBlock(dimension, level, until), until=until, seconds=seconds)

    # Running jobs

    async def extend(
        self, db: Db, claim: JobClaim, *, progress: float | None = None, message: str | None = None
    ) -> ClaimedJob:
        """Extend the lease and the quota reservation, and store the progress."""
        permille = None if progress is None else round(progress * 1000)
        async with db.maintenance(system(), durable=False) as tx:
            job = await store.extend(
                tx, claim, crypto.digest(claim.secret), lease=claim.lease, progress=permille, message=message
            )
            if job is None:
                raise stale_claim()
            if job.reservation_id:
                await quota.renew(tx, job.reservation_id)
        return job

    async def complete(self, tx: Tx, claim: JobClaim, raw: Any) -> ReleasedJob:
        """Store the result and settle the quota, in one commit."""
        claim_hash = crypto.digest(claim.secret)
        job = await store.get_running(tx, claim, claim_hash)
        if job is None:
            return await self._find_completed(tx, claim, claim_hash, raw)
        kind = self.kinds[job.kind]
        result = kind.read_result(msgspec.json.decode(job.input, type=kind.input), raw)
        released = await store.succeed(tx, claim, claim_hash, _encode(result))
        if released is None:
            raise stale_claim()
        if released.reservation_id and kind.spent:
            await quota.settle(tx, released.reservation_id, kind.spent(result))
            await self.free_slots(tx, [released.lane])
        self._mark_dirty_on_commit(tx, released.lane)
        return released

    async def complete_many(self, db: Db, ended: Sequence[tuple[JobClaim, msgspec.Struct]]) -> set[str]:
        """Complete many jobs with results of this server, which are not validated; return the ids whose claim was valid."""
        async with db.maintenance(system()) as tx:
            rows = [(claim, crypto.digest(claim.secret), _encode(result)) for claim, result in ended]
            released = await store.succeed_all(tx, rows)
            results = {claim.job_id: result for claim, result in ended}
            await quota.lock_companies(tx, [job.org_id for job in released if job.reservation_id])
            for job in released:
                spent = self.kinds[job.kind].spent
                if job.reservation_id and spent:
                    await quota.settle(tx, job.reservation_id, spent(results[job.id]))
            await self.free_slots(tx, [job.lane for job in released if job.reservation_id])
            self._mark_dirty_on_commit(tx, *(job.lane for job in released))
        return results.keys() & {job.id for job in released}

    async def _find_completed(self, tx: Tx, claim: JobClaim, claim_hash: str, raw: Any) -> ReleasedJob:
        """Accept a result that was already stored: the worker repeats it because it got no response."""
        name = await store.get_kind(tx, claim.job_id)
        kind = self.kinds.get(name) if name else None
        if kind is not None:
            with suppress(msgspec.ValidationError):
                result = _encode(msgspec.convert(raw, kind.result))
                if released := await store.get_succeeded(tx, claim, claim_hash, result):
                    return released
        raise stale_claim()

    async def fail(self, tx: Tx, claim: JobClaim, fault: JobFault) -> ReleasedJob:
        """Retry the job later, with exponential backoff, or fail it when its attempts are used up."""
        claim_hash = crypto.digest(claim.secret)
        job = await store.get_running(tx, claim, claim_hash)
        if job is None:
            raise stale_claim()
        failures = job.attempt - job.lease_expiries
        if fault.retryable and failures < job.max_attempts:
            released = await store.postpone(tx, claim, claim_hash, fault, retry_delay(failures))
            return await self._release(tx, job, released)
        return await self._finish(tx, job, await store.end(tx, claim, claim_hash, State.FAILED, fault), fault)

    async def cancel_obsolete(self, tx: Tx, claim: JobClaim, fault: JobFault) -> ReleasedJob:
        """Cancel a running job because its subject no longer exists."""
        claim_hash = crypto.digest(claim.secret)
        job = await store.get_running(tx, claim, claim_hash)
        if job is None:
            raise stale_claim()
        return await self._finish(tx, job, await store.end(tx, claim, claim_hash, State.CANCELLED, fault), fault)

    async def _finish(self, tx: Tx, job: ClaimedJob, released: ReleasedJob | None, fault: JobFault) -> ReleasedJob:
        await self.notify_failure(tx, job.id, job.kind, fault.code)
        return await self._release(tx, job, released)

    async def _release(self, tx: Tx, job: ClaimedJob, released: ReleasedJob | None) -> ReleasedJob:
        """Release the job's quota reservation and mark its lane dirty; raise if the claim was stale."""
        if released is None:
            raise stale_claim()
        if job.reservation_id:
            await quota.release(tx, job.reservation_id)
            await self.free_slots(tx, [released.lane])
        self._mark_dirty_on_commit(tx, released.lane)
        return released

    async def notify_failure(self, tx: Tx, job_id: str, kind_name: str, reason: str) -> None:
        """Call the kind's `on_failure`, in the transaction that ends the job without a result."""
        kind = self.kinds[kind_name]
        if kind.on_failure is not None and (requested := await store.get_requested(tx, job_id)):
            await kind.on_failure(tx, requested.user_id, msgspec.json.decode(requested.input, type=kind.input), reason)

    async def requeue(self, tx: Tx, claim: JobClaim) -> bool:
        """Requeue a job that was interrupted or not delivered. Neither an attempt nor a lease expiry is counted."""
        claim_hash = crypto.digest(claim.secret)
        job = await store.get_running(tx, claim, claim_hash)
        released = await store.requeue(tx, claim, claim_hash)
        if job is None or released is None:
            return False
        if job.reservation_id:
            await quota.release(tx, job.reservation_id)
            await self.free_slots(tx, [released.lane])
        self._mark_dirty_on_commit(tx, released.lane)
        return True

    async def requeue_all_of(self, tx: Tx, executor_id: str) -> None:
        """Requeue all jobs of a retired executor. Its claims become stale."""
        metered = await store.select_metered(tx, executor_id)
        await quota.lock_companies(tx, [job.org_id for job in metered])
        returned = await store.requeue_all_of(tx, executor_id)
        for job in metered:
            await quota.release(tx, job.reservation_id or "")
        await self.free_slots(tx, [job.lane for job in metered])
        self._mark_dirty_on_commit(tx, *(job.lane for job in returned))

    async def move(self, tx: Tx, channel: str, target: str, *, except_orgs: Sequence[str]) -> None:
        """Move queued jobs to another channel, except for those of some companies."""
        moved = await store.move(tx, channel, target, except_orgs)
        if moved:
            self._mark_dirty_on_commit(tx, *moved)
            tx.after_commit(partial(self.notify, [target]))

    async def free_slots(self, tx: Tx, lanes: Sequence[Lane]) -> None:
        """Unpark jobs that wait for the quota slots that these lanes have freed, lowest rank first.

        In the commit that frees the slots: otherwise a team that has all slots of its company would take each again
        before the parked jobs of other teams are looked at.
        """
        for (org_id, team_id), count in sorted(Counter((lane.org_id, lane.team_id) for lane in lanes).items()):
            channels = await store.unpark(tx, org_id, team_id, count=count, within=_SLOT_RETRY_SECONDS)
            tx.after_commit(partial(self.notify, channels))

    async def cancel(self, tx: Tx, job_id: str) -> bool:
        """Cancel a queued job; return False if it is not queued."""
        cancelled = await store.cancel(tx, job_id)
        if cancelled is None:
            return False
        await self.notify_failure(tx, job_id, cancelled.kind, "cancelled")
        self._mark_dirty_on_commit(tx, cancelled.lane)
        return True

    # Workers

    async def register_channels(self, db: Db, channels: Iterable[str], org_id: str) -> None:
        """Record that a worker serves these channels, and promote the lanes that waited for one."""
        kinds = frozenset(kind_of(channel) for channel in channels)
        async with db.maintenance(system()) as tx:
            for channel in channels:
                await store.put_channel(tx, channel, org_id, kind_of(channel))
        await self.promote_waiting(db, org_id or None, kinds)

    def notify(self, channels: Iterable[str]) -> None:
        for channel in channels:
            self.wake.notify(channel)

    def _mark_dirty_on_commit(self, tx: Tx, *dirty: Lane) -> None:
        tx.after_commit(partial(self.mark_dirty, dirty))


def split_first(lanes: set[Lane], limit: int) -> tuple[list[Lane], set[Lane]]:
    """Split off up to `most` lanes; return them and the rest."""
    some = list(islice(lanes, limit))
    return some, lanes.difference(some)


def parse_claim_token(token: str, executor_id: str) -> JobClaim:
    """Parse the claim token that a worker of this executor sent, or raise StaleClaim."""
    id, _, rest = token.partition(".")
    attempt, _, secret = rest.partition(".")
    if not (id and secret and attempt.isascii() and attempt.isdigit() and len(attempt) < 10):
        raise stale_claim()
    return JobClaim(id, int(attempt), secret, executor_id)


def stale_claim() -> StaleClaim:
    return StaleClaim("jobs.stale_claim")


def retry_delay(failures: int) -> float:
    """Seconds until the next attempt: doubled each time, with jitter."""
    return min(_MAX_DELAY, 2.0**failures) * random.uniform(0.5, 1)


def _encode(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()
