"""Search: access rules, ranking and paging."""

from typing import get_args

from teamspace import conversations, fulltext, notes, repository
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.search import store
from teamspace.search.schemas import Hit, Kind, SearchableKind, SearchQuery, SearchResult

SOURCES = (
    SearchableKind("note", notes.read_fence),
    SearchableKind("object", repository.read_fence),
    SearchableKind("conversation", conversations.read_fence),
)
"""What can be searched; the package that owns the rows decides who may read which."""

_KINDS: tuple[str, ...] = get_args(Kind)
_START = (store.POINTS + 1, "")


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
    hits = await store.select(db, parsed, fences, who.org_id, below=below, limit=query.size + 1)
    page = paging.page(hits, query, lambda hit: f"{hit.points}/{hit.id}")
    texts = await fulltext.snippets([hit.text for hit in page.items], parsed)
    return Page([_to_result(hit, text) for hit, text in zip(page.items, texts, strict=True)], page.next_cursor)


def _to_result(hit: Hit, snippet: str) -> SearchResult:
    return SearchResult(hit.type, hit.id, hit.title, snippet, hit.version, hit.points / store.POINTS, hit.updated_at)


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
