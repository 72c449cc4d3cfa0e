"""Codes of the second factor; each works once."""

import hmac

import pyotp

from teamspace.core import clock, crypto
from teamspace.core.db import Reads, Tx
from teamspace.core.errors import TotpInvalid
from teamspace.identity import store

STEP_SECONDS, DRIFT_STEPS = 30, 1


async def has_second_factor(db: Reads, user_id: str) -> bool:
    """Whether the second factor is on."""
    totp = await store.get_totp(db, user_id)
    return totp is not None and totp.armed_at is not None


async def use_second_factor(tx: Tx, user_id: str, code: str) -> None:
    """Use a code of the app or a recovery code, if the factor is on; raise TotpInvalid if it is wrong or used."""
    totp = await store.get_totp(tx, user_id)
    if totp is None or totp.armed_at is None:
        return
    cleaned = code.replace(" ", "").replace("-", "")
    if cleaned.isascii() and cleaned.isdigit():
        step = find_step(decrypt_secret(tx, user_id, totp.secret), cleaned)
        if step is None or not await store.use_step(tx, user_id, step):
            raise TotpInvalid
    elif not await store.use_code(tx, user_id, crypto.digest(cleaned.upper()), clock.stamp()):
        raise TotpInvalid


def find_step(secret: str, code: str) -> int | None:
    """Return the time step of the code, or None if it is not a current one."""
    now = int(clock.now()) // STEP_SECONDS
    generator = pyotp.TOTP(secret)
    for step in range(now - DRIFT_STEPS, now + DRIFT_STEPS + 1):
        if hmac.compare_digest(generator.generate_otp(step).encode(), code.encode()):
            return step
    return None


def decrypt_secret(db: Reads, user_id: str, encrypted: str) -> str:
    return db.vault.decrypt(encryption_context(user_id), encrypted).decode()


def encryption_context(user_id: str) -> str:
    return f"totp|secret|{user_id}"
