"""Tools of the knowledge graph: the steps of the workflow that fills it."""

from typing import Annotated, Any

from msgspec import Meta

from teamspace.ai import Gateway
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import row
from teamspace.core.tables import Tool
from teamspace.knowledge.domain import extracting
from teamspace.knowledge.schemas import ExtractedDocument
from teamspace.quota import Spend

# fmt: off
TOOLS = (
    Tool("kg_list_unextracted", "list_unextracted", "List the ids of up to 40 documents whose entities and relations were not extracted yet.", row(P.FILES_WRITE), only_documents=True),
    Tool("kg_extract",          "extract",          "Extract the entities and relations of a document for the knowledge graph, and return how many there are.", row(P.FILES_WRITE), slow=True, estimate="estimate", only_documents=True),
)
# fmt: on

Reference = Annotated[str, Meta(max_length=1024, description="The id or the key of a document.")]


async def list_unextracted(db: Db, who: Principal) -> list[str]:
    return await extracting.list_unextracted(db, who)


async def extract(db: Db, files: BlobStore, gateway: Gateway, who: Principal, object: Reference) -> ExtractedDocument:
    return await extracting.extract(db, files, gateway, who, object)


def estimate(arguments: dict[str, Any]) -> Spend:
    """Return what a document of usual length costs: it has one window."""
    return extracting.estimate_one()
