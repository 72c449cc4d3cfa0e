"""Tools of the knowledge graph: the steps of the workflow that fills it, and the search for what it knows."""

from typing import Annotated, Any

from msgspec import Meta

from teamspace.ai import Gateway
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import row
from teamspace.core.tables import Tool
from teamspace.knowledge.domain import extracting, finding
from teamspace.knowledge.schemas import EntityType, ExtractedDocument, GraphAnswer
from teamspace.quota import Spend

# fmt: off
TOOLS = (
    Tool("kg_find",             "find",             "Find people, organisations, places and other things by name: how they are related, and passages of documents about them, to cite.", row(P.FILES_READ), only_documents=True),
    Tool("kg_list_unextracted", "list_unextracted", "List the ids of up to 40 documents whose entities and relations were not extracted yet.", row(P.FILES_WRITE), only_documents=True),
    Tool("kg_extract",          "extract",          "Extract the entities and relations of a document for the knowledge graph, and return how many there are.", row(P.FILES_WRITE), slow=True, estimate="estimate", only_documents=True),
)
# fmt: on

Reference = Annotated[str, Meta(max_length=1024, description="The id or the key of a document.")]

Name = Annotated[str, Meta(min_length=1, max_length=200, description="A name, or words of it.")]
Type = Annotated[EntityType, Meta(description="What it is; by default anything.")]
Limit = Annotated[int, Meta(ge=1, le=finding.MAX_FOUND, description="The maximum number of entities.")]


async def find(
    db: Db, files: BlobStore, who: Principal, name: Name, type: Type | None = None, limit: Limit = 3
) -> GraphAnswer:  # fmt: skip
    return await finding.find(db, files, who, name, type, limit)


async def list_unextracted(db: Db, who: Principal) -> list[str]:
    return await extracting.list_unextracted(db, who)


async def extract(db: Db, files: BlobStore, gateway: Gateway, who: Principal, object: Reference) -> ExtractedDocument:
    return await extracting.extract(db, files, gateway, who, object)


def estimate(arguments: dict[str, Any]) -> Spend:
    """Return what a document of usual length costs: it has one window."""
    return extracting.estimate_one()
