"""HTTP routes for workflows and their runs."""

from typing import Any

from teamspace.ai import Gateway
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, Forbidden, InvalidSpec, NotCancellable
from teamspace.core.paging import Paging
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted, Created
from teamspace.core.routing import BEARER, PUBLIC, Route
from teamspace.jobs import Queue
from teamspace.tools import Toolbox
from teamspace.workflows.domain import actions, definitions, viewing
from teamspace.workflows.domain.catalog import WorkflowCatalog
from teamspace.workflows.domain.language import format
from teamspace.workflows.schemas import (
    DefinitionDetail,
    DefinitionPage,
    PublishQuery,
    RunBody,
    RunDetail,
    RunOutline,
    RunPage,
    RunQuery,
    SpecFormat,
    SpecReport,
    WorkflowDryRun,
    WorkflowQuery,
)

# fmt: off
ROUTES = (
    Route("POST", "/api/workflows",           BEARER, P.WORKFLOWS_WRITE, F.WORKFLOWS, "publish", "Publish a workflow spec: a new workflow, or the next version of the one with its slug. With `validate`, only check it: nothing is stored.",
          refuses=(InvalidSpec, Conflict)),
    Route("GET",  "/api/workflows",           BEARER, P.WORKFLOWS_READ,  F.WORKFLOWS, "index",   "List the team's workflows, in the order of their slugs; those of plugins are among them. Each with its newest run."),
    Route("GET",  "/api/workflows/schema",    PUBLIC, None,              None,        "schema",  "Return the format of workflow specs: a JSON schema, the kinds of steps, references, predicates and limits."),
    Route("GET",  "/api/workflows/:slug",     BEARER, P.WORKFLOWS_READ,  F.WORKFLOWS, "show",    "Return a workflow with its spec; by default its newest version."),
    Route("POST", "/api/workflows/:slug/run", BEARER, P.WORKFLOWS_RUN,   F.WORKFLOWS, "run",     "Start a run of a workflow's newest version. With `resume_from`, what has succeeded in that run is not executed again; with `dry_run`, what a run would cost at most.",
          refuses=(Conflict,), dry_run=True),
    Route("GET",  "/api/runs",                BEARER, P.WORKFLOWS_READ,  F.WORKFLOWS, "runs",    "List the team's runs, newest first: in full for their owner, the team's admins, and those who can read every document that a run names; otherwise as outlines."),
    Route("GET",  "/api/runs/:id",            BEARER, P.WORKFLOWS_READ,  F.WORKFLOWS, "get_run", "Return a run with its input and its steps, their results and errors; or an outline, as in the list."),
    Route("POST", "/api/runs/:id/cancel",     BEARER, P.WORKFLOWS_RUN,   F.WORKFLOWS, "cancel",  "Cancel a run: the step that is being executed finishes, and the next never starts.",
          refuses=(Forbidden, NotCancellable)),
)
# fmt: on


async def publish(
    db: Db, who: Principal, toolbox: Toolbox, query: PublishQuery, body: dict[str, Any]
) -> Created[DefinitionDetail] | SpecReport:
    if query.validate:
        return await definitions.report(db, who, toolbox, body)
    return Created(await definitions.publish(db, who, toolbox, body))


async def index(db: Db, who: Principal, catalog: WorkflowCatalog, query: Paging) -> DefinitionPage:
    return await catalog.list_page(db, who, query)


async def schema() -> SpecFormat:
    return SpecFormat(
        format.FORMAT, format.SCHEMA, format.STEP_KINDS, format.BINDINGS, format.PREDICATES, format.LIMITS
    )


async def show(db: Db, who: Principal, catalog: WorkflowCatalog, query: WorkflowQuery, slug: str) -> DefinitionDetail:
    return await catalog.get_detail(db, who, slug, query.version)


async def run(
    db: Db,
    who: Principal,
    catalog: WorkflowCatalog,
    queue: Queue,
    toolbox: Toolbox,
    gateway: Gateway,
    body: RunBody,
    slug: str,
) -> Accepted[RunDetail] | WorkflowDryRun:
    if body.dry_run:
        return await actions.preview(db, who, catalog, toolbox, gateway, slug, body)
    return Accepted(await actions.run(db, who, catalog, queue, slug, body))


async def runs(db: Db, who: Principal, query: RunQuery) -> RunPage:
    return await viewing.list_runs(db, who, query)


async def get_run(db: Db, who: Principal, id: str) -> RunDetail | RunOutline:
    return await viewing.find(db, who, id)


async def cancel(db: Db, who: Principal, queue: Queue, id: str) -> RunDetail | RunOutline:
    return await actions.cancel(db, who, queue, id)
