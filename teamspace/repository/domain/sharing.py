"""Sharing an object, and saying who can see it and why."""

from teamspace import tenancy
from teamspace.core import clock, paging, text
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, NotFound, OutOfScope
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import finding
from teamspace.repository.schemas import (
    Capability,
    Grant,
    GrantRow,
    Grants,
    GrantsQuery,
    ObjectRow,
    PrincipalType,
    Reader,
    Reason,
    Share,
    Target,
    Targets,
    Unshare,
)

MOST_GRANTS = 500


async def share(db: Db, who: Principal, object_id: str, wish: Share) -> Grants:
    """Give somebody, or a team, a capability; what they had before is replaced."""
    kind, id = _principal(wish)
    capability = _capability(wish)
    wanted = None if wish.expires_at is None else _future(wish.expires_at)
    async with db.write(who, "object.share") as tx:
        row = await finding.held(tx, who, object_id, P.FILES_MANAGE)
        _check_scope(who, row, capability)
        await _check_principal(tx, who, row, kind, id)
        expires_at = _sooner(wanted, await _own_end(tx, who, row))
        tx.target = row.id
        tx.detail = {
            "principal_type": kind,
            "principal_id": id,
            "capability": capability,
            "expires_at": expires_at,
        }
        await store.put_grant(
            tx, row.id, row.org_id, kind, id, capability, by=who.user_id, expires_at=expires_at, now=clock.stamp()
        )
        grants = await store.select_grants(tx, row.id)
        if len(grants) > MOST_GRANTS:
            raise BadRequest(f"An object can be shared {MOST_GRANTS} times: make it visible to the team instead.")
        return Grants(await _shown(tx, row, grants))


async def unshare(db: Db, who: Principal, object_id: str, wish: Unshare) -> Grants:
    kind, id = _principal(wish)
    async with db.write(who, "object.unshare") as tx:
        row = await finding.held(tx, who, object_id, P.FILES_MANAGE)
        tx.target, tx.detail = row.id, {"principal_type": kind, "principal_id": id}
        await store.delete_grant(tx, row.id, kind, id)
        return Grants(await _shown(tx, row, await store.select_grants(tx, row.id)))


async def grants(db: Db, who: Principal, object_id: str, query: GrantsQuery) -> Grants:
    row = await finding.held(db, who, object_id, P.FILES_MANAGE)
    given = await store.select_grants(db, row.id)
    items = await _shown(db, row, given)
    if query.effective is None:
        return Grants(items)
    readers, more = await _readers(db, row, given, query)
    return Grants(items, readers, more)


async def targets(db: Db, who: Principal, holding: str) -> Targets:
    """Names alone: whoever may read files may know with whom they could be shared."""
    found = await tenancy.acquaintances(db, who, holding)
    return Targets([Target(one.kind, one.id, one.name, one.username) for one in found])


# Giving


def _principal(wish: Share | Unshare) -> tuple[PrincipalType, str]:
    if wish.user_id is not None:
        if wish.principal_type or wish.principal_id:
            raise BadRequest.at("/user_id", "is given, or principal_type and principal_id are, not both")
        return "user", wish.user_id
    if wish.principal_type is None or wish.principal_id is None:
        raise BadRequest.at("/principal_id", "is needed, with principal_type user or team")
    return wish.principal_type, wish.principal_id


def _capability(wish: Share) -> Capability:
    if wish.capability is None and wish.user_id is None:
        raise BadRequest.at("/capability", f"is missing: one of {', '.join(Capability)}")
    return wish.capability or Capability.VIEW


def _future(given: str) -> str:
    moment = text.moment(given, "expires_at")
    if moment <= clock.stamp():
        raise BadRequest.at("/expires_at", "must lie in the future")
    return moment


def _check_scope(who: Principal, row: ObjectRow, capability: Capability) -> None:
    """Nobody gives more than their token could do itself."""
    most = capability.permissions[-1]
    if not who.in_scope(most, row.key):
        raise OutOfScope(f"The token's scope does not include {most}.")


