"""A fresh proof from somebody who has a credential already: their password, or a code of their second factor.

A stolen credential must not become a way to guess either: failures are counted by account.
"""

from teamspace.core.db import Db
from teamspace.core.errors import ReauthRequired, TotpInvalid
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import codes, passwords, throttle
from teamspace.identity.schemas import Account

PER_ACCOUNT = 5


async def knows_password(db: Db, who: Principal, account: Account, password: str) -> bool:
    await throttle.count(db, who, {_subject(who): PER_ACCOUNT})
    known = await passwords.matches(account.password, password)
    if known:
        await throttle.forget(db, who, _subject(who))
    return known


async def knows_code(db: Db, who: Principal, code: str) -> bool:
    """The code is spent."""
    await throttle.count(db, who, {_subject(who): PER_ACCOUNT})
    if not await codes.armed(db, who.user_id):
        return False
    try:
        async with db.upkeep(who) as tx:
            await codes.satisfy(tx, who.user_id, code)
            await store.forget_attempts(tx, _subject(who))
    except TotpInvalid:
        return False
    return True


async def demand(db: Db, who: Principal, *, password: str | None, code: str | None = None) -> None:
    account = await store.get_account(db, who.user_id)
    if account and password is not None:
        proven = await knows_password(db, who, account, password)
    else:
        proven = code is not None and await knows_code(db, who, code)
    if not proven:
        raise ReauthRequired("Send your password or a code of your second factor: this needs a fresh proof.")


async def demand_if_minted(db: Db, who: Principal, *, password: str | None, code: str | None = None) -> None:
    """A token that was made with another credential does not touch what its person signs in with."""
    if who.minted:
        await demand(db, who, password=password, code=code)


def _subject(who: Principal) -> str:
    return f"account:{who.user_id}"
