"""The job queue: enqueue in the caller's transaction, claim with a lease, finish exactly once.

Every attempt has its own number and secret. After the lease has expired or the job was claimed again, they no longer
match: a stale attempt cannot change the job.
"""

import asyncio
import logging
import secrets
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import chain, islice
from typing import Any

import msgspec

from teamspace import quota, tenancy
from teamspace.core import crypto
from teamspace.core.db import Db, Reads, Tx, as_json
from teamspace.core.errors import ResponseRefused, StaleClaim
from teamspace.core.ids import new_id
from teamspace.core.limits import Notifier
from teamspace.core.principal import system
from teamspace.jobs import store
from teamspace.jobs.domain import changes, ending, lanes
from teamspace.jobs.domain.channels import kind_of, local_channel
from teamspace.jobs.domain.gathering import GatheredClaims
from teamspace.jobs.domain.handed_out import HandedOut
from teamspace.jobs.domain.kinds import Kinds, RefusedResult
from teamspace.jobs.domain.slots import JobSlots
from teamspace.jobs.domain.succession import Succession
from teamspace.jobs.schemas import (
    NORMAL,
    Authority,
    Cancelled,
    ClaimSlot,
    EncodedInput,
    Job,
    JobBatch,
    JobClaim,
    JobFault,
    JobOrigin,
    JobTitle,
    Lane,
    Lost,
    NewJob,
    Outcome,
    Parked,
    QuotaBlock,
    ReadyJob,
    Returned,
    State,
    Succeeded,
)
from teamspace.quota import NewReservation, QuotaAccount

