"""What colleagues did: rows of the audit log, newest first, of things that the caller can read.

The audit log does not say who can read a thing. So its rows are read by an index that has only what the activity shows,
and checked by the fences of the things' own packages, a bounded number at a time: what the caller cannot read costs
little, and a page can have fewer items.
"""

from teamspace.activity import access, store
from teamspace.activity.schemas import ActivityItem, ActivityQuery, ActivityRow, ActivityThing, ActivityVerb
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import Page

BATCH, MAX_BATCHES = 400, 5
_VERBS = {
    "create": ActivityVerb.CREATED,
    "update": ActivityVerb.EDITED,
    "share": ActivityVerb.SHARED,
    "start": ActivityVerb.RAN,
}
Things = dict[tuple[str, str], ActivityThing]


async def listing(db: Db, who: Principal, query: ActivityQuery) -> Page[ActivityItem]:
    """Return what others in the team did, newest first; what one person did with one thing is one item."""
    groups, before = _Groups(query.size), query.before
    for _ in range(MAX_BATCHES):
        rows = await store.select_newest(db, who.org_id, who.team_id, before, BATCH)
        others = [row for row in rows if row.actor_id and row.target and row.actor_id != who.user_id]
        things = await _find_readable(db, who, others)
        if (last := groups.add_all(others, things)) is not None:
            return Page(groups.items, paging.encode_cursor(last))
        if len(rows) < BATCH:
            return Page(groups.items, None)
        before = rows[-1].id
    return Page(groups.items, paging.encode_cursor(before))


async def _find_readable(db: Db, who: Principal, rows: list[ActivityRow]) -> Things:
    things: Things = {}
    for kind in access.readable_kinds(who):
        ids = {row.target or "" for row in rows if _kind(row) == kind.name}
        if ids and not kind.fence.is_empty:
            things |= {(kind.name, thing.id): thing for thing in await store.select_readable(db, kind, ids)}
    return things


class _Groups:
    """Items in the order of their newest row, up to the size of the page."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._found: dict[tuple[str, str, bool], ActivityItem] = {}
        self._last = ""

    @property
    def items(self) -> list[ActivityItem]:
        return list(self._found.values())

    def add_all(self, rows: list[ActivityRow], things: Things) -> str | None:
        """Add the rows of things that can be read. Return the last row that was added, if the page is full."""
        for row in rows:
            thing = things.get((_kind(row), row.target or ""))
            if thing is None:
                continue
            key = (row.actor_id or "", thing.id, row.action.endswith(".share"))
            if key not in self._found and len(self._found) == self._size:
                return self._last
            self._found[key] = _merge(self._found.get(key), row, thing)
            self._last = row.id
        return None


def _merge(newer: ActivityItem | None, row: ActivityRow, thing: ActivityThing) -> ActivityItem:
    """Return the item of a row and the newer rows of the same group; who creates and edits has created."""
    verb = _VERBS[row.action.partition(".")[2]]
    times, at = (newer.times + 1, newer.at) if newer else (1, row.at)
    return ActivityItem(thing.kind, thing.id, thing.title, verb, row.actor_id or "", times, at, thing.state)


def _kind(row: ActivityRow) -> str:
    return row.action.partition(".")[0]
