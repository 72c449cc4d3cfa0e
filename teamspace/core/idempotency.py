"""Idempotency keys: the same request sent twice takes effect once and is answered the same.

The write that has the effect takes the key in its own commit (see `Db.write`), so a crash can never
lead to a second effect. The answer is kept right after. Should the process die between the two, the
repeat is told that the effect is there and its answer is not, rather than being carried out again.
"""

import asyncio
import hashlib
import re

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.db.handles import CLAIM_SECONDS
from teamspace.core.errors import BadRequest, Conflict, IdempotencyConflict
from teamspace.core.principal import Claim, Principal
from teamspace.core.sending import Outgoing
from teamspace.core.tables import SealedColumn

SEALED = (SealedColumn("idempotency", "answer", "owner || '|' || key"),)

_KEY = re.compile(rb"[ -~]{1,255}")
_PATIENCE_SECONDS, _LOOK_SECONDS = 5.0, 0.05


class _Kept(msgspec.Struct, frozen=True):
    digest: bytes
    status: int | None
    answer: str | None


class _Answer(msgspec.Struct, frozen=True):
    body: bytes
    headers: dict[str, str]


def claim(header: bytes, route: str, body: bytes) -> Claim:
    if not _KEY.fullmatch(header):
        raise BadRequest("The Idempotency-Key must be 1 to 255 printable ASCII characters.")
    return Claim(header.decode(), hashlib.sha256(route.encode() + b"\n" + body).digest())


async def repeated(db: Db, who: Principal, claim: Claim, *, taken: bool = False) -> Outgoing | None:
    """The first answer to this key, once there is one; None when the key is new.

    With `taken` somebody else has the key for certain, though perhaps in a commit still on its way.
    """
    waited = 0.0
    while True:
        kept = await _find(db, who, claim)
        if kept is None and not (taken and waited < _PATIENCE_SECONDS):
            return None
        if kept is not None and kept.digest != claim.digest:
            raise IdempotencyConflict("This Idempotency-Key belongs to another request of the last 24 hours.")
        if kept is not None and kept.status is not None and kept.answer is not None:
            return _replayed(db, who, claim, kept.status, kept.answer)
        if waited >= _PATIENCE_SECONDS:
            raise Conflict("The first request with this Idempotency-Key took effect; its answer was not kept.")
        waited += _LOOK_SECONDS
        await asyncio.sleep(_LOOK_SECONDS)


async def keep(db: Db, who: Principal, claim: Claim, answer: Outgoing) -> None:
    if not isinstance(answer.body, bytes):
        return
    kept = msgspec.json.encode(_Answer(answer.body, answer.headers))
    async with db.upkeep(who) as tx:
        await tx.run(
            "UPDATE idempotency SET status = :status, answer = :answer WHERE owner = :owner AND key = :key",
            status=answer.status, answer=tx.vault.seal(_place(who, claim), kept), owner=who.standing, key=claim.key,
        )  # fmt: skip


async def forget_old(db: Db, who: Principal) -> None:
    async with db.upkeep(who) as tx:
        await tx.run("DELETE FROM idempotency WHERE created_at < :then", then=clock.ago(CLAIM_SECONDS))


async def _find(db: Db, who: Principal, claim: Claim) -> _Kept | None:
    return await db.one(
        _Kept,
        "SELECT digest, status, answer FROM idempotency WHERE owner = :owner AND key = :key AND created_at >= :then",
        owner=who.standing, key=claim.key, then=clock.ago(CLAIM_SECONDS),
    )  # fmt: skip


def _replayed(db: Db, who: Principal, claim: Claim, status: int, sealed: str) -> Outgoing:
    kept = msgspec.json.decode(db.vault.open(_place(who, claim), sealed), type=_Answer)
    return Outgoing(status, kept.body, headers={**kept.headers, "idempotency-replayed": "true"})


def _place(who: Principal, claim: Claim) -> str:
    return f"idempotency|answer|{who.standing}|{claim.key}"
