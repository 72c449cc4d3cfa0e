"""How attempts end: one function applies every outcome, for every worker, the sweeper, retirement and cancellation.

The job's new state, the settled quota, the kind's `ended` function and the wake-ups are one commit.
"""

import random
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec.structs import replace

from teamspace import quota
from teamspace.core import crypto
from teamspace.core.db import Tx
from teamspace.jobs import store
from teamspace.jobs.domain.kinds import BoundKind, Kinds
from teamspace.jobs.schemas import (
    Cancelled,
    EndedJob,
    Failed,
    Job,
    JobClaim,
    JobFault,
    Lane,
    Lost,
    Outcome,
    Parked,
    Phase,
    QuotaBlock,
    Returned,
    State,
    Succeeded,
    Transition,
)
from teamspace.quota import Settlement, Spend

MAX_LEASE_EXPIRIES = 3
MAX_DELAY = 15 * 60
SLOT_RETRY_SECONDS = 1
LOST = JobFault.keyed("jobs.lost", "lost", retryable=False, times=MAX_LEASE_EXPIRIES)
INTERRUPTED = JobFault.keyed("jobs.interrupted", "interrupted", retryable=False)
_NOTHING = Spend(0, 0)
_LONG_RESULT = 16 * 1024


async def apply(
    tx: Tx, kinds: Kinds, outcomes: Sequence[tuple[Job, Outcome]], *, tell_kinds: bool = True
) -> tuple[list[Lane], list[Job]]:
    """Apply outcomes to jobs that this transaction has locked; return the lanes that freed a quota slot, and the jobs
    that have ended.

    Without `tell_kinds`, the kinds' `ended` functions are not called.
    """
    changed = [(job, outcome, _transition(kinds, job, outcome)) for job, outcome in outcomes]
    short, long = _split([change for _, _, change in changed])
    await store.apply(tx, short)
    await _write_results(tx, long)
    return await _follow(tx, kinds, changed, tell_kinds=tell_kinds)


async def land(
    tx: Tx, kinds: Kinds, outcomes: Sequence[tuple[Job, JobClaim, Outcome]]
) -> tuple[list[tuple[Job, Outcome]], list[Lane], list[Job]]:
    """Apply the outcomes of attempts whose claims are valid; return these, and what `apply` returns.

    The rows are neither read nor locked before: of what a transition needs, only the reservation can change while a job
    runs in this process.
    """
    # The jobs of one claim share its secret.
    hashes = {secret: crypto.digest(secret) for secret in {claim.secret for _, claim, _ in outcomes}}
    changes = [
        replace(
            _transition(kinds, job, outcome), held_attempt=claim.attempt, claim_hash=hashes[claim.secret],
            executor_id=claim.executor_id,
        )
        for job, claim, outcome in outcomes
    ]  # fmt: skip
    short, long = _split(changes)
    landed = {job.id: job.reservation_id for job in await store.land(tx, short)}
    await _write_results(tx, [change for change in long if change.id in landed])
    changed = [
        (replace(job, reservation_id=landed[job.id]), outcome, change)
        for (job, _, outcome), change in zip(outcomes, changes, strict=True)
        if job.id in landed
    ]  # fmt: skip
    return [(job, outcome) for job, outcome, _ in changed], *await _follow(tx, kinds, changed)


def can_land(outcomes: Sequence[tuple[Job, JobClaim, Outcome]]) -> bool:
    """Whether `land` can apply the outcomes: no job is there twice, and none that is metered goes back to the queue, since
    its row would forget the reservation that has to be settled."""
    ids = {job.id for job, _, _ in outcomes}
    return len(ids) == len(outcomes) and all(
        job.estimate is None or isinstance(outcome, Succeeded | Cancelled) for job, _, outcome in outcomes
    )


async def _follow(
    tx: Tx, kinds: Kinds, changed: Sequence[tuple[Job, Outcome, Transition]], *, tell_kinds: bool = True
) -> tuple[list[Lane], list[Job]]:
    """Settle the quota of attempts that were written, and tell the kinds of jobs that have ended."""
    metered = [(job, outcome) for job, outcome, _ in changed if job.reservation_id]
    # An unmetered handler can call models, each with a reservation of its own.
    cut_off = await quota.find_open(tx, [job.id for job, _, _ in changed if kinds[job.kind].row.asks_models])
    settled = [
        Settlement(job.reservation_id or "", job.org_id, spent(kinds[job.kind], job, outcome))
        for job, outcome in metered
    ]
    await quota.settle(tx, [*settled, *cut_off])
    ended = [(job, outcome) for job, outcome, change in changed if change.state is not State.QUEUED]
    if tell_kinds:
        # A kind may lock the run: always in this order, so that two servers do not wait for each other.
        in_order = sorted(ended, key=lambda end: (end[0].run_id or "", end[0].kind, end[0].id))
        for (_, kind), of_run in groupby(in_order, key=lambda end: (end[0].run_id or "", end[0].kind)):
            await _tell_kind(tx, kinds[kind], [(_to_ended(job), outcome) for job, outcome in of_run])
    return [job.lane for job, _ in metered], [job for job, _ in ended]


