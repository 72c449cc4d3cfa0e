"""Find entities by name, with the passages of documents that say something about them."""

from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec

from teamspace import repository
from teamspace.ai import EntityKnowledge, PromptSource
from teamspace.blobs import BlobMissing, BlobStore, DamagedBlob
from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.knowledge import access
from teamspace.knowledge.domain import entities, groups, naming
from teamspace.knowledge.schemas import (
    ENTITY_TYPES,
    Entity,
    EntityMention,
    EntityQuery,
    EntityRelation,
    EntityType,
    GraphAnswer,
    GraphPassage,
    KnownEntity,
    KnownRelation,
)
from teamspace.repository import VersionText

MAX_FOUND = 5
_DOCUMENTS = 3
"""Newest documents of each entity that are read."""
_MAX_PASSAGES, _MAX_RELATIONS = 20, 10
_MAX_QUOTE = 600

_Place = tuple[str, int, int, int]
"""A document, its version, and a span of its text."""


async def find(
    db: Db, files: BlobStore, who: Principal, name: str, type: EntityType | None, limit: int
) -> GraphAnswer:  # fmt: skip
    """Return the entities with this name, then others whose names have these words, as `who` sees them."""
    ids = await _find_ids(db, who, name, type, limit)
    found = list((await entities.find_newest(db, who, ids, _DOCUMENTS)).values())
    places = list(dict.fromkeys(place for entity in found for place in _places(entity)))[:_MAX_PASSAGES]
    passages = await _read_passages(db, files, who, found, places)
    return GraphAnswer([_to_known(entity) for entity in found], list(passages.values()))


async def read_entities(
    db: Db, files: BlobStore, who: Principal, entity_ids: Sequence[str]
) -> dict[str, EntityKnowledge]:  # fmt: skip
    """Return what `who` can know about entities, to be cited; without those that no document names that they can read."""
    found = await entities.find_newest(db, who, entity_ids, _DOCUMENTS)
    places = {id: _places(entity) for id, entity in found.items()}
    passages = await _read_passages(db, files, who, found.values(), chain(*places.values()))
    return {
        id: EntityKnowledge(
            msgspec.json.encode(_to_known(entity)).decode(),
            [_to_source(passages[place]) for place in places[id] if place in passages],
        )
        for id, entity in found.items()
    }


async def measure_entities(db: Db, who: Principal, entity_ids: Sequence[str]) -> dict[str, int]:
    """Return about how many characters `read_entities` returns for each, without reading documents."""
    found = await entities.find_newest(db, who, entity_ids, _DOCUMENTS)
    return {
        id: sum(min(end - start, _MAX_QUOTE) for _, _, start, end in _places(entity))
        + len(msgspec.json.encode(_to_known(entity)))
        for id, entity in found.items()
    }


async def _find_ids(db: Db, who: Principal, name: str, type: EntityType | None, limit: int) -> list[str]:
    normalized = naming.normalize(name)
    exact = [naming.to_name(db.vault, who.org_id, each, normalized).id for each in ([type] if type else ENTITY_TYPES)]
    same = await groups.find(db, who, access.reach(who), exact)
    ids = [group.shown.id for group in same.values()]
    if len(ids) < limit:
        listed = await entities.listing(db, who, EntityQuery(q=name, type=type, limit=limit))
        ids += [item.id for item in listed.items]
    return list(dict.fromkeys(ids))[:limit]


def _places(entity: Entity) -> list[_Place]:
    """Return what says something about others first: a mention alone says less."""
    said: list[EntityRelation | EntityMention] = [*entity.relations[:_MAX_RELATIONS], *entity.mentions]
    return list(dict.fromkeys((one.object_id, one.version, one.start, one.end) for one in said))[:_MAX_PASSAGES]


async def _read_passages(
    db: Db, files: BlobStore, who: Principal, found: Iterable[Entity], places: Iterable[_Place]
) -> dict[_Place, GraphPassage]:
    """Return the passages of versions that can be read; the fence of the repository decides once more.

    Each text is read once, and let go before the next.
    """
    outdated = {document.object_id for entity in found for document in entity.timeline if document.outdated}
    wanted = list(dict.fromkeys(places))
    passages: dict[_Place, GraphPassage] = {}
    for version in dict.fromkeys(place[:2] for place in wanted):
        try:
            read = await repository.read_version_text(db, files, who, *version)
        except (NotFound, BlobMissing, DamagedBlob):  # deleted or hidden just now, or logged as damaged
            continue
        passages |= {place: _to_passage(read, place, outdated) for place in wanted if place[:2] == version}
    return {place: passages[place] for place in wanted if place in passages}


def _to_passage(read: VersionText, place: _Place, outdated: set[str]) -> GraphPassage:
    _, version, start, end = place
    quote = read.text[start : min(end, start + _MAX_QUOTE)]
    return GraphPassage(
        object_id=read.object.id, version=version, version_id=read.version.id, key=read.object.key, title=read.title,
        start=start, end=start + len(quote), total=len(read.text), quote=quote, outdated=read.object.id in outdated,
    )  # fmt: skip


def _to_source(passage: GraphPassage) -> PromptSource:
    return PromptSource(
        0, "object", passage.object_id, passage.version, passage.version_id, passage.title, passage.quote,
        passage.start, passage.total,
    )  # fmt: skip


def _to_known(entity: Entity) -> KnownEntity:
    return KnownEntity(
        id=entity.id, type=entity.type, name=entity.name, names=entity.names, documents=entity.documents,
        more=entity.more, relations=[_to_relation(entity, said) for said in entity.relations[:_MAX_RELATIONS]],
    )  # fmt: skip


def _to_relation(entity: Entity, said: EntityRelation) -> KnownRelation:
    ends = (entity.name, said.entity.name) if said.direction == "out" else (said.entity.name, entity.name)
    return KnownRelation(ends[0], said.predicate, ends[1], said.object_id, said.version, said.start, said.end)
