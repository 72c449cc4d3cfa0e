"""The second factor: TOTP codes, which work once, and recovery codes for a lost phone."""

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

RECOVERY_CODES = 10
RECENT_SIGN_IN = 15 * clock.MINUTE
_CODE_BYTES, _GROUP = 15, 4  # 120 bits: enough to store an unsalted digest


class FactorOn(Conflict):
    key = "second_factor.on"


class FactorOff(Conflict):
    key = "second_factor.off"


async def enable(db: Db, who: Principal, request: EnableTotp) -> TotpSecret:
    """Turn on the second factor. Minted tokens need the password: a code only proves that they have the secret."""
    await proofs.require_if_minted(db, who, password=request.password)
    if request.code is not None:
        return await _confirm(db, who, request.code)
    secret = pyotp.random_base32()
    async with db.write(who, "totp.prepare" if request.confirm else "totp.enable", lock=("user", who.user_id)) as tx:
        tx.target = who.user_id
        encrypted = tx.vault.encrypt(codes.encryption_context(who.user_id), secret.encode())
        armed_at = None if request.confirm else clock.stamp()
        if not await store.put_totp(tx, who.user_id, who.org_id, encrypted, armed_at):
            raise FactorOn
        new_codes = None if request.confirm else await _create_codes(tx, who)
        if not request.confirm:
            await tokens.end_sessions(tx, who.user_id, keep=who.token_id)
    return _to_totp_secret(who, secret, new_codes)


async def _confirm(db: Db, who: Principal, code: str) -> TotpSecret:
    async with db.write(who, "totp.enable", lock=("user", who.user_id)) as tx:
        tx.target = who.user_id
        totp = await store.get_totp(tx, who.user_id)
        if totp is None or totp.armed_at is not None:
            raise FactorOn if totp else Conflict("second_factor.no_secret")
        secret = codes.decrypt_secret(tx, who.user_id, totp.secret)
        step = codes.find_step(secret, code)
        if step is None:
            raise TotpInvalid
        if not await store.arm_totp(tx, who.user_id, step, clock.stamp()):
            raise FactorOn
        new_codes = await _create_codes(tx, who)
        await tokens.end_sessions(tx, who.user_id, keep=who.token_id)
    return _to_totp_secret(who, secret, new_codes)


async def renew_codes(db: Db, who: Principal, proof: Proof) -> RecoveryCodes:
    await proofs.require_if_minted(db, who, password=proof.password, code=proof.code)
    async with db.write(who, "totp.renew_codes", lock=("user", who.user_id)) as tx:
        tx.target = who.user_id
        if not await codes.has_second_factor(tx, who.user_id):
            raise FactorOff
        return RecoveryCodes(await _create_codes(tx, who))


async def count_codes(db: Db, who: Principal) -> RecoveryCount:
    return RecoveryCount(await store.count_codes(db, who.user_id))


async def disable(db: Db, who: Principal, proof: Proof) -> None:
    """Turn off the caller's second factor. Needs a proof or a sign-in within 15 minutes, not just a stolen token."""
    if not await codes.has_second_factor(db, who.user_id):
        raise FactorOff
    if proof.password is not None or proof.code is not None or not _has_recent_sign_in(who):
        await proofs.require(db, who, password=proof.password, code=proof.code)
    async with db.write(who, "totp.disable", lock=("user", who.user_id)) as tx:
        tx.target = who.user_id
        if not await remove_second_factor(tx, who.user_id, keep_session=who.token_id):
            raise FactorOff


async def revoke(db: Db, who: Principal, user_id: str) -> None:
    """Remove the second factor of a person who lost theirs; for operators."""
    account = await store.get_account(db, user_id)
    if account is None:
        raise NotFound()
    async with db.write(who, "totp.revoke", lock=("user", user_id)) as tx:
        tx.target, tx.org_id, tx.team_id = user_id, account.org_id, ""
        await remove_second_factor(tx, user_id)


async def remove_second_factor(tx: Tx, user_id: str, *, keep_session: str = "") -> bool:
    """Delete secret and recovery codes, and end all sessions; returns whether the factor existed."""
    await store.delete_codes(tx, user_id)
    await tokens.end_sessions(tx, user_id, keep=keep_session)
    return await store.delete_totp(tx, user_id)


def _has_recent_sign_in(who: Principal) -> bool:
    return who.signed_in_at is not None and who.signed_in_at > clock.ago(RECENT_SIGN_IN)


async def _create_codes(tx: Tx, who: Principal) -> list[str]:
    await store.delete_codes(tx, who.user_id)
    new_codes = [base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode() for _ in range(RECOVERY_CODES)]
    await store.insert_codes(tx, who.user_id, who.org_id, [crypto.digest(code) for code in new_codes])
    return ["-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP)) for code in new_codes]


def _to_totp_secret(who: Principal, secret: str, new_codes: list[str] | None) -> TotpSecret:
    uri = pyotp.TOTP(secret).provisioning_uri(who.username, issuer_name="Teamspace")
    picture = io.BytesIO()
    segno.make(uri, error="m").save(picture, kind="svg", scale=4, xmldecl=False, svgns=True)
    return TotpSecret(secret, uri, picture.getvalue().decode(), new_codes is not None, new_codes)
