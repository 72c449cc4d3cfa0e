"""Create, read, change and delete text documents. The repository handles access rights and versions."""

import re
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import UNSET

from teamspace import blobs, fulltext, references, repository
from teamspace.blobs import BlobStore
from teamspace.core import paging, text
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, Conflict, NotFound, Overloaded, TooLarge, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.documents.schemas import (
    Document,
    DocumentChange,
    DocumentItem,
    DocumentsQuery,
    NewDocument,
)
from teamspace.jobs import Queue
from teamspace.repository import MARKDOWN, ObjectRow, VersionDraft, WriteCondition

FOLDER, EXTENSION = "documents/", repository.MARKDOWN_ENDING
MAX_SLUG = 80
MAX_SIZE = 2 * 1024 * 1024
_MAX_SAME_SLUG = 50
_TRIES = 10


async def create(db: Db, files: BlobStore, queue: Queue, who: Principal, draft: NewDocument) -> Document:
    title = text.clean_name(draft.title, "title", max_length=200)
    tags = text.clean_tags(draft.tags)
    searched, links = await _read(draft.body)
    async with _stage(db, files, who, draft.body) as bytes_:
        for key in await repository.unused_keys(db, who, _candidate_keys(title)):
            work = VersionDraft(
                key, key.removeprefix(FOLDER), MARKDOWN, title, visibility=draft.visibility, text=searched, links=links,
                labels=tuple(tags) or None,
            )  # fmt: skip
            try:
                written = await repository.put(db, queue, who, work, WriteCondition(exists=False), bytes_)
            except (VersionMismatch, Conflict):  # another writer took the key
                continue
            return await _to_document(db, who, written.row, draft.body)
    raise Overloaded("documents.title_busy")


async def exists(db: Db, who: Principal, title: str) -> bool:
    """Whether the caller's team already has an object at the key of a document with this title."""
    return not await repository.unused_keys(db, who, _candidate_keys(title)[:1])


