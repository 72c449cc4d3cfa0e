"""Resumes runs: a new run takes over what has succeeded in one that failed or was cancelled, and executes the rest."""

from collections.abc import Sequence
from typing import Any

import msgspec

from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.jobs import Authority, Queue
from teamspace.workflows import store
from teamspace.workflows.domain import advancing, frozen, outputs, viewing
from teamspace.workflows.domain.language.specs import WorkflowSpec
from teamspace.workflows.domain.language.transitions import Following, advance, begin
from teamspace.workflows.schemas import (
    ItemRow,
    NewRun,
    RunRow,
    RunState,
    RunStepRow,
    StepMeta,
    StepState,
)

_RESUMABLE = (RunState.FAILED, RunState.CANCELLED)


class ResumedRun(msgspec.Struct, frozen=True):
    """What a new run takes over from an old one, and where it goes on."""

    old: RunRow
    spec: WorkflowSpec
    done: tuple[RunStepRow, ...]
    """The steps of which every item has succeeded."""
    items: tuple[ItemRow, ...]
    """Their items."""
    counts: dict[str, int]
    partial: RunStepRow | None = None
    """The step of which some items are missing."""
    kept: tuple[ItemRow, ...] = ()
    """Its items that have succeeded."""
    missing: tuple[int, ...] = ()
    following: Following | None = None
    """What comes after the last step that is done, if none is partial."""


async def plan(db: Db, who: Principal, slug: str, run_id: str, input: dict[str, Any]) -> ResumedRun:
    """Find out what to take over; raise if the run cannot be resumed."""
    old = await viewing.get_visible(db, who, run_id)
    if not await viewing.is_readable(db, who, run_id):
        raise NotFound()
    if old.slug != slug:
        raise BadRequest.at("/resume_from", "workflows.resume_other", slug=old.slug)
    if old.state not in _RESUMABLE:
        raise Conflict("workflows.resume_state", state=old.state)
    if await store.select_active(db, [old.id]):
        raise Conflict("workflows.resume_active")
    if input and input != (await outputs.load_input(db, old.id)).value:
        raise BadRequest.at("/input", "workflows.resume_input")
    spec = await frozen.load(db, old.team_id, old.digest)
    steps = await store.select_steps(db, old.id)
    done = tuple(step for step in steps if step.state is StepState.SUCCEEDED)
    items = await store.select_items(db, old.id)
    finished = {step.step_id for step in done}
    base = ResumedRun(old, spec, done, tuple(item for item in items if item.step_id in finished), old.counts)
    rest = [step for step in steps if step.state is not StepState.SUCCEEDED]
    if not rest:
        return _after(base, begin(spec, spec.start, 0, old.counts))
    return await _plan_rest(db, base, rest[0], [item for item in items if item.step_id == rest[0].step_id])


async def _plan_rest(db: Reads, base: ResumedRun, step: RunStepRow, items: Sequence[ItemRow]) -> ResumedRun:
    """Plan the step at which the run ended: it has items that are missing, or never began."""
    if not items:
        return _after(base, begin(base.spec, step.step_id, len(base.items), base.counts))
    ends = await store.select_ends(db, base.old.id, step.step_id)
    succeeded = {end.item for end in ends if end.state == "succeeded"}
    kept = tuple(item for item in items if item.item in succeeded)
    missing = tuple(item.item for item in items if item.item not in succeeded)
    if missing:
        return msgspec.structs.replace(base, partial=step, kept=kept, missing=missing)
    # Its last items have finished after the run was cancelled: no one has looked at what they returned.
    meta = await load_meta(db, items[0].job_id)
    counts = base.counts | meta.counts
    following = advance(base.spec, step.step_id, len(base.items) + len(items), counts, meta.branch)
    complete = msgspec.structs.replace(
        base, done=(*base.done, step), items=(*base.items, *items), counts=counts
    )  # fmt: skip
    return _after(complete, following)


def _after(base: ResumedRun, following: Following) -> ResumedRun:
    return msgspec.structs.replace(base, following=following)


async def load_meta(db: Reads, job_id: str) -> StepMeta:
    """Return what the engine needs of a job's result."""
    result = await store.get_result(db, job_id)
    return StepMeta() if result is None else await outputs.decode_meta(result)


async def start(tx: Tx, queue: Queue, authority: Authority, resumed: ResumedRun) -> str:
    """Start the new run and return its id."""
    old = resumed.old
    new = NewRun(
        id=new_id(), authority=authority, slug=old.slug, version=old.version, digest=old.digest, max_steps=old.max_steps,
        counts=resumed.counts, locale=old.locale, trigger_id=old.trigger_id, resumed_from=old.id,
        steps_used=len(resumed.items),
    )  # fmt: skip
    await store.insert_runs(tx, authority.account, [new])
    await store.copy_input(tx, old.id, new.id)
    await store.copy_readers(tx, old.id, new.id)
    run = await advancing.lock(tx, new.id)
    assert run is not None
    await store.copy_steps(tx, old.id, new.id, [step.step_id for step in resumed.done])
    taken = [msgspec.structs.replace(item, requests=0, tokens=0) for item in resumed.items]
    await store.insert_items(tx, run.account, {run.id: taken})
    if resumed.following is not None:
        await advancing.follow(tx, queue, run, resumed.spec, resumed.following, is_new=True)
    elif resumed.partial is not None:
        kept = [msgspec.structs.replace(item, requests=0, tokens=0) for item in resumed.kept]
        await advancing.begin_step(
            tx, queue, run, resumed.spec, resumed.partial.step_id, len(resumed.done), resumed.missing, kept
        )
        await advancing.record_new(tx, run.account, run.id)
    return new.id
