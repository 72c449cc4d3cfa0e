"""Tools for documents, and for reading any object that has a text."""

from typing import Annotated

import msgspec

from teamspace import repository, tools
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import row
from teamspace.core.tables import Tool
from teamspace.documents import domain
from teamspace.documents.schemas import Document, DocumentPassage, NewDocument
from teamspace.extraction import ReaderPool
from teamspace.jobs import Queue
from teamspace.repository import MARKDOWN, Visibility
from teamspace.tools import Artifact, Find, Length, Start, ToolContext

# fmt: off
TOOLS = (
    Tool("read_document",   "read_document",   "Return a passage of the text of a document or file: at `start`, or with the words in `find`. `end` and `total` say where to go on.", row(P.FILES_READ), only_documents=True),
    Tool("create_document", "create_document", "Create a document in Markdown.", P.FILES_WRITE, artifacts=("document",), only_documents=True),
)
# fmt: on

Reference = Annotated[str, msgspec.Meta(max_length=1024, description="An id, such as from a search, or a key.")]
Version = Annotated[int, msgspec.Meta(ge=1, lt=2**53, description="A version number; by default the newest.")]
Title = Annotated[str, msgspec.Meta(max_length=1000, description="The title, up to 200 characters.")]
Body = Annotated[str, msgspec.Meta(max_length=500_000, description="The text, in Markdown.")]
Audience = Annotated[Visibility, msgspec.Meta(description="Who can read it; `private`: only its owner.")]


async def read_document(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, document: Reference, version: Version | None = None,
    start: Start = 0, length: Length = tools.MAX_LENGTH, find: Find = "",
) -> DocumentPassage:  # fmt: skip
    found = await repository.get_by_id_or_key(db, who, document)
    read = await repository.require_version_text(db, files, readers, who, found.id, version)
    passage = await tools.cut(read.text, start, length, find)
    return DocumentPassage(
        object_id=read.object.id, version=read.version.number, version_id=read.version.id, title=read.title,
        start=passage.start, end=passage.end, total=passage.total, text=passage.text,
    )  # fmt: skip


async def create_document(
    db: Db, files: BlobStore, queue: Queue, who: Principal, context: ToolContext, title: Title, body: Body = "",
    visibility: Audience = "private",
) -> Artifact:  # fmt: skip
    draft = NewDocument(title, body, visibility)

    async def create(writer: Principal) -> Document:
        return await domain.create(db, files, queue, writer, draft)

    async def find(document_id: str) -> Document:
        return await domain.find(db, files, who, document_id, 1)

    document = await tools.create_once(db, who, context, create, find)
    first = await repository.get_version(db, await repository.get_visible(db, who, document.id), 1)
    return Artifact(
        kind="document", title=document.title, summary=document.key, content_type=MARKDOWN, object_id=document.id,
        version_id=first.id, extra={"key": document.key, "version": 1},
    )  # fmt: skip