log = logging.getLogger("teamspace.jobs")
StillValid = Callable[[Tx], Awaitable[bool]]
LEASE = 60
"""Seconds, for remote workers; long enough for a network outage."""
_RETRY_SECONDS = 1.0
_BATCH_SECONDS = 0.01
"""Seconds between two promotions. Lanes that become dirty in between are promoted together."""
_LANES_PER_BATCH = 50
"""Lanes per transaction. Other writers of these lanes wait for it."""
_END_TOPICS = 256
"""Ends of jobs are notified on this many topics, so that servers tell each other a bounded number of them."""
_FEW_ENDS = 16
_MANY_ENDS = "job-ends"
"""Notified instead of more topics than a few: a batch of jobs would touch nearly all of them."""
_POLL = 2.0
"""Seconds. Notifications from other servers can be lost, so a wait also polls."""
_MAX_TITLE = 300
CANCELLED = JobFault.keyed("jobs.cancelled", "cancelled", retryable=False)


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
        self.succession = Succession()
        self._gathered = GatheredClaims()
        self._handed_out = HandedOut()
        self._claims = 0
        """Claims in progress. The next one promotes the lanes that have become dirty meanwhile."""

    # Promotion

    async def run(self, db: Db) -> None:
        """Promote dirty lanes until cancelled."""
        while True:
            await self._dirty_event.wait()
            if self._claims:
                await asyncio.sleep(_BATCH_SECONDS)
            try:
                if self._dirty:
                    async with self._promotion(db):
                        pass
                await asyncio.sleep(_BATCH_SECONDS)
            except Exception:
                log.exception("promoting jobs failed, retrying")
                await asyncio.sleep(_RETRY_SECONDS)

    async def promote(self, db: Db) -> None:
        while self._dirty:
            before = self._dirty
            async with self._promotion(db):
                pass
            if self._dirty == before:  # another server promotes these lanes
                await asyncio.sleep(_BATCH_SECONDS)

    @asynccontextmanager
    async def _promotion(self, db: Db) -> AsyncIterator[Tx]:
        """Open a transaction that first promotes dirty lanes. If it is lost, jobs are delayed, not lost."""
        dirty, self._dirty = split_first(self._dirty, _LANES_PER_BATCH)
        self._dirty_event.clear()
        try:
            async with db.maintenance(system(), durable=False) as tx:
                channels, left = await lanes.promote(tx, dirty)
                yield tx
        except BaseException:
            self.mark_dirty(dirty)
            raise
        self._mark_dirty_for_next_claim(left)
        self.notify(channels)

    async def promote_waiting(self, db: Db, org_id: str | None = None, kinds: Iterable[str] | None = None) -> None:
        """Promote every lane with waiting jobs."""
        self.mark_dirty(await lanes.find_waiting(db, org_id, kinds))
        await self.promote(db)

    def mark_dirty(self, dirty: Iterable[Lane]) -> None:
        """Promote these lanes soon: jobs have entered or left them."""
        self._dirty.update(dirty)
        self._wake_promoter()

    def _mark_dirty_for_next_claim(self, dirty: Iterable[Lane]) -> None:
        """Promote these lanes with the next claim, or in a moment."""
        self._dirty.update(dirty)
        if self._dirty:
            asyncio.get_running_loop().call_later(_BATCH_SECONDS, self._wake_promoter)

    def _wake_promoter(self) -> None:
        if self._dirty:
            self._dirty_event.set()

    # Enqueue

    def encode(self, kind: str, input: msgspec.Struct) -> EncodedInput:
        """Encode the input of a new job, and estimate what it spends: before its transaction, since both can take long."""
        estimate = self.kinds[kind].estimate
        return EncodedInput(msgspec.json.encode(input).decode(), estimate(input) if estimate else None)

    async def enqueue(
        self, tx: Tx, authority: Authority, kind: str, input: msgspec.Struct | EncodedInput, *, title: JobTitle | None = None,
        origin: JobOrigin | None = None, idempotency_key: str | None = None, channel: str | None = None,
        model: str | None = None, priority: int = NORMAL, run_at: str | None = None, retry_of: str | None = None,
        max_attempts: int | None = None,
    ) -> str:  # fmt: skip
        """Insert a job in the caller's transaction and return its id.

        If there is a job of this origin, or of this team's idempotency key, it is that job's id.
        """
        if existing := await _find_existing(tx, authority, origin, idempotency_key):
            return existing
        id, lane = new_id(), Lane(authority.account.org_id, authority.account.team_id, kind)
        inserted = await store.insert(
            tx, id, kind, authority, title=_shortened(title), origin=origin, idempotency_key=idempotency_key,
            channel=channel or local_channel(kind), model=model, priority=priority, run_at=run_at,
            max_attempts=max_attempts or self.kinds[kind].row.max_attempts, retry_of=retry_of,
            input=input if isinstance(input, EncodedInput) else self.encode(kind, input),
        )  # fmt: skip
        if not inserted:  # by another transaction, a moment ago
            return await _find_existing(tx, authority, origin, idempotency_key) or id
        await changes.record_new(tx, lane.org_id, lane.team_id, id)
        self._mark_dirty_on_commit(tx, lane)
        return id

    async def enqueue_many(
        self, tx: Tx, account: QuotaAccount, kind: str, batches: Sequence[JobBatch], *, priority: int = NORMAL,
        after: Sequence[str] = (),
    ) -> list[list[str]]:  # fmt: skip
        """Insert the jobs of steps of one account's runs with one statement; return the ids of each batch, in order.

        One event tells of a batch: it names the first of its jobs. `after` are jobs that end in this transaction: a job
        that alone follows them can take the place of one.
        """
        new = [[_new_job(batch, origin, input) for origin, input in batch.items] for batch in batches]
        rows = list(chain.from_iterable(new))
        if not rows:
            return [[] for _ in batches]
        state = None
        if after and len(rows) == 1 and not (self._hosted and await tenancy.is_suspended(tx)):
            state = await self.succession.insert(tx, after, kind, account, rows[0], priority=priority)
        if state is None:
            await store.insert_many(tx, kind, account, rows, channel=local_channel(kind), priority=priority)
        first = [jobs[0].id for jobs in new if jobs]
        await changes.record_new(tx, account.org_id, account.team_id, *first)
        if state is not State.RUNNING:
            self._mark_dirty_on_commit(tx, Lane(account.org_id, account.team_id, kind))
        return [[job.id for job in jobs] for jobs in new]

    async def enqueue_next(
        self, tx: Tx, authority: Authority, kind: str, input: EncodedInput, *, channel: str, model: str | None = None,
        origin: JobOrigin | None = None, ttl: float = quota.TTL, instead_of: str | None = None,
    ) -> tuple[str, bool]:  # fmt: skip
        """Insert a job that someone waits for: the next of its channel, whatever the cap of its lane.

        Returns its id, and whether it is new: there may be one with this origin. Its quota is reserved now, for `ttl`
        seconds; raises QuotaExceeded. If it does the work of a running job, it takes over that job's reservation.
        """
        if existing := await _find_existing(tx, authority, origin, None):
            return existing, False
        id = new_id()
        reservation_id = await self._take_reservation(tx, instead_of, ttl) if instead_of else None
        if reservation_id is None:
            reservation_id = await self._reserve(tx, authority, kind, input, ttl)
        await store.insert(
            tx, id, kind, authority, title=None, origin=origin, idempotency_key=None, channel=channel, model=model,
            priority=NORMAL, run_at=None, max_attempts=self.kinds[kind].row.max_attempts, input=input,
            retry_of=None, reservation_id=reservation_id, admitted=True,
        )  # fmt: skip
        await changes.record_new(tx, authority.account.org_id, authority.account.team_id, id)
        tx.after_commit(partial(self.notify, [channel]))
        return id, True

    async def next_of(self, tx: Tx, run_id: str, step: str) -> JobOrigin | None:
        """Return the origin of the next job of a step whose jobs follow each other, or None while the last has not ended."""
        last = await store.find_last_of(tx, run_id, step)
        if last is None:
            return JobOrigin(run_id, step)
        return None if last.state in (State.QUEUED, State.RUNNING) else JobOrigin(run_id, step, last.item + 1)

    async def start(
        self, tx: Tx, authority: Authority, kind: str, input: EncodedInput, *, id: str, executor_id: str,
        model: str | None = None, title: JobTitle | None = None, metered: bool = True, lease: float = LEASE,
    ) -> tuple[Job, JobClaim]:  # fmt: skip
        """Insert a job that this process runs at once (`JobAttempts.start`), outside of lanes and caps.

        If it is metered, its quota is reserved; raises QuotaExceeded.
        """
        reservation_id = await self._reserve(tx, authority, kind, input) if metered else None
        claim = JobClaim(id, 1, secrets.token_urlsafe(16), executor_id, lease)
        job = _running_job(claim, authority, kind, input, model, self.kinds[kind].row.max_attempts, reservation_id)
        await store.add_running(tx, job, claim, _shortened(title))
        await changes.record_new(tx, job.org_id, job.team_id, id)
        return job, claim

    async def _take_reservation(self, tx: Tx, job_id: str, ttl: float) -> str | None:
        job = await store.lock_running(tx, job_id)
        if job is None or job.reservation_id is None:
            return None
        await store.set_reservation(tx, job_id, None)
        await quota.renew(tx, job.reservation_id, ttl)
        return job.reservation_id

    async def _reserve(
        self, tx: Tx, authority: Authority, kind: str, input: EncodedInput, ttl: float = quota.TTL
    ) -> str:
        assert input.estimate is not None
        return await quota.reserve(tx, authority.account, input.estimate, purpose=kind, ttl=ttl)

    # Claim

    async def claim(
        self, db: Db, channels: Sequence[str], *, count: int, executor_id: str, org_id: str | None = None,
        models: Sequence[str] | None = None, slots: JobSlots | None = None, still_valid: StillValid | None = None,
        lease: float = LEASE,
    ) -> list[tuple[Job, JobClaim]]:  # fmt: skip
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
        claimed: list[tuple[Job, JobClaim]] = []
        self._claims += 1
        try:
            async with self._promotion(db) as tx:
                if (self._hosted and await tenancy.is_suspended(tx)) or (still_valid and not await still_valid(tx)):
                    return []
                waiting = await store.select_admitted(tx, claim_slots, org_id=org_id, models=models)
                ready = slots.take(waiting, count) if slots else waiting[:count]
                admitted = await self._take(tx, ready, executor_id, crypto.digest(secret), lease)
            claimed = [(job, JobClaim(job.id, job.attempt, secret, executor_id, lease)) for job in admitted]
        finally:
            self._claims -= 1
            if slots:
                begun = {job.id for job, _ in claimed}
                for job in ready:
                    if job.id not in begun:
                        slots.of(job.kind).release(job.org_id)
        return claimed

    async def claim_one(
        self, db: Db, channels: tuple[str, ...], *, executor_id: str, caller: str, org_id: str | None,
        models: tuple[str, ...] | None, still_valid: StillValid,
    ) -> tuple[Job, JobClaim] | None:  # fmt: skip
        """Claim a job for a worker of an executor, in one transaction for all who ask now with the same arguments.

        `caller` is the credential that `still_valid` checks.
        """

        async def claim(count: int) -> list[tuple[Job, JobClaim]]:
            return await self.claim(
                db, channels, count=count, executor_id=executor_id, org_id=org_id, models=models, still_valid=still_valid
            )  # fmt: skip

        key = (executor_id, caller, channels, org_id, models)
        taken = await self._gathered.take(key, claim, partial(self._give_back, db))
        if taken:
            self._handed_out.keep(*taken)
        return taken

    async def _give_back(self, db: Db, claim: JobClaim) -> None:
        await self.finish_many(db, [(claim, Returned())])

    async def _take(
        self, tx: Tx, ready: Sequence[ReadyJob], executor_id: str, claim_hash: str, lease: float
    ) -> list[Job]:
        if not ready:
            return []
        ids = [job.id for job in ready]
        taken = await store.take(tx, ids, executor_id=executor_id, claim_hash=claim_hash, lease=lease)
        await changes.record(tx, taken)
        by_rank = sorted(taken, key=lambda job: job.rank or 0)  # RETURNING guarantees no order
        parked = await self._reserve_quotas(tx, by_rank)
        return [job for job in by_rank if job.id not in parked]

    async def _reserve_quotas(self, tx: Tx, jobs: Sequence[Job]) -> set[str]:
        """Reserve quota for each job in turn; park those that exceed a limit, and return their ids."""
        wanted = {
            job.id: NewReservation(new_id(), job.account, job.estimate, purpose=job.kind)
            for job in jobs
            if job.estimate is not None and not job.reservation_id
        }
        if not wanted:
            return set()
        refused = await quota.reserve_many(tx, list(wanted.values()))
        limits = {id: refused[new.id] for id, new in wanted.items() if new.id in refused}
        if len(limits) < len(wanted):
            await store.set_reservations(tx, {id: new.id for id, new in wanted.items() if id not in limits})
        blocks = {id: QuotaBlock.of(quota.refusal(limit)) for id, limit in limits.items()}
        await self._apply(tx, [(job, Parked(blocks[job.id])) for job in jobs if job.id in blocks])
        return set(limits)

    # Running jobs

    async def extend(
        self, db: Db, claim: JobClaim, *, progress: float | None = None, message: str | None = None
    ) -> Job:
        """Extend the lease and the quota reservation, and store the progress."""
        permille = None if progress is None else round(progress * 1000)
        async with db.maintenance(system(), durable=False) as tx:
            job = await store.extend(tx, claim, lease=claim.lease, progress=permille, message=message)
            if job is None:
                raise stale_claim()
            if job.reservation_id:
                await quota.renew(tx, job.reservation_id)
            if progress is not None or message is not None:
                await changes.record(tx, [job])
        return job

    async def confirm(self, tx: Tx, claim: JobClaim) -> None:
        """Raise StaleClaim unless the claim is valid, and keep it so until the commit; tell who follows the job."""
        claimed = await store.lock_claimed(tx, [claim])
        if not claimed:
            raise stale_claim()
        await changes.record(tx, claimed)

    async def extend_many(self, db: Db, claims: Sequence[JobClaim], lease: float) -> dict[tuple[str, int], bool]:
        """Extend the leases and the quota reservations of these claims.

        Returns, by job and attempt of the claims that are valid, whether the job was asked to stop.
        """
        async with db.maintenance(system(), durable=False) as tx:
            jobs = await store.extend_many(tx, claims, lease)
            await quota.renew_many(tx, [job.reservation_id for job in jobs if job.reservation_id])
        return {(job.id, job.attempt): job.stop_requested for job in jobs}

    async def read_result(self, db: Db, claim: JobClaim, raw: Any) -> Succeeded:
        """Validate the result that a worker sent; the job keeps running if it is refused."""
        job = self._handed_out.get(claim) or await store.get_claimed(db, claim)
        kind_name = job.kind if job else await store.get_kind(db, claim.job_id)
        kind = self.kinds.get(kind_name) if kind_name else None
        if kind is None:
            raise stale_claim()
        if job is None:
            # The worker may repeat a result that was stored already, so its claim is judged later.
            return Succeeded(_convert(raw, kind.result))
        try:
            return Succeeded(await kind.read_result(msgspec.json.decode(job.input, type=kind.input), raw))
        except ResponseRefused as refused:
            job = await store.get_claimed(db, claim)
            if job is None:
                raise stale_claim() from None
            if isinstance(refused, RefusedResult) and refused.spent and job.reservation_id:
                await self._record_refused_spend(db, claim, refused.spent)
            raise

    async def _record_refused_spend(self, db: Db, claim: JobClaim, spent: quota.Spend) -> None:
        async with db.maintenance(system()) as tx:
            for job in await store.lock_claimed(tx, [claim]):
                await store.set_refused_spend(tx, job.id, ending.add(spent, job.refused_spend))

    async def finish(self, tx: Tx, claim: JobClaim, outcome: Outcome) -> Job:
        """Apply the outcome of an attempt; raise StaleClaim if the claim is no longer valid."""
        for job in await store.lock_claimed(tx, [claim]):
            await self._apply(tx, [(job, outcome)])
            return job
        # A worker that got no response repeats its result.
        repeated = isinstance(outcome, Succeeded) and await store.get_succeeded(tx, claim, outcome.json)
        if not repeated:
            raise stale_claim()
        return repeated

    async def finish_each(self, tx: Tx, ended: Sequence[tuple[JobClaim, Succeeded]]) -> dict[tuple[str, int], Job]:
        """Apply the results of many attempts, one of each; return the jobs of the valid claims, by their keys.

        A claim is also valid if its result was stored before: a worker that got no response repeats it.
        """
        results = {claim.key: outcome for claim, outcome in ended}
        valid = {(job.id, job.attempt): job for job in await store.lock_claimed(tx, [claim for claim, _ in ended])}
        # A worker that has sent a result asks for the next job.
        await self._apply(tx, [(job, results[key]) for key, job in valid.items()], claim_follows=True)
        for claim, outcome in ended:
            self._handed_out.forget(claim)
            if claim.key not in valid and (job := await store.get_succeeded(tx, claim, outcome.json)):
                valid[claim.key] = job
        return valid

    async def finish_many(self, db: Db, ended: Sequence[tuple[JobClaim, Outcome]]) -> set[tuple[str, int]]:
        """Apply the outcomes of many attempts in one commit; return the keys of the valid claims."""
        outcomes = {claim.key: outcome for claim, outcome in ended}
        async with db.maintenance(system()) as tx:
            jobs = await store.lock_claimed(tx, [claim for claim, _ in ended])
            await self._apply(tx, [(job, outcomes[job.id, job.attempt]) for job in jobs])
        return {(job.id, job.attempt) for job in jobs}

    async def land(self, db: Db, ended: Sequence[tuple[Job, JobClaim, Outcome]]) -> set[tuple[str, int]]:
        """Like `finish_many`, for jobs as they were claimed: their rows need not be read again."""
        if not ending.can_land(ended):
            return await self.finish_many(db, [(claim, outcome) for _, claim, outcome in ended])
        with self.succession.landing(ended):
            async with db.maintenance(system()) as tx:
                landed, freed, over = await ending.land(tx, self.kinds, ended)
                await self._tell(tx, landed, freed, over)
        return {(job.id, job.attempt) for job, _ in landed}

    async def return_all_of(self, tx: Tx, executor_id: str) -> None:
        """Requeue all jobs of a retired executor. Its claims become stale."""
        await self._apply(tx, [(job, Returned()) for job in await store.lock_running_of(tx, executor_id)])

    async def expire(self, tx: Tx, ids: Sequence[str], *, tell_kinds: bool = True) -> None:
        """End the attempts whose lease has expired, unless they were extended meanwhile."""
        expired = [(job, Lost()) for job in await store.lock_expired(tx, ids)]
        await self._apply(tx, expired, tell_kinds=tell_kinds)

    async def cancel(self, tx: Tx, job_id: str) -> bool:
        """Cancel a queued job; return False if it is not queued."""
        job = await store.lock_queued(tx, job_id)
        if job is None:
            return False
        await self._apply(tx, [(job, Cancelled())])
        return True

    async def cancel_run(self, tx: Tx, run_id: str) -> None:
        """Cancel the queued jobs of a run, without telling their kinds.

        It does not wait for jobs that are being claimed: their handlers must find out that the run has ended.
        """
        queued = await store.lock_queued_of_run(tx, run_id)
        await self._apply(tx, [(job, Cancelled()) for job in queued], tell_kinds=False)

    async def request_stop(self, tx: Tx, job_id: str) -> bool:
        """Ask the handler of a running job to stop, within seconds if another server runs it; False if none runs."""
        return await store.request_stop(tx, job_id)

    async def _apply(
        self, tx: Tx, outcomes: Sequence[tuple[Job, Outcome]], *, tell_kinds: bool = True, claim_follows: bool = False
    ) -> None:
        if outcomes:
            freed, ended = await ending.apply(tx, self.kinds, outcomes, tell_kinds=tell_kinds)
            await self._tell(tx, outcomes, freed, ended, claim_follows=claim_follows)

    async def _tell(
        self, tx: Tx, outcomes: Sequence[tuple[Job, Outcome]], freed: Sequence[Lane], ended: Sequence[Job], *,
        claim_follows: bool = False,
    ) -> None:  # fmt: skip
        """Tell those who follow the jobs, and have the places that they left taken."""
        await changes.record(tx, (job for job, _ in outcomes))
        await self._free_slots(tx, freed)
        # A parked job keeps its place in its lane, and one that was started outside of the lanes has none to leave.
        outside = {job.id for job in ended if job.rank is None or self.succession.is_taken(job.id)}
        left = {job.lane for job, outcome in outcomes if not isinstance(outcome, Parked) and job.id not in outside}
        tx.after_commit(partial(self._mark_dirty_for_next_claim if claim_follows else self.mark_dirty, left))
        tx.after_commit(partial(self._notify_ends, {_end_topic(job.id) for job in ended}))

    async def wait_for_end(self, db: Db, job_id: str, seconds: float) -> State | None:
        """Wait until the job has ended, on this server or another; return its state, or None if it has not in time.

        Also while this server stops: who waits may have the time that requests and jobs get to end, and is cancelled then.
        """
        until = time.monotonic() + seconds
        with self.wake.subscribe([_end_topic(job_id), _MANY_ENDS]) as wake_up:
            while not (state := await store.find_end(db, job_id)):
                if (left := until - time.monotonic()) <= 0:
                    return None
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left, _POLL)):
                        await wake_up.wait()
                wake_up.clear()
        return state

    async def has_ended(self, db: Reads, job_id: str) -> bool:
        return await store.find_end(db, job_id) is not None

    async def get_input(self, db: Reads, kind: str, job_id: str) -> msgspec.Struct | None:
        """Return the input of a job of this kind, also if it is archived."""
        bodies = await store.get_bodies(db, job_id)
        return None if bodies is None else msgspec.json.decode(bodies.input, type=self.kinds[kind].input)

    async def get_end(self, db: Db, job_id: str) -> msgspec.Struct | JobFault | None:
        """Return the result of a job that has ended, or why it has none; None if it has not ended."""
        end = await store.get_end(db, job_id)
        if end is None:
            return None
        if end.result is not None:
            return msgspec.json.decode(end.result, type=self.kinds[end.kind].result)
        return end.error or CANCELLED

    async def move(
        self, tx: Tx, limit: int, channel: str, target: str, *, except_orgs: Sequence[str]
    ) -> list[Lane]:  # fmt: skip
        """Move queued jobs to another channel, except for those of some companies; return the lane of each."""
        moved = await store.move(tx, limit, channel, target, except_orgs)
        if moved:
            self._mark_dirty_on_commit(tx, *moved)
            tx.after_commit(partial(self.notify, [target]))
        return moved

    async def _free_slots(self, tx: Tx, lanes: Sequence[Lane]) -> None:
        """Unpark jobs that wait for the quota slots that these lanes have freed, lowest rank first.

        In the commit that frees the slots: otherwise a team that has all slots of its company would take each again
        before the parked jobs of other teams are looked at.
        """
        if not lanes:
            return
        within = ending.SLOT_RETRY_SECONDS
        parked = await store.select_parked_orgs(tx, sorted({lane.org_id for lane in lanes}), within=within)
        freed = Counter((lane.org_id, lane.team_id) for lane in lanes if lane.org_id in parked)
        for (org_id, team_id), count in sorted(freed.items()):
            channels = await store.unpark(tx, org_id, team_id, count=count, within=within)
            if channels:
                tx.after_commit(partial(self.notify, channels))

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

    def _notify_ends(self, topics: set[str]) -> None:
        """Wake those who wait for ends, here and on other servers: these get one notification if there are many."""
        for topic in topics:
            self.wake.receive(topic)
        for topic in topics if len(topics) <= _FEW_ENDS else (_MANY_ENDS,):
            self.wake.notify_others(topic)

    def _mark_dirty_on_commit(self, tx: Tx, *dirty: Lane) -> None:
        tx.after_commit(partial(self.mark_dirty, dirty))


