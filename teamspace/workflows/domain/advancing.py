"""Advances runs: in the transaction that ends a step's job, under the lock of the run, exactly once.

A step is done when all its jobs have succeeded. Of two servers that end the last two jobs at the same time, the second
waits for the lock and then sees the job of the first: exactly one of them finds the step done.
"""

from collections.abc import Sequence

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
from teamspace.workflows.domain.language.specs import WorkflowSpec
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
    await tx.lock("run", run_id)
    return await store.get_running(tx, run_id)


async def job_ended(tx: Tx, job: EndedJob, outcome: Outcome, queue: Queue) -> None:
    """Go on with the run whose job has just ended, if it has not ended itself."""
    origin = job.origin
    assert origin is not None
    run = await lock(tx, origin.run_id)
    if isinstance(outcome, Succeeded):
        assert isinstance(outcome.result, StepResult)
        await _note_result(tx, job, origin, outcome.result, len(outcome.json))
    if run is None or run.step != origin.step:
        return
    if isinstance(outcome, Succeeded) and isinstance(outcome.result, StepResult):
        await _step_on(tx, queue, run, origin.step, outcome.result)
    else:
        await _stop(tx, queue, run, origin.step, outcome)


async def _note_result(tx: Tx, job: EndedJob, origin: JobOrigin, result: StepResult, size: int) -> None:
    """Remember what a job has cost and how long its result is, also if the run has ended meanwhile."""
    spent = result.usage
    await store.set_item(
        tx, origin.run_id, origin.step, origin.item, size=size, requests=spent.requests, tokens=spent.tokens
    )
    if spent.requests or spent.tokens:
        await store.add_usage(tx, origin.run_id, spent.requests, spent.tokens)
    if result.private:
        await store.set_private(tx, origin.run_id)
    if result.objects and (run := await store.get_stored(tx, origin.run_id)):
        await add_objects(tx, run, result.objects)
    await _record(tx, job.account.org_id, job.account.team_id, origin.run_id)


async def count_failed(tx: Tx, run: RunRow, input: StepInput, spent: Spend) -> None:
    """Add what a failed attempt has spent to its item and its run."""
    await tx.lock("run", run.id)
    await store.add_item_usage(tx, input, spent.requests, spent.tokens)
    await store.add_usage(tx, run.id, spent.requests, spent.tokens)
    await _record(tx, run.org_id, run.team_id, run.id)


async def _step_on(tx: Tx, queue: Queue, run: RunRow, step_id: str, result: StepResult) -> None:
    """Begin what follows a step, if all its jobs have succeeded."""
    if await store.is_unfinished(tx, run.id, step_id):
        return
    spec = await frozen.load(tx, run.team_id, run.digest)
    counts = run.counts | result.counts
    await store.end_step(tx, run.id, step_id, StepState.SUCCEEDED)
    following = advance(spec, step_id, run.steps_used, counts, result.branch)
    await follow(tx, queue, with_counts(run, counts), spec, following)


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
) -> None:  # fmt: skip
    """Do what the transition function says comes next."""
    reached = plan_steps(run.id, following, await store.next_number(tx, run.id))
    if reached:
        await store.insert_steps(tx, run.account, reached)
    match following:
        case Begin(step_id, count):
            await _enqueue_step(tx, queue, run, spec, step_id, range(count))
        case Finish():
            await _end(tx, run, RunState.SUCCEEDED, None)
        case Fail(step_id):
            await store.set_position(tx, run.id, step_id, run.steps_used, run.counts)
            await _end(tx, run, RunState.FAILED, reached[-1].error)
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
    done: Sequence[ItemRow] = (),
) -> None:  # fmt: skip
    batch = new_jobs(authority_of(run), run.id, spec, step_id, items)
    (ids,) = await queue.enqueue_many(tx, run.account, KIND, [batch])
    await store.insert_items(tx, run.account, {run.id: [*done, *new_items(batch, ids)]})
    await store.set_position(tx, run.id, step_id, run.steps_used + len(items) + len(done), run.counts)


def new_jobs(authority: Authority, run_id: str, spec: WorkflowSpec, step_id: str, items: Sequence[int]) -> JobBatch:
    """Return the jobs of a step: one for each of the items."""
    title = JobTitle(f"{spec.slug}: {step_id}", JobSubject(access.RUN.kind, run_id))
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
