"""What can be done with a text document. Everything about rights and versions is the repository's."""

import re
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import UNSET

from teamspace import blobs, fulltext, repository
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
from teamspace.repository import MARKDOWN, Condition, ObjectRow, Work

FOLDER, EXTENSION = "documents/", ".md"
LONGEST_SLUG = 80
LARGEST = 2 * 1024 * 1024
_MOST_ALIKE = 50
_TRIES = 10


async def create(db: Db, files: BlobStore, queue: Queue, who: Principal, draft: NewDocument) -> Document:
    title = text.name(draft.title, "title", most=200)
    searched = await fulltext.prepare(draft.body, is_markdown=True)
    async with _kept(db, files, who, draft.body) as bytes_:
        for key in await repository.free_keys(db, who, _keys(title)):
            work = Work(key, key.removeprefix(FOLDER), MARKDOWN, title, visibility=draft.visibility, text=searched)
            try:
                written = await repository.put(db, queue, who, work, Condition(exists=False), bytes_)
            except (VersionMismatch, Conflict):  # somebody was quicker
                continue
            return await _document(db, who, written.row, draft.body)
    raise Overloaded("Too many documents of this title are being made at once.")


async def has(db: Db, who: Principal, title: str) -> bool:
    """Whether there is something where a document of this title would lie, of whoever in the caller's team."""
    return not await repository.free_keys(db, who, _keys(title)[:1])


async def listing(db: Db, who: Principal, query: DocumentsQuery) -> Page[DocumentItem]:
    rows = await repository.documents(db, who, query.before, query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    return Page([_item(row) for row in page.items], page.next_cursor)


async def find(db: Db, files: BlobStore, who: Principal, document_id: str, number: int | None) -> Document:
    row = await _readable(db, who, document_id)
    if number is None or number == row.version:
        return await _document(db, who, row, await _body(db, files, row))
    old = await repository.as_of(db, row, number)
    _check_kind(old)
    return await _document(db, who, old, await _body(db, files, old))


async def update(
    db: Db, files: BlobStore, queue: Queue, who: Principal, document_id: str, change: DocumentChange, seen: int | None
) -> Document:
    if change.title is UNSET and change.body is UNSET and change.visibility is UNSET:
        raise BadRequest("There is nothing to change: send title, body or visibility.")
    for _ in range(_TRIES):
        try:
            return await _update(db, files, queue, who, document_id, change, seen)
        except VersionMismatch:
            if seen is not None:
                raise
            await db.settled()  # else the next try would read the same version again
    raise Overloaded("Too many writes to the same document at once; nothing was written.")


async def _update(
    db: Db, files: BlobStore, queue: Queue, who: Principal, document_id: str, change: DocumentChange, seen: int | None
) -> Document:
    """What is not given is that of the version just read: it must still be the newest when this is written."""
    row = await repository.held(db, who, document_id, P.FILES_WRITE)
    _check_kind(row)
    if seen not in (None, row.version):
        raise VersionMismatch(row.version)
    title = _title(row) if change.title is UNSET else text.name(change.title, "title", most=200)
    body = await _body(db, files, row) if change.body is UNSET else change.body
    visibility = None if change.visibility is UNSET else change.visibility
    searched = await fulltext.prepare(body, is_markdown=True)
    work = Work(row.key, row.filename, MARKDOWN, title, visibility=visibility, text=searched)
    async with _kept(db, files, who, body) as draft:
        written = await repository.add_version(db, queue, who, row.id, work, Condition(row.version), draft)
    return await _document(db, who, written, body)


async def delete(db: Db, who: Principal, document_id: str, seen: int | None) -> None:
    _check_kind(await repository.held(db, who, document_id, P.FILES_DELETE))
    await repository.delete(db, who, document_id, seen)


@asynccontextmanager
async def _kept(db: Db, files: BlobStore, who: Principal, body: str) -> AsyncIterator[blobs.Draft]:
    async with blobs.drafted(files, blobs.once(body.encode())) as draft:
        await blobs.store_draft(db, files, who, who.org_id, draft)
        yield draft


async def _readable(db: Db, who: Principal, document_id: str) -> ObjectRow:
    row = await repository.seen(db, who, document_id)
    _check_kind(row)
    return row


def _check_kind(row: ObjectRow) -> None:
    if row.content_type != MARKDOWN:
        raise NotFound()


async def _body(db: Db, files: BlobStore, row: ObjectRow) -> str:
    if row.size > LARGEST:
        raise TooLarge(f"It is larger than {LARGEST} bytes: read it at /api/repo-obj/{row.id}/content.")
    return await repository.text_of(db, files, row)


def _keys(title: str) -> list[str]:
    """Where it may lie; the last ones are free for sure."""
    slug = _slug(title)
    endings = ["", *(f"-{number}" for number in range(2, _MOST_ALIKE)), *(f"-{new_id()}" for _ in range(3))]
    return [f"{FOLDER}{slug}{ending}{EXTENSION}" for ending in endings]


def _slug(title: str) -> str:
    """Letters and digits of any script, in lower case."""
    plain = unicodedata.normalize("NFKC", title).lower()
    slug = re.sub(r"[^\w]+", "-", plain.replace("_", "-")).strip("-")
    return slug[:LONGEST_SLUG].rstrip("-") or "document"


def _title(row: ObjectRow) -> str:
    """A Markdown file that came another way has the name of its file."""
    return row.title or row.filename.removesuffix(EXTENSION)


def _item(row: ObjectRow) -> DocumentItem:
    return DocumentItem(
        id=row.id, title=_title(row), key=row.key, content_type=row.content_type, visibility=row.visibility,
        owner=row.owner_id, team_id=row.team_id,
        size=row.size, version=row.version, created_at=row.created_at, updated_at=row.updated_at,
    )  # fmt: skip


async def _document(db: Db, who: Principal, row: ObjectRow, body: str) -> Document:
    return Document(
        id=row.id, title=_title(row), key=row.key, content_type=row.content_type, visibility=row.visibility,
        owner=row.owner_id, team_id=row.team_id,
        size=row.size, version=row.version, created_at=row.created_at, updated_at=row.updated_at, body=body,
        permissions=await repository.permissions(db, who, row),
    )  # fmt: skip
