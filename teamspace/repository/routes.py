"""HTTP routes of the repository. Handlers only translate between HTTP and the domain."""

from collections.abc import AsyncIterator

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import (
    Conflict,
    InvalidRange,
    NotFound,
    Overloaded,
    PreconditionFailed,
    QuotaExceeded,
    StorageFull,
    TooLarge,
    VersionMismatch,
)
from teamspace.core.limits import TokenRate
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Archive, Created, Page, Reply, StoredContent
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, PUBLIC, Route, row
from teamspace.extraction import ReaderPool
from teamspace.jobs import Queue
from teamspace.repository.domain import (
    addresses,
    deleting,
    finding,
    moving,
    naming,
    part_uploads,
    provenance,
    reading,
    sharing,
    texts,
    thumbnails,
    version_names,
    writing,
    zipping,
)
from teamspace.repository.domain.thumbnails import Drawings
from teamspace.repository.domain.writing import UploadLimit
from teamspace.repository.schemas import (
    AddressedQuery,
    AddressQuery,
    CompletedUpload,
    ContentAddress,
    ContentQuery,
    Derivations,
    NewKey,
    NewPartUpload,
    NewVisibility,
    ObjectGrantListing,
    ObjectListing,
    ObjectQuery,
    ObjectShareRequest,
    PartQuery,
    PartsQuery,
    PartUpload,
    Processing,
    PutQuery,
    RepositoryObject,
    ShareTargets,
    TargetsQuery,
    ThumbnailQuery,
    UploadedPart,
    Version,
    VersionChange,
    VersionDraft,
    VersionQuery,
    WriteCondition,
    ZipList,
    ZipRequest,
)
from teamspace.settings import Settings
from teamspace.sharing import GrantsQuery, NamedPrincipal

MAX_SIZE = 5 * 1024**4
MAX_PART = 5 * 1024**3
MAX_FORM = 2 * 1024**2

