"""Find entities by name, with the passages of documents that say something about them."""

from collections.abc import Iterable

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
    EntityPageQuery,
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
_MAX_TEXTS, _MAX_PASSAGES, _MAX_RELATIONS = 8, 20, 10
_MAX_QUOTE = 600

_Place = tuple[str, int, int, int]
"""A document, its version, and a span of its text."""


async def find(
    db: Db, files: BlobStore, who: Principal, name: str, type: EntityType | None, limit: int
) -> GraphAnswer:  # fmt: skip
    """Return the entities with this name, then others whose names have these words, as `who` sees them."""
    return await _read_passages(db, files, who, await _find_ids(db, who, name, type, limit))


async def read_entity(db: Db, files: BlobStore, who: Principal, entity_id: str) -> EntityKnowledge:
    """Return what `who` can know about an entity, to be cited; NotFound if no document that they can read names it."""
    known = await _read_passages(db, files, who, [entity_id])
    return EntityKnowledge(
        msgspec.json.encode(known.entities[0]).decode(), [_to_source(passage) for passage in known.passages]
    )


async def measure_entity(db: Db, who: Principal, entity_id: str) -> int:
    """Return about how many characters `read_entity` returns, without reading documents."""
    entity = await entities.find(db, who, entity_id, EntityPageQuery(limit=_DOCUMENTS))
    places = list(dict.fromkeys(_places(entity)))[:_MAX_PASSAGES]
    passages = sum(min(end - start, _MAX_QUOTE) for _, _, start, end in places)
    return passages + len(msgspec.json.encode(_to_known(entity)))


async def _read_passages(db: Db, files: BlobStore, who: Principal, ids: Iterable[str]) -> GraphAnswer:
    found = [await entities.find(db, who, id, EntityPageQuery(limit=_DOCUMENTS)) for id in ids]
    places = list(dict.fromkeys(place for entity in found for place in _places(entity)))
    outdated = {document.object_id for entity in found for document in entity.timeline if document.outdated}
    texts = await _read(db, files, who, places)
    passages = [_to_passage(texts[place[:2]], place, outdated) for place in places if place[:2] in texts]
    return GraphAnswer([_to_known(entity) for entity in found], passages[:_MAX_PASSAGES])


async def _find_ids(db: Db, who: Principal, name: str, type: EntityType | None, limit: int) -> list[str]:
    normalized = naming.normalize(name)
    exact = [naming.to_name(db.vault, who.org_id, each, normalized).id for each in ([type] if type else ENTITY_TYPES)]
    same = await groups.find(db, who, access.reach(who), exact)
    ids = [group.shown.id for group in same.values()]
    if len(ids) < limit:
        listed = await entities.listing(db, who, EntityQuery(q=name, type=type, limit=limit))
        ids += [item.id for item in listed.items]
    return list(dict.fromkeys(ids))[:limit]


def _places(entity: Entity) -> Iterable[_Place]:
    """Return what says something about others first: a mention alone says less."""
    yield from ((said.object_id, said.version, said.start, said.end) for said in entity.relations[:_MAX_RELATIONS])
    yield from ((said.object_id, said.version, said.start, said.end) for said in entity.mentions)


async def _read(
    db: Db, files: BlobStore, who: Principal, places: Iterable[_Place]
) -> dict[tuple[str, int], VersionText]:
    """Return the texts of versions that can be read; the fence of the repository decides once more."""
    texts: dict[tuple[str, int], VersionText] = {}
    for object_id, version in list(dict.fromkeys(place[:2] for place in places))[:_MAX_TEXTS]:
        try:
            texts[object_id, version] = await repository.read_version_text(db, files, who, object_id, version)
        except (NotFound, BlobMissing, DamagedBlob):  # deleted or hidden just now, or logged as damaged
            continue
    return texts


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
