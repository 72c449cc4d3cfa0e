"""List and revoke the public links of a team or a company.

Administrators see that a link exists, who made it and how often it was used. They get no address, and the title of its
object only if they can read it.
"""

from collections.abc import Callable
from typing import Literal

from teamspace import events, repository, tenancy
from teamspace.core import clock, paging
from teamspace.core.db import Db, Fence, Reads
from teamspace.core.errors import NotFound, Unauthenticated
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal
from teamspace.core.replies import Page
from teamspace.events import Change
from teamspace.links import access, store
from teamspace.links.domain import opening
from teamspace.links.schemas import AdministeredLink, LinkRow, LinksQuery

MAX_PAGE = 50
"""Each of them can have another creator, whose rights are asked."""
BATCH, MAX_BATCHES = 200, 5
"""Expired links stay until somebody deletes them, and are left out here."""
Scope = Literal["team", "company"]
_FENCES: dict[Scope, Callable[[Principal], Fence]] = {"team": access.team, "company": access.company}


async def listing(db: Db, who: Principal, scope: Scope, query: LinksQuery) -> Page[AdministeredLink]:
    """Return links that have not expired, newest first; a page can have fewer than its limit."""
    size, before, now = min(query.size, MAX_PAGE), query.before, clock.stamp()
    found: list[LinkRow] = []
    for _ in range(MAX_BATCHES):
        batch = await store.select_newest(db, _FENCES[scope](who), before, BATCH)
        found += [link for link in batch if not opening.is_expired(link, now)]
        if len(found) > size:
            return Page(await _describe(db, who, found[:size]), paging.encode_cursor(found[size - 1].id))
        if len(batch) < BATCH:
            return Page(await _describe(db, who, found), None)
        before = batch[-1].id
    return Page(await _describe(db, who, found), paging.encode_cursor(before))


async def revoke(db: Db, who: Principal, scope: Scope, link_id: str) -> None:
    async with db.write(who, "link.revoke") as tx:
        link = await store.get(tx, _FENCES[scope](who), link_id)
        if link is None or not await store.delete(tx, link.object_id, link.id):
            raise NotFound()
        tx.target, tx.team_id = link.object_id, link.team_id
        tx.detail = {"link": link.id, "creator": link.creator_id}
        await events.record(
            tx, "object", link.object_id, change=Change.UPDATED, org_id=link.org_id, team_id=link.team_id
        )  # fmt: skip


async def _describe(db: Db, who: Principal, links: list[LinkRow]) -> list[AdministeredLink]:
    names = await tenancy.get_names(
        db, who.org_id, {id for link in links for id in (link.creator_id, link.team_id)}
    )  # fmt: skip
    readable = {item.id: item for item in await repository.get_readable(db, who, [link.object_id for link in links])}
    working = await _find_working(db, who.call, links)
    return [
        AdministeredLink(
            id=link.id, object_id=link.object_id, title=item.title if item else None,
            content_type=item.content_type if item else None, team_id=link.team_id,
            team_name=names.get(link.team_id, ""), name=link.name, has_password=link.password is not None,
            expires_at=link.expires_at, works=link.id in working, views=link.views, downloads=link.downloads,
            last_used_at=link.last_used_at, created_by=link.creator_id,
            creator_name=names.get(link.creator_id, ""), created_at=link.created_at,
        )
        for link in links
        for item in [readable.get(link.object_id)]
    ]  # fmt: skip


async def _find_working(db: Reads, call: Call, links: list[LinkRow]) -> set[str]:
    """Return the links whose creators may manage their objects, with one statement for each creator."""
    by_creator: dict[tuple[str, str], list[LinkRow]] = {}
    for link in links:
        by_creator.setdefault((link.creator_id, link.creator_team_id), []).append(link)
    working: set[str] = set()
    for maker, made in by_creator.items():
        try:
            creator = await tenancy.act_for(db, call, *maker)
        except Unauthenticated:
            continue
        if not creator.org_suspended:
            able = await repository.filter_allowed(db, creator, P.FILES_MANAGE, [link.object_id for link in made])
            working.update(link.id for link in made if link.object_id in able)
    return working
