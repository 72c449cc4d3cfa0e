"""The repository over HTTP. The table is the contract; a handler only turns wire shapes into domain words."""

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
from teamspace.core.replies import Created, Reply, Stored
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, Route, row
from teamspace.jobs import Queue
from teamspace.repository.domain import finding, naming, provenance, reading, removing, sharing, writing
from teamspace.repository.domain.writing import Uploads
from teamspace.repository.schemas import (
    Condition,
    ContentQuery,
    Derivations,
    Grants,
    GrantsQuery,
    Listing,
    NewVisibility,
    Object,
    ObjectQuery,
    Processing,
    PutQuery,
    Share,
    Targets,
    TargetsQuery,
    Unshare,
    VersionQuery,
    Work,
)

LARGEST = 5 * 1024**4

# fmt: off
ROUTES = (
    Route("GET",    "/api/repo",                     BEARER, row(P.FILES_READ),   None, "index",       "The objects the caller can read, newest first; ?prefix= in the order of keys, with &delimiter=/ by folders."),
    Route("PUT",    "/api/repo/*key",                BEARER, row(P.FILES_WRITE),  None, "put",         "The raw body becomes the next version of a key.",
          refuses=(VersionMismatch, PreconditionFailed, Conflict, TooLarge, QuotaExceeded, StorageFull), limit=LARGEST),
    Route("GET",    "/api/repo-obj/:id",             BEARER, row(P.FILES_READ),   None, "show",        "One object with its versions, newest first."),
    Route("DELETE", "/api/repo-obj/:id",             BEARER, row(P.FILES_DELETE), None, "delete",      "Delete an object with all its versions.",
          refuses=(VersionMismatch,)),
    Route("GET",    "/api/repo-obj/:id/content",     BEARER, row(P.FILES_READ),   None, "content",     "The bytes, with ranges and conditions; ?version= for history.",
          refuses=(PreconditionFailed, InvalidRange)),
    Route("POST",   "/api/repo-obj/:id/share",       BEARER, row(P.FILES_MANAGE), None, "share",       "Share an object with a colleague or a team, perhaps until a time; the object's grants."),
    Route("POST",   "/api/repo-obj/:id/unshare",     BEARER, row(P.FILES_MANAGE), None, "unshare",     "Take back all that a principal was given; the object's grants."),
    Route("GET",    "/api/repo-obj/:id/grants",      BEARER, row(P.FILES_MANAGE), None, "grants",      "Who was given what, one entry a principal; ?effective=1 tells who can see it and why."),
    Route("POST",   "/api/repo-obj/:id/visibility",  BEARER, row(P.FILES_MANAGE), None, "visibility",  "Make an object private, visible to the team, or shared."),
    Route("GET",    "/api/repo-obj/:id/derivations", BEARER, row(P.FILES_READ),   None, "derivations", "What an object was made of, and what was made of it."),
    Route("GET",    "/api/repo-obj/:id/processing",  BEARER, row(P.FILES_READ),   None, "processing",  "What has become of an object: its text, its sources, derived documents and runs."),
    Route("GET",    "/api/share-targets",            BEARER, P.FILES_READ,        None, "targets",     "The people of the team and the teams of the company, for whoever shares."),
)
# fmt: on


async def index(db: Db, who: Principal, query: ObjectQuery) -> Listing:
    return await finding.listing(db, who, query)


async def put(
    db: Db, files: BlobStore, queue: Queue, uploads: Uploads, who: Principal, key: str, query: PutQuery, match: Match, content_type: str,
    length: int | None, upload: AsyncIterator[bytes],
) -> Created[Object] | Reply[Object]:  # fmt: skip
    key = naming.key(key)
    filename = naming.filename(query.filename, key)
    kind, renames = naming.content_type(content_type, filename), query.filename is not None
    work = Work(key, filename, kind, renames=renames, visibility=query.visibility)
    async with uploads.take():
        written = await writing.upload(db, files, queue, who, work, _condition(match), upload, length)
    shown = await finding.shown(db, who, written.row)
    return (Created if written.created else Reply)(shown, version=shown.version)


async def show(db: Db, who: Principal, id: str, query: VersionQuery) -> Reply[Object]:
    shown = await finding.find(db, who, id, query)
    return Reply(shown, headers={"etag": f'"{shown.version}"'})


async def delete(db: Db, who: Principal, id: str, match: Match) -> None:
    await removing.delete(db, who, id, match.version)


async def content(db: Db, files: BlobStore, who: Principal, id: str, query: ContentQuery) -> Stored:
    return await reading.content(db, files, who, id, query)


async def share(db: Db, who: Principal, id: str, body: Share) -> Grants:
    return await sharing.share(db, who, id, body)


async def unshare(db: Db, who: Principal, id: str, body: Unshare) -> Grants:
    return await sharing.unshare(db, who, id, body)


async def grants(db: Db, who: Principal, id: str, query: GrantsQuery) -> Grants:
    return await sharing.grants(db, who, id, query)


async def visibility(db: Db, who: Principal, id: str, body: NewVisibility) -> Object:
    return await writing.set_visibility(db, who, id, body.visibility)


async def derivations(db: Db, who: Principal, id: str) -> Derivations:
    return await provenance.derivations(db, who, id)


async def processing(db: Db, who: Principal, id: str) -> Processing:
    return await provenance.processing(db, who, id)


async def targets(db: Db, who: Principal, query: TargetsQuery) -> Targets:
    return await sharing.targets(db, who, query.q)


def _condition(match: Match) -> Condition:
    """If-Match asks for a version of what is there; If-None-Match: * for nothing to be there."""
    if match.if_none_match is not None and "*" in match.if_none_match:
        return Condition(exists=False)
    return Condition(match.version, exists=True if match.if_match is not None else None)
