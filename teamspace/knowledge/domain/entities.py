"""The list of entities, and one of them with what documents say about it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from teamspace import fulltext
from teamspace.core import paging
from teamspace.core.db import Db, Fence
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
    MentionRow,
    NamedDocument,
    RelationRow,
)

MAX_PAGE = 20
"""Documents on a page of an entity."""
_BEFORE_ALL = ("", "")
_Said = TypeVar("_Said", MentionRow, RelationRow)


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
    fence = store.names_fence(seen)
    return await store.select_matching_names(db, fence, words, who.org_id, type=query.type, after=after, limit=limit)


def _is_shown(entities: dict[str, EntityGroup], name: EntityName) -> bool:
    return entities[name.id].shown.id == name.id


class _EntityPage(msgspec.Struct, frozen=True):
    """An entity with some of its documents."""

    group: EntityGroup
    documents: list[list[NamedDocument]]
    """Newest first, each with the names that it has."""
    more: bool

    @property
    def versions(self) -> dict[str, int]:
        """The number of the version in which the names were found, by the document."""
        return {several[0].object_id: several[0].number for several in self.documents}

    @property
    def next_cursor(self) -> str | None:
        if not (self.more and self.documents):
            return None
        last = self.documents[-1][0]
        return paging.encode_cursor(json.dumps((last.at, last.object_id)))


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
    (found,) = await _describe(db, who, seen, [_EntityPage(whole, documents[:size], len(documents) > size)])
    return found


async def find_newest(db: Db, who: Principal, entity_ids: Iterable[str], documents: int) -> dict[str, Entity]:
    """Return entities with so many of their newest documents, without those of which `who` can read none."""
    seen = access.reach(who)
    found = await groups.find(db, who, seen, entity_ids)
    pages = [_EntityPage(group, group.newest(documents), False) for group in found.values()]
    return dict(zip(found, await _describe(db, who, seen, pages), strict=True))


async def _describe(db: Db, who: Principal, seen: GraphReach, pages: Sequence[_EntityPage]) -> list[Entity]:
    objects = sorted({id for page in pages for id in page.versions})
    names = sorted({id for page in pages for id in page.group.names})
    mentions = await store.select_mentions(db, objects, names, checking.MAX_MENTIONS)
    relations = await store.select_relations(db, objects, names)
    others = await groups.find(db, who, seen, (id for page in pages for id in _others(relations, page.group)), limit=1)
    return [
        Entity(
            id=counted.id, type=counted.type, name=counted.name, names=page.group.titles, documents=counted.documents,
            more=counted.more, updated_at=counted.updated_at,
            timeline=[_to_document(several) for several in page.documents],
            mentions=_mentions(page, mentions), relations=_relations(page, relations, others),
            next_cursor=page.next_cursor,
        )
        for page in pages
        for counted in [page.group.item]
    ]  # fmt: skip


def _to_document(several: list[NamedDocument]) -> EntityDocument:
    one = several[0]
    return EntityDocument(
        object_id=one.object_id, key=one.key, filename=one.filename, title=one.title,
        content_type=one.content_type, version=one.number, outdated=one.number != one.current, mentions=sum(document.mentions for document in several), at=one.at,
    )  # fmt: skip


def _mentions(page: _EntityPage, rows: Iterable[MentionRow]) -> list[EntityMention]:
    versions = page.versions
    return [
        EntityMention(
            id=row.id, object_id=row.object_id, version=versions[row.object_id], start=row.span_start, end=row.span_end,
            written=row.written, quote=row.quote,
        )
        for row in _on_page(page, rows)
        if row.name_id in page.group.names
    ]  # fmt: skip


def _relations(
    page: _EntityPage, rows: Iterable[RelationRow], others: Mapping[str, EntityGroup]
) -> list[EntityRelation]:
    versions = page.versions
    return [
        EntityRelation(
            direction="out" if row.subject_id in page.group.names else "in", predicate=row.predicate,
            entity=others[other].link, object_id=row.object_id, version=versions[row.object_id], start=row.span_start,
            end=row.span_end, quote=row.quote,
        )
        for row in _on_page(page, rows)
        for other in _others([row], page.group)
        if other in others
    ]  # fmt: skip


def _on_page(page: _EntityPage, rows: Iterable[_Said]) -> list[_Said]:
    """Return what its documents say, in their order."""
    places = {object_id: place for place, object_id in enumerate(page.versions)}
    return sorted((row for row in rows if row.object_id in places), key=lambda row: places[row.object_id])


def _others(rows: Iterable[RelationRow], entity: EntityGroup) -> list[str]:
    """Return the other ends of its relations; one between two names of the entity itself has none."""
    ends = ((row.subject_id, row.target_id) for row in rows)
    return [
        other
        for subject, target in ends
        for end, other in ((subject, target), (target, subject))
        if end in entity.names and other not in entity.names
    ]


def names_fence(who: Principal, *, across_org: bool) -> Fence:
    """Return the fence of the names that a document has which `who` can read, for searches by words."""
    return store.names_fence(access.reach(who, across_org=across_org))


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
