"""The server side of the worker protocol: claim a job, send heartbeats, complete it or fail it.

A worker can only claim jobs of its executor's kinds, model and company. Its request can only narrow that down.
"""

import logging
import time

import msgspec

from teamspace import jobs
from teamspace.core.db import Db, Tx
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.errors import Overloaded, Refusal, Unauthenticated
from teamspace.core.principal import Principal, system
from teamspace.executors import store
from teamspace.executors.domain.completing import Completions, SentResult
from teamspace.executors.domain.offers import accepted_kinds
from teamspace.executors.domain.presence import Presence, channels_of
from teamspace.executors.domain.tokens import TokenExecutors
from teamspace.executors.schemas import (
    AssignedJob,
    ClaimRequest,
    ExecutorRow,
    FailureReport,
    Heartbeat,
    JobAssignment,
    JobCompletion,
    Lease,
)
from teamspace.jobs import Failed, Job, JobClaim, Returned

MAX_WAIT = 30
_POLL = 2.0
log = logging.getLogger("teamspace.executors")


async def claim(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, presence: Presence, request: ClaimRequest,
    disconnect: DisconnectWatch,
) -> tuple[JobAssignment, JobClaim] | None:  # fmt: skip
    """Claim the next job for this worker, or return None if none comes in time or the worker disconnects."""
    executor = await tokens.get(db, who)
    selection = _claim_filter(executor, queue.kinds, request)
    until = time.monotonic() + min(MAX_WAIT, max(0.0, request.max_wait))
    disconnect.watch()
    with queue.wake.subscribe(selection.channels) as wake_up:
        if (taken := await _take(db, who, queue, presence, executor, selection)) or request.max_wait <= 0:
            return taken
        async with queue.wake.poll_slot(token=who.token_id, company=who.org_id):
            while (left := until - time.monotonic()) > 0 and not queue.wake.stopping:
                await queue.wake.wait(wake_up, min(left, _POLL), disconnect)
                if disconnect.has_disconnected:
                    return None
                if taken := await _take(db, who, queue, presence, executor, selection):
                    return taken
    return None


async def _take(
    db: Db, who: Principal, queue: jobs.Queue, presence: Presence, executor: ExecutorRow, selection: "ClaimFilter"
) -> tuple[JobAssignment, JobClaim] | None:
    async def still_valid(tx: Tx) -> bool:
        if not await store.may_claim(tx, executor.id, who.token_id):
            raise Unauthenticated()
        return True

    if await presence.record(db, queue, executor.id, selection.channels, executor.org_id):
        async with db.maintenance(system()) as tx:
            await store.touch(tx, executor.id)
    while taken := await queue.claim_one(
        db, selection.channels, models=selection.models, executor_id=executor.id, caller=who.token_id,
        org_id=executor.org_id or None, still_valid=still_valid,
    ):  # fmt: skip
        job, claim = taken
        assigned = await _assign(db, queue.kinds[job.kind], job)
        if not isinstance(assigned, jobs.JobFault):
            return JobAssignment(assigned, str(claim), job.lease_end), claim
        fault = assigned
        async with db.maintenance(system()) as tx:
            await queue.finish(tx, claim, Failed(fault))
    return None


async def requeue(db: Db, queue: jobs.Queue, claim: JobClaim) -> None:
    """Requeue a job whose response did not reach the worker."""
    await queue.finish_many(db, [(claim, Returned())])


async def heartbeat(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, job_id: str, beat: Heartbeat
) -> Lease:
    claim = await _parse_claim(db, who, tokens, job_id, beat.claim_token)
    job = await queue.extend(db, claim, progress=beat.progress, message=beat.message)
    return Lease(job.lease_end)


async def complete(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, completions: Completions, job_id: str,
    done: JobCompletion,
) -> None:  # fmt: skip
    claim = await _parse_claim(db, who, tokens, job_id, done.claim_token)
    outcome = await queue.read_result(db, claim, done.result)
    await completions.store(db, queue, SentResult(who, claim, outcome))


async def fail(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, job_id: str, failure: FailureReport
) -> None:
    claim = await _parse_claim(db, who, tokens, job_id, failure.claim_token)
    async with db.write(who, "job.fail") as tx:
        tx.target, tx.detail = job_id, {"code": failure.fault.code}
        job = await queue.finish(tx, claim, Failed(failure.fault, failure.spent))
        tx.org_id, tx.team_id = job.org_id, job.team_id


class ClaimFilter(msgspec.Struct, frozen=True):
    """What a worker can claim: its request within the limits of its executor."""

    channels: tuple[str, ...]
    models: tuple[str, ...] | None
    """Jobs that name another model are skipped; None means any model."""


def _claim_filter(executor: ExecutorRow, kinds: jobs.Kinds, request: ClaimRequest) -> ClaimFilter:
    accepted = accepted_kinds(executor, kinds)
    requested = [kind for kind in accepted if not request.kinds or kind in request.kinds]
    models = {executor.model} if executor.model else None
    if request.models:
        models = set(request.models) if models is None else models & set(request.models)
    model_names = tuple(sorted(models or ()))
    return ClaimFilter(channels_of(executor, requested, model_names), None if models is None else model_names)


async def _parse_claim(db: Db, who: Principal, tokens: TokenExecutors, job_id: str, token: str | None) -> JobClaim:
    """Parse a claim token. It is only valid for the executor that claimed the job."""
    executor = await tokens.get(db, who)
    claim = jobs.parse_claim_token(token or "", executor.id)
    if claim.job_id != job_id:
        raise jobs.stale_claim()
    return claim


async def _assign(db: Db, kind: jobs.BoundKind, job: Job) -> AssignedJob | jobs.JobFault:
    """Return the job as the worker gets it, or why it must not run for its requester."""
    try:
        who = await jobs.get_principal(db, kind, job)
        input = msgspec.json.decode(job.input)
        if kind.assign:
            input = msgspec.to_builtins(await kind.assign(db, who, msgspec.convert(input, kind.input)))
    except Unauthenticated:
        return jobs.REQUESTER_GONE
    except Refusal as refusal:
        return jobs.JobFault.of(refusal, refusal.code, retryable=isinstance(refusal, Overloaded))
    except Exception:  # it must not keep the workers from other jobs
        log.exception("job %s of kind %s could not be given to a worker", job.id, job.kind)
        return jobs.JobFault.keyed("jobs.internal_error", "internal_error")
    return AssignedJob(job.id, job.kind, input, job.model, job.attempt)