def split_first(lanes: set[Lane], limit: int) -> tuple[list[Lane], set[Lane]]:
    """Split off up to `limit` lanes; return them and the rest."""
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


async def _find_existing(tx: Tx, authority: Authority, origin: JobOrigin | None, key: str | None) -> str | None:
    if origin and (found := await store.find_by_origin(tx, origin)):
        return found
    return await store.find_by_key(tx, authority.account.team_id, key) if key else None


def _new_job(batch: JobBatch, origin: JobOrigin, input: EncodedInput) -> NewJob:
    estimate = None if input.estimate is None else as_json(input.estimate)
    title = batch.title
    return NewJob(
        new_id(), origin.run_id, origin.step, origin.item, input.json, title.text[:_MAX_TITLE], title.subject.type,
        title.subject.id, batch.max_attempts, estimate, batch.authority.stored_scope, batch.authority.limited_by,
    )  # fmt: skip


def _running_job(
    claim: JobClaim, authority: Authority, kind: str, input: EncodedInput, model: str | None, max_attempts: int,
    reservation_id: str | None,
) -> Job:  # fmt: skip
    account, scope = authority.account, authority.scope
    return Job(
        id=claim.job_id, org_id=account.org_id, team_id=account.team_id, user_id=account.user_id,
        scope=None if scope is None else tuple(map(str, scope)), limited_by=authority.limited_by, kind=kind,
        channel=local_channel(kind), model=model, run_id=None, step=None, item=None, state=State.RUNNING,
        attempt=claim.attempt, max_attempts=max_attempts, lease_expiries=0, reservation_id=reservation_id,
        lease_until=None, rank=None, estimate=input.estimate, refused_spend=None, input=input.json,
    )  # fmt: skip


def _shortened(title: JobTitle | None) -> JobTitle | None:
    return None if title is None else JobTitle(title.text[:_MAX_TITLE], title.subject)


def _end_topic(job_id: str) -> str:
    return f"job-end-{zlib.crc32(job_id.encode()) % _END_TOPICS}"


def _convert(raw: Any, shape: type[msgspec.Struct]) -> msgspec.Struct:
    try:
        return msgspec.convert(raw, shape)
    except msgspec.ValidationError:
        raise stale_claim() from None
