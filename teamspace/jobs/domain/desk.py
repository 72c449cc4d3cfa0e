"""What people do with jobs: ask for one, look at them, take one back, try one again."""

import msgspec

from teamspace import quota
from teamspace.core import paging, text
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotCancellable, NotFound
from teamspace.core.principal import Principal
from teamspace.jobs import access, store
from teamspace.jobs.domain.kinds import Kind
from teamspace.jobs.domain.places import local_place
from teamspace.jobs.domain.placing import Placing
from teamspace.jobs.domain.queue import Queue
from teamspace.jobs.schemas import (
    Job,
    JobDraft,
    JobItem,
    JobOutline,
    JobPage,
    JobQuery,
    JobRow,
    Phase,
    Place,
    Reason,
    State,
    Waiting,
)

_OVER = (State.SUCCEEDED, State.FAILED, State.CANCELLED)


async def ask(db: Db, who: Principal, queue: Queue, placing: Placing, draft: JobDraft) -> Job:
    """Into the queue, unless the team has used up what the job would spend."""
    kind, input = await _wanted(db, who, queue, draft)
    kind.check_asker(who)
    run_at = None if draft.run_at is None else text.moment(draft.run_at, "run_at")
    async with db.write(who, "job.enqueue") as tx:
        await _check_quota(tx, who, kind, input)
        placed = await placing.place(tx, who, kind, input)
        tx.target = await queue.enqueue(
            tx, who, kind.name, input, place=placed.place, model=placed.model, priority=draft.priority, run_at=run_at,
            retry_of=draft.retry_of,
        )  # fmt: skip
        tx.detail = {"kind": kind.name}
    return await _own(db, who, tx.target)


async def cancel(db: Db, who: Principal, queue: Queue, job_id: str) -> Job:
    """Only while it waits: what runs is not stopped, and its result is kept."""
    async with db.write(who, "job.cancel") as tx:
        row = await _row(tx, who, job_id)
        if not access.may_read(who, row.user_id):
            raise Forbidden("A job is cancelled by whoever asked for it, or by those who run the team.")
        tx.target = job_id
        if not await queue.cancel(tx, job_id):
            state = "running" if row.state is State.RUNNING else "over"
            raise NotCancellable(f"The job is {state}: only one that waits can be cancelled.")
    return await _own(db, who, job_id)


