"""What people see of runs: in full, or an outline."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from teamspace.core import paging
from teamspace.core.db import Db, Reads
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.workflows import access, store
from teamspace.workflows.domain import definitions, frozen, outputs
from teamspace.workflows.domain.advancing import to_fault
from teamspace.workflows.domain.language.specs import ChoiceStep, MapStep, SpecStep
from teamspace.workflows.schemas import (
    MAX_OBJECTS,
    ItemReport,
    ItemRow,
    JobStateRow,
    RunDetail,
    RunItem,
    RunOutline,
    RunPage,
    RunQuery,
    RunRow,
    RunState,
    RunStepRow,
    RunUsage,
    StepReport,
    StepState,
    TitledRunRow,
)

MAX_ITEMS = 200
"""Of a step, in the detail of a run."""
MAX_VALUE = 32 * 1024
"""Characters of a value in the detail of a run; the job has longer ones."""
MAX_VALUES = 1024 * 1024
"""Characters of all values together."""
_UNREACHED = {RunState.RUNNING: StepState.PENDING, RunState.CANCELLED: StepState.CANCELLED}


async def list_runs(db: Db, who: Principal, query: RunQuery) -> RunPage:
    filters = {name: str(value) for name in ("state", "slug") if (value := getattr(query, name)) is not None}
    full = access.full_fence(who)
    if query.object is None:
        rows = await store.select_runs(db, access.team_fence(who), filters, query.before, query.size + 1)
    else:
        rows = await store.select_naming(db, full, query.object, filters, query.before, query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    readable = set(await store.select_admitted(db, full, [row.id for row in page.items]))
    active = set(await store.select_active(db, [row.id for row in page.items if row.state is RunState.RUNNING]))
    items = [_to_item(row, active) if row.id in readable else _to_outline(row) for row in page.items]
    return RunPage(items, page.next_cursor)


async def get_visible(db: Reads, who: Principal, run_id: str) -> TitledRunRow:
    """Return a run of the caller's team, or raise NotFound."""
    run = await store.get_run(db, access.team_fence(who), run_id)
    if run is None:
        raise NotFound()
    return run


async def is_readable(db: Reads, who: Principal, run_id: str) -> bool:
    """Whether the caller may read the run in full."""
    return await store.get_run(db, access.full_fence(who), run_id) is not None


async def find(db: Db, who: Principal, run_id: str) -> RunDetail | RunOutline:
    run = await get_visible(db, who, run_id)
    return await _describe(db, run) if await is_readable(db, who, run_id) else _to_outline(run)


async def get_started(db: Db, who: Principal, run_id: str) -> RunDetail:
    """Return a run that the caller has just started, also to a token that may not read runs."""
    return await _describe(db, await get_visible(db, who, run_id))


def _to_outline(run: TitledRunRow) -> RunOutline:
    return RunOutline(
        id=run.id, slug=run.slug, version=run.version, title=run.title, state=run.state, created_at=run.created_at,
        finished_at=run.finished_at,
    )  # fmt: skip


def _to_item(run: TitledRunRow, active: Iterable[str]) -> RunItem:
    return RunItem(
        id=run.id, slug=run.slug, version=run.version, title=run.title, state=run.state,
        waiting=run.state is RunState.RUNNING and run.id not in active, owner=run.owner_id, trigger_id=run.trigger_id,
        resumed_from=run.resumed_from, steps_used=run.steps_used, max_steps=run.max_steps, error=run.error,
        usage=RunUsage(run.requests, run.tokens), created_at=run.created_at, finished_at=run.finished_at,
    )  # fmt: skip


async def _describe(db: Db, run: TitledRunRow) -> RunDetail:
    spec = await frozen.load(db, run.team_id, run.digest)
    stored = await store.get_spec(db, run.team_id, run.digest) or "{}"
    items = dict[str, list[ItemRow]]()
    for item in await store.select_items(db, run.id):
        items.setdefault(item.step_id, []).append(item)
    reached = {step.step_id: step for step in await store.select_steps(db, run.id)}
    view = _StepsView(
        run,
        await _job_states(db, items.values()),
        await _load_values(db, [items[step] for step in reached if step in items]),
    )
    listed = await store.select_objects(db, run.id) if run.objects <= MAX_OBJECTS else []
    base = msgspec.structs.asdict(_to_item(run, await store.select_active(db, [run.id])))
    input = await store.get_input(db, run.id) or "{}"
    return RunDetail(
        **base,
        input=await outputs.decode(input) if len(input) <= MAX_VALUE else _truncated(len(input)),
        locale=run.locale,
        spec=definitions.shown(stored, run.version),
        objects=listed,
        steps=[view.render(step, reached.get(step.id), items.get(step.id, [])) for step in spec.steps],
    )


async def _job_states(db: Reads, items: Iterable[Sequence[ItemRow]]) -> dict[str, JobStateRow]:
    ids = [item.job_id for each in items for item in each]
    return {row.id: row for row in await store.select_job_states(db, ids)} if ids else {}


async def _load_values(db: Reads, steps: Iterable[Sequence[ItemRow]]) -> dict[str, Any]:
    """Return the values of the first items of each step, by job, as long as there is room for them."""
    room, values = MAX_VALUES, dict[str, Any]()
    for items in steps:
        for item in items[:MAX_ITEMS]:
            if not item.size:
                continue
            values[item.job_id] = _truncated(item.size)
            if item.size <= min(MAX_VALUE, room) and (result := await store.get_result(db, item.job_id)):
                room -= item.size
                values[item.job_id] = await outputs.decode_result(result)
    return values


def _truncated(size: int) -> dict[str, int]:
    return {"truncated": size}


class _StepsView(msgspec.Struct, frozen=True):
    """What is needed to describe the steps of a run."""

    run: RunRow
    jobs: Mapping[str, JobStateRow]
    values: Mapping[str, Any]

    def render(self, step: SpecStep, row: RunStepRow | None, items: Sequence[ItemRow]) -> StepReport:
        states = Counter(self.jobs[item.job_id].state for item in items if item.job_id in self.jobs)
        succeeded = row is not None and row.state is StepState.SUCCEEDED
        return StepReport(
            id=step.id, kind=_kind(step), tool=None if isinstance(step, ChoiceStep) else step.tool,
            state=row.state if row else _UNREACHED.get(self.run.state, StepState.SKIPPED),
            total=row.total if row else 0, succeeded=states["succeeded"], failed=states["failed"],
            running=states["running"], started_at=row.started_at if row else None,
            finished_at=row.finished_at if row else None,
            output={"result": self.values.get(items[0].job_id)} if succeeded and not isinstance(step, MapStep) else None,
            error=row.error if row else None,
            usage=RunUsage(sum(item.requests for item in items), sum(item.tokens for item in items)),
            items=[self._item(item) for item in items[:MAX_ITEMS]],
        )  # fmt: skip

    def _item(self, item: ItemRow) -> ItemReport:
        job = self.jobs.get(item.job_id)
        return ItemReport(
            index=item.item, state=job.state if job else "cancelled", job_id=item.job_id,
            result=self.values.get(item.job_id), attempt=job.attempt if job else 0,
            error=None if job is None or job.error is None else to_fault(job.error, item.step_id),
        )  # fmt: skip


def _kind(step: SpecStep) -> str:
    return str(step.__struct_config__.tag)
