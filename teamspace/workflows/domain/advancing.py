"""Advances runs: in the transaction that ends a step's job, under the lock of the run, exactly once.

A step is done when all its jobs have succeeded. Of two servers that end the last two jobs at the same time, the second
waits for the lock and then sees the job of the first: exactly one of them finds the step done.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from teamspace import events, identity, jobs
from teamspace.core.db import Tx
from teamspace.core.messages import render
from teamspace.events import Change
from teamspace.jobs import (
    Authority,
    Cancelled,
    EncodedInput,
    EndedJob,
    Failed,
    JobBatch,
    JobFault,
    JobOrigin,
    JobSubject,
    JobTitle,
    Outcome,
    Queue,
    Succeeded,
)
from teamspace.quota import QuotaAccount, Spend
from teamspace.workflows import access, store
from teamspace.workflows.domain import frozen
from teamspace.workflows.domain.language.specs import MapStep, WorkflowSpec
from teamspace.workflows.domain.language.transitions import Begin, Fail, Finish, Following, advance
from teamspace.workflows.schemas import (
    MAX_OBJECTS,
    ItemRow,
    NewStep,
    RunFault,
    RunRow,
    RunState,
    StepInput,
    StepResult,
    StepState,
)

KIND = "workflow.step"
_CANCELLED = JobFault.keyed("workflows.job_cancelled", "cancelled", retryable=False)


async def lock(tx: Tx, run_id: str) -> RunRow | None:
    """Lock a run and return it, or None if it has ended."""
    run = await store.lock(tx, run_id)
    return run if run and run.state is RunState.RUNNING else None


async def jobs_ended(tx: Tx, ended: Sequence[tuple[EndedJob, Outcome]], queue: Queue) -> None:
    """Go on with the run whose jobs have just ended, if it has not ended itself."""
    run_id = _origin(ended[0][0]).run_id
    run = await store.lock(tx, run_id)
    assert run is not None
    done = [(job, end.result, len(end.json)) for job, end in ended if isinstance(end, Succeeded)]
    await _note_results(tx, run, [(_origin(job), result, size) for job, result, size in done])
    of_step = [(job, end) for job, end in ended if _origin(job).step == run.step]
    if run.state is not RunState.RUNNING or not of_step or not await _go_on(tx, queue, run, of_step):
        await _record(tx, run.org_id, run.team_id, run_id)


def _origin(job: EndedJob) -> JobOrigin:
    assert job.origin is not None
    return job.origin


async def _go_on(tx: Tx, queue: Queue, run: RunRow, ended: Sequence[tuple[EndedJob, Outcome]]) -> bool:
    """Go on after jobs of the run's step have ended; return False if it waits for others."""
    step_id = _origin(ended[0][0]).step
    failed = next((end for _, end in ended if not isinstance(end, Succeeded)), None)
    last = ended[-1][1]
    if failed is not None:
        await _stop(tx, queue, run, step_id, failed)
        return True
    assert isinstance(last, Succeeded)
    assert isinstance(last.result, StepResult)
    return await _step_on(tx, queue, run, step_id, last.result, [job.id for job, _ in ended])


async def _note_results(tx: Tx, run: RunRow, done: Sequence[tuple[JobOrigin, Any, int]]) -> None:
    """Remember what jobs have cost and how long their results are, also if the run has ended meanwhile."""
    if not done:
        return
    await store.set_items(
        tx, run.id, [ItemRow(origin.step, origin.item, "", size, result.usage.requests, result.usage.tokens)
        for origin, result, size in done],
    )  # fmt: skip
    results = [result for _, result, _ in done]
    requests, tokens = (sum(getattr(each.usage, name) for each in results) for name in ("requests", "tokens"))
    if requests or tokens:
        await store.add_usage(tx, run.id, requests, tokens)
    if any(each.private for each in results) and not run.private:
        await store.set_private(tx, run.id)
    await add_objects(tx, run, list(dict.fromkeys(id for each in results for id in each.objects)))