def _transition(kinds: Kinds, job: Job, outcome: Outcome) -> Transition:
    return transition(job, outcome, repeatable=kinds[job.kind].row.repeatable)


def _split(transitions: Sequence[Transition]) -> tuple[Sequence[Transition], list[Transition]]:
    """Split off long results, which are written after the others: SQLite would parse them once for each column."""
    long = [change for change in transitions if change.result and len(change.result) > _LONG_RESULT]
    if not long:
        return transitions, []
    ids = {change.id for change in long}
    return [replace(change, result="") if change.id in ids else change for change in transitions], long


async def _write_results(tx: Tx, transitions: Sequence[Transition]) -> None:
    for change in transitions:
        await store.set_result(tx, change.id, change.result or "")


def spent(kind: BoundKind, job: Job, outcome: Outcome) -> Spend | None:
    """Return what an attempt has cost, with its refused results; None if it is what was reserved."""
    last = _NOTHING
    if isinstance(outcome, Lost | Returned) and not kind.row.repeatable:
        # The model has probably done its work, and no one else will report what that cost.
        return None
    if isinstance(outcome, Succeeded) and kind.spent:
        last = kind.spent(outcome.result)
    elif isinstance(outcome, Failed) and outcome.spent:
        last = outcome.spent
    return add(last, job.refused_spend)


def reason_of(outcome: Outcome) -> str:
    """Return the code of why a job ended without a result."""
    match outcome:
        case Failed(fault) | Cancelled(JobFault() as fault):
            return fault.code
        case Lost():
            return LOST.code
        case Returned():
            return INTERRUPTED.code
        case _:
            return "cancelled"


def add(one: Spend, other: Spend | None) -> Spend:
    return one if other is None else Spend(one.requests + other.requests, one.tokens + other.tokens)


async def _tell_kind(tx: Tx, kind: BoundKind, ended: Sequence[tuple[EndedJob, Outcome]]) -> None:
    """Tell a kind of its jobs of one run, or of none, that have ended."""
    if kind.run_ended is not None:
        await kind.run_ended(tx, ended)
    elif kind.ended is not None:
        for job, outcome in ended:
            await kind.ended(tx, job, outcome)


def _to_ended(job: Job) -> EndedJob:
    return EndedJob(job.id, job.account, job.origin, job.input)


def transition(job: Job, outcome: Outcome, *, repeatable: bool = True) -> Transition:
    """Return the state of a job after an outcome."""
    match outcome:
        case Lost() | Returned() if not repeatable:
            return _to(job, State.FAILED, error=_json(INTERRUPTED))
        case Succeeded(_, result):
            return _to(job, State.SUCCEEDED, result=result)
        case Failed(fault) if fault.retryable and (failures := job.attempt - job.lease_expiries) < job.max_attempts:
            return _to(job, State.QUEUED, phase=Phase.SCHEDULED, error=_json(fault), delay=retry_delay(failures))
        case Failed(fault):
            return _to(job, State.FAILED, error=_json(fault))
        case Parked(block):
            return _park(job, block)
        case Cancelled(fault):
            return _to(job, State.CANCELLED, error=None if fault is None else _json(fault))
        case Lost() if job.lease_expiries + 1 < MAX_LEASE_EXPIRIES:
            return _to(job, State.QUEUED, lease_expiries=job.lease_expiries + 1)
        case Lost():
            return _to(job, State.FAILED, lease_expiries=job.lease_expiries + 1, error=_json(LOST))
        case Returned():
            return _to(job, State.QUEUED, max_attempts=job.max_attempts + 1)


def _park(job: Job, block: QuotaBlock) -> Transition:
    """The job keeps its rank, and so counts against its lane's cap. The attempt is undone."""
    # A slot can become free at any moment. A limit without a window can still be raised.
    delay = SLOT_RETRY_SECONDS if block.dimension == quota.Dimension.CONCURRENCY else MAX_DELAY
    return _to(
        job, State.QUEUED, phase=Phase.PARKED, keep_rank=True, attempt=job.attempt - 1, waits=_json(block),
        until=block.resets_at, delay=delay,
    )  # fmt: skip


def _to(job: Job, state: State, **changes: Any) -> Transition:
    return Transition(id=job.id, state=state, **changes)


def retry_delay(failures: int) -> float:
    """Seconds until the next attempt: doubled each time, with jitter."""
    return min(MAX_DELAY, 2.0**failures) * random.uniform(0.5, 1)


def _json(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()