async def listing(db: Db, who: Principal, query: JobQuery) -> JobPage:
    filters = {name: str(value) for name in ("state", "kind") if (value := getattr(query, name)) is not None}
    live, archived = (access.fence(who, table) for table in access.TABLES)
    rows = await store.select(db, live, archived, filters, query.before, query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    view = await _View.now(db, who)
    return JobPage([await view.shown(db, row) for row in page.items], page.next_cursor)


async def find(db: Reads, who: Principal, job_id: str) -> Job | JobOutline:
    row = await _row(db, who, job_id)
    return await _whole(db, who, row) if access.may_read(who, row.user_id) else outline(row)


async def _whole(db: Reads, who: Principal, row: JobRow) -> Job:
    bodies = await store.get_bodies(db, row.id)
    if bodies is None:
        raise NotFound()
    item = await (await _View.now(db, who)).item(db, row)
    result = None if bodies.result is None else msgspec.json.decode(bodies.result)
    return Job(**msgspec.structs.asdict(item), input=msgspec.json.decode(bodies.input), result=result)


async def _own(db: Reads, who: Principal, job_id: str) -> Job:
    """One that the caller may read."""
    row = await _row(db, who, job_id)
    if not access.may_read(who, row.user_id):
        raise NotFound()
    return await _whole(db, who, row)


async def _row(db: Reads, who: Principal, job_id: str) -> JobRow:
    live, archived = (access.fence(who, table) for table in access.TABLES)
    row = await store.get(db, live, archived, job_id)
    if row is None:
        raise NotFound()
    return row


async def _wanted(db: Db, who: Principal, queue: Queue, draft: JobDraft) -> tuple[Kind, msgspec.Struct]:
    if draft.retry_of is None:
        if draft.kind is None:
            raise BadRequest.at("/kind", "is missing, and so is retry_of")
        kind = queue.kinds.callable(draft.kind)
        return kind, kind.read_input({} if draft.input is None else draft.input)
    if draft.kind is not None or draft.input is not None:
        raise BadRequest.at("/retry_of", "brings its own kind and input: leave those out")
    before = await _own(db, who, draft.retry_of)
    if before.state not in _OVER:
        raise BadRequest.at("/retry_of", f"is still {before.state}")
    kind = queue.kinds.callable(before.kind)
    return kind, kind.read_input(before.input)


async def _check_quota(tx: Tx, who: Principal, kind: Kind, input: msgspec.Struct) -> None:
    """A free slot is not asked for: the job will wait for one."""
    if kind.estimate is not None:
        account = quota.Account.of(who)
        if bound := await quota.exhausted(tx, account, kind.estimate(input), slot=False):
            raise quota.refusal(bound)


def outline(row: JobRow) -> JobOutline:
    return JobOutline(
        id=row.id, kind=row.kind, state=row.state, created_at=row.created_at, started_at=row.started_at,
        finished_at=row.finished_at,
    )  # fmt: skip


class _View(msgspec.Struct, frozen=True):
    """What must be known besides a row to say why it waits."""

    who: Principal
    suspended: bool
    plan: quota.Plan
    org_id: str
    served: list[Place]
    full: dict[str, bool]
    """By kind, as far as it was asked for."""

    @classmethod
    async def now(cls, db: Reads, who: Principal) -> "_View":
        company = await store.get_company(db, who.org_id)
        if company is None:
            raise NotFound()
        suspended = who.tenant_suspended or company.suspended
        return cls(who, suspended, company.plan, who.org_id, await store.select_places(db), {})

    async def _is_full(self, db: Reads, row: JobRow) -> bool:
        if row.kind not in self.full:
            taken = await store.count_taken(db, row.team_id, row.kind)
            self.full[row.kind] = taken >= quota.JOB_CAPS[self.plan]
        return self.full[row.kind]

    async def shown(self, db: Reads, row: JobRow) -> JobItem | JobOutline:
        return await self.item(db, row) if access.may_read(self.who, row.user_id) else outline(row)

    async def item(self, db: Reads, row: JobRow) -> JobItem:
        return JobItem(
            id=row.id, kind=row.kind, state=row.state, owner=row.user_id, team_id=row.team_id, model=row.model,
            executor=row.executor_id, priority=row.priority, run_at=row.run_at, attempt=row.attempt,
            max_attempts=row.attempts, progress=None if row.progress is None else row.progress / 1000,
            message=row.message, waiting=await self._waiting(db, row) if row.state is State.QUEUED else None,
            error=row.error, retry_of=row.retry_of, lease_expires_at=row.lease_until, created_at=row.created_at,
            started_at=row.started_at, finished_at=row.finished_at,
        )  # fmt: skip

    async def _waiting(self, db: Reads, row: JobRow) -> Waiting:
        if self.suspended:
            return Waiting(Reason.SUSPENDED, "The company is suspended: its jobs wait until it is resumed.")
        if row.phase is Phase.SCHEDULED and row.attempt:
            return Waiting(Reason.RETRY, f"Attempt {row.attempt} failed; it is tried again.", row.run_at)
        if row.phase is Phase.SCHEDULED:
            return Waiting(Reason.SCHEDULED, "Its time has not come.", row.run_at)
        if row.waits is not None:
            detail = f"The quota {row.waits.dimension} ({row.waits.level}) is used up."
            return Waiting(Reason.QUOTA, detail, row.waits.resets_at, row.waits)
        served = {place.place for place in self.served if place.org_id in ("", self.org_id)}
        if row.place not in (local_place(row.kind), *served):
            return Waiting(Reason.NO_WORKER, "No worker that could take it has asked for work lately.")
        if row.rank is None and await self._is_full(db, row):
            return Waiting(Reason.CAP, "The team has as many jobs of this kind under way as its plan allows.")
        return Waiting(Reason.NEXT, "It is its turn as soon as a worker is free.")
