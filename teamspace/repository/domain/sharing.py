"""Share objects, and explain who can see them."""

from teamspace import tenancy
from teamspace.core import clock, paging, text
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, NotFound, OutOfScope
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change, Readers
from teamspace.repository import access, store
from teamspace.repository.domain import changes, finding
from teamspace.repository.schemas import (
    AccessLevel,
    AccessReason,
    GrantRow,
    Grants,
    GrantsQuery,
    ObjectGrant,
    ObjectReader,
    ObjectRow,
    ObjectShare,
    ObjectUnshare,
    PrincipalType,
    ShareTarget,
    ShareTargets,
)

MAX_GRANTS = 500


async def share(db: Db, who: Principal, object_id: str, request: ObjectShare) -> Grants:
    """Grant a person or a team an access level; replaces their earlier grant."""
    kind, id = _parse_principal(request)
    capability = _parse_level(request)
    requested_expiry = None if request.expires_at is None else _parse_expiry(request.expires_at)
    async with db.write(who, "object.share") as tx:
        row = await finding.require(tx, who, object_id, P.FILES_MANAGE)
        _check_scope(who, row, capability)
        await _check_principal(tx, who, row, kind, id)
        expires_at = _earlier(requested_expiry, await _own_expiry(tx, who, row))
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
        await changes.record(tx, row, Change.UPDATED)
        grants = await store.select_grants(tx, row.id)
        if len(grants) > MAX_GRANTS:
            raise BadRequest(f"An object can have {MAX_GRANTS} grants: make it visible to the team instead.")
        return Grants(await _to_grants(tx, row, grants))


async def unshare(db: Db, who: Principal, object_id: str, request: ObjectUnshare) -> Grants:
    kind, id = _parse_principal(request)
    async with db.write(who, "object.unshare") as tx:
        row = await finding.require(tx, who, object_id, P.FILES_MANAGE)
        tx.target, tx.detail = row.id, {"principal_type": kind, "principal_id": id}
        await store.delete_grant(tx, row.id, kind, id)
        await changes.record(tx, row, Change.UPDATED, [Readers.user(id) if kind == "user" else Readers.team(id)])
        return Grants(await _to_grants(tx, row, await store.select_grants(tx, row.id)))


async def list_grants(db: Db, who: Principal, object_id: str, query: GrantsQuery) -> Grants:
    row = await finding.require(db, who, object_id, P.FILES_MANAGE)
    rows = await store.select_grants(db, row.id)
    items = await _to_grants(db, row, rows)
    if query.effective is None:
        return Grants(items)
    readers, next_cursor = await _list_readers(db, row, rows, query)
    return Grants(items, readers, next_cursor)


async def list_targets(db: Db, who: Principal, search: str) -> ShareTargets:
    """Return only names: everyone who may read files may know whom they can share them with."""
    found = await tenancy.find_share_targets(db, who, search)
    return ShareTargets([ShareTarget(target.kind, target.id, target.name, target.username) for target in found])


# Granting


def _parse_principal(request: ObjectShare | ObjectUnshare) -> tuple[PrincipalType, str]:
    if request.user_id is not None:
        if request.principal_type or request.principal_id:
            raise BadRequest.at("/user_id", "cannot be combined with principal_type and principal_id")
        return "user", request.user_id
    if request.principal_type is None or request.principal_id is None:
        raise BadRequest.at("/principal_id", "is required, with principal_type user or team")
    return request.principal_type, request.principal_id


def _parse_level(request: ObjectShare) -> AccessLevel:
    if request.capability is None and request.user_id is None:
        raise BadRequest.at("/capability", f"is missing: one of {', '.join(AccessLevel)}")
    return request.capability or AccessLevel.VIEW


def _parse_expiry(value: str) -> str:
    moment = text.timestamp(value, "expires_at")
    if moment <= clock.stamp():
        raise BadRequest.at("/expires_at", "must be in the future")
    return moment


def _check_scope(who: Principal, row: ObjectRow, capability: AccessLevel) -> None:
    """Refuse to grant more than the caller's token allows."""
    highest = capability.permissions[-1]
    if not who.in_scope(highest, row.key):
        raise OutOfScope(f"The token's scope does not include {highest}.")


