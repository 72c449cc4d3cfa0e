"""The protocol of remote workers: ask for a job, show signs of life, bring the result or say why there is none.

What a worker may take is what its executor was made for, in the company it was made for; what it asks for only
narrows that.
"""

import time

import msgspec

from teamspace import jobs
from teamspace.core.db import Db, Tx
from teamspace.core.departure import Departure
from teamspace.core.errors import Forbidden, Unauthenticated
from teamspace.core.principal import Principal, system
from teamspace.executors import store
from teamspace.executors.domain.offers import taken_by
from teamspace.executors.domain.presence import Presence
from teamspace.executors.domain.presence import places as places_of
from teamspace.executors.schemas import (
    Asking,
    Beat,
    Completion,
    ExecutorRow,
    Failure,
    Handed,
    HandedJob,
    Lease,
)
from teamspace.jobs import Claim, Claimed

LONGEST_WAIT = 30
_POLL = 2.0


async def claim(
    db: Db, who: Principal, queue: jobs.Queue, presence: Presence, asking: Asking, departure: Departure
) -> tuple[Handed, Claim] | None:
    """The next job this worker can do; nothing when none comes while it waits, or when it has gone meanwhile."""
    executor = await _executor(db, who)
    wanted = _wanted(executor, queue.kinds, asking)
    until = time.monotonic() + min(LONGEST_WAIT, max(0.0, asking.max_wait))
    departure.watched()
    with queue.wake.listening(wanted.places) as news:
        if (taken := await _take(db, who, queue, presence, executor, wanted)) or asking.max_wait <= 0:
            return taken
        async with queue.wake.place(token=who.token_id, company=who.org_id):
            while (left := until - time.monotonic()) > 0 and not queue.wake.stopping:
                await queue.wake.wait(news, min(left, _POLL), departure)
                if departure.happened:
                    return None
                if taken := await _take(db, who, queue, presence, executor, wanted):
                    return taken
    return None


async def _take(
    db: Db, who: Principal, queue: jobs.Queue, presence: Presence, executor: ExecutorRow, wanted: "Wanted"
) -> tuple[Handed, Claim] | None:
    async def still(tx: Tx) -> bool:
        if not await store.may_claim(tx, executor.id, who.token_id):
            raise Unauthenticated()
        return True

    if await presence.note(db, queue, executor.id, wanted.places, executor.org_id):
        async with db.upkeep(system()) as tx:
            await store.touch(tx, executor.id)
    while taken := await queue.claim(
        db, wanted.places, models=wanted.models, count=1, executor_id=executor.id, org_id=executor.org_id or None,
        still=still,
    ):  # fmt: skip
        ((job, claim),) = taken
        fault = await jobs.refused(db, queue.kinds[job.kind], job)
        if fault is None:
            return _handed(job, claim), claim
        async with db.upkeep(system()) as tx:
            await queue.fail(tx, claim, fault)
    return None


async def put_back(db: Db, queue: jobs.Queue, claim: Claim) -> None:
    """The answer never reached its worker."""
    async with db.upkeep(system()) as tx:
        await queue.put_back(tx, claim)


async def heartbeat(db: Db, who: Principal, queue: jobs.Queue, job_id: str, beat: Beat) -> Lease:
    claim = await _claim(db, who, job_id, beat.claim_token)
    held = await queue.extend(db, claim, progress=beat.progress, message=beat.message)
    return Lease(held.lease_until)


async def complete(db: Db, who: Principal, queue: jobs.Queue, job_id: str, done: Completion) -> None:
    claim = await _claim(db, who, job_id, done.claim_token)
    async with db.write(who, "job.complete") as tx:
        tx.target = job_id
        landed = await queue.complete(tx, claim, done.result)
        tx.org_id, tx.team_id = landed.org_id, landed.team_id


async def fail(db: Db, who: Principal, queue: jobs.Queue, job_id: str, failure: Failure) -> None:
    claim = await _claim(db, who, job_id, failure.claim_token)
    async with db.write(who, "job.fail") as tx:
        tx.target, tx.detail = job_id, {"code": failure.fault.code}
        landed = await queue.fail(tx, claim, failure.fault)
        tx.org_id, tx.team_id = landed.org_id, landed.team_id


async def _executor(db: Db, who: Principal) -> ExecutorRow:
    executor = await store.get_by_token(db, who.token_id)
    if executor is None:
        raise Forbidden("This token belongs to no executor.")
    return executor


class Wanted(msgspec.Struct, frozen=True):
    """What a worker asks for, within what its executor was made for."""

    places: tuple[str, ...]
    models: tuple[str, ...] | None
    """Jobs that name another model are passed over; None passes over none."""


def _wanted(executor: ExecutorRow, kinds: jobs.Kinds, asking: Asking) -> Wanted:
    able = taken_by(executor, kinds)
    asked = [kind for kind in able if not asking.kinds or kind in asking.kinds]
    models = {executor.model} if executor.model else None
    if asking.models:
        models = set(asking.models) if models is None else models & set(asking.models)
    named = tuple(sorted(models or ()))
    return Wanted(places_of(executor, asked, named), None if models is None else named)


async def _claim(db: Db, who: Principal, job_id: str, token: str | None) -> Claim:
    """A claim token is of use to the executor that it was given to, and to no other."""
    executor = await _executor(db, who)
    claim = jobs.parse(token or "", executor.id)
    if claim.job_id != job_id:
        raise jobs.stale()
    return claim


def _handed(job: Claimed, claim: Claim) -> Handed:
    handed = HandedJob(job.id, job.kind, msgspec.json.decode(job.input), job.model, job.attempt)
    return Handed(handed, str(claim), job.lease_until)
