"""The second factor: time-based codes that work once, and recovery codes for the day the phone is gone."""

import base64
import hmac
import io
import secrets

import pyotp
import segno

from teamspace.core import clock, crypto
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import Conflict, NotFound, ReauthRequired, TotpInvalid
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import accounts, tokens
from teamspace.identity.schemas import EnableTotp, RecoveryCodes, RecoveryCount, TotpSecret

CODES = 10
STEP_SECONDS, DRIFT_STEPS = 30, 1
FRESH_SIGN_IN = 15 * clock.MINUTE
_CODE_BYTES, _GROUP = 15, 4  # 120 bits: enough that a plain digest is safe at rest


class FactorOn(Conflict):
    def __init__(self) -> None:
        super().__init__("The second factor is on already: turn it off before setting another.")


class FactorOff(Conflict):
    def __init__(self) -> None:
        super().__init__("The second factor is off.")


async def enable(db: Db, who: Principal, wish: EnableTotp) -> TotpSecret:
    if wish.code is not None:
        return await _confirm(db, who, wish.code)
    secret = pyotp.random_base32()
    async with db.write(who, "totp.prepare" if wish.confirm else "totp.enable", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        sealed = tx.vault.seal(_place(who.user_id), secret.encode())
        armed_at = None if wish.confirm else clock.stamp()
        if not await store.put_totp(tx, who.user_id, who.org_id, sealed, armed_at):
            raise FactorOn
        codes = None if wish.confirm else await _fresh_codes(tx, who)
        if not wish.confirm:
            await tokens.end_sessions(tx, who.user_id, keep=who.token_id)
    return _shown(who, secret, codes)


async def _confirm(db: Db, who: Principal, code: str) -> TotpSecret:
    async with db.write(who, "totp.enable", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        totp = await store.get_totp(tx, who.user_id)
        if totp is None or totp.armed_at is not None:
            raise FactorOn if totp else Conflict("There is no secret to confirm: ask for one first.")
        secret = _secret(tx, who.user_id, totp.secret)
        step = _step_of(secret, code)
        if step is None:
            raise TotpInvalid
        if not await store.arm_totp(tx, who.user_id, step, clock.stamp()):
            raise FactorOn
        codes = await _fresh_codes(tx, who)
        await tokens.end_sessions(tx, who.user_id, keep=who.token_id)
    return _shown(who, secret, codes)


async def renew_codes(db: Db, who: Principal) -> RecoveryCodes:
    async with db.write(who, "totp.recovery_codes", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        if not await armed(tx, who.user_id):
            raise FactorOff
        return RecoveryCodes(await _fresh_codes(tx, who))


async def count_codes(db: Db, who: Principal) -> RecoveryCount:
    return RecoveryCount(await store.count_codes(db, who.user_id))


async def turn_off(db: Db, who: Principal, password: str | None) -> None:
    """The caller's own; a stolen token alone is not enough."""
    await _reassure(db, who, password)
    async with db.write(who, "totp.disable", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        if not await disarm(tx, who.user_id, keep_session=who.token_id):
            raise FactorOff


async def revoke(db: Db, who: Principal, user_id: str) -> None:
    """By an operator, for somebody who lost theirs."""
    account = await store.get_account(db, user_id)
    if account is None:
        raise NotFound()
    async with db.write(who, "totp.revoke", alone=("user", user_id)) as tx:
        tx.target, tx.org_id, tx.team_id = user_id, account.org_id, ""
        await disarm(tx, user_id)


async def disarm(tx: Tx, user_id: str, *, keep_session: str = "") -> bool:
    """Seed and codes are gone, and so is every session that was opened with them."""
    await store.delete_codes(tx, user_id)
    await tokens.end_sessions(tx, user_id, keep=keep_session)
    return await store.delete_totp(tx, user_id)


async def armed(db: Reads, user_id: str) -> bool:
    """Whether signing in takes their second factor."""
    totp = await store.get_totp(db, user_id)
    return totp is not None and totp.armed_at is not None


async def satisfy(tx: Tx, user_id: str, code: str) -> None:
    """Spend a code of the app or a recovery code; each works once, whoever races for it."""
    totp = await store.get_totp(tx, user_id)
    if totp is None or totp.armed_at is None:
        return
    plain = code.replace(" ", "").replace("-", "")
    if plain.isascii() and plain.isdigit():
        step = _step_of(_secret(tx, user_id, totp.secret), plain)
        if step is None or not await store.use_step(tx, user_id, step):
            raise TotpInvalid
    elif not await store.use_code(tx, user_id, crypto.digest(plain.upper()), clock.stamp()):
        raise TotpInvalid


async def _reassure(db: Db, who: Principal, password: str | None) -> None:
    if password is not None:
        account = await store.get_account(db, who.user_id)
        if account and await accounts.knows_password(db, who, account, password):
            return
    elif who.signed_in_at is not None and who.signed_in_at > clock.ago(FRESH_SIGN_IN):
        return
    raise ReauthRequired("Send your password, or sign in again: this needs a proof not older than 15 minutes.")


async def _fresh_codes(tx: Tx, who: Principal) -> list[str]:
    await store.delete_codes(tx, who.user_id)
    codes = [base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode() for _ in range(CODES)]
    for code in codes:
        await store.insert_code(tx, who.user_id, who.org_id, crypto.digest(code))
    return ["-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP)) for code in codes]


def _step_of(secret: str, code: str) -> int | None:
    """The time step the code belongs to, if that is about now."""
    now = int(clock.now()) // STEP_SECONDS
    generator = pyotp.TOTP(secret)
    for step in range(now - DRIFT_STEPS, now + DRIFT_STEPS + 1):
        if hmac.compare_digest(generator.generate_otp(step).encode(), code.encode()):
            return step
    return None


def _secret(db: Reads, user_id: str, sealed: str) -> str:
    return db.vault.open(_place(user_id), sealed).decode()


def _place(user_id: str) -> str:
    return f"totp|secret|{user_id}"


def _shown(who: Principal, secret: str, codes: list[str] | None) -> TotpSecret:
    uri = pyotp.TOTP(secret).provisioning_uri(who.username, issuer_name="Teamspace")
    picture = io.BytesIO()
    segno.make(uri, error="m").save(picture, kind="svg", scale=4, xmldecl=False, svgns=True)
    return TotpSecret(secret, uri, picture.getvalue().decode(), codes is not None, codes)
