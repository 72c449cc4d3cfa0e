"""A safety net: advances runs that have no job left that could do it.

A step's job and what follows it are one transaction, so there is normally nothing to do.
"""

import logging

from teamspace import jobs
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.jobs import Queue
from teamspace.workflows import store
from teamspace.workflows.domain import advancing, frozen
from teamspace.workflows.domain.language.transitions import advance
from teamspace.workflows.domain.resuming import load_meta
from teamspace.workflows.schemas import StepState

log = logging.getLogger("teamspace.workflows")
_PAGE = 500


class RunSweeper:
    """Looks at a page of the runs that are underway at a time, so that many of them cost no more."""

    def __init__(self) -> None:
        self._after = ""

    async def sweep(self, db: Db, queue: Queue) -> None:
        after = self._after
        self._after = await store.last_underway(db, after, _PAGE) or ""
        for run_id in await store.select_idle(db, after, _PAGE):
            try:
                await settle(db, queue, run_id)
            except Exception:
                log.exception("the run %s cannot go on", run_id)


async def settle(db: Db, queue: Queue, run_id: str) -> None:
    """Go on with a run whose jobs have all ended, or end it."""
    before = await store.get_stored(db, run_id)
    if before is None or before.step is None:
        return
    items = await store.select_step_items(db, run_id, before.step)
    meta = await load_meta(db, items[0].job_id) if items else None
    async with db.maintenance(system(org_id=before.org_id, team_id=before.team_id)) as tx:
        run = await advancing.lock(tx, run_id)
        if run is None or run.step is None or run.step != before.step:
            return
        ends = await store.select_ends(tx, run_id, run.step)
        states = {end.state for end in ends}
        if states & {"queued", "running"}:
            return
        log.warning("the run %s had no job left at the step %s", run_id, run.step)
        if "failed" in states or len(ends) < len(items) or meta is None:
            fault = next((end.error for end in ends if end.state == "failed" and end.error), jobs.LOST)
            await advancing.fail(tx, queue, run, run.step, advancing.to_fault(fault, run.step))
        elif "cancelled" in states:
            await advancing.cancel(tx, queue, run)
        else:
            spec, counts = await frozen.load(tx, run.team_id, run.digest), run.counts | meta.counts
            await store.end_step(tx, run_id, run.step, StepState.SUCCEEDED)
            following = advance(spec, run.step, run.steps_used, counts, meta.branch)
            await advancing.follow(tx, queue, advancing.with_counts(run, counts), spec, following)
