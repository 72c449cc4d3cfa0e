"""What people can do with jobs: create, list, read, cancel, retry."""

import msgspec

from teamspace import quota
from teamspace.core import paging, text
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotCancellable, NotFound
from teamspace.core.principal import Principal
from teamspace.jobs import access, store
from teamspace.jobs.domain.channels import local_channel
from teamspace.jobs.domain.kinds import BoundKind
from teamspace.jobs.domain.queue import Queue
from teamspace.jobs.domain.routing import JobRouter
from teamspace.jobs.schemas import (
    Authority,
    JobDetail,
    JobDraft,
    JobItem,
    JobPage,
    JobQuery,
    JobRow,
    JobSummary,
    Phase,
    ServedChannel,
    State,
    Waiting,
    WaitReason,
)

_FINISHED = (State.SUCCEEDED, State.FAILED, State.CANCELLED)


async def enqueue(db: Db, who: Principal, queue: Queue, router: JobRouter, draft: JobDraft) -> JobDetail:
    """Create a job, unless the team has used up the quota that it would spend."""
    kind, input = await _read_draft(db, who, queue, draft)
    kind.check_requester(who)
    run_at = None if draft.run_at is None else text.timestamp(draft.run_at, "run_at")
    async with db.write(who, "job.enqueue") as tx:
        await _check_quota(tx, who, kind, input)
        title = await kind.describe(tx, who, input) if kind.describe else None
        route = await router.route(tx, who, kind, input)
        tx.target = await queue.enqueue(
            tx, Authority.of(who), kind.name, input, title=title, channel=route.channel, model=route.model,
            priority=draft.priority, run_at=run_at, retry_of=draft.retry_of,
        )  # fmt: skip
        tx.detail = {"kind": kind.name}
    return await _get_readable(db, who, tx.target)


async def cancel(db: Db, who: Principal, queue: Queue, job_id: str) -> JobDetail:
    """Cancel a queued job. A running job is not stopped, and its result is kept."""
    async with db.write(who, "job.cancel") as tx:
        row = await _get_row(tx, who, job_id)
        if not access.may_read(who, row.user_id):
            raise Forbidden("jobs.cancel_others")
        tx.target = job_id
        if not await queue.cancel(tx, job_id):
            raise NotCancellable("jobs.running" if row.state is State.RUNNING else "jobs.finished")
    return await _get_readable(db, who, job_id)


