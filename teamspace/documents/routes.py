"""HTTP routes for text documents."""

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import QuotaExceeded, StorageFull, TooLarge, VersionMismatch
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page, Reply
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, Route, row
from teamspace.documents import domain
from teamspace.documents.schemas import (
    Document,
    DocumentChange,
    DocumentItem,
    DocumentQuery,
    DocumentsQuery,
    NewDocument,
)
from teamspace.jobs import Queue
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("POST",   "/api/documents",     BEARER, P.FILES_WRITE,       None, "create", "Create a text document.",
          refuses=(QuotaExceeded, StorageFull)),
    Route("GET",    "/api/documents",     BEARER, row(P.FILES_READ),   None, "index",  "List the text documents the caller can read, newest first."),
    Route("GET",    "/api/documents/:id", BEARER, row(P.FILES_READ),   None, "show",   "Return a document with its body; ?version= for an older version.",
          refuses=(TooLarge,)),
    Route("PUT",    "/api/documents/:id", BEARER, row(P.FILES_WRITE),  None, "update", "Write a new version with the given fields changed; with If-Match only if the version still matches.",
          refuses=(VersionMismatch, TooLarge, QuotaExceeded, StorageFull)),
    Route("DELETE", "/api/documents/:id", BEARER, row(P.FILES_DELETE), None, "delete", "Put a document in the trash with all its versions: it is gone, and can be restored for a while.",
          refuses=(VersionMismatch,)),
)
# fmt: on


async def create(db: Db, files: BlobStore, queue: Queue, who: Principal, body: NewDocument) -> Created[Document]:
    document = await domain.create(db, files, queue, who, body)
    return Created(document, version=document.version)


async def index(db: Db, who: Principal, query: DocumentsQuery) -> Page[DocumentItem]:
    return await domain.listing(db, who, query)


async def show(db: Db, files: BlobStore, who: Principal, id: str, query: DocumentQuery) -> Reply[Document]:
    document = await domain.find(db, files, who, id, query.version)
    return Reply(document, headers={"etag": f'"{document.version}"'})


async def update(
    db: Db, files: BlobStore, queue: Queue, who: Principal, id: str, body: DocumentChange, match: Match
) -> Reply[Document]:
    document = await domain.update(db, files, queue, who, id, body, match.version)
    return Reply(document, version=document.version)


async def delete(db: Db, settings: Settings, who: Principal, id: str, match: Match) -> None:
    await domain.delete(db, who, id, match.version, keep=settings.keeps_trash)
