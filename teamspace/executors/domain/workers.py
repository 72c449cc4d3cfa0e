"""The protocol of remote workers: ask for a job, show signs of life, bring the result or say why there is none.

What a worker may take is what its executor was made for, in the company it was made for; what it asks for only
narrows that.
"""

import time

import msgspec

from teamspace import jobs
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.principal import Principal, system
from teamspace.executors import store
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
from teamspace.jobs import Claim, Claimed, Fault

LONGEST_WAIT = 30
_POLL = 2.0


async def claim(db: Db, who: Principal, queue: jobs.Queue, presence: Presence, asking: Asking) -> Handed | None:
    """The next job this worker can do; nothing when none comes while it waits."""
    executor = await _executor(db, who)
    places = _places(executor, asking)
    until = time.monotonic() + min(LONGEST_WAIT, max(0.0, asking.max_wait))
    with queue.wake.listening(places) as news:
        while True:
            if await presence.note(db, queue, executor.id, places, executor.org_id):
                async with db.upkeep(system()) as tx:
                    await store.touch(tx, executor.id)
            taken = await queue.claim(db, places, count=1, executor_id=executor.id, org_id=executor.org_id or None)
            if taken:
                return _handed(*taken[0])
            left = until - time.monotonic()
            if left <= 0 or queue.wake.stopping:
                return None
            await queue.wake.sleep(news, min(left, _POLL))


async def heartbeat(db: Db, who: Principal, queue: jobs.Queue, job_id: str, beat: Beat) -> Lease:
    await _executor(db, who)
    claim = _claim(job_id, beat.claim_token)
    held = await queue.extend(db, claim, progress=beat.progress, message=beat.message)
    return Lease(held.lease_until)


async def complete(db: Db, who: Principal, queue: jobs.Queue, job_id: str, done: Completion) -> None:
    await _executor(db, who)
    claim = _claim(job_id, done.claim_token)
    async with db.write(who, "job.complete") as tx:
        tx.target = job_id
        landed = await queue.complete(tx, claim, done.result)
        tx.org_id, tx.team_id = landed.org_id, landed.team_id


async def fail(db: Db, who: Principal, queue: jobs.Queue, job_id: str, failure: Failure) -> None:
    await _executor(db, who)
    claim = _claim(job_id, failure.claim_token)
    fault = failure.error if isinstance(failure.error, Fault) else Fault(failure.error[:4000] or "It failed.")
    async with db.write(who, "job.fail") as tx:
        tx.target, tx.detail = job_id, {"code": fault.code}
        landed = await queue.fail(tx, claim, fault)
        tx.org_id, tx.team_id = landed.org_id, landed.team_id


async def _executor(db: Db, who: Principal) -> ExecutorRow:
    executor = await store.get_by_token(db, who.token_id)
    if executor is None:
        raise Forbidden("This token belongs to no executor.")
    return executor


def _places(executor: ExecutorRow, asking: Asking) -> tuple[str, ...]:
    able = set(executor.capabilities)
    kinds = sorted(able if asking.kinds is None else able & set(asking.kinds))
    if not kinds:
        raise BadRequest.at("/kinds", f"names none that this executor takes: {', '.join(sorted(able))}")
    return places_of(executor.id, kinds, sorted({executor.model} if executor.model else set(asking.models)))


def _claim(job_id: str, token: str) -> Claim:
    claim = jobs.parse(token)
    if claim.job_id != job_id:
        raise jobs.stale()
    return claim


def _handed(job: Claimed, claim: Claim) -> Handed:
    handed = HandedJob(job.id, job.kind, msgspec.json.decode(job.input), job.model, job.attempt)
    return Handed(handed, str(claim), job.lease_until)