async def count_failed(tx: Tx, run: RunRow, input: StepInput, spent: Spend) -> None:
    """Add what a failed attempt has spent to its item and its run."""
    await store.lock(tx, run.id)
    await store.add_item_usage(tx, input, spent.requests, spent.tokens)
    await store.add_usage(tx, run.id, spent.requests, spent.tokens)
    await _record(tx, run.org_id, run.team_id, run.id)


async def _step_on(tx: Tx, queue: Queue, run: RunRow, step_id: str, result: StepResult, ended: Sequence[str]) -> bool:
    """Begin what follows a step, if all its jobs have succeeded. `ended` are those that have just done so."""
    spec = await frozen.load(tx, run.team_id, run.digest)
    if isinstance(spec.step(step_id), MapStep) and await store.is_unfinished(tx, run.id, step_id):
        return False
    counts = run.counts | result.counts
    await store.end_step(tx, run.id, step_id, StepState.SUCCEEDED)
    following = advance(spec, step_id, run.steps_used, counts, result.branch)
    await follow(tx, queue, with_counts(run, counts), spec, following, after=ended)
    return True


def with_counts(run: RunRow, counts: dict[str, int]) -> RunRow:
    return msgspec.structs.replace(run, counts=counts)


async def _stop(tx: Tx, queue: Queue, run: RunRow, step_id: str, outcome: Outcome) -> None:
    """End the run because of a job that failed, or that a person cancelled."""
    if isinstance(outcome, Cancelled):
        await cancel(tx, queue, run, to_fault(outcome.fault or _CANCELLED, step_id))
        return
    fault = to_fault(outcome.fault if isinstance(outcome, Failed) else jobs.LOST, step_id)
    await fail(tx, queue, run, step_id, fault)


async def fail(tx: Tx, queue: Queue, run: RunRow, step_id: str, fault: RunFault) -> None:
    """End the run as failed: queued jobs are cancelled, running ones finish."""
    await store.end_step(tx, run.id, step_id, StepState.FAILED, fault)
    await _end(tx, run, RunState.FAILED, fault)
    await queue.cancel_run(tx, run.id)


async def cancel(tx: Tx, queue: Queue, run: RunRow, fault: RunFault | None = None) -> None:
    """End the run as cancelled: queued jobs are cancelled, running ones finish, and nothing follows them."""
    if run.step is not None:
        await store.end_step(tx, run.id, run.step, StepState.CANCELLED)
    await _end(tx, run, RunState.CANCELLED, fault)
    await queue.cancel_run(tx, run.id)


async def follow(
    tx: Tx, queue: Queue, run: RunRow, spec: WorkflowSpec, following: Following, *, is_new: bool = False,
    after: Sequence[str] = (),
) -> None:  # fmt: skip
    """Do what the transition function says comes next. `after` are the jobs that have just ended."""
    reached = plan_steps(run.id, following, 0)
    match following:
        case Begin(step_id, count):
            # First, since it is read what became of it: what is only written is sent at once.
            await _enqueue_step(tx, queue, run, spec, step_id, range(count), after=after)
        case Finish():
            await _end(tx, run, RunState.SUCCEEDED, None)
        case Fail(step_id):
            await store.set_position(tx, run.id, step_id, run.steps_used, run.counts)
            await _end(tx, run, RunState.FAILED, reached[-1].error)
    if reached:
        await store.append_steps(tx, run.account, run.id, reached)
    if is_new or isinstance(following, Begin):  # an end is recorded by itself
        await _record(tx, run.org_id, run.team_id, run.id, change=Change.CREATED if is_new else Change.UPDATED)


