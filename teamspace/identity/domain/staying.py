"""Kept sign-ins: a browser exchanges the secret in its cookie for a session, and gets the next secret.

Only digests are stored, of the present secret and of the one before it. That one works too, until its successor is
used: a response can get lost. A secret that was replaced earlier is in the hands of a second browser, so the sign-in
ends. The cookie carries a MAC besides the secret, so that an old secret is told from an invented one, and an invented
one costs no read.
"""

import base64
import hmac
from enum import Enum

import msgspec

from teamspace.core import clock, crypto
from teamspace.core.crypto import Vault
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import throttle, tokens
from teamspace.identity.schemas import Stay

GRACE = clock.MINUTE
"""How long the secret before is taken for that of a tab that asked at the same time."""
PER_STAY = 60
"""Exchanges of one kept sign-in in the window of failed sign-ins."""
_PURPOSE = "kept sign-in"
_MAX_LENGTH = 200


class StayOffer(msgspec.Struct, frozen=True):
    """What a cookie says: the kept sign-in, and the secret for it, made by this server."""

    stay_id: str
    secret: str


class StayMatch(Enum):
    PRESENT = "present"
    """Also the one before, if its successor seems to have got lost: the browser gets a new one."""
    SIMULTANEOUS = "simultaneous"
    """Another tab of the browser has just been given a new one."""
    STOLEN = "stolen"


async def begin(
    tx: Tx, *, user_id: str, org_id: str, team_id: str, given_by: str | None, days: int
) -> tuple[Stay, str]:
    """Keep the person signed in; returns the kept sign-in and the value of its cookie."""
    expires_at, now = clock.later(days * clock.DAY), clock.stamp()
    stay_id, secret = await tokens.insert(
        tx, "stay", org_id, team_id, user_id, "stay", None, expires_at, given_by=given_by
    )
    stay = Stay(stay_id, org_id, team_id, user_id, crypto.digest(secret), None, None, given_by, now, expires_at)
    return stay, _to_cookie(tx.vault, stay_id, secret)


def read_cookie(vault: Vault, cookie: str) -> StayOffer | None:
    """Return what the cookie says if this server made it; without the database."""
    stay_id, _, rest = cookie[: _MAX_LENGTH + 1].partition(".")
    secret, _, tag = rest.partition(".")
    if len(cookie) > _MAX_LENGTH or not cookie.isascii() or not crypto.is_well_formed(secret):
        return None
    return StayOffer(stay_id, secret) if hmac.compare_digest(tag, _tag(vault, stay_id, secret)) else None


async def find(db: Reads, offer: StayOffer, days: int) -> Stay | None:
    """Return the kept sign-in unless it has ended; `days` may be fewer than when it began."""
    stay = await store.get_stay(db, offer.stay_id)
    if stay is None or stay.expires_at <= clock.stamp() or stay.created_at <= clock.ago(days * clock.DAY):
        return None
    return stay


async def count_exchange(db: Db, who: Principal, stay: Stay) -> None:
    await throttle.count_attempt(db, who, {f"stay:{stay.id}": PER_STAY})


def compare(stay: Stay, offer: StayOffer) -> StayMatch:
    digest = crypto.digest(offer.secret)
    if digest == stay.digest:
        return StayMatch.PRESENT
    if digest != stay.previous_digest:
        return StayMatch.STOLEN
    return StayMatch.SIMULTANEOUS if (stay.rotated_at or "") > clock.ago(GRACE) else StayMatch.PRESENT


async def rotate(tx: Tx, stay: Stay, offer: StayOffer) -> str:
    """Replace the secret; returns the value of the cookie. A successor of the offered one that got lost is forgotten."""
    secret = crypto.new_token("k")
    await store.rotate_stay(
        tx, stay.id, digest=crypto.digest(secret), previous_digest=crypto.digest(offer.secret),
        address=tx.who.call.address, agent=tokens.agent_of(tx), now=clock.stamp(),
    )  # fmt: skip
    return _to_cookie(tx.vault, stay.id, secret)


async def end(tx: Tx, stay: Stay) -> None:
    """End a kept sign-in with all its sessions."""
    await store.revoke_one(tx, stay.id, clock.stamp())
    await store.revoke_with_stays(tx, stay.user_id, clock.stamp())


def _to_cookie(vault: Vault, stay_id: str, secret: str) -> str:
    return f"{stay_id}.{secret}.{_tag(vault, stay_id, secret)}"


def _tag(vault: Vault, stay_id: str, secret: str) -> str:
    mac = vault.mac(_PURPOSE, f"{stay_id}.{secret}".encode())
    return base64.urlsafe_b64encode(mac).decode().rstrip("=")
