"""Idempotency keys: a repeated request takes effect once and gets the same response.

The write stores the key in the same commit as its effect (see `Db.write`), so a crash can never lead to a
second effect. The response is stored right after. If the process dies in between, a repeat is told that the
request took effect and its response was lost; it is not executed again.

A stream is not stored as a response. The commit that opens it says so, and a repeat reads it from its beginning.
"""

import asyncio
import hashlib
import re
from functools import partial

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db, Tx, as_json, columns, in_batches
from teamspace.core.db.handles import CLAIM_SECONDS
from teamspace.core.errors import BadRequest, Conflict, IdempotencyConflict
from teamspace.core.principal import IdempotencyClaim, Principal
from teamspace.core.sending import Response
from teamspace.core.tables import EncryptedColumn

ENCRYPTED = (EncryptedColumn("idempotency", "answer", "owner || '|' || key"),)

_KEY = re.compile(rb"[ -~]{1,255}")
_WAIT_SECONDS, _POLL_SECONDS = 5.0, 0.05


class _StoredKey(msgspec.Struct, frozen=True):
    digest: bytes
    status: int | None
    answer: str | None
    target: str | None


class _StoredResponse(msgspec.Struct, frozen=True):
    body: bytes
    headers: dict[str, str]
    content_type: str | None


class FirstStream(msgspec.Struct, frozen=True):
    """The response to the first request was a stream of this target."""

    target: str


def parse_key(header: bytes, route: str, body: bytes) -> IdempotencyClaim:
    if not _KEY.fullmatch(header):
        raise BadRequest("idempotency.key")
    return IdempotencyClaim(header.decode(), hashlib.sha256(route.encode() + b"\n" + body).digest())


async def find_replay(
    db: Db, who: Principal, claim: IdempotencyClaim, *, taken: bool = False
) -> Response | FirstStream | None:
    """Return the first response to this key, waiting for it if necessary; None if the key is new.

    With `taken` another request is known to have the key, perhaps in a commit that is not visible yet.
    """
    waited = 0.0
    while True:
        stored = await _find(db, who, claim)
        if stored is None and not (taken and waited < _WAIT_SECONDS):
            return None
        if stored is not None and stored.digest != claim.digest:
            raise IdempotencyConflict("idempotency.used")
        if stored is not None and stored.status is not None and stored.answer is not None:
            return _replay(db, who, claim, stored.status, stored.answer)
        if stored is not None and stored.status is not None and stored.target is not None:
            return FirstStream(stored.target)
        if waited >= _WAIT_SECONDS:
            raise Conflict("idempotency.no_response")
        waited += _POLL_SECONDS
        await asyncio.sleep(_POLL_SECONDS)


async def find_target(db: Db, who: Principal, claim: IdempotencyClaim) -> str | None:
    """Return what the first write with this key wrote; None if the key is new."""
    return await db.one(
        str,
        "SELECT target FROM idempotency WHERE owner = :owner AND key = :key AND created_at >= :then",
        owner=who.rights_key, key=claim.key, then=clock.ago(CLAIM_SECONDS),
    )  # fmt: skip


async def store_response(db: Db, who: Principal, claim: IdempotencyClaim, response: Response) -> None:
    if not isinstance(response.body, bytes):
        return
    encoded = msgspec.json.encode(_StoredResponse(response.body, response.headers, response.content_type))
    async with db.maintenance(who) as tx:
        await tx.run(
            "UPDATE idempotency SET status = :status, answer = :answer WHERE owner = :owner AND key = :key",
            status=response.status, answer=tx.vault.encrypt(_context(who, claim), encoded), owner=who.rights_key,
            key=claim.key,
        )  # fmt: skip


async def forget_responses(tx: Tx, *targets: str) -> None:
    """Delete the responses to the requests that wrote these: a repeat is told that its response is lost."""
    await tx.run(
        f"UPDATE idempotency SET status = NULL, answer = NULL WHERE target {tx.dialect.in_strings.format('targets')}"
        " AND answer IS NOT NULL",
        targets=as_json(targets),
    )


async def delete_expired(db: Db) -> None:
    await in_batches(db, partial(delete_some, before=clock.ago(CLAIM_SECONDS)))


async def delete_some(tx: Tx, limit: int, before: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM idempotency WHERE (owner, key) IN (SELECT owner, key FROM idempotency WHERE created_at < :before"
        " LIMIT :limit) RETURNING key",
        before=before, limit=limit,
    )  # fmt: skip


async def _find(db: Db, who: Principal, claim: IdempotencyClaim) -> _StoredKey | None:
    return await db.one(
        _StoredKey,
        f"SELECT {columns(_StoredKey)} FROM idempotency WHERE owner = :owner AND key = :key AND created_at >= :then",
        owner=who.rights_key, key=claim.key, then=clock.ago(CLAIM_SECONDS),
    )  # fmt: skip


def _replay(db: Db, who: Principal, claim: IdempotencyClaim, status: int, encrypted: str) -> Response:
    first = msgspec.json.decode(db.vault.decrypt(_context(who, claim), encrypted), type=_StoredResponse)
    return mark_replayed(Response(status, first.body, first.content_type, first.headers))


def mark_replayed(response: Response) -> Response:
    response.headers = {**response.headers, "idempotency-replayed": "true"}
    return response


def _context(who: Principal, claim: IdempotencyClaim) -> str:
    return f"idempotency|answer|{who.rights_key}|{claim.key}"
