"""Transfer what a person owns in a team to another member."""

from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.principal import Principal
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import owners
from teamspace.tenancy.schemas import OwnedTables, Role, Team, Transferred

BATCH_SIZE = 1000


async def transfer(db: Db, who: Principal, owned_tables: OwnedTables, user_id: str, to: str) -> Transferred:
    """Transfer all rows, at most BATCH_SIZE per table and transaction. Repeat an interrupted request to finish it."""
    if to == user_id:
        raise BadRequest.at("/to", "tenancy.other_person")
    moved = {owned.table: 0 for owned in owned_tables.tables}
    while True:
        async with db.write(who, "member.transfer", lock=("team", who.team_id)) as tx:
            team = await _check(tx, who, user_id, to)
            batch = {table: await store.transfer(tx, table, team, user_id, to, BATCH_SIZE) for table in moved}
            moved = {table: count + batch[table] for table, count in moved.items()}
            if not any(moved.values()) and not await store.is_member(tx, team.id, user_id):
                raise NotFound()
            tx.target, tx.detail = user_id, {"to": to, **batch}
        if all(count < BATCH_SIZE for count in batch.values()):
            return Transferred(to, moved)


async def _check(tx: Tx, who: Principal, user_id: str, to: str) -> Team:
    """Return the team if the caller may transfer this person's rows: owners' only owners, operators' only operators."""
    team = await store.get_team(tx, who.team_id)
    if team is None or not await store.lock_membership(tx, who.team_id, to):
        raise NotFound("tenancy.no_member")
    member = await store.get_member(tx, access.members_fence(who), user_id)
    if member and member.role is Role.OWNER and who.role != Role.OWNER and not who.operator:
        raise Forbidden("tenancy.transfer_owner")
    await owners.check_operator(tx, who, user_id)
    return team