def plan_steps(run_id: str, following: Following, number: int) -> list[NewStep]:
    """Return the steps that a run reaches: maps without items, and the one that begins or fails."""
    passed = [
        NewStep(run_id, step_id, place, StepState.SUCCEEDED, 0)
        for place, step_id in enumerate(following.passed, number)
    ]
    match following:
        case Begin(step_id, count):
            return [*passed, NewStep(run_id, step_id, number + len(passed), StepState.RUNNING, count)]
        case Fail(step_id, code, key, params):
            fault = RunFault(code, render(key, params), key, params, step_id)
            return [*passed, NewStep(run_id, step_id, number + len(passed), StepState.FAILED, 0, fault)]
        case Finish():
            return passed


async def begin_step(
    tx: Tx, queue: Queue, run: RunRow, spec: WorkflowSpec, step_id: str, number: int, items: Sequence[int],
    done: Sequence[ItemRow],
) -> None:  # fmt: skip
    """Begin a step with a job for each of the items; those that are `done` have a result of an earlier run."""
    total = len(items) + len(done)
    await store.insert_steps(tx, run.account, [NewStep(run.id, step_id, number, StepState.RUNNING, total)])
    await _enqueue_step(tx, queue, run, spec, step_id, items, done)


async def _enqueue_step(
    tx: Tx, queue: Queue, run: RunRow, spec: WorkflowSpec, step_id: str, items: Sequence[int],
    done: Sequence[ItemRow] = (), after: Sequence[str] = (),
) -> None:  # fmt: skip
    batch = new_jobs(authority_of(run), run.id, spec, step_id, items)
    (ids,) = await queue.enqueue_many(tx, run.account, KIND, [batch], after=after)
    await store.insert_items(tx, run.account, {run.id: [*done, *new_items(batch, ids)]})
    await store.set_position(tx, run.id, step_id, run.steps_used + len(items) + len(done), run.counts)


def new_jobs(authority: Authority, run_id: str, spec: WorkflowSpec, step_id: str, items: Sequence[int]) -> JobBatch:
    """Return the jobs of a step: one for each of the items."""
    title = JobTitle(f"{spec.title or spec.slug}: {step_id}", JobSubject(access.RUN.kind, run_id))
    jobs = tuple(_new_job(run_id, step_id, item) for item in items)
    return JobBatch(authority, title, jobs, spec.step(step_id).retry + 1)


def new_items(batch: JobBatch, job_ids: Sequence[str]) -> list[ItemRow]:
    """Return the items of a step, with the jobs that were made for them."""
    origins = (origin for origin, _ in batch.items)
    return [ItemRow(origin.step, origin.item, job_id, 0, 0, 0) for origin, job_id in zip(origins, job_ids, strict=True)]


def _new_job(run_id: str, step_id: str, item: int) -> tuple[JobOrigin, EncodedInput]:
    input = msgspec.json.encode(StepInput(run_id, step_id, item)).decode()
    return JobOrigin(run_id, step_id, item), EncodedInput(input, None)


def authority_of(run: RunRow) -> Authority:
    """Return on whose behalf the run's jobs are done."""
    scope = None if run.scope is None else tuple(map(identity.parse_scope, run.scope))
    return Authority(run.account, scope, run.limited_by)


async def add_objects(tx: Tx, run: RunRow, object_ids: Sequence[str]) -> None:
    """List documents that the run names."""
    if object_ids and run.objects <= MAX_OBJECTS:
        await store.add_objects(tx, run, object_ids, MAX_OBJECTS)


def to_fault(fault: JobFault, step_id: str) -> RunFault:
    return RunFault(fault.code, fault.message, fault.key, fault.params, step_id)


async def _end(tx: Tx, run: RunRow, state: RunState, fault: RunFault | None) -> None:
    await store.end_run(tx, run.id, state, fault)
    await _record(tx, run.org_id, run.team_id, run.id)


async def record_new(tx: Tx, account: QuotaAccount, *run_ids: str) -> None:
    await _record(tx, account.org_id, account.team_id, *run_ids, change=Change.CREATED)


async def _record(tx: Tx, org_id: str, team_id: str, *run_ids: str, change: Change = Change.UPDATED) -> None:
    await events.record(tx, access.RUN.kind, *run_ids, change=change, org_id=org_id, team_id=team_id)
