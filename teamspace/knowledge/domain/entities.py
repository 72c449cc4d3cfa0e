"""The list of entities, and one of them with what documents say about it."""

import json
from collections.abc import Iterable

from teamspace import fulltext
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.knowledge import access, store
from teamspace.knowledge.domain import checking, groups
from teamspace.knowledge.domain.groups import COUNTED, EntityGroup
from teamspace.knowledge.schemas import (
    Entity,
    EntityDocument,
    EntityItem,
    EntityMention,
    EntityName,
    EntityPageQuery,
    EntityQuery,
    EntityRelation,
    GraphReach,
    NamedDocument,
    RelationRow,
)

MAX_PAGE = 20
"""Documents on a page of an entity."""
_BEFORE_ALL = ("", "")


async def listing(db: Db, who: Principal, query: EntityQuery) -> Page[EntityItem]:
    """List the entities that documents mention which `who` can read, by name."""
    seen, after = _reach(who, query.scope), _position(query.cursor) or _BEFORE_ALL
    if seen.is_empty:
        return Page([], None)
    found = await _names(db, who, seen, query, after)
    page = paging.page(found, query, lambda name: json.dumps(name.place))
    entities = await groups.find(db, who, seen, [name.id for name in page.items])
    # An entity with several names is listed once, where the one is that is shown. A search lists it for every name.
    shown = [entities[name.id] for name in page.items if name.id in entities and (query.q or _is_shown(entities, name))]
    unique = {entity.shown.id: entity.item for entity in shown}
    return Page(list(unique.values()), page.next_cursor)


async def _names(
    db: Db, who: Principal, seen: GraphReach, query: EntityQuery, after: tuple[str, str]
) -> list[EntityName]:
    limit = query.size + 1
    if not query.q:
        return await store.select_names(db, seen, type=query.type, after=after, limit=limit)
    words = fulltext.parse_query(query.q)
    if not words.terms:
        return []
    fence = access.names_fence(who, across_org=query.scope == "org")
    return await store.select_matching_names(db, fence, words, who.org_id, type=query.type, after=after, limit=limit)


def _is_shown(entities: dict[str, EntityGroup], name: EntityName) -> bool:
    return entities[name.id].shown.id == name.id


async def find(db: Db, who: Principal, entity_id: str, query: EntityPageQuery) -> Entity:
    """Return an entity with a page of its documents; NotFound if `who` can read none that mentions it."""
    seen = _reach(who, query.scope)
    whole = (await groups.find(db, who, seen, [entity_id])).get(entity_id)
    if whole is None:
        raise NotFound()
    size = min(query.size, MAX_PAGE)
    before = _position(query.cursor)
    page = whole if before is None else (
        await groups.find(db, who, seen, [entity_id], limit=size + 1, before=before)
    ).get(entity_id)  # fmt: skip
    documents = page.newest(size + 1) if page else []
    shown, more = documents[:size], len(documents) > size
    last = shown[-1][0] if shown else None
    counted = whole.item
    return Entity(
        id=counted.id, type=counted.type, name=counted.name, names=whole.titles, documents=counted.documents,
        more=counted.more, updated_at=counted.updated_at,
        timeline=[_to_document(several) for several in shown],
        mentions=await _mentions(db, whole, shown),
        relations=await _relations(db, who, seen, whole, shown),
        next_cursor=paging.encode_cursor(json.dumps((last.at, last.object_id))) if last and more else None,
    )  # fmt: skip


def _to_document(several: list[NamedDocument]) -> EntityDocument:
    one = several[0]
    return EntityDocument(
        object_id=one.object_id, key=one.key, filename=one.filename, version=one.number,
        outdated=one.number != one.current, mentions=sum(document.mentions for document in several), at=one.at,
    )  # fmt: skip


async def _mentions(db: Db, entity: EntityGroup, shown: list[list[NamedDocument]]) -> list[EntityMention]:
    versions = {several[0].object_id: several[0].number for several in shown}
    rows = await store.select_mentions(db, list(versions), list(entity.names), checking.MAX_MENTIONS)
    places = {object_id: place for place, object_id in enumerate(versions)}
    return [
        EntityMention(
            id=row.id, object_id=row.object_id, version=versions[row.object_id], start=row.span_start, end=row.span_end,
            written=row.written, quote=row.quote,
        )
        for row in sorted(rows, key=lambda row: places[row.object_id])
    ]  # fmt: skip


async def _relations(
    db: Db, who: Principal, seen: GraphReach, entity: EntityGroup, shown: list[list[NamedDocument]]
) -> list[EntityRelation]:
    versions = {several[0].object_id: several[0].number for several in shown}
    rows = await store.select_relations(db, list(versions), list(entity.names))
    others = await groups.find(db, who, seen, _others(rows, entity), limit=1)
    places = {object_id: place for place, object_id in enumerate(versions)}
    return [
        EntityRelation(
            direction="out" if row.subject_id in entity.names else "in", predicate=row.predicate,
            entity=others[other].link, object_id=row.object_id, version=versions[row.object_id], start=row.span_start,
            end=row.span_end, quote=row.quote,
        )
        for row in sorted(rows, key=lambda row: places[row.object_id])
        for other in _others([row], entity)
        if other in others
    ]  # fmt: skip


def _others(rows: Iterable[RelationRow], entity: EntityGroup) -> list[str]:
    """Return the other ends; a relation between two names of the entity itself has none."""
    ends = (id for row in rows for id in (row.subject_id, row.target_id))
    return [id for id in ends if id not in entity.names]


async def describe(
    db: Db, who: Principal, name_ids: Iterable[str], *, across_org: bool
) -> dict[str, tuple[EntityItem, str]]:
    """Return the entities of names that a search has found, each with a sentence about it."""
    seen = access.reach(who, across_org=across_org)
    found = await groups.find(db, who, seen, name_ids)
    quotes = await _quotes(db, found.values())
    return {id: (group.item, quotes.get(group.shown.id, "")) for id, group in found.items()}


async def _quotes(db: Db, found: Iterable[EntityGroup]) -> dict[str, str]:
    """Return, by the name that is shown, the first sentence of its newest document."""
    newest = {group.shown.id: group.documents[group.shown.id][0].object_id for group in found}
    rows = await store.select_mentions(db, sorted(set(newest.values())), list(newest), 1)
    return {row.name_id: row.quote for row in rows if newest.get(row.name_id) == row.object_id}


def _reach(who: Principal, scope: str | None) -> GraphReach:
    if scope == "org" and not who.has_permission(P.ORG_READ):
        raise Forbidden("rights.company_scope")
    return access.reach(who, across_org=scope == "org")


def _position(cursor: str | None) -> tuple[str, str] | None:
    if cursor is None:
        return None
    try:
        first, second = json.loads(paging.decode_cursor(cursor))
        if isinstance(first, str) and isinstance(second, str):
            f"{first}{second}".encode()
            return first, second
    except (ValueError, TypeError):
        pass
    raise BadRequest.at("cursor", "value.cursor")


assert MAX_PAGE <= COUNTED  # so that the first page needs no other read
