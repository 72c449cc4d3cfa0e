"""List what refers to a thing or mentions a person, as far as the caller can read it.

A row says nothing about who can read its source, so rows are read newest first and checked by the fences of the sources'
own packages, a bounded number at a time: what the caller cannot read costs little, and a page can have fewer items.
"""

from teamspace import fulltext
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.events import ReadableSubjects
from teamspace.references import store
from teamspace.references.schemas import (
    MentionsQuery,
    ReferenceRow,
    ReferencesQuery,
    SourceKind,
    TargetKind,
    TextReference,
)

_BATCH, _MAX_BATCHES = 200, 5
_KINDS: dict[str, SourceKind] = {"note": "note", "object": "object", "document": "object", "file": "object"}


async def list_references(
    db: Db, who: Principal, readable: ReadableSubjects, query: ReferencesQuery
) -> Page[TextReference]:
    """Return the texts that link to a note or object, newest link first; NotFound if the caller cannot read that."""
    name, _, target_id = query.to.partition(":")
    kind = _KINDS.get(name)
    if kind is None or not target_id:
        raise BadRequest.at("to", "references.to")
    if not await readable.select(db, who, kind, [target_id]):
        raise NotFound()
    return await _list(db, who, readable, kind, target_id, query)


async def list_mentions(
    db: Db, who: Principal, readable: ReadableSubjects, query: MentionsQuery
) -> Page[TextReference]:
    """Return the texts that mention the caller, newest mention first."""
    return await _list(db, who, readable, "person", who.user_id, query)


async def _list(
    db: Db, who: Principal, readable: ReadableSubjects, kind: TargetKind, target_id: str, query: paging.Paging
) -> Page[TextReference]:
    before, found, is_end = query.before, list[ReferenceRow](), False
    for _ in range(_MAX_BATCHES):
        batch = await store.select_of_target(db, who.org_id, kind, target_id, before, _BATCH)
        found += await _select_readable(db, who, readable, batch)
        is_end = len(batch) < _BATCH
        if is_end or len(found) > query.size:
            break
        before = batch[-1].id
    items = found[: query.size]
    position = items[-1].id if len(found) > query.size else None if is_end else before
    return Page(await _describe(db, items), None if position is None else paging.encode_cursor(position))


async def _select_readable(
    db: Db, who: Principal, readable: ReadableSubjects, rows: list[ReferenceRow]
) -> list[ReferenceRow]:
    admitted = {
        kind: await readable.select(db, who, kind, ids) if ids else set()
        for kind in ("note", "object")
        for ids in [[row.source_id for row in rows if row.source_kind == kind]]
    }
    return [row for row in rows if row.source_id in admitted[row.source_kind]]


async def _describe(db: Db, rows: list[ReferenceRow]) -> list[TextReference]:
    titles = {
        (kind, id): title
        for kind in ("note", "object")
        for id, title in (
            await fulltext.get_titles(db, kind, [row.source_id for row in rows if row.source_kind == kind])
        ).items()
    }
    return [
        TextReference(
            row.source_kind, row.source_id, titles.get((row.source_kind, row.source_id), ""),
            row.author_id, row.created_at,
        )
        for row in rows
    ]  # fmt: skip
