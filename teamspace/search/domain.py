"""What a search finds, for whom, and in which order."""

from typing import get_args

from teamspace import fulltext, notes, repository
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.search import store
from teamspace.search.schemas import Found, Hit, Kind, SearchQuery, Source

SOURCES = (Source("note", notes.readable), Source("object", repository.readable))
"""Everything that can be found: who owns it says who may read which row of it."""

_KINDS: tuple[str, ...] = get_args(Kind)
_ABOVE_ALL = (store.POINTS + 1, "")


async def search(db: Db, who: Principal, query: SearchQuery) -> Page[Found]:
    if query.scope == "org" and not who.holds(P.ORG_READ):
        raise Forbidden("The scope org needs org:read, by a role in the company.")
    wanted = _kinds(query)
    fences = {
        source.kind: source.readable(who, across_org=query.scope == "org")
        for source in SOURCES
        if source.kind in wanted
    }
    asked, below = fulltext.read(query.q), _below(query)
    if not asked.terms or not fences:
        return Page([], None)
    hits = await store.select(db, asked, fences, who.org_id, below=below, limit=query.size + 1)
    page = paging.page(hits, query, lambda hit: f"{hit.points}/{hit.id}")
    texts = await fulltext.snippets([hit.text for hit in page.items], asked)
    return Page([_found(hit, text) for hit, text in zip(page.items, texts, strict=True)], page.next_cursor)


def _found(hit: Hit, snippet: str) -> Found:
    return Found(hit.type, hit.id, hit.title, snippet, hit.points / store.POINTS, hit.updated_at)


def _kinds(query: SearchQuery) -> frozenset[str]:
    named = frozenset(name.strip() for text in query.types for name in text.split(","))
    if named - set(_KINDS):
        raise BadRequest.at("types", f"may name {', '.join(_KINDS)}")
    return named or frozenset(_KINDS)


def _below(query: SearchQuery) -> tuple[int, str]:
    """Points and id of the last row that was seen."""
    if query.cursor is None:
        return _ABOVE_ALL
    points, _, ref = query.before.partition("/")
    if not (points.isascii() and points.isdigit() and len(points) <= len(str(store.POINTS)) and ref):
        raise BadRequest.at("cursor", "is not a cursor of this list")
    return int(points), ref
