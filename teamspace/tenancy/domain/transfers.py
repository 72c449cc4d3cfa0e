"""Passing on what somebody owns in a team: people leave, and their work stays."""

from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.principal import Principal
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import owners
from teamspace.tenancy.schemas import Estate, Role, Team, Transferred

MOST_AT_ONCE = 1000


async def pass_on(db: Db, who: Principal, estate: Estate, user_id: str, to: str) -> Transferred:
    """All of it, in one transaction for each thousand rows of a kind; what breaks off is finished by asking again."""
    if to == user_id:
        raise BadRequest.at("/to", "must be somebody else")
    moved = {owned.table: 0 for owned in estate.tables}
    while True:
        async with db.write(who, "member.transfer", alone=("team", who.team_id)) as tx:
            team = await _checked(tx, who, user_id, to)
            now = {table: await store.pass_on(tx, table, team, user_id, to, MOST_AT_ONCE) for table in moved}
            moved = {table: count + now[table] for table, count in moved.items()}
            if not any(moved.values()) and not await store.is_member(tx, team.id, user_id):
                raise NotFound()
            tx.target, tx.detail = user_id, {"to": to, **now}
        if all(count < MOST_AT_ONCE for count in now.values()):
            return Transferred(to, moved)


async def _checked(tx: Tx, who: Principal, user_id: str, to: str) -> Team:
    """The team, if the caller may pass on what this person has in it: an owner's is for owners, an operator's for operators."""
    team = await store.get_team(tx, who.team_id)
    if team is None or not await store.hold_seat(tx, who.team_id, to):
        raise NotFound("There is no such member in the team.")
    member = await store.get_member(tx, access.members(who), user_id)
    if member and member.role is Role.OWNER and who.role != Role.OWNER and not who.operator:
        raise Forbidden("Only an owner passes on what an owner has.")
    await owners.check_operator(tx, who, user_id)
    return team