async def _check_principal(tx: Tx, who: Principal, row: ObjectRow, kind: PrincipalType, id: str) -> None:
    if kind == "user" and id == row.owner_id and await tenancy.is_member(tx, row.team_id, id):
        raise BadRequest.at("/principal_id", "the owner has every right already")
    known = await (tenancy.is_colleague(tx, who, id) if kind == "user" else tenancy.is_team(tx, who, id))
    if not known:
        raise NotFound(f"There is no such {'person' if kind == 'user' else 'team'} in the company.")


async def _own_expiry(tx: Tx, who: Principal, row: ObjectRow) -> str | None:
    """Return until when `who` may manage the object: a new grant must not outlive the grant that allows it."""
    if await store.admits(tx, access.fence_without_grants(who, P.FILES_MANAGE), row.id):
        return None
    own = (("user", who.user_id), ("team", who.team_id))
    expiries = [
        grant.expires_at
        for grant in await store.select_grants(tx, row.id)
        if (grant.principal_type, grant.principal_id) in own and not grant.expired
        and grant.capability is AccessLevel.MANAGE
    ]  # fmt: skip
    return None if None in expiries else max(expiry for expiry in expiries if expiry)


def _earlier(one: str | None, other: str | None) -> str | None:
    return min((expiry for expiry in (one, other) if expiry), default=None)


async def _to_grants(db: Reads, row: ObjectRow, rows: list[GrantRow]) -> list[ObjectGrant]:
    names = await tenancy.get_names(db, row.org_id, {grant.principal_id for grant in rows})
    return [
        ObjectGrant(
            principal_type=grant.principal_type, principal_id=grant.principal_id,
            name=names.get(grant.principal_id, ""), capability=grant.capability,
            permissions=list(grant.capability.permissions), granted_by=grant.granted_by, expires_at=grant.expires_at,
            expired=grant.expired, created_at=grant.created_at,
        )
        for grant in rows
    ]  # fmt: skip


# Explaining


async def _list_readers(
    db: Db, row: ObjectRow, rows: list[GrantRow], query: GrantsQuery
) -> tuple[list[ObjectReader], str | None]:
    """Apply the rules of `access` to each person."""
    active = [grant for grant in rows if not grant.expired]
    visible = row.visibility == "team"
    people = await tenancy.list_people_with_teams(
        db, row.org_id,
        user_ids={row.owner_id, *(grant.principal_id for grant in active if grant.principal_type == "user")},
        team_ids={
            *([row.team_id] if visible else []),
            *(grant.principal_id for grant in active if grant.principal_type == "team"),
        },
        with_org_roles=visible, after=paging.decode_cursor(query.cursor) if query.cursor else "", limit=query.size + 1,
    )  # fmt: skip
    page = paging.page(people, query, lambda person: person.user_id)
    readers = [
        ObjectReader(person.user_id, person.username, person.display_name, reasons)
        for person in page.items
        if (reasons := _reasons(row, active, person))
    ]
    return readers, page.next_cursor


def _reasons(row: ObjectRow, active: list[GrantRow], person: tenancy.PersonTeams) -> list[AccessReason]:
    teams = {seat.team_id for seat in person.teams}
    owns = person.user_id == row.owner_id and row.team_id in teams
    reasons = [AccessReason("owner", AccessLevel.MANAGE)] if owns else []
    if row.visibility == "team":
        for seat in person.teams:
            if seat.team_id == row.team_id and P.FILES_READ in seat.permissions:
                reasons.append(AccessReason("team_role", _highest_level(seat.permissions), seat.team_id))
        if any(P.ORG_READ in seat.permissions for seat in person.teams):
            reasons.append(AccessReason("company_role", AccessLevel.VIEW))
    for grant in active:
        if grant.principal_type == "user" and grant.principal_id == person.user_id:
            reasons.append(AccessReason("grant", grant.capability, None, grant.expires_at))
        elif grant.principal_type == "team" and grant.principal_id in teams:
            reasons.append(AccessReason("team_grant", grant.capability, grant.principal_id, grant.expires_at))
    return reasons


def _highest_level(permissions: frozenset[P]) -> AccessLevel:
    return [level for level in AccessLevel if permissions.issuperset(level.permissions)][-1]
