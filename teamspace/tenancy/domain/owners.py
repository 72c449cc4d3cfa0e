"""Every team and company keeps an owner, and only operators can change operators."""

from teamspace.core.db import Reads, Tx
from teamspace.core.errors import Conflict, Forbidden
from teamspace.core.principal import Principal
from teamspace.tenancy import store


class LastOwner(Conflict):
    key = "tenancy.last_owner"


class LastCompanyOwner(Conflict):
    key = "tenancy.last_company_owner"


async def check_operator(db: Reads, who: Principal, user_id: str) -> None:
    """Only operators may change an operator; otherwise a team's admin could remove the instance's operators."""
    if not who.operator and await store.is_operator(db, user_id):
        raise Forbidden("tenancy.operator_only")


async def check_team_owner(tx: Tx, team_id: str) -> None:
    """Raise if the team has no owner. Call after the change, under the team's lock."""
    if await store.count_owners(tx, team_id) == 0:
        raise LastOwner


async def check_company_owner(tx: Tx, org_id: str) -> None:
    """Raise if the company has no owner. Call after the change, under the company's lock."""
    if await store.count_org_owners(tx, org_id) == 0:
        raise LastCompanyOwner


async def check_role_has_team(tx: Tx, org_id: str, user_id: str) -> None:
    """Raise if the person has a role in the company but no team: the role must be removed first.

    Call after the change, under the company's lock.
    """
    if await store.is_colleague(tx, org_id, user_id):
        return
    if await store.get_org_role(tx, org_id, user_id) is not None:
        raise Conflict("tenancy.last_team")
