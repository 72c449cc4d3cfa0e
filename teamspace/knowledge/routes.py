"""HTTP routes of the knowledge graph."""

from teamspace.ai import Gateway
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, NoExecutor
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted, Page
from teamspace.core.routing import BEARER, Route, row
from teamspace.jobs import Queue
from teamspace.knowledge.domain import deciding, entities, extracting
from teamspace.knowledge.schemas import (
    Entity,
    EntityItem,
    EntityPageQuery,
    EntityQuery,
    ExtractKnowledge,
    KnowledgePreview,
    MergeEntity,
    SplitEntity,
)
from teamspace.workflows import Catalog, RunDetail, RunOutline

# fmt: off
ROUTES = (
    Route("GET",  "/api/kg/entities",           BEARER, row(P.FILES_READ),  None,        "index",   "List the entities that documents mention which the caller can read, by name; ?q= searches by words of the name."),
    Route("GET",  "/api/kg/entities/:id",       BEARER, row(P.FILES_READ),  None,        "show",    "Return an entity with the documents that mention it, newest first, and what they say about it."),
    Route("POST", "/api/kg/extract",            BEARER, P.WORKFLOWS_RUN,    F.WORKFLOWS, "extract", "Start a run of `index-knowledge`, which extracts up to 40 documents that were not extracted yet; with `dry_run`, what it would cost.",
          refuses=(NoExecutor,), dry_run=True),
    Route("POST", "/api/kg/entities/:id/merge", BEARER, P.WORKFLOWS_WRITE,  F.WORKFLOWS, "merge",   "Make an entity the same as another, for the caller's team and also in later documents; returns the merged entity.",
          refuses=(Conflict,)),
    Route("POST", "/api/kg/entities/:id/split", BEARER, P.WORKFLOWS_WRITE,  F.WORKFLOWS, "split",   "Part mentions of something else from an entity, also in later versions of their documents; returns the other entity."),
)
# fmt: on


async def index(db: Db, who: Principal, query: EntityQuery) -> Page[EntityItem]:
    return await entities.listing(db, who, query)


async def show(db: Db, who: Principal, id: str, query: EntityPageQuery) -> Entity:
    return await entities.find(db, who, id, query)


async def extract(
    db: Db, who: Principal, gateway: Gateway, catalog: Catalog, queue: Queue, body: ExtractKnowledge
) -> Accepted[RunDetail | RunOutline] | KnowledgePreview:
    if body.dry_run:
        return await extracting.preview(db, gateway, who)
    return Accepted(await extracting.start(db, who, catalog, queue))


async def merge(db: Db, who: Principal, id: str, body: MergeEntity) -> EntityItem:
    return await deciding.merge(db, who, id, body)


async def split(db: Db, who: Principal, id: str, body: SplitEntity) -> EntityItem:
    return await deciding.split(db, who, id, body)
