"""Reauthentication of signed-in people: by password or by a code of the second factor.

Failures are counted per account, so that a stolen credential cannot be used to guess either.
"""

from teamspace.core.db import Db
from teamspace.core.errors import ReauthRequired, TotpInvalid
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import codes, passwords, throttle
from teamspace.identity.schemas import Account

PER_ACCOUNT = 5


async def check_password(db: Db, who: Principal, account: Account, password: str) -> bool:
    await throttle.count_attempt(db, who, {_subject(who): PER_ACCOUNT})
    is_right = await passwords.matches(account.password, password)
    if is_right:
        await throttle.reset(db, who, _subject(who))
    return is_right


async def check_code(db: Db, who: Principal, code: str) -> bool:
    """Check and use a code of the second factor."""
    await throttle.count_attempt(db, who, {_subject(who): PER_ACCOUNT})
    if not await codes.has_second_factor(db, who.user_id):
        return False
    try:
        async with db.maintenance(who) as tx:
            await codes.use_second_factor(tx, who.user_id, code)
            await store.forget_attempts(tx, _subject(who))
    except TotpInvalid:
        return False
    return True


async def require(db: Db, who: Principal, *, password: str | None, code: str | None = None) -> None:
    account = await store.get_account(db, who.user_id)
    if account and password is not None:
        is_proved = await check_password(db, who, account, password)
    else:
        is_proved = code is not None and await check_code(db, who, code)
    if not is_proved:
        raise ReauthRequired("accounts.confirm")


async def require_if_minted(db: Db, who: Principal, *, password: str | None, code: str | None = None) -> None:
    """Require a proof from minted tokens, which alone must not change how their person signs in."""
    if who.minted:
        await require(db, who, password=password, code=code)


def _subject(who: Principal) -> str:
    return f"account:{who.user_id}"
