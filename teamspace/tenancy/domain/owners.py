"""No team and no company is ever without an owner, and operators are changed by operators alone."""

from teamspace.core.db import Reads, Tx
from teamspace.core.errors import Conflict, Forbidden
from teamspace.core.principal import Principal
from teamspace.tenancy import store


class LastOwner(Conflict):
    def __init__(self) -> None:
        super().__init__("A team keeps at least one owner: name another first.")


class LastCompanyOwner(Conflict):
    def __init__(self) -> None:
        super().__init__("A company keeps at least one owner: name another first.")


async def check_operator(db: Reads, who: Principal, user_id: str) -> None:
    """An operator's place is changed by operators alone: else whoever runs a team could take the instance's away."""
    if not who.operator and await store.is_operator(db, user_id):
        raise Forbidden("Only an operator changes an operator.")


async def keep_one(tx: Tx, team_id: str) -> None:
    """Asked after the change, under the team's lock."""
    if await store.count_owners(tx, team_id) == 0:
        raise LastOwner


async def keep_one_in_company(tx: Tx, org_id: str) -> None:
    """Asked after the change, under the company's lock."""
    if await store.count_org_owners(tx, org_id) == 0:
        raise LastCompanyOwner


async def keep_within_reach(tx: Tx, org_id: str, user_id: str) -> None:
    """Whoever has a role in the company stays in one of its teams: leaving the last is no way to take the role away.

    Asked after the change, under the company's lock.
    """
    if await store.is_colleague(tx, org_id, user_id):
        return
    if await store.get_org_role(tx, org_id, user_id) is not None:
        raise Conflict("They have a role in the company, and this is their last team: take the role away first.")
