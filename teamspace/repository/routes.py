"""HTTP routes of the repository. Handlers only translate between HTTP and the domain."""

from collections.abc import AsyncIterator

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import (
    Conflict,
    InvalidRange,
    PreconditionFailed,
    QuotaExceeded,
    StorageFull,
    TooLarge,
    VersionMismatch,
)
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Reply, StoredContent
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, Route, row
from teamspace.jobs import Queue
from teamspace.repository.domain import (
    deleting,
    finding,
    naming,
    provenance,
    reading,
    sharing,
    texts,
    version_names,
    writing,
)
from teamspace.repository.domain.writing import UploadLimit
from teamspace.repository.schemas import (
    ContentQuery,
    Derivations,
    Grants,
    GrantsQuery,
    NewVisibility,
    ObjectListing,
    ObjectQuery,
    ObjectShare,
    ObjectUnshare,
    Processing,
    PutQuery,
    RepositoryObject,
    ShareTargets,
    TargetsQuery,
    Version,
    VersionChange,
    VersionDraft,
    VersionQuery,
    WriteCondition,
)

MAX_SIZE = 5 * 1024**4

# fmt: off
ROUTES = (
    Route("GET",    "/api/repo",                     BEARER, row(P.FILES_READ),   None, "index",       "List the objects the caller can read, newest first; with ?prefix= in key order, with &delimiter=/ by folder."),
    Route("PUT",    "/api/repo/*key",                BEARER, row(P.FILES_WRITE),  None, "put",         "Store the raw body as the next version of a key.",
          refuses=(VersionMismatch, PreconditionFailed, Conflict, TooLarge, QuotaExceeded, StorageFull), limit=MAX_SIZE),
    Route("GET",    "/api/repo-obj/:id",             BEARER, row(P.FILES_READ),   None, "show",        "Get an object with its versions, newest first."),
    Route("DELETE", "/api/repo-obj/:id",             BEARER, row(P.FILES_DELETE), None, "delete",      "Delete an object with all its versions.",
          refuses=(VersionMismatch,)),
    Route("GET",    "/api/repo-obj/:id/content",     BEARER, row(P.FILES_READ),   None, "content",     "Download the content, with ranges and conditional requests; ?version= for an older version, ?as=text for the extracted text.",
          refuses=(PreconditionFailed, InvalidRange)),
    Route("PATCH",  "/api/repo-obj/:id/versions/:number", BEARER, row(P.FILES_WRITE), None, "name_version", "Name a version of an object, or remove its name."),
    Route("POST",   "/api/repo-obj/:id/share",       BEARER, row(P.FILES_MANAGE), None, "share",       "Share an object with a colleague or a team, optionally until a time; returns all grants."),
    Route("POST",   "/api/repo-obj/:id/unshare",     BEARER, row(P.FILES_MANAGE), None, "unshare",     "Remove the grant of a person or a team; returns the remaining grants."),
    Route("GET",    "/api/repo-obj/:id/grants",      BEARER, row(P.FILES_MANAGE), None, "grants",      "List the grants of an object; ?effective=1 also lists everyone who can see it, and why."),
    Route("POST",   "/api/repo-obj/:id/visibility",  BEARER, row(P.FILES_MANAGE), None, "visibility",  "Make an object private, visible to the team, or shared."),
    Route("GET",    "/api/repo-obj/:id/derivations", BEARER, row(P.FILES_READ),   None, "derivations", "List the sources of an object and the objects derived from it."),
    Route("GET",    "/api/repo-obj/:id/processing",  BEARER, row(P.FILES_READ),   None, "processing",  "Get the processing state of an object: its text, sources, derived objects and runs."),
    Route("GET",    "/api/share-targets",            BEARER, P.FILES_READ,        None, "targets",     "List the people of the team and the teams of the company, as targets for sharing."),
)
# fmt: on


async def index(db: Db, who: Principal, query: ObjectQuery) -> ObjectListing:
    return await finding.list_objects(db, who, query)


async def put(
    db: Db, files: BlobStore, queue: Queue, uploads: UploadLimit, who: Principal, key: str, query: PutQuery,
    match: Match, content_type: str, length: int | None, upload: AsyncIterator[bytes],
) -> Created[RepositoryObject] | Reply[RepositoryObject]:  # fmt: skip
    key = naming.validate_key(key)
    filename = naming.choose_filename(query.filename, key)
    kind, renames = naming.parse_content_type(content_type, filename), query.filename is not None
    draft = VersionDraft(key, filename, kind, renames=renames, visibility=query.visibility)
    async with uploads.take():
        written = await writing.upload(db, files, queue, who, draft, _condition(match), upload, length)
    body = await finding.describe(db, who, written.row)
    return (Created if written.created else Reply)(body, version=body.version)


async def show(db: Db, who: Principal, id: str, query: VersionQuery) -> Reply[RepositoryObject]:
    body = await finding.find(db, who, id, query)
    return Reply(body, headers={"etag": f'"{body.version}"'})


async def delete(db: Db, who: Principal, id: str, match: Match) -> None:
    await deleting.delete(db, who, id, match.version)


async def content(db: Db, files: BlobStore, who: Principal, id: str, query: ContentQuery) -> StoredContent:
    get = reading.get_content if query.as_ is None else texts.get_content
    return await get(db, files, who, id, query)


async def name_version(db: Db, who: Principal, id: str, number: str, body: VersionChange) -> Version:
    return await version_names.name_version(db, who, id, number, body.name)


async def share(db: Db, who: Principal, id: str, body: ObjectShare) -> Grants:
    return await sharing.share(db, who, id, body)


async def unshare(db: Db, who: Principal, id: str, body: ObjectUnshare) -> Grants:
    return await sharing.unshare(db, who, id, body)


async def grants(db: Db, who: Principal, id: str, query: GrantsQuery) -> Grants:
    return await sharing.list_grants(db, who, id, query)


async def visibility(db: Db, who: Principal, id: str, body: NewVisibility) -> RepositoryObject:
    return await writing.set_visibility(db, who, id, body.visibility)


async def derivations(db: Db, who: Principal, id: str) -> Derivations:
    return await provenance.get_derivations(db, who, id)


async def processing(db: Db, files: BlobStore, who: Principal, id: str) -> Processing:
    return await provenance.get_processing(db, files, who, id)


async def targets(db: Db, who: Principal, query: TargetsQuery) -> ShareTargets:
    return await sharing.list_targets(db, who, query.q)


def _condition(match: Match) -> WriteCondition:
    """Read If-Match as the expected version, and `If-None-Match: *` as a key without an object."""
    if match.if_none_match is not None and "*" in match.if_none_match:
        return WriteCondition(exists=False)
    return WriteCondition(match.version, exists=True if match.if_match is not None else None)
