"""Codes of the second factor: whether one is asked for, and spending one. Each works once."""

import hmac

import pyotp

from teamspace.core import clock, crypto
from teamspace.core.db import Reads, Tx
from teamspace.core.errors import TotpInvalid
from teamspace.identity import store

STEP_SECONDS, DRIFT_STEPS = 30, 1


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
        step = step_of(secret_of(tx, user_id, totp.secret), plain)
        if step is None or not await store.use_step(tx, user_id, step):
            raise TotpInvalid
    elif not await store.use_code(tx, user_id, crypto.digest(plain.upper()), clock.stamp()):
        raise TotpInvalid


def step_of(secret: str, code: str) -> int | None:
    """The time step the code belongs to, if that is about now."""
    now = int(clock.now()) // STEP_SECONDS
    generator = pyotp.TOTP(secret)
    for step in range(now - DRIFT_STEPS, now + DRIFT_STEPS + 1):
        if hmac.compare_digest(generator.generate_otp(step).encode(), code.encode()):
            return step
    return None


def secret_of(db: Reads, user_id: str, sealed: str) -> str:
    return db.vault.open(place(user_id), sealed).decode()


def place(user_id: str) -> str:
    return f"totp|secret|{user_id}"
