"""What people see of jobs: in full, or a summary; and why a job waits."""

from collections.abc import Iterable, Sequence

import msgspec

from teamspace import quota
from teamspace.core import paging
from teamspace.core.db import Db, Reads
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.events import ReadableSubjects
from teamspace.jobs import access, store
from teamspace.jobs.domain.channels import local_channel
from teamspace.jobs.domain.kinds import Kinds
from teamspace.jobs.schemas import (
    JobDetail,
    JobItem,
    JobPage,
    JobQuery,
    JobRow,
    JobSubject,
    JobSummary,
    Phase,
    ServedChannel,
    State,
    Waiting,
    WaitReason,
)


async def list_jobs(db: Db, who: Principal, readable: ReadableSubjects, query: JobQuery) -> JobPage:
    filters = {name: str(value) for name in ("state", "kind") if (value := getattr(query, name)) is not None}
    live, archived = (access.fence(who, table) for table in access.TABLES)
    rows = await store.select(db, live, archived, filters, query.before, query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    subjects = await _select_readable(db, who, readable, page.items)
    view = await _View.load(db, who)
    items = [
        await view.render(db, row) if access.may_read(who, row, subjects) else to_summary(row) for row in page.items
    ]
    return JobPage(items, page.next_cursor)


async def find_live_subjects(db: Reads, kind: str, subject_ids: Sequence[str]) -> frozenset[str]:
    """Return those of the subjects for which a job of the kind waits or runs."""
    return frozenset(await store.select_live_subjects(db, kind, subject_ids) if subject_ids else ())


async def find(
    db: Reads, who: Principal, kinds: Kinds, readable: ReadableSubjects, job_id: str
) -> JobDetail | JobSummary:
    row = await get_row(db, who, job_id)
    if not access.may_read(who, row, await _select_readable(db, who, readable, [row])):
        return to_summary(row)
    bodies = await store.get_bodies(db, row.id)
    if bodies is None:
        raise NotFound()
    item = await (await _View.load(db, who)).render(db, row)
    result = None if bodies.result is None else msgspec.json.decode(bodies.result)
    kind = kinds.get(row.kind)
    steps = [*await kind.steps(db, who, row.id)] if result is None and kind and kind.steps else []
    return JobDetail(
        **msgspec.structs.asdict(item), input=msgspec.json.decode(bodies.input), result=result, steps=steps
    )  # fmt: skip


async def get_full(db: Reads, who: Principal, kinds: Kinds, readable: ReadableSubjects, job_id: str) -> JobDetail:
    """Return a job that the caller may read in full, or raise NotFound."""
    found = await find(db, who, kinds, readable, job_id)
    if not isinstance(found, JobDetail):
        raise NotFound()
    return found


async def get_requested(db: Reads, who: Principal, kind: str, job_id: str) -> JobRow:
    """Return a job of this kind that the caller requested, or raise NotFound."""
    row = await get_row(db, who, job_id)
    if row.kind != kind or row.user_id != who.user_id:
        raise NotFound()
    return row


async def get_row(db: Reads, who: Principal, job_id: str) -> JobRow:
    live, archived = (access.fence(who, table) for table in access.TABLES)
    row = await store.get(db, live, archived, job_id)
    if row is None:
        raise NotFound()
    return row


async def _select_readable(
    db: Reads, who: Principal, readable: ReadableSubjects, rows: Iterable[JobRow]
) -> set[JobSubject]:
    """Return those of the jobs' subjects that the caller can read."""
    ids: dict[str, set[str]] = {}
    for subject in (row.subject for row in rows if row.subject):
        ids.setdefault(subject.type, set()).add(subject.id)
    return {JobSubject(type, id) for type, of in ids.items() for id in await readable.select(db, who, type, of)}


def to_summary(row: JobRow) -> JobSummary:
    return JobSummary(
        id=row.id, kind=row.kind, state=row.state, created_at=row.created_at, started_at=row.started_at,
        finished_at=row.finished_at,
    )  # fmt: skip


class _View(msgspec.Struct, frozen=True):
    """What is needed besides its row to explain why a job waits."""

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
        return cls(suspended, company.plan, who.org_id, await store.select_channels(db), {})

    async def _is_full(self, db: Reads, row: JobRow) -> bool:
        if row.kind not in self.full:
            taken = await store.count_taken(db, row.team_id, row.kind)
            self.full[row.kind] = taken >= quota.JOB_CAPS[self.plan]
        return self.full[row.kind]

    async def render(self, db: Reads, row: JobRow) -> JobItem:
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
