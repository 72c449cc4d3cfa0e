"""Transfer what a person owns in a team to another member."""

from teamspace import events
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.principal import Principal
from teamspace.core.tables import OwnedTable
from teamspace.events import Change, Readers
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import owners
from teamspace.tenancy.schemas import OwnedTables, Role, Team, Transferred

BATCH_SIZE = 1000


async def transfer(db: Db, who: Principal, owned_tables: OwnedTables, user_id: str, to: str) -> Transferred:
    """Transfer all rows, at most BATCH_SIZE per table and transaction. Repeat an interrupted request to finish it."""
    if to == user_id:
        raise BadRequest.at("/to", "must be another person")
    moved = {owned.table: 0 for owned in owned_tables.tables}
    while True:
        async with db.write(who, "member.transfer", lock=("team", who.team_id)) as tx:
            team = await _check(tx, who, user_id, to)
            batch = {owned.table: await _transfer(tx, owned, team, user_id, to) for owned in owned_tables.tables}
            moved = {table: count + batch[table] for table, count in moved.items()}
            if not any(moved.values()) and not await store.is_member(tx, team.id, user_id):
                raise NotFound()
            tx.target, tx.detail = user_id, {"to": to, **batch}
        if all(count < BATCH_SIZE for count in batch.values()):
            return Transferred(to, moved)


async def _transfer(tx: Tx, owned: OwnedTable, team: Team, user_id: str, to: str) -> int:
    moved = await store.transfer(tx, owned.table, team, user_id, to, BATCH_SIZE)
    # Without a path: a token that is limited to a prefix is not told which of its person's files are gone.
    await events.record(
        tx, owned.kind, *moved, change=Change.UPDATED, org_id=team.org_id, team_id=team.id,
        readers=[Readers.user(user_id)], path="",
    )  # fmt: skip
    return len(moved)


async def _check(tx: Tx, who: Principal, user_id: str, to: str) -> Team:
    """Return the team if the caller may transfer this person's rows: owners' only owners, operators' only operators."""
    team = await store.get_team(tx, who.team_id)
    if team is None or not await store.lock_membership(tx, who.team_id, to):
        raise NotFound("There is no such member in the team.")
    member = await store.get_member(tx, access.members_fence(who), user_id)
    if member and member.role is Role.OWNER and who.role != Role.OWNER and not who.operator:
        raise Forbidden("Only an owner can transfer what an owner has.")
    await owners.check_operator(tx, who, user_id)
    return team
