"""Entities as one caller sees them: the names that their team takes for the same, in documents that they can read."""

from collections.abc import Iterable, Sequence

import msgspec

from teamspace.core.db import Reads
from teamspace.core.principal import Principal
from teamspace.knowledge import store
from teamspace.knowledge.schemas import EntityItem, EntityLink, EntityName, EntityType, GraphReach, NamedDocument

COUNTED = 50
"""How many documents of an entity are counted."""


class EntityGroup(msgspec.Struct, frozen=True):
    """An entity: its names, and the newest documents with each that the caller can read."""

    root_id: str
    names: dict[str, EntityName]
    documents: dict[str, list[NamedDocument]]
    """By the name, newest first; only names that a document has which the caller can read."""

    @property
    def is_readable(self) -> bool:
        return bool(self.documents)

    @property
    def shown(self) -> EntityName:
        """The name under which it is shown: that into which the others were merged, if the caller can read it."""
        if self.root_id in self.documents:
            return self.names[self.root_id]
        return min((self.names[id] for id in self.documents), key=lambda name: name.place)

    @property
    def type(self) -> EntityType:
        return self.shown.type

    @property
    def title(self) -> str:
        return self.title_of(self.shown)

    @property
    def titles(self) -> list[str]:
        """All its names that the caller can read, the one that is shown first."""
        others = sorted((self.names[id] for id in self.documents), key=lambda name: name.place)
        return list(dict.fromkeys([self.title, *map(self.title_of, others)]))

    def title_of(self, name: EntityName) -> str:
        """Return a name as the person who split it calls it, or as the newest document writes it."""
        return name.label or self.documents[name.id][0].written

    def newest(self, limit: int) -> list[list[NamedDocument]]:
        """Return its newest documents, each with the names that it has."""
        by_object: dict[str, list[NamedDocument]] = {}
        for document in (document for several in self.documents.values() for document in several):
            by_object.setdefault(document.object_id, []).append(document)
        ordered = sorted(by_object.values(), key=lambda several: (several[0].at, several[0].object_id), reverse=True)
        return ordered[:limit]

    @property
    def item(self) -> EntityItem:
        newest = self.newest(COUNTED + 1)
        counted = newest[:COUNTED]
        return EntityItem(
            id=self.shown.id, type=self.type, name=self.title,
            mentions=sum(document.mentions for several in counted for document in several), documents=len(counted),
            more=len(newest) > COUNTED, updated_at=newest[0][0].at,
        )  # fmt: skip

    @property
    def link(self) -> EntityLink:
        return EntityLink(self.shown.id, self.type, self.title)


async def find(
    db: Reads, who: Principal, seen: GraphReach, name_ids: Iterable[str], *, limit: int = COUNTED + 1,
    before: tuple[str, str] | None = None,
) -> dict[str, EntityGroup]:  # fmt: skip
    """Return the entities of names, by the name; without those of which the caller can read nothing."""
    asked = list(dict.fromkeys(name_ids))
    if not asked or seen.is_empty:
        return {}
    roots, members = await _members(db, who, asked)
    ids = sorted({id for several in members.values() for id in several})
    names = {name.id: name for name in await store.select_names_by_id(db, who.org_id, ids)}
    rows = await store.select_documents(db, seen, ids, limit, *([before] if before else []))
    documents = _by_name(rows)
    groups = {root: _group(root, several, names, documents) for root, several in members.items()}
    return {id: groups[roots[id]] for id in asked if groups[roots[id]].is_readable}


async def _members(db: Reads, who: Principal, asked: Sequence[str]) -> tuple[dict[str, str], dict[str, set[str]]]:
    """Return the root of each name, and the names of each root."""
    merges = await store.select_merges_of(db, who.team_id, asked)
    roots = {merge.name_id: merge.root_id for merge in merges} | {merge.root_id: merge.root_id for merge in merges}
    roots |= {id: id for id in asked if id not in roots}
    members: dict[str, set[str]] = {}
    for id, root in roots.items():
        members.setdefault(root, set()).add(id)
    return roots, members


def _by_name(rows: Iterable[NamedDocument]) -> dict[str, list[NamedDocument]]:
    found: dict[str, list[NamedDocument]] = {}
    for row in sorted(rows, key=lambda row: (row.at, row.object_id), reverse=True):
        found.setdefault(row.name_id, []).append(row)
    return found


def _group(
    root: str, members: Iterable[str], names: dict[str, EntityName], documents: dict[str, list[NamedDocument]]
) -> EntityGroup:
    return EntityGroup(
        root, {id: names[id] for id in members if id in names}, {id: documents[id] for id in members if id in documents}
    )
