"""Disable people, which revokes all their credentials at once, and enable them again."""

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, NotFound
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import accounts
from teamspace.identity.schemas import Account, AccountStatus


async def set_disabled(db: Db, who: Principal, user_id: str, *, disabled: bool) -> AccountStatus:
    account = await store.get_account(db, user_id)
    if account is None:
        raise NotFound()
    # If two operators disable each other, the write guard refuses the second, whose credential is revoked by then.
    async with db.write(who, "user.disable" if disabled else "user.enable", lock=("operators", "")) as tx:
        await tx.lock("user", user_id)
        tx.target, tx.org_id, tx.team_id = user_id, account.org_id, ""
        if disabled and user_id == who.user_id:
            raise Conflict("accounts.disable_self")
        after = await (store.disable(tx, user_id, clock.stamp()) if disabled else store.enable(tx, user_id))
        if disabled:
            await accounts.end_credentials(tx, user_id)
        if await store.count_operators(tx) == 0:
            raise Conflict("accounts.last_operator")
        return _to_status(after or account)


def _to_status(account: Account) -> AccountStatus:
    return AccountStatus(
        account.id, account.username, account.display_name, account.operator, account.disabled_at is not None,
        account.disabled_at,
    )  # fmt: skip
