"""What others shared with the caller or with their team, newest share first.

A grant does not say whether it still counts: it can have expired, its thing can be in the trash, or belong to the caller.
So the newest grants of each kind are read by an index, a bounded number at a time, and checked by the fences of the
things' own packages: thousands of grants cost as little as a few, and a page can have fewer items. Of the grants to the
caller and to their team only the newest shows a thing, so that no later page has it again.
"""

from teamspace import sharing
from teamspace.activity import access, store
from teamspace.activity.schemas import ActivityThing, SharedItem, SharedQuery
from teamspace.core import paging
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.sharing import ReceivedGrant

BATCH, MAX_BATCHES = 200, 5
_NEWEST = ("~", "~")


async def listing(db: Db, who: Principal, query: SharedQuery) -> Page[SharedItem]:
    items: dict[str, SharedItem] = {}
    before = _position(query)
    for _ in range(MAX_BATCHES):
        grants = await _newest_grants(db, who, before)
        things = await _find_things(db, who, grants)
        for grant in grants:
            thing = things.get(grant.id)
            if thing is None or not grant.is_newest or grant.id in items:
                continue
            if len(items) == query.size:
                return _page(items, before)
            items[grant.id] = SharedItem(thing.kind, thing.id, thing.title, grant.granted_by, grant.created_at)
            before = (grant.created_at, grant.id)
        if len(grants) < BATCH:
            return Page(list(items.values()), None)
        before = (grants[-1].created_at, grants[-1].id)
    return _page(items, before)


async def _newest_grants(db: Db, who: Principal, before: tuple[str, str]) -> list[ReceivedGrant]:
    """Return the newest grants of all kinds, one batch."""
    grants = [
        grant
        for kind in access.shared_kinds(who)
        if not kind.fence.is_empty
        for grant in await sharing.select_received(db, kind.name, who, before, BATCH)
    ]
    return sorted(grants, key=lambda grant: (grant.created_at, grant.id), reverse=True)[:BATCH]


async def _find_things(db: Db, who: Principal, grants: list[ReceivedGrant]) -> dict[str, ActivityThing]:
    """Return those of the things that are shared with the caller now."""
    things: dict[str, ActivityThing] = {}
    for kind in access.shared_kinds(who):
        if ids := {grant.id for grant in grants if grant.kind == kind.name and grant.is_newest}:
            things |= {thing.id: thing for thing in await store.select_readable(db, kind, ids)}
    return things


def _position(query: SharedQuery) -> tuple[str, str]:
    """Return time and id of the last grant of the previous page."""
    if query.cursor is None:
        return _NEWEST
    at, _, id = query.before.partition("/")
    if not id:
        raise BadRequest.at("cursor", "value.cursor")
    return at, id


def _page(items: dict[str, SharedItem], last: tuple[str, str]) -> Page[SharedItem]:
    return Page(list(items.values()), paging.encode_cursor("/".join(last)))