# fmt: off
ROUTES = (
    Route("GET",    "/api/repo",                     BEARER, row(P.FILES_READ),   None, "index",       "List the objects the caller can read, newest first; with ?prefix= in key order, with &delimiter=/ by folder."),
    Route("PUT",    "/api/repo/*key",                BEARER, row(P.FILES_WRITE),  None, "put",         "Store the raw body as the next version of a key.",
          refuses=(VersionMismatch, PreconditionFailed, Conflict, TooLarge, QuotaExceeded, StorageFull), limit=MAX_SIZE),
    Route("GET",    "/api/repo-obj/:id",             BEARER, row(P.FILES_READ),   None, "show",        "Get an object with its versions, newest first."),
    Route("DELETE", "/api/repo-obj/:id",             BEARER, row(P.FILES_DELETE), None, "delete",      "Put an object in the trash with all its versions: it is gone, its key is free, and it can be restored for a while.",
          refuses=(VersionMismatch,)),
    Route("GET",    "/api/repo-obj/:id/content",     BEARER, row(P.FILES_READ),   None, "content",     "Download the content, with ranges and conditional requests; ?version= for an older version, ?as=text for the extracted text.",
          refuses=(PreconditionFailed, InvalidRange)),
    Route("GET",    "/api/repo-obj/:id/address",     BEARER, row(P.FILES_READ),   None, "address",     "Get an address of the content for an element of a page, such as a player, which sends no credential; it expires after an hour."),
    Route("GET",    "/api/repo-media/:address",      PUBLIC, None,                None, "media",       "Download what a signed address names, with ranges, with the rights that its maker has now.",
          refuses=(NotFound, PreconditionFailed, InvalidRange), unlimited=True),
    Route("GET",    "/api/repo-obj/:id/thumbnail",   BEARER, row(P.FILES_READ),   None, "thumbnail",   "Get a thumbnail of an image or a PDF, made on first demand; ?size=large for a larger one.",
          refuses=(PreconditionFailed, InvalidRange, Overloaded)),
    Route("PATCH",  "/api/repo-obj/:id/versions/:number", BEARER, row(P.FILES_WRITE), None, "name_version", "Name a version of an object, or remove its name."),
    Route("POST",   "/api/repo-obj/:id/share",       BEARER, row(P.FILES_MANAGE), None, "share",       "Share an object with a colleague or a team, optionally until a time; returns all grants."),
    Route("POST",   "/api/repo-obj/:id/unshare",     BEARER, row(P.FILES_MANAGE), None, "unshare",     "Remove the grant of a person or a team; returns the remaining grants."),
    Route("GET",    "/api/repo-obj/:id/grants",      BEARER, row(P.FILES_MANAGE), None, "grants",      "List the grants of an object; ?effective=1 also lists everyone who can see it, and why."),
    Route("POST",   "/api/repo-obj/:id/visibility",  BEARER, row(P.FILES_MANAGE), None, "visibility",  "Make an object private, visible to the team, or shared."),
    Route("POST",   "/api/repo-obj/:id/move",        BEARER, row(P.FILES_WRITE),  None, "move",        "Move or rename an object: give it another key, with its versions and grants. With `replace`, its content becomes the next version of the object there, and it is deleted.",
          refuses=(VersionMismatch, Conflict, QuotaExceeded, StorageFull)),
    Route("POST",   "/api/repo-obj/:id/copy",        BEARER, row(P.FILES_READ),   None, "copy",        "Copy the newest version of an object to an unused key, as a private object of the caller; or, with `replace`, as the next version of the object there.",
          refuses=(Conflict, QuotaExceeded, StorageFull)),
    Route("GET",    "/api/repo-obj/:id/derivations", BEARER, row(P.FILES_READ),   None, "derivations", "List the sources of an object and the objects derived from it."),
    Route("GET",    "/api/repo-obj/:id/processing",  BEARER, row(P.FILES_READ),   None, "processing",  "Get the processing state of an object: its text, sources, derived objects and runs."),
    Route("POST",   "/api/repo-uploads",             BEARER, row(P.FILES_WRITE),  None, "begin",       "Begin an upload by parts, which survives a lost connection.",
          refuses=(Conflict, QuotaExceeded)),
    Route("GET",    "/api/repo-uploads/:id/parts",   BEARER, row(P.FILES_WRITE),  None, "parts",       "List the stored parts of an upload of the caller, by number."),
    Route("PUT",    "/api/repo-uploads/:id/parts",   BEARER, row(P.FILES_WRITE),  None, "put_part",    "Store the raw body as the part ?number=; replaces one with the same number.",
          refuses=(TooLarge, QuotaExceeded, StorageFull), limit=MAX_PART),
    Route("POST",   "/api/repo-uploads/:id/complete", BEARER, row(P.FILES_WRITE), None, "complete",    "Make the parts the next version of the key. A repeat gets the same response.",
          refuses=(VersionMismatch, PreconditionFailed, Conflict, QuotaExceeded)),
    Route("DELETE", "/api/repo-uploads/:id",         BEARER, row(P.FILES_WRITE),  None, "abort",       "Discard an upload with its parts."),
    Route("POST",   "/api/repo-zip",                 BEARER, row(P.FILES_READ),   None, "archive",     "Download several objects, or all below a prefix, as one zip.", while_suspended=True),
    Route("POST",   "/api/repo-zip/list",            BEARER, row(P.FILES_READ),   None, "zip_list",    "Sign the list of a zip, for a page that has a browser save it; it expires after an hour.", while_suspended=True),
    Route("POST",   "/api/repo-zip/form",            PUBLIC, None,                None, "zip_form",    "Download the zip of a signed list, which a page sends as a form, with the rights that its maker has now.",
          refuses=(NotFound,), while_suspended=True, limit=MAX_FORM),
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


async def delete(db: Db, settings: Settings, who: Principal, id: str, match: Match) -> None:
    await deleting.delete(db, who, id, match.version, keep=settings.keeps_trash)


async def content(db: Db, files: BlobStore, who: Principal, id: str, query: ContentQuery) -> StoredContent:
    get = reading.get_content if query.as_ is None else texts.get_content
    return await get(db, files, who, id, query)


async def thumbnail(
    db: Db, files: BlobStore, readers: ReaderPool, drawings: Drawings, who: Principal, id: str, query: ThumbnailQuery
) -> StoredContent:
    return await thumbnails.get(db, files, readers, drawings, who, id, query)


async def address(db: Db, who: Principal, id: str, query: AddressQuery) -> ContentAddress:
    return await addresses.make(db, who, id, query.version)


async def media(
    db: Db, files: BlobStore, rate: TokenRate, who: Principal, address: str, query: AddressedQuery
) -> StoredContent:
    return await addresses.open_content(db, files, rate, who.call, address, download=query.download is not None)


async def name_version(db: Db, who: Principal, id: str, number: str, body: VersionChange) -> Version:
    return await version_names.name_version(db, who, id, number, body.name)


async def share(db: Db, who: Principal, id: str, body: ObjectShareRequest) -> ObjectGrantListing:
    return await sharing.share(db, who, id, body)


async def unshare(db: Db, who: Principal, id: str, body: NamedPrincipal) -> ObjectGrantListing:
    return await sharing.unshare(db, who, id, body)


async def grants(db: Db, who: Principal, id: str, query: GrantsQuery) -> ObjectGrantListing:
    return await sharing.list_grants(db, who, id, query)


async def visibility(db: Db, who: Principal, id: str, body: NewVisibility) -> RepositoryObject:
    return await writing.set_visibility(db, who, id, body.visibility)


async def move(
    db: Db, queue: Queue, settings: Settings, who: Principal, id: str, body: NewKey, match: Match
) -> Reply[RepositoryObject]:
    keep = settings.keeps_trash
    moved = await moving.move(db, queue, who, id, body.key, match.version, replace=body.replace, keep=keep)
    return Reply(moved, version=moved.version)


async def copy(db: Db, queue: Queue, who: Principal, id: str, body: NewKey) -> Created[RepositoryObject]:
    copied = await moving.copy(db, queue, who, id, body.key, replace=body.replace)
    return Created(copied, version=copied.version)


async def derivations(db: Db, who: Principal, id: str) -> Derivations:
    return await provenance.get_derivations(db, who, id)


async def processing(db: Db, files: BlobStore, who: Principal, id: str) -> Processing:
    return await provenance.get_processing(db, files, who, id)


async def begin(db: Db, who: Principal, body: NewPartUpload) -> Created[PartUpload]:
    return Created(await part_uploads.begin(db, who, body))


async def parts(db: Db, who: Principal, id: str, query: PartsQuery) -> Page[UploadedPart]:
    return await part_uploads.list_parts(db, who, id, query)


async def put_part(
    db: Db, files: BlobStore, uploads: UploadLimit, who: Principal, id: str, query: PartQuery, length: int | None,
    upload: AsyncIterator[bytes],
) -> UploadedPart:  # fmt: skip
    async with uploads.take():
        return await part_uploads.put_part(db, files, who, id, query.number, upload, length)


async def complete(
    db: Db, queue: Queue, who: Principal, id: str, body: CompletedUpload, match: Match
) -> Reply[RepositoryObject]:
    written = await part_uploads.complete(db, queue, who, id, body, _condition(match))
    return Reply(written, version=written.version)


async def abort(db: Db, who: Principal, id: str) -> None:
    await part_uploads.abort(db, who, id)


async def archive(db: Db, files: BlobStore, who: Principal, body: ZipRequest) -> Archive:
    chosen = await zipping.choose(db, who, body)
    headers = {"content-disposition": naming.content_disposition("attachment", body.name)}
    return Archive(zipping.write(db, files, who, chosen), "application/zip", None, headers)


async def zip_list(db: Db, who: Principal, body: ZipRequest) -> ZipList:
    return await addresses.sign_list(db, who, body)


async def zip_form(db: Db, files: BlobStore, rate: TokenRate, who: Principal, upload: AsyncIterator[bytes]) -> Archive:
    form = b"".join([chunk async for chunk in upload])
    return await addresses.open_zip(db, files, rate, who.call, form)


async def targets(db: Db, who: Principal, query: TargetsQuery) -> ShareTargets:
    return await sharing.list_targets(db, who, query.q)


def _condition(match: Match) -> WriteCondition:
    """Read If-Match as the expected version, and `If-None-Match: *` as a key without an object."""
    if match.if_none_match is not None and "*" in match.if_none_match:
        return WriteCondition(exists=False)
    return WriteCondition(match.version, exists=True if match.if_match is not None else None)
