"""Search: access rules, ranking and paging."""

from bisect import bisect_right
from typing import get_args

import msgspec

from teamspace import conversations, fulltext, knowledge, notes, repository
from teamspace.core import paging
from teamspace.core.db import Db, Fence
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.search import store
from teamspace.search.schemas import Hit, Kind, RankedText, SearchableKind, SearchQuery, SearchResult

SOURCES = (
    SearchableKind("note", notes.read_fence),
    SearchableKind("object", repository.read_fence),
    SearchableKind("conversation", conversations.read_fence),
    SearchableKind("entity", knowledge.names_fence),
)
"""What can be searched; the package that owns the rows decides who may read which."""

_KINDS: tuple[str, ...] = get_args(Kind)
_START = (store.POINTS + 1, "")
_BATCH, _MAX_BATCHES = 64, 4
"""Matches that are read and checked in one statement, and how many statements are tried."""


async def search(db: Db, who: Principal, query: SearchQuery) -> Page[SearchResult]:
    if query.scope == "org" and not who.has_permission(P.ORG_READ):
        raise Forbidden("rights.company_scope")
    kinds = _requested_kinds(query)
    fences = {
        source.kind: source.read_fence(who, across_org=query.scope == "org")
        for source in SOURCES
        if source.kind in kinds
    }
    parsed, below = fulltext.parse_query(query.q), _cursor_position(query)
    if not parsed.terms or not fences:
        return Page([], None)
    hits = await _find(db, parsed, fences, who.org_id, below, query.size + 1)
    page = paging.page(hits, query, lambda hit: f"{hit.points}/{hit.id}")
    described = await _describe_entities(db, who, page.items, across_org=query.scope == "org")
    texts = await fulltext.snippets([hit.text for hit in described], parsed)
    return Page([_to_result(hit, text) for hit, text in zip(described, texts, strict=True)], page.next_cursor)


async def _find(
    db: Db, query: fulltext.Query, fences: dict[Kind, Fence], org_id: str, below: tuple[int, str], limit: int
) -> list[Hit]:
    """Return the best hits below the cursor that the fences admit.

    The index alone ranks the texts, and only the best are read and checked, some at a time. If it cannot, or if the
    caller may read few of them, all are checked.
    """
    matches = await store.rank(db, query, fences, org_id)
    hits = None if matches is None else await _admit_best(db, matches, fences, below, limit)
    return await store.select(db, query, fences, org_id, below=below, limit=limit) if hits is None else hits


async def _admit_best(
    db: Db, matches: list[RankedText], fences: dict[Kind, Fence], below: tuple[int, str], limit: int
) -> list[Hit] | None:
    """Return what the fences admit of the best matches; None if that is not enough for a page."""
    left = sorted((one for one in matches if one.points <= below[0]), key=lambda one: -one.points)
    hits: list[Hit] = []
    for _ in range(_MAX_BATCHES):
        if not left or len(hits) >= limit:
            break
        # Equal points are ordered by ids that the index does not have, so they stay together.
        worst = left[min(_BATCH, len(left)) - 1].points
        count = bisect_right(left, -worst, key=lambda one: -one.points)
        hits += await store.select_ranked(db, left[:count], fences, below=below, limit=limit - len(hits))
        left = left[count:]
    return hits if not left or len(hits) >= limit else None


async def _describe_entities(db: Db, who: Principal, hits: list[Hit], *, across_org: bool) -> list[Hit]:
    """Replace names that were found by the entity as the caller sees it, once each."""
    names = [hit.id for hit in hits if hit.type == "entity"]
    if not names:
        return hits
    entities = await knowledge.describe(db, who, names, across_org=across_org)
    shown = [_as_entity(hit, *entities[hit.id]) if hit.type == "entity" else hit for hit in hits
             if hit.type != "entity" or hit.id in entities]  # fmt: skip
    return list({(hit.type, hit.id): hit for hit in reversed(shown)}.values())[::-1]


def _as_entity(hit: Hit, entity: knowledge.EntityItem, quote: str) -> Hit:
    return msgspec.structs.replace(hit, id=entity.id, title=entity.name, text=quote, updated_at=entity.updated_at)


def _to_result(hit: Hit, snippet: str) -> SearchResult:
    return SearchResult(
        hit.type, hit.id, hit.title, hit.content_type, snippet, hit.version, hit.points / store.POINTS, hit.updated_at
    )


def _requested_kinds(query: SearchQuery) -> frozenset[str]:
    requested = frozenset(name.strip() for text in query.types for name in text.split(","))
    if requested - set(_KINDS):
        raise BadRequest.at("types", "search.types", choices=", ".join(_KINDS))
    return requested or frozenset(_KINDS)


def _cursor_position(query: SearchQuery) -> tuple[int, str]:
    """Return points and id of the last row of the previous page."""
    if query.cursor is None:
        return _START
    points, _, ref = query.before.partition("/")
    if not (points.isascii() and points.isdigit() and len(points) <= len(str(store.POINTS)) and ref):
        raise BadRequest.at("cursor", "value.cursor")
    return int(points), ref