async def listing(db: Db, who: Principal, query: JobQuery) -> JobPage:
    filters = {name: str(value) for name in ("state", "kind") if (value := getattr(query, name)) is not None}
    live, archived = (access.fence(who, table) for table in access.TABLES)
    rows = await store.select(db, live, archived, filters, query.before, query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    view = await _View.load(db, who)
    return JobPage([await view.render(db, row) for row in page.items], page.next_cursor)


async def find(db: Reads, who: Principal, job_id: str) -> JobDetail | JobSummary:
    row = await _get_row(db, who, job_id)
    return await _load_detail(db, who, row) if access.may_read(who, row.user_id) else to_summary(row)


async def _load_detail(db: Reads, who: Principal, row: JobRow) -> JobDetail:
    bodies = await store.get_bodies(db, row.id)
    if bodies is None:
        raise NotFound()
    item = await (await _View.load(db, who)).render_item(db, row)
    result = None if bodies.result is None else msgspec.json.decode(bodies.result)
    return JobDetail(**msgspec.structs.asdict(item), input=msgspec.json.decode(bodies.input), result=result)


async def _get_readable(db: Reads, who: Principal, job_id: str) -> JobDetail:
    """Return a job that the caller may read in full, or raise NotFound."""
    row = await _get_row(db, who, job_id)
    if not access.may_read(who, row.user_id):
        raise NotFound()
    return await _load_detail(db, who, row)


async def _get_row(db: Reads, who: Principal, job_id: str) -> JobRow:
    live, archived = (access.fence(who, table) for table in access.TABLES)
    row = await store.get(db, live, archived, job_id)
    if row is None:
        raise NotFound()
    return row


async def _read_draft(db: Db, who: Principal, queue: Queue, draft: JobDraft) -> tuple[BoundKind, msgspec.Struct]:
    if draft.retry_of is None:
        if draft.kind is None:
            raise BadRequest.at("/kind", "jobs.kind_or_retry")
        kind = queue.kinds.callable(draft.kind)
        return kind, kind.read_input({} if draft.input is None else draft.input)
    if draft.kind is not None or draft.input is not None:
        raise BadRequest.at("/retry_of", "jobs.retry_alone")
    before = await _get_readable(db, who, draft.retry_of)
    if before.state not in _FINISHED:
        raise BadRequest.at("/retry_of", "jobs.retry_unfinished", state=before.state)
    kind = queue.kinds.callable(before.kind)
    return kind, kind.read_input(before.input)


async def _check_quota(tx: Tx, who: Principal, kind: BoundKind, input: msgspec.Struct) -> None:
    """Raise if a quota is exhausted. A free slot is not required: the job will wait for one."""
    if kind.estimate is not None:
        account = quota.QuotaAccount.of(who)
        if bound := await quota.find_exhausted(tx, account, kind.estimate(input), slot=False):
            raise quota.refusal(bound)


def to_summary(row: JobRow) -> JobSummary:
    return JobSummary(
        id=row.id, kind=row.kind, state=row.state, created_at=row.created_at, started_at=row.started_at,
        finished_at=row.finished_at,
    )  # fmt: skip


class _View(msgspec.Struct, frozen=True):
    """What is needed besides its row to explain why a job waits."""

    who: Principal
    suspended: bool
    plan: quota.Plan
    org_id: str
    served: list[ServedChannel]
    full: dict[str, bool]
    """Whether the lane is full, by kind; filled on demand."""

    @classmethod
    async def load(cls, db: Reads, who: Principal) -> "_View":
        company = await store.get_company(db, who.org_id)
        if company is None:
            raise NotFound()
        suspended = who.tenant_suspended or company.suspended
        return cls(who, suspended, company.plan, who.org_id, await store.select_channels(db), {})

    async def _is_full(self, db: Reads, row: JobRow) -> bool:
        if row.kind not in self.full:
            taken = await store.count_taken(db, row.team_id, row.kind)
            self.full[row.kind] = taken >= quota.JOB_CAPS[self.plan]
        return self.full[row.kind]

    async def render(self, db: Reads, row: JobRow) -> JobItem | JobSummary:
        return await self.render_item(db, row) if access.may_read(self.who, row.user_id) else to_summary(row)

    async def render_item(self, db: Reads, row: JobRow) -> JobItem:
        return JobItem(
            id=row.id, kind=row.kind, state=row.state, title=row.title, subject=row.subject, owner=row.user_id, team_id=row.team_id, model=row.model,
            executor=row.executor_id, priority=row.priority, run_at=row.run_at, attempt=row.attempt,
            max_attempts=row.max_attempts, progress=None if row.progress is None else row.progress / 1000,
            message=row.message, waiting=await self._explain_wait(db, row) if row.state is State.QUEUED else None,
            error=row.error, retry_of=row.retry_of, lease_expires_at=row.lease_until, created_at=row.created_at,
            started_at=row.started_at, finished_at=row.finished_at,
        )  # fmt: skip

    async def _explain_wait(self, db: Reads, row: JobRow) -> Waiting:
        if self.suspended:
            return Waiting.because(WaitReason.SUSPENDED, "waiting.suspended")
        if row.phase is Phase.SCHEDULED and row.attempt:
            return Waiting.because(WaitReason.RETRY, "waiting.retry", row.run_at, attempt=row.attempt)
        if row.phase is Phase.SCHEDULED:
            return Waiting.because(WaitReason.SCHEDULED, "waiting.scheduled", row.run_at)
        if row.waits is not None:
            block = row.waits
            return Waiting.because(
                WaitReason.QUOTA, "waiting.quota", block.resets_at, block, dimension=block.dimension, level=block.level
            )
        served = {channel.channel for channel in self.served if channel.org_id in ("", self.org_id)}
        if row.channel not in (local_channel(row.kind), *served):
            return Waiting.because(WaitReason.NO_WORKER, "waiting.no_worker")
        if row.rank is None and await self._is_full(db, row):
            return Waiting.because(WaitReason.CAP, "waiting.cap")
        return Waiting.because(WaitReason.NEXT, "waiting.next")
