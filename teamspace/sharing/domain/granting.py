"""Share rows with people and teams, and record who is told of their changes."""

from collections.abc import Collection, Sequence
from functools import partial

from teamspace import events, tenancy
from teamspace.core import clock, text
from teamspace.core.db import Db, Fence, Reads, Tx, in_batches
from teamspace.core.errors import BadRequest, NotFound
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.events import Change, Readers
from teamspace.sharing import store
from teamspace.sharing.schemas import (
    GRANTED,
    Grant,
    GrantRow,
    Level,
    NamedPrincipal,
    OwnedRow,
    PrincipalType,
    Shareable,
    ShareRequest,
)

MAX_GRANTS = 500
_KEEP_EXPIRED = 30 * clock.DAY
"""Seconds for which an expired grant is listed, to be given again."""


async def share(
    tx: Tx, kind: Shareable, row: OwnedRow, manageable: Fence, by_right: Fence, request: ShareRequest
) -> list[Grant]:
    """Share the row with a person or a team, change that, or take it back; return the row's grants.

    `by_right` are the rows that the caller manages without a grant.
    """
    principal = parse_principal(request)
    expires_at = parse_expiry(request.expires_at)
    tx.target, tx.detail = row.id, _to_detail(principal, request.permission, expires_at)
    if request.permission is None:
        await store.delete_grant(tx, kind, manageable, row.id, *principal)
        await record(tx, kind, row, Change.UPDATED, [to_reader(*principal)])
        return _active(await store.select_grants(tx, kind, row.id))
    if request.permission not in kind.ladder:
        raise BadRequest.at("/permission", "sharing.permission", choices=", ".join(kind.ladder))
    await check_principal(tx, row, request)
    expires_at = tx.detail["expires_at"] = await _limit_expiry(tx, kind, row, by_right, expires_at)
    if not await store.put_grant(
        tx, kind, manageable, row.id, *principal, request.permission, by=tx.who.user_id, expires_at=expires_at,
        now=clock.stamp(),
    ):  # fmt: skip
        raise NotFound()
    await record(tx, kind, row, Change.UPDATED)
    grants = await store.select_grants(tx, kind, row.id)
    if len(grants) > MAX_GRANTS:
        raise BadRequest("sharing.grants", limit=MAX_GRANTS)
    return _active(grants)


def parse_principal(request: NamedPrincipal) -> tuple[PrincipalType, str]:
    if request.user_id is not None:
        if request.principal_type or request.principal_id:
            raise BadRequest.at("/user_id", "sharing.user_id")
        return "user", request.user_id
    if request.principal_type is None or request.principal_id is None:
        raise BadRequest.at("/principal_id", "sharing.principal_id")
    return request.principal_type, request.principal_id


def parse_expiry(value: str | None) -> str | None:
    if value is None:
        return None
    moment = text.timestamp(value, "expires_at")
    if moment <= clock.stamp():
        raise BadRequest.at("/expires_at", "sharing.expired")
    return moment


async def check_principal(tx: Tx, row: OwnedRow, request: NamedPrincipal) -> None:
    """Refuse the owner, who has every right, and people and teams that are not of the company."""
    principal_type, principal_id = parse_principal(request)
    if principal_type == "team":
        if not await tenancy.is_team(tx, tx.who, principal_id):
            raise NotFound("tenancy.no_team")
        return
    if principal_id == row.owner_id and await tenancy.is_member(tx, row.team_id, principal_id):
        raise BadRequest.at("/user_id" if request.user_id else "/principal_id", "sharing.owner")
    if not await tenancy.is_colleague(tx, tx.who, principal_id):
        raise NotFound("tenancy.no_person")


def earliest(requested: str | None, who: Principal, managing: Collection[GrantRow[Level]]) -> str | None:
    """Return when a grant ends that `who` gives by one of these grants: not after the one that allows it."""
    own = (("user", who.user_id), ("team", who.team_id))
    ends = [
        grant.expires_at for grant in managing
        if (grant.principal_type, grant.principal_id) in own and not grant.expired
    ]  # fmt: skip
    if not ends:  # taken back meanwhile
        raise NotFound()
    last = None if None in ends else max(end for end in ends if end)
    return min((end for end in (requested, last) if end), default=None)


def to_grant(principal_type: PrincipalType, principal_id: str, permission: Permission, expires_at: str | None) -> Grant:
    user_id = principal_id if principal_type == "user" else None
    return Grant(user_id, permission, principal_type, principal_id, expires_at)


async def list_grants(db: Reads, kind: Shareable, id: str) -> list[Grant]:
    """Return the grants of a row that have not expired."""
    return _active(await store.select_grants(db, kind, id))


def to_reader(principal_type: PrincipalType, principal_id: str) -> str:
    return Readers.user(principal_id) if principal_type == "user" else Readers.team(principal_id)


async def record(tx: Tx, kind: Shareable, row: OwnedRow, change: Change, readers: Sequence[str] = ()) -> None:
    """Record a change; `readers` are those who may have lost the row by it."""
    await events.record(
        tx, kind.name, row.id, change=change, org_id=row.org_id, team_id=row.team_id, readers=readers
    )  # fmt: skip


async def delete_expired_grants(db: Db) -> None:
    """Delete grants that expired long ago: every list of what is shared with someone would pass over them."""
    for kind in GRANTED:
        await in_batches(db, partial(store.delete_expired_grants, kind=kind, then=clock.ago(_KEEP_EXPIRED)))


async def _limit_expiry(tx: Tx, kind: Shareable, row: OwnedRow, by_right: Fence, requested: str | None) -> str | None:
    if await store.admits(tx, kind, by_right, row.id):
        return requested
    grants = await store.select_grants(tx, kind, row.id)
    return earliest(requested, tx.who, [grant for grant in grants if grant.level == kind.ladder[-1]])


def _to_detail(
    principal: tuple[PrincipalType, str], permission: Permission | None, expires_at: str | None
) -> dict[str, str | None]:
    kind, id = principal
    return {"principal_type": kind, "principal_id": id, "permission": permission, "expires_at": expires_at}


def _active(rows: Sequence[GrantRow[Permission]]) -> list[Grant]:
    return [
        to_grant(row.principal_type, row.principal_id, row.level, row.expires_at)
        for row in rows if not row.expired
    ]  # fmt: skip
