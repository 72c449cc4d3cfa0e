"""What is out of date: an object whose sources have changed since, or whose sources are out of date themselves."""

from collections.abc import Collection, Sequence

from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.schemas import ChangedSource, LineageRow

MAX_DEPTH = 16
"""Derivations in a row that are followed."""
_MAX_STEPS = 1_000
_MAX_CHANGED = 10

_Distances = dict[ChangedSource, int]


class Lineage:
    """Some objects with their sources, and the sources of these, as far as the caller can see them."""

    def __init__(self, rows: Sequence[LineageRow]) -> None:
        """`rows` are ordered, nearest first. Circles do no harm: there is a limited number of rounds."""
        self._rows = rows
        self._changed: dict[str, _Distances] = {}
        for _ in range(MAX_DEPTH):
            if not any([self._spread(row) for row in reversed(rows)]):
                return

    def _spread(self, row: LineageRow) -> bool:
        """Add what has changed of a source to what has changed of the object; return whether that was new."""
        known = self._changed.setdefault(row.object_id, {})
        found = self._of(row)
        better = {source: distance for source, distance in found.items() if known.get(source, 0) < distance}
        known.update(better)
        for source in sorted(known, key=known.__getitem__)[: max(0, len(known) - _MAX_CHANGED)]:
            del known[source]
        return any(source in known for source in better)

    def _of(self, row: LineageRow) -> _Distances:
        found = {source: distance + 1 for source, distance in self._changed.get(row.source_id, {}).items()}
        if row.used != row.current:
            found.setdefault(ChangedSource(row.source_id, row.key, row.used, row.current), 1)
        return found

    def changed(self, object_id: str, source_id: str | None = None) -> list[ChangedSource]:
        """Return what has changed of all that an object is made from, or of one source: the farthest first."""
        found = self._changed.get(object_id, {}) if source_id is None else self._through(object_id, source_id)
        return sorted(found, key=lambda source: (-found[source], source.key))

    def _through(self, object_id: str, source_id: str) -> _Distances:
        rows = (row for row in self._rows if (row.object_id, row.source_id) == (object_id, source_id))
        return next(map(self._of, rows), {})


async def trace(db: Db, who: Principal, object_ids: Collection[str]) -> Lineage:
    """Follow the sources of objects that a fence has admitted, with one statement."""
    fence = access.fence(who, P.FILES_READ, across_org=True)
    rows = await store.select_lineage(db, fence, sorted(object_ids), MAX_DEPTH, _MAX_STEPS)
    return await pools.TEXT.run(Lineage, rows)
