"""The second factor: time-based codes that work once, and recovery codes for the day the phone is gone."""

import base64
import io
import secrets

import pyotp
import segno

from teamspace.core import clock, crypto
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Conflict, NotFound, TotpInvalid
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import codes, proofs, tokens
from teamspace.identity.schemas import EnableTotp, Proof, RecoveryCodes, RecoveryCount, TotpSecret

CODES = 10
FRESH_SIGN_IN = 15 * clock.MINUTE
_CODE_BYTES, _GROUP = 15, 4  # 120 bits: enough that a plain digest is safe at rest


class FactorOn(Conflict):
    def __init__(self) -> None:
        super().__init__("The second factor is on already: turn it off before setting another.")


class FactorOff(Conflict):
    def __init__(self) -> None:
        super().__init__("The second factor is off.")


async def enable(db: Db, who: Principal, wish: EnableTotp) -> TotpSecret:
    """A code is no proof here: whoever asked for the secret has it."""
    await proofs.demand_if_minted(db, who, password=wish.password)
    if wish.code is not None:
        return await _confirm(db, who, wish.code)
    secret = pyotp.random_base32()
    async with db.write(who, "totp.prepare" if wish.confirm else "totp.enable", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        sealed = tx.vault.seal(codes.place(who.user_id), secret.encode())
        armed_at = None if wish.confirm else clock.stamp()
        if not await store.put_totp(tx, who.user_id, who.org_id, sealed, armed_at):
            raise FactorOn
        fresh = None if wish.confirm else await _fresh_codes(tx, who)
        if not wish.confirm:
            await tokens.end_sessions(tx, who.user_id, keep=who.token_id)
    return _shown(who, secret, fresh)


async def _confirm(db: Db, who: Principal, code: str) -> TotpSecret:
    async with db.write(who, "totp.enable", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        totp = await store.get_totp(tx, who.user_id)
        if totp is None or totp.armed_at is not None:
            raise FactorOn if totp else Conflict("There is no secret to confirm: ask for one first.")
        secret = codes.secret_of(tx, who.user_id, totp.secret)
        step = codes.step_of(secret, code)
        if step is None:
            raise TotpInvalid
        if not await store.arm_totp(tx, who.user_id, step, clock.stamp()):
            raise FactorOn
        fresh = await _fresh_codes(tx, who)
        await tokens.end_sessions(tx, who.user_id, keep=who.token_id)
    return _shown(who, secret, fresh)


async def renew_codes(db: Db, who: Principal, proof: Proof) -> RecoveryCodes:
    await proofs.demand_if_minted(db, who, password=proof.password, code=proof.code)
    async with db.write(who, "totp.recovery_codes", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        if not await codes.armed(tx, who.user_id):
            raise FactorOff
        return RecoveryCodes(await _fresh_codes(tx, who))


async def count_codes(db: Db, who: Principal) -> RecoveryCount:
    return RecoveryCount(await store.count_codes(db, who.user_id))


async def turn_off(db: Db, who: Principal, proof: Proof) -> None:
    """The caller's own, by a proof or a sign-in not older than 15 minutes; a stolen token alone is not enough."""
    if not await codes.armed(db, who.user_id):
        raise FactorOff
    if proof.password is not None or proof.code is not None or not _signed_in_just_now(who):
        await proofs.demand(db, who, password=proof.password, code=proof.code)
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


def _signed_in_just_now(who: Principal) -> bool:
    return who.signed_in_at is not None and who.signed_in_at > clock.ago(FRESH_SIGN_IN)


async def _fresh_codes(tx: Tx, who: Principal) -> list[str]:
    await store.delete_codes(tx, who.user_id)
    fresh = [base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode() for _ in range(CODES)]
    for code in fresh:
        await store.insert_code(tx, who.user_id, who.org_id, crypto.digest(code))
    return ["-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP)) for code in fresh]


def _shown(who: Principal, secret: str, fresh: list[str] | None) -> TotpSecret:
    uri = pyotp.TOTP(secret).provisioning_uri(who.username, issuer_name="Teamspace")
    picture = io.BytesIO()
    segno.make(uri, error="m").save(picture, kind="svg", scale=4, xmldecl=False, svgns=True)
    return TotpSecret(secret, uri, picture.getvalue().decode(), fresh is not None, fresh)
