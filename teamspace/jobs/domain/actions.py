"""What people can do with jobs: create, retry, cancel, stop."""

import msgspec

from teamspace import quota
from teamspace.core import text
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotCancellable, NotFound
from teamspace.core.principal import Principal
from teamspace.events import ReadableSubjects
from teamspace.jobs import access, store
from teamspace.jobs.domain import viewing
from teamspace.jobs.domain.forgetting import repeating
from teamspace.jobs.domain.kinds import BoundKind
from teamspace.jobs.domain.queue import Queue
from teamspace.jobs.domain.routing import JobRouter
from teamspace.jobs.schemas import Authority, EncodedInput, JobDetail, JobDraft, JobOrigin, JobSummary, State

_FINISHED = (State.SUCCEEDED, State.FAILED, State.CANCELLED)


async def enqueue(
    db: Db, who: Principal, queue: Queue, router: JobRouter, readable: ReadableSubjects, draft: JobDraft
) -> JobDetail:
    """Create a job, unless the team has used up the quota that it would spend."""
    kind, input = await _read_draft(db, who, queue, readable, draft)
    kind.check_requester(who)
    if kind.verify:
        await kind.verify(db, who, input)
    run_at = None if draft.run_at is None else text.timestamp(draft.run_at, "run_at")
    encoded = queue.encode(kind.name, input)
    origin = await _find_origin(db, draft)
    async with db.write(who, "job.enqueue") as tx:
        await _check_quota(tx, who, encoded)
        title = await kind.describe(tx, who, input) if kind.describe else None
        route = await router.route(tx, who, kind, input)
        tx.target = await queue.enqueue(
            tx, Authority.of(who), kind.name, encoded, title=title, origin=origin, channel=route.channel, model=route.model,
            priority=draft.priority, run_at=run_at, retry_of=draft.retry_of,
        )  # fmt: skip
        tx.detail = {"kind": kind.name}
    return await viewing.get_full(db, who, queue.kinds, readable, tx.target)


async def cancel(
    db: Db, who: Principal, queue: Queue, readable: ReadableSubjects, job_id: str
) -> JobDetail | JobSummary:
    """Cancel a queued job. A running job is not stopped, and its result is kept."""
    async with db.write(who, "job.cancel") as tx:
        row = await viewing.get_row(tx, who, job_id)
        if not access.may_cancel(who, row):
            raise Forbidden("jobs.cancel_others")
        tx.target = job_id
        if not await queue.cancel(tx, job_id):
            raise NotCancellable("jobs.running" if row.state is State.RUNNING else "jobs.finished")
    return await viewing.find(db, who, queue.kinds, readable, job_id)


async def request_stop(tx: Tx, who: Principal, queue: Queue, job_id: str) -> bool:
    """Ask a job of the caller's to stop; return False if it has ended. Raises NotFound if its kind cannot be stopped."""
    row = await viewing.get_row(tx, who, job_id)
    kind = queue.kinds.get(row.kind)
    if not access.is_requester(who, row) or kind is None or not kind.row.stoppable:
        raise NotFound()
    return await queue.request_stop(tx, job_id)


async def _read_draft(
    db: Db, who: Principal, queue: Queue, readable: ReadableSubjects, draft: JobDraft
) -> tuple[BoundKind, msgspec.Struct]:
    if draft.retry_of is None:
        if draft.kind is None:
            raise BadRequest.at("/kind", "jobs.kind_or_retry")
        kind = queue.kinds.callable(draft.kind)
        return kind, kind.read_input({} if draft.input is None else draft.input)
    if draft.kind is not None or draft.input is not None:
        raise BadRequest.at("/retry_of", "jobs.retry_alone")
    before = await viewing.get_full(db, who, queue.kinds, readable, draft.retry_of)
    if before.state not in _FINISHED:
        raise BadRequest.at("/retry_of", "jobs.retry_unfinished", state=before.state)
    kind = queue.kinds.callable(before.kind)
    return kind, kind.read_input(before.input)


async def _find_origin(db: Db, draft: JobDraft) -> JobOrigin | None:
    """A job that repeats one that was made for another has the same texts, and is forgotten with it."""
    run_id = None if draft.retry_of is None else await store.get_run_id(db, draft.retry_of)
    return None if run_id is None else JobOrigin(repeating(run_id), "retry")


async def _check_quota(tx: Tx, who: Principal, input: EncodedInput) -> None:
    """Raise if a quota is exhausted. A free slot is not required: the job will wait for one."""
    if input.estimate is not None:
        account = quota.QuotaAccount.of(who)
        if bound := await quota.find_exhausted(tx, account, input.estimate, slot=False):
            raise quota.refusal(bound)
