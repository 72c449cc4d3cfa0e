"""HTTP routes for upload triggers."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page
from teamspace.core.routing import BEARER, Route
from teamspace.triggers.domain import listing, triggers
from teamspace.triggers.schemas import (
    FireQuery,
    Trigger,
    TriggerChange,
    TriggerDetail,
    TriggerDraft,
    TriggerItem,
    TriggerQuery,
)
from teamspace.workflows import Catalog

# fmt: off
ROUTES = (
    Route("GET",    "/api/doc-triggers",     BEARER, P.WORKFLOWS_READ,  F.WORKFLOWS, "index",  "List the team's upload triggers, with the AI budget that remains; ?key= and ?content_type= test which of them an upload would fire, and why not the others."),
    Route("POST",   "/api/doc-triggers",     BEARER, P.WORKFLOWS_WRITE, F.WORKFLOWS, "create", "Create an upload trigger: a workflow that runs when a version of a matching key and type is written.",
          refuses=(Conflict,)),
    Route("GET",    "/api/doc-triggers/:id", BEARER, P.WORKFLOWS_READ,  F.WORKFLOWS, "show",   "Return a trigger with its history, newest first: which version started which run, or why none."),
    Route("PATCH",  "/api/doc-triggers/:id", BEARER, P.WORKFLOWS_WRITE, F.WORKFLOWS, "update", "Change the given fields of a trigger; the caller becomes its author, unless they only turn it off."),
    Route("DELETE", "/api/doc-triggers/:id", BEARER, P.WORKFLOWS_WRITE, F.WORKFLOWS, "delete", "Delete a trigger and its history; runs that it started stay."),
)
# fmt: on


async def index(db: Db, who: Principal, query: TriggerQuery) -> Page[TriggerItem]:
    return Page(await listing.list_triggers(db, who, query), None)


async def create(db: Db, who: Principal, catalog: Catalog, body: TriggerDraft) -> Created[Trigger]:
    return Created(await triggers.create(db, who, catalog, body))


async def show(db: Db, who: Principal, id: str, query: FireQuery) -> TriggerDetail:
    return await listing.get(db, who, id, query)


async def update(db: Db, who: Principal, catalog: Catalog, id: str, body: TriggerChange) -> Trigger:
    return await triggers.update(db, who, catalog, id, body)


async def delete(db: Db, who: Principal, id: str) -> None:
    await triggers.delete(db, who, id)
