"""Share objects, and explain who can see them."""

from teamspace import sharing, tenancy
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, OutOfScope
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.repository import access, store
from teamspace.repository.domain import changes, finding
from teamspace.repository.schemas import (
    AccessLevel,
    ObjectAccessReason,
    ObjectGrant,
    ObjectGrantListing,
    ObjectReader,
    ObjectRow,
    ObjectShareRequest,
    ShareTarget,
    ShareTargets,
)
from teamspace.sharing import GrantRow, GrantsQuery, Levels, NamedPrincipal

MAX_GRANTS = 500


async def share(db: Db, who: Principal, object_id: str, request: ObjectShareRequest) -> ObjectGrantListing:
    """Grant a person or a team an access level; replaces their earlier grant."""
    kind, id = sharing.parse_principal(request)
    capability, requested = _parse_level(request), sharing.parse_expiry(request.expires_at)
    async with db.write(who, "object.share") as tx:
        row = await finding.require(tx, who, object_id, P.FILES_MANAGE)
        _check_scope(who, row, capability)
        await sharing.check_principal(tx, row, request)
        expires_at = await _limit_expiry(tx, who, row, requested)
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
            raise BadRequest("repository.grants", limit=MAX_GRANTS)
        return ObjectGrantListing(await _to_grants(tx, row, grants))


async def unshare(db: Db, who: Principal, object_id: str, request: NamedPrincipal) -> ObjectGrantListing:
    kind, id = sharing.parse_principal(request)
    async with db.write(who, "object.unshare") as tx:
        row = await finding.require(tx, who, object_id, P.FILES_MANAGE)
        tx.target, tx.detail = row.id, {"principal_type": kind, "principal_id": id}
        await store.delete_grant(tx, row.id, kind, id)
        await changes.record(tx, row, Change.UPDATED, [sharing.to_reader(kind, id)])
        return ObjectGrantListing(await _to_grants(tx, row, await store.select_grants(tx, row.id)))


async def list_grants(db: Db, who: Principal, object_id: str, query: GrantsQuery) -> ObjectGrantListing:
    row = await finding.require(db, who, object_id, P.FILES_MANAGE)
    rows = await store.select_grants(db, row.id)
    items = await _to_grants(db, row, rows)
    if query.effective is None:
        return ObjectGrantListing(items)
    readers, next_cursor = await _list_readers(db, row, rows, query)
    return ObjectGrantListing(items, readers, next_cursor)


async def list_targets(db: Db, who: Principal, search: str) -> ShareTargets:
    """Return only names: everyone who may read files may know whom they can share them with."""
    found = await tenancy.find_share_targets(db, who, search)
    return ShareTargets([ShareTarget(target.kind, target.id, target.name, target.username) for target in found])


# Granting


def _parse_level(request: ObjectShareRequest) -> AccessLevel:
    if request.capability is None and request.user_id is None:
        raise BadRequest.at("/capability", "repository.capability", choices=", ".join(AccessLevel))
    return request.capability or AccessLevel.VIEW


def _check_scope(who: Principal, row: ObjectRow, capability: AccessLevel) -> None:
    """Refuse to grant more than the caller's token allows."""
    highest = capability.permissions[-1]
    if not who.in_scope(highest, row.key):
        raise OutOfScope("rights.out_of_scope", permission=highest)


async def _limit_expiry(tx: Tx, who: Principal, row: ObjectRow, requested: str | None) -> str | None:
    """Return when a grant ends that `who` gives: not after the grant that lets them manage the object."""
    if await store.admits(tx, access.fence_without_grants(who, P.FILES_MANAGE), row.id):
        return requested
    grants = await store.select_grants(tx, row.id)
    return sharing.earliest(requested, who, [grant for grant in grants if grant.level is AccessLevel.MANAGE])


async def _to_grants(db: Reads, row: ObjectRow, rows: list[GrantRow[AccessLevel]]) -> list[ObjectGrant]:
    names = await tenancy.get_names(db, row.org_id, {grant.principal_id for grant in rows})
    return [
        ObjectGrant(
            principal_type=grant.principal_type, principal_id=grant.principal_id,
            name=names.get(grant.principal_id, ""), capability=grant.level,
            permissions=list(grant.level.permissions), granted_by=grant.granted_by, expires_at=grant.expires_at,
            expired=grant.expired, created_at=grant.created_at,
        )
        for grant in rows
    ]  # fmt: skip


# Explaining


async def _list_readers(
    db: Db, row: ObjectRow, rows: list[GrantRow[AccessLevel]], query: GrantsQuery
) -> tuple[list[ObjectReader], str | None]:
    by_role = _highest_level if row.visibility == "team" else None
    levels = Levels(AccessLevel.MANAGE, AccessLevel.VIEW, by_role)
    people, next_cursor = await sharing.list_readers(db, row, rows, levels, ObjectAccessReason, query)
    readers = [
        ObjectReader(person.user_id, person.username, person.display_name, reasons) for person, reasons in people
    ]
    return readers, next_cursor


def _highest_level(permissions: frozenset[P]) -> AccessLevel | None:
    return next((level for level in reversed(AccessLevel) if permissions.issuperset(level.permissions)), None)
