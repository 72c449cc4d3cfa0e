"""Uploads by parts over HTTP: a client that lost its connection asks which parts are stored, and sends the others."""

from collections.abc import AsyncIterator

from teamspace import blobs
from teamspace.blobs import BlobStore
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, Conflict, NotFound, Refusal
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.jobs import Queue
from teamspace.repository.domain import finding, multipart, naming
from teamspace.repository.schemas import (
    CompletedUpload,
    NewPartUpload,
    PartsQuery,
    PartUpload,
    RepositoryObject,
    UploadedPart,
    UploadPartRow,
    UploadRow,
    VersionDraft,
    WriteCondition,
)


async def begin(db: Db, who: Principal, new: NewPartUpload) -> PartUpload:
    key = naming.validate_key(new.key)
    filename = naming.choose_filename(new.filename, key)
    kind = naming.parse_content_type(new.content_type, filename)
    draft = VersionDraft(key, filename, kind, renames=new.filename is not None, visibility=new.visibility)
    row = await multipart.begin(db, who, draft)
    return PartUpload(row.id, row.key, multipart.MIN_PART, multipart.MAX_PARTS, row.created_at)


async def put_part(
    db: Db, files: BlobStore, who: Principal, upload_id: str, number: int, chunks: AsyncIterator[bytes],
    length: int | None,
) -> UploadedPart:  # fmt: skip
    """Store the bytes as a part; replaces a part with the same number, so that it can be sent again."""
    upload = await multipart.find_own(db, who, upload_id)
    room = await multipart.room_for_part(db, upload, number)
    room.check(length or 0)
    async with blobs.stage(files, room.limit_stream(chunks)) as staged:
        await blobs.store_staged(db, files, who, who.org_id, staged)
        return _part(await multipart.add_part(db, who, upload, number, staged, None))


async def list_parts(db: Db, who: Principal, upload_id: str, query: PartsQuery) -> Page[UploadedPart]:
    upload = await multipart.find_own(db, who, upload_id)
    rows = await multipart.list_parts(db, upload, _after(query), query.size + 1)
    page = paging.page(rows, query, lambda row: str(row.number))
    return Page([_part(row) for row in page.items], page.next_cursor)


async def complete(
    db: Db, queue: Queue, who: Principal, upload_id: str, sent: CompletedUpload, condition: WriteCondition
) -> RepositoryObject:
    """Make the parts a version. A repeated request gets the same response, in case the first one was lost."""
    upload = await multipart.find_own(db, who, upload_id, ended=True)
    if upload.version_id is None:
        try:
            row, _ = await multipart.complete(
                db, queue, who, upload, await _all_parts(db, upload, sent), None, condition
            )
            return await finding.describe(db, who, row)
        except Refusal:
            await db.wait_for_commits()
            upload = await multipart.find_own(db, who, upload_id, ended=True)  # another request may have completed it
            if upload.version_id is None:
                raise
    found = await finding.get_at_key(db, who, upload.key)
    if found is None or found.removed:
        raise NotFound()
    return await finding.describe(db, who, found)


async def abort(db: Db, who: Principal, upload_id: str) -> None:
    await multipart.abort(db, who, await multipart.find_own(db, who, upload_id))


async def _all_parts(db: Db, upload: UploadRow, sent: CompletedUpload) -> list[UploadPartRow]:
    parts = await multipart.list_parts(db, upload)
    if not parts or [part.number for part in parts] != list(range(1, len(parts) + 1)):
        raise Conflict("repository.parts_missing")
    if sum(part.size for part in parts) != sent.size:
        raise Conflict("repository.parts_missing")
    if any(part.size < multipart.MIN_PART for part in parts[:-1]):
        raise BadRequest("repository.part_size", limit=multipart.MIN_PART)
    return parts


def _part(row: UploadPartRow) -> UploadedPart:
    return UploadedPart(row.number, row.size, row.md5)


def _after(query: PartsQuery) -> int:
    if query.cursor is None:
        return 0
    text = paging.decode_cursor(query.cursor)
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise BadRequest.at("cursor", "value.cursor")
    return int(text)
