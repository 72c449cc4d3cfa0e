"""Share rows with colleagues, and record who is told of their changes."""

from collections.abc import Sequence

from teamspace import events, tenancy
from teamspace.core import clock
from teamspace.core.db import Fence, Tx
from teamspace.core.errors import BadRequest, NotFound
from teamspace.core.permissions import Permission
from teamspace.events import Change, Readers
from teamspace.sharing import store
from teamspace.sharing.schemas import Grant, OwnedRow, Share, Shareable

MAX_GRANTS = 500


async def share(tx: Tx, kind: Shareable, row: OwnedRow, manageable: Fence, request: Share) -> list[Grant]:
    """Share the row with a colleague, change their permission, or remove it; return the row's grants."""
    user_id, permission = request.user_id, request.permission
    tx.target, tx.detail = row.id, {"user_id": user_id, "permission": permission}
    if permission is None:
        await store.delete_grant(tx, kind, manageable, row.id, user_id)
        await record(tx, kind, row, Change.UPDATED, [Readers.user(user_id)])
        return await store.select_grants(tx, kind, row.id)
    await _grant(tx, kind, row, manageable, user_id, permission)
    await record(tx, kind, row, Change.UPDATED)
    grants = await store.select_grants(tx, kind, row.id)
    if len(grants) > MAX_GRANTS:
        raise BadRequest("sharing.grants", limit=MAX_GRANTS)
    return grants


async def _grant(
    tx: Tx, kind: Shareable, row: OwnedRow, manageable: Fence, user_id: str, permission: Permission
) -> None:
    if permission not in kind.ladder:
        raise BadRequest.at("/permission", "sharing.permission", choices=", ".join(kind.ladder))
    if user_id == row.owner_id and await tenancy.is_member(tx, row.team_id, user_id):
        raise BadRequest.at("/user_id", "sharing.owner")
    if not await tenancy.is_colleague(tx, tx.who, user_id):
        raise NotFound("tenancy.no_person")
    if not await store.put_grant(tx, kind, manageable, row.id, user_id, permission, tx.who.user_id, clock.stamp()):
        raise NotFound()


async def record(tx: Tx, kind: Shareable, row: OwnedRow, change: Change, readers: Sequence[str] = ()) -> None:
    """Record a change; `readers` are those who may have lost the row by it."""
    await events.record(
        tx, kind.name, row.id, change=change, org_id=row.org_id, team_id=row.team_id, readers=readers
    )  # fmt: skip
