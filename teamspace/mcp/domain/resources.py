"""Notes, documents and runs as resources: what the caller can read, by URI."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from teamspace import documents, notes, repository
from teamspace.blobs import BlobStore
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound
from teamspace.core.principal import Principal

TEMPLATES = (
    {"uriTemplate": "teamspace://notes/{id}", "name": "note", "title": "A note", "mimeType": "text/markdown"},
    {"uriTemplate": "teamspace://files/{id}", "name": "file", "title": "The text of a document or file", "mimeType": "text/plain"},
    {"uriTemplate": "teamspace://runs/{id}", "name": "run", "title": "A run of a workflow", "mimeType": "application/json"},
)  # fmt: skip
_URI = re.compile(r"teamspace://(notes|files|runs)/([A-Za-z0-9-]{1,100})")
_NOTES, _FILES, RUNS = "notes", "files", "runs"
ReadRun = Callable[[Db, Principal, str], Awaitable[str]]


def to_uri(kind: str, id: str) -> str:
    return f"teamspace://{kind}/{id}"


async def list_page(db: Db, who: Principal, cursor: str) -> dict[str, Any]:
    """Return a page of the caller's notes; after the last one, of documents."""
    kind, _, signed = cursor.partition(":")
    position = paging.verify_cursor(db.vault, signed) if signed else None
    if kind == _FILES:
        found = await documents.listing(db, who, documents.DocumentsQuery(cursor=position))
        items = [_resource(_FILES, each.id, each.title, each.updated_at) for each in found.items]
        return _page(items, _cursor(db, _FILES, found.next_cursor) if found.next_cursor else None)
    if kind not in ("", _NOTES):
        raise BadRequest.at("/params/cursor", "value.cursor")
    page = await notes.listing(db, who, notes.NoteQuery(cursor=position))
    items = [_resource(_NOTES, note.id, note.title, note.updated_at) for note in page.items]
    return _page(items, _cursor(db, _NOTES if page.next_cursor else _FILES, page.next_cursor))


def _page(items: list[dict[str, Any]], cursor: str | None) -> dict[str, Any]:
    return {"resources": items} if cursor is None else {"resources": items, "nextCursor": cursor}


def _cursor(db: Db, kind: str, position: str | None) -> str:
    return f"{kind}:{paging.sign_cursor(db.vault, position) if position else ''}"


async def read(db: Db, files: BlobStore, read_run: ReadRun, who: Principal, uri: str) -> dict[str, Any]:
    """Return the text of a resource; NotFound if there is none that the caller can read."""
    found = _URI.fullmatch(uri)
    if found is None:
        raise NotFound()
    if found[1] == RUNS:
        return _text(uri, "application/json", await read_run(db, who, found[2]))
    if found[1] == _NOTES:
        note = await notes.find(db, who, found[2])
        return _text(uri, "text/markdown", note.body)
    read = await repository.read_version_text(db, files, who, found[2], None)
    return _text(uri, "text/plain", read.text)


def _text(uri: str, content_type: str, text: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "mimeType": content_type, "text": text}]}


def _resource(kind: str, id: str, title: str, updated_at: str) -> dict[str, Any]:
    return {
        "uri": to_uri(kind, id), "name": title or id, "title": title, "mimeType": "text/markdown",
        "annotations": {"lastModified": updated_at},
    }  # fmt: skip
