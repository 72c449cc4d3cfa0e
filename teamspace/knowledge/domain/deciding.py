"""People's decisions: two entities are one, or one is two. Both are remembered, and each can be undone by the other."""

from collections.abc import Collection, Sequence

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Conflict, Forbidden, NotFound
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.knowledge import access, store
from teamspace.knowledge.domain import extracting, groups, listing, naming
from teamspace.knowledge.domain.groups import EntityGroup
from teamspace.knowledge.schemas import (
    MAX_NAME,
    EntityItem,
    EntityName,
    GraphReach,
    MentionRow,
    MergeEntity,
    MergeRow,
    SplitEntity,
)

MAX_NAMES = 50
"""Names of one entity."""
MAX_MERGES = 10_000
"""Merged names of a team."""
_READ = 201
"""Documents of a name that are compared with a split, which has 200 mentions at most."""


class _Parting(msgspec.Struct, frozen=True):
    """What a split takes out of an entity."""

    names: list[EntityName]
    """Names that go as a whole: they were merged."""
    pairs: list[tuple[str, str]]
    """Documents in which a name that stays means something else."""


async def merge(db: Db, who: Principal, entity_id: str, body: MergeEntity) -> EntityItem:
    """Make two entities one for the caller's team, also in later documents; it keeps the name of the second."""
    seen = access.reach(who)
    async with db.write(who, "entity.merge", lock=("knowledge", who.team_id)) as tx:
        found = await groups.find(tx, who, seen, [entity_id, body.into])
        if entity_id not in found:
            raise NotFound()
        if body.into not in found:
            raise NotFound("knowledge.no_into")
        one, other = found[entity_id], found[body.into]
        tx.target, tx.detail = one.shown.id, {"into": other.shown.id}
        if one.root_id == other.root_id:
            raise Conflict("knowledge.merged", at="/into")
        if one.type != other.type:
            raise Conflict("knowledge.types_differ", at="/into")
        if len(one.names) + len(other.names) > MAX_NAMES:
            raise Conflict("knowledge.names", limit=MAX_NAMES)
        if await store.count_merges(tx, who.team_id, MAX_MERGES) + len(one.names) > MAX_MERGES:
            raise Conflict("knowledge.merges", limit=MAX_MERGES)
        await _join(tx, who, {*one.names, *other.names}, other.root_id)
        return (await groups.find(tx, who, seen, [body.into]))[body.into].item


async def _join(tx: Tx, who: Principal, name_ids: Collection[str], root_id: str) -> None:
    """Make these names one entity, shown under `root_id`, and no others."""
    now = clock.stamp()
    await store.delete_merges(tx, who.team_id, [root_id])
    for name_id in sorted(name_ids):
        if name_id != root_id:
            await store.put_merge(tx, who.team_id, who.org_id, MergeRow(name_id, root_id), who.user_id, now)


async def split(db: Db, who: Principal, entity_id: str, body: SplitEntity) -> EntityItem:
    """Part mentions of something else from an entity; return the other entity.

    A merged name of which all documents are given is released: for the team, also in later documents. Otherwise the
    given documents mean something else by the name, for everyone who reads them, also in their later versions.
    """
    label = naming.clean(body.name, MAX_NAME)
    normalized = naming.normalize(label)
    if not normalized:
        raise BadRequest.at("/name", "knowledge.name")
    seen = access.reach(who)
    async with db.write(who, "entity.split", lock=("knowledge", who.team_id)) as tx:
        whole = (await groups.find(tx, who, seen, [entity_id], limit=_READ)).get(entity_id)
        if whole is None:
            raise NotFound()
        mentions = await _given_mentions(tx, seen, whole, body.mentions)
        parting = _part(whole, mentions)
        await _check_team(tx, who, parting)
        parts = await _split_names(tx, who, whole, parting, normalized, label)
        await _release(tx, who, whole, parting)
        apart = [*parts, *parting.names]
        await _join(tx, who, [name.id for name in apart], apart[0].id)
        tx.target, tx.detail = whole.shown.id, {"into": apart[0].id, "documents": len(parting.pairs)}
        changed = sorted({object_id for object_id, _ in parting.pairs})
        await store.mark_unlisted(tx, changed)
    await listing.complete(db, changed)
    found = (await groups.find(db, who, seen, [apart[0].id])).get(apart[0].id)
    if found is None:  # its documents were deleted meanwhile
        raise NotFound()
    return found.item


async def _given_mentions(tx: Tx, seen: GraphReach, whole: EntityGroup, ids: Sequence[str]) -> list[MentionRow]:
    rows = {row.id: row for row in await store.select_mentions_by_id(tx, seen.objects, ids)}
    for index, id in enumerate(ids):
        if id not in rows or rows[id].name_id not in whole.documents:
            raise BadRequest.at(f"/mentions/{index}", "knowledge.no_mention")
    return list(rows.values())


def _part(whole: EntityGroup, mentions: Sequence[MentionRow]) -> _Parting:
    given = {(row.object_id, row.name_id) for row in mentions}
    complete = [
        id for id, documents in whole.documents.items() if all((each.object_id, id) in given for each in documents)
    ]
    if len(complete) == len(whole.documents):
        raise BadRequest.at("/mentions", "knowledge.nothing_left")
    names = sorted((whole.names[id] for id in complete), key=lambda name: name.place)
    return _Parting(names, sorted(pair for pair in given if pair[1] not in complete))


async def _check_team(tx: Tx, who: Principal, parting: _Parting) -> None:
    """A document of another team is not changed: its readers there would see it too."""
    if await store.select_foreign_documents(tx, [object_id for object_id, _ in parting.pairs], who.team_id):
        raise Forbidden("knowledge.other_team")


async def _split_names(
    tx: Tx, who: Principal, whole: EntityGroup, parting: _Parting, normalized: str, label: str
) -> list[EntityName]:
    """Give names in some documents another meaning: one part for each name, so that each can be undone alone."""
    now = clock.stamp()
    parts = {
        name_id: naming.to_name(tx.vault, who.org_id, whole.type, normalized, new_id(), label)
        for name_id in sorted({name_id for _, name_id in parting.pairs}, key=lambda id: whole.names[id].place)
    }
    await extracting.put_names(tx, who.org_id, list(parts.values()), now)
    for object_id, name_id in parting.pairs:
        await store.put_split(tx, object_id, name_id, parts[name_id].id, who.org_id, who.user_id, now)
        await store.move_document_name(tx, object_id, name_id, parts[name_id].id)
    return list(parts.values())


async def _release(tx: Tx, who: Principal, whole: EntityGroup, parting: _Parting) -> None:
    """Take names out of the entity; if its root is one of them, another name becomes the root."""
    released = {name.id for name in parting.names}
    await store.delete_merges(tx, who.team_id, sorted(released))
    if whole.root_id in released:
        rest = [name for id, name in whole.names.items() if id not in released]
        readable = [name for name in rest if name.id in whole.documents]
        root = min(readable, key=lambda name: name.place)
        await _join(tx, who, [name.id for name in rest], root.id)