async def listing(db: Db, who: Principal, query: DocumentsQuery) -> Page[DocumentItem]:
    tag = text.clean_tag(query.tag, "tag") if query.tag else None
    rows = await repository.list_documents(db, who, tag, query.before, query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    ids = [row.id for row in page.items]
    tags, linked = await repository.get_labels(db, ids), await repository.get_linked(db, ids)
    return Page([_to_item(row, tags[row.id], row.id in linked) for row in page.items], page.next_cursor)


async def find(db: Db, files: BlobStore, who: Principal, document_id: str, number: int | None) -> Document:
    row = await _get_readable(db, who, document_id)
    if number is None or number == row.version:
        return await _to_document(db, who, row, await _read_body(db, files, row))
    old = await repository.get_as_of_version(db, row, number)
    _check_kind(old)
    return await _to_document(db, who, old, await _read_body(db, files, old))


async def update(
    db: Db, files: BlobStore, queue: Queue, who: Principal, document_id: str, change: DocumentChange, seen: int | None
) -> Document:
    if all(field is UNSET for field in (change.title, change.body, change.visibility, change.tags)):
        raise BadRequest("documents.nothing")
    for _ in range(_TRIES):
        try:
            return await _update(db, files, queue, who, document_id, change, seen)
        except VersionMismatch:
            if seen is not None:
                raise
            await db.wait_for_commits()  # otherwise the next attempt would read the same version again
    raise Overloaded("documents.busy")


async def _update(
    db: Db, files: BlobStore, queue: Queue, who: Principal, document_id: str, change: DocumentChange, seen: int | None
) -> Document:
    """Write a new version. Absent fields are copied from the current version, which must still be current on commit."""
    row = await repository.require(db, who, document_id, P.FILES_WRITE)
    _check_kind(row)
    if seen not in (None, row.version):
        raise VersionMismatch(row.version)
    title = (
        repository.shown_title(row) if change.title is UNSET else text.clean_name(change.title, "title", max_length=200)
    )
    body = await _read_body(db, files, row) if change.body is UNSET else change.body
    visibility = None if change.visibility is UNSET else change.visibility
    tags = None if change.tags is UNSET else tuple(text.clean_tags(change.tags))
    searched, links = await _read(body)
    work = VersionDraft(
        row.key, row.filename, MARKDOWN, title, visibility=visibility, text=searched, links=links, labels=tags
    )
    async with _stage(db, files, who, body) as draft:
        written = await repository.add_version(db, queue, who, row.id, work, WriteCondition(row.version), draft)
    return await _to_document(db, who, written, body)


async def delete(db: Db, who: Principal, document_id: str, seen: int | None, *, keep: bool = True) -> None:
    """Put a document in the trash; without `keep`, delete it for good."""
    _check_kind(await repository.require(db, who, document_id, P.FILES_DELETE))
    await repository.delete(db, who, document_id, seen, keep=keep)


@asynccontextmanager
async def _stage(db: Db, files: BlobStore, who: Principal, body: str) -> AsyncIterator[blobs.StagedBlob]:
    async with blobs.stage(files, blobs.as_stream(body.encode())) as draft:
        await blobs.store_staged(db, files, who, who.org_id, draft)
        yield draft


async def _read(body: str) -> tuple[fulltext.Prepared, tuple[references.TextLink, ...]]:
    """Return what is stored of a text besides its bytes: its words, and what it refers to."""
    return await fulltext.prepare(body, is_markdown=True), tuple(await references.find_links(body))


async def _get_readable(db: Db, who: Principal, document_id: str) -> ObjectRow:
    row = await repository.get_visible(db, who, document_id)
    _check_kind(row)
    return row


def _check_kind(row: ObjectRow) -> None:
    if row.content_type != MARKDOWN:
        raise NotFound()


async def _read_body(db: Db, files: BlobStore, row: ObjectRow) -> str:
    if row.size > MAX_SIZE:
        raise TooLarge("documents.too_large", limit=MAX_SIZE, id=row.id)
    return await repository.read_text(db, files, row)


def _candidate_keys(title: str) -> list[str]:
    """Return the keys to try; the last ones are random and so surely free."""
    slug = _slug(title)
    endings = ["", *(f"-{number}" for number in range(2, _MAX_SAME_SLUG)), *(f"-{new_id()}" for _ in range(3))]
    return [f"{FOLDER}{slug}{ending}{EXTENSION}" for ending in endings]


def _slug(title: str) -> str:
    """Return the title's letters and digits of any script, in lower case, joined by hyphens."""
    plain = unicodedata.normalize("NFKC", title).lower()
    slug = re.sub(r"[^\w]+", "-", plain.replace("_", "-")).strip("-")
    return slug[:MAX_SLUG].rstrip("-") or "document"


def _to_item(row: ObjectRow, tags: list[str], has_public_link: bool) -> DocumentItem:
    return DocumentItem(
        id=row.id, title=repository.shown_title(row), key=row.key, content_type=row.content_type, visibility=row.visibility,
        tags=tags, owner=row.owner_id, team_id=row.team_id,
        size=row.size, version=row.version, created_at=row.created_at, updated_at=row.updated_at,
        has_public_link=has_public_link,
    )  # fmt: skip


async def _to_document(db: Db, who: Principal, row: ObjectRow, body: str) -> Document:
    return Document(
        id=row.id, title=repository.shown_title(row), key=row.key, content_type=row.content_type, visibility=row.visibility,
        tags=(await repository.get_labels(db, [row.id]))[row.id], owner=row.owner_id, team_id=row.team_id,
        size=row.size, version=row.version, created_at=row.created_at, updated_at=row.updated_at, body=body,
        has_public_link=bool(await repository.get_linked(db, [row.id])),
        permissions=await repository.get_permissions(db, who, row),
    )  # fmt: skip
