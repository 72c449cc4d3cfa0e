"""What people can do with runs: start, resume, preview, cancel."""

from typing import Any

from teamspace.ai import Gateway
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden, NotCancellable, NotFound
from teamspace.core.principal import Principal
from teamspace.jobs import Authority, Queue
from teamspace.tools import Toolbox
from teamspace.workflows import access
from teamspace.workflows.domain import advancing, definitions, previewing, resuming, viewing
from teamspace.workflows.domain.catalog import WorkflowCatalog
from teamspace.workflows.domain.definitions import Definition
from teamspace.workflows.domain.starting import PreparedRun, locale_of, prepare, start
from teamspace.workflows.schemas import RunBody, RunDetail, RunOutline, WorkflowDryRun


async def find_definition(db: Db, who: Principal, catalog: WorkflowCatalog, slug: str) -> Definition:
    """Return the newest version of a workflow of the caller's team, or raise NotFound."""
    await catalog.materialize(db, who, slug)
    found = await definitions.get_definition(db, who.team_id, slug) or catalog.find_unwritten(who, slug)
    if found is None:
        raise NotFound()
    return found


async def run(db: Db, who: Principal, catalog: WorkflowCatalog, queue: Queue, slug: str, body: RunBody) -> RunDetail:
    """Start a run of the caller's team, or resume one."""
    if body.resume_from is not None:
        return await _resume(db, who, queue, slug, body.resume_from, body.input)
    prepared = await prepare_sent(await find_definition(db, who, catalog, slug), body.input)
    async with db.write(who, "run.start") as tx:
        run_id = await start(tx, queue, Authority.of(who), prepared, locale=locale_of(who))
        tx.target = run_id
        tx.detail = {"slug": slug, "version": prepared.definition.version}
    return await viewing.get_started(db, who, run_id)


async def _resume(db: Db, who: Principal, queue: Queue, slug: str, run_id: str, input: dict[str, Any]) -> RunDetail:
    resumed = await resuming.plan(db, who, slug, run_id, input)
    async with db.write(who, "run.start") as tx:
        new_id = await resuming.start(tx, queue, Authority.of(who), resumed)
        tx.target = new_id
        tx.detail = {"slug": slug, "version": resumed.old.version, "resumed_from": run_id}
    return await viewing.get_started(db, who, new_id)


async def preview(
    db: Db, who: Principal, catalog: WorkflowCatalog, toolbox: Toolbox, gateway: Gateway, slug: str, body: RunBody
) -> WorkflowDryRun:
    """Return what a run would cost, without starting it."""
    definition = await find_definition(db, who, catalog, slug)
    return await previewing.preview(db, who, toolbox, gateway, definition, body.input)


async def prepare_sent(definition: Definition, input: dict[str, Any]) -> PreparedRun:
    """Prepare a run with the input that someone sent, in a thread: it can be long."""
    return await pools.TEXT.run(prepare, definition, input)


async def cancel(db: Db, who: Principal, queue: Queue, run_id: str) -> RunDetail | RunOutline:
    """Cancel a run: the step that is being executed finishes, and the next never starts."""
    async with db.write(who, "run.cancel") as tx:
        row = await viewing.get_visible(tx, who, run_id)
        if not access.may_cancel(who, row):
            raise Forbidden("workflows.cancel_others")
        tx.target = run_id
        running = await advancing.lock(tx, run_id)
        if running is None:
            raise NotCancellable("workflows.finished")
        await advancing.cancel(tx, queue, running)
    return await viewing.find(db, who, run_id)