async def _check_principal(tx: Tx, who: Principal, row: ObjectRow, kind: PrincipalType, id: str) -> None:
    if kind == "user" and id == row.owner_id and await tenancy.is_member(tx, row.team_id, id):
        raise BadRequest.at("/principal_id", "the owner has every right already")
    known = await (tenancy.is_colleague(tx, who, id) if kind == "user" else tenancy.is_team(tx, who, id))
    if not known:
        raise NotFound(f"There is no such {'person' if kind == 'user' else 'team'} in the company.")


async def _own_end(tx: Tx, who: Principal, row: ObjectRow) -> str | None:
    """Until when `who` may manage the object; a grant never outlives the one it was made under."""
    if await store.admits(tx, access.lasting(who, P.FILES_MANAGE), row.id):
        return None
    mine = (("user", who.user_id), ("team", who.team_id))
    ends = [
        grant.expires_at
        for grant in await store.select_grants(tx, row.id)
        if (grant.principal_type, grant.principal_id) in mine and not grant.expired
        and grant.capability is Capability.MANAGE
    ]  # fmt: skip
    return None if None in ends else max(end for end in ends if end)


def _sooner(one: str | None, other: str | None) -> str | None:
    return min((end for end in (one, other) if end), default=None)


async def _shown(db: Reads, row: ObjectRow, given: list[GrantRow]) -> list[Grant]:
    names = await tenancy.names(db, row.org_id, {grant.principal_id for grant in given})
    return [
        Grant(
            principal_type=grant.principal_type, principal_id=grant.principal_id,
            name=names.get(grant.principal_id, ""), capability=grant.capability,
            permissions=list(grant.capability.permissions), granted_by=grant.granted_by, expires_at=grant.expires_at,
            expired=grant.expired, created_at=grant.created_at,
        )
        for grant in given
    ]  # fmt: skip


# Explaining


async def _readers(
    db: Db, row: ObjectRow, given: list[GrantRow], query: GrantsQuery
) -> tuple[list[Reader], str | None]:
    """The rule of `access`, told person by person."""
    live = [grant for grant in given if not grant.expired]
    visible = row.visibility == "team"
    people = await tenancy.occupants(
        db, row.org_id,
        user_ids={row.owner_id, *(grant.principal_id for grant in live if grant.principal_type == "user")},
        team_ids={
            *([row.team_id] if visible else []),
            *(grant.principal_id for grant in live if grant.principal_type == "team"),
        },
        officers=visible, after=paging.opened(query.cursor) if query.cursor else "", limit=query.size + 1,
    )  # fmt: skip
    page = paging.page(people, query, lambda person: person.user_id)
    readers = [
        Reader(person.user_id, person.username, person.display_name, reasons)
        for person in page.items
        if (reasons := _reasons(row, live, person))
    ]
    return readers, page.next_cursor


def _reasons(row: ObjectRow, live: list[GrantRow], person: tenancy.Occupant) -> list[Reason]:
    teams = {seat.team_id for seat in person.seats}
    owns = person.user_id == row.owner_id and row.team_id in teams
    reasons = [Reason("owner", Capability.MANAGE)] if owns else []
    if row.visibility == "team":
        for seat in person.seats:
            if seat.team_id == row.team_id and P.FILES_READ in seat.permissions:
                reasons.append(Reason("team_role", _most(seat.permissions), seat.team_id))
        if any(P.ORG_READ in seat.permissions for seat in person.seats):
            reasons.append(Reason("company_role", Capability.VIEW))
    for grant in live:
        if grant.principal_type == "user" and grant.principal_id == person.user_id:
            reasons.append(Reason("grant", grant.capability, None, grant.expires_at))
        elif grant.principal_type == "team" and grant.principal_id in teams:
            reasons.append(Reason("team_grant", grant.capability, grant.principal_id, grant.expires_at))
    return reasons


def _most(held: frozenset[P]) -> Capability:
    return [capability for capability in Capability if held.issuperset(capability.permissions)][-1]
