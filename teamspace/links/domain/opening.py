"""Use a public link: find what it shows, check its password, count its uses.

A link works as long as its object exists, it has not expired, and its creator may manage the object, with the rights
that they have now. Every use checks that again.
"""

import hmac
import re
from collections.abc import AsyncGenerator
from contextlib import suppress
from functools import partial

import msgspec

from teamspace import identity, repository, tenancy
from teamspace.blobs import BlobStore
from teamspace.core import clock, crypto
from teamspace.core.addresses import rate_limit_key
from teamspace.core.db import Db, Reads
from teamspace.core.errors import Forbidden, NotFound, Refusal, Unauthenticated
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal
from teamspace.core.replies import Payer, StoredContent
from teamspace.links import store
from teamspace.links.schemas import LinkRow
from teamspace.repository import ObjectRow, VersionRow, reading

PROOF_SECONDS = 4 * clock.HOUR
"""How long a browser that sent the password need not send it again."""
GUESSES_OF_ADDRESS, GUESSES_OF_LINK = 10, 200
"""Wrong passwords for one link in 15 minutes: from one address, and from all of them."""
_AUDITED_EVERY = clock.HOUR
"""Visitors must not fill the audit log: of each link it has one use an hour. The counters have all."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{24}")


class SharedFile(msgspec.Struct, frozen=True):
    """What a link shows."""

    link: LinkRow
    token: str
    object: ObjectRow
    version: VersionRow

    @property
    def payer(self) -> Payer:
        """The object's company and team: what visitors fetch is their traffic."""
        return self.object.org_id, self.object.team_id


async def find(db: Reads, call: Call, token: str) -> SharedFile | None:
    """Return what a link shows, or None: the same for an unknown, an expired, a revoked and a dead one."""
    link = await store.get_by_hash(db, crypto.digest(token)) if _TOKEN.fullmatch(token) else None
    if link is None or is_expired(link, clock.stamp()):
        return None
    try:
        row = await _published(db, call, link.creator_id, link.creator_team_id, link.object_id)
        return SharedFile(link, token, row, await repository.get_version(db, row, row.version))
    except (Unauthenticated, NotFound, Forbidden):
        return None


def is_expired(link: LinkRow, now: str) -> bool:
    return link.expires_at is not None and link.expires_at <= now


async def may_publish(db: Reads, call: Call, creator_id: str, team_id: str, object_id: str) -> bool:
    """Return whether the links of a person to an object work."""
    try:
        await _published(db, call, creator_id, team_id, object_id)
    except (Unauthenticated, NotFound, Forbidden):
        return False
    return True


async def _published(db: Reads, call: Call, creator_id: str, team_id: str, object_id: str) -> ObjectRow:
    creator = await tenancy.act_for(db, call, creator_id, team_id)
    if creator.org_suspended:
        raise NotFound()
    return await repository.require(db, creator, object_id, P.FILES_MANAGE)


# The password


async def check_password(db: Db, who: Principal, shared: SharedFile, password: str) -> bool:
    """Return whether it is right; TooManyAttempts after too many wrong ones. The right one takes its attempt back."""
    network = rate_limit_key(who.call.address)
    limits = {
        f"link:{network}|{shared.link.id}": GUESSES_OF_ADDRESS,
        f"link:{shared.link.id}": GUESSES_OF_LINK,
    }
    await identity.throttle.count_attempt(db, who, limits)
    if not await identity.matches_password(shared.link.password, password):
        return False
    await identity.throttle.uncount(db, who, limits)
    return True


def prove(db: Reads, link: LinkRow) -> str:
    """Return a value that proves for a while that the password was right."""
    until = str(int(clock.now() + PROOF_SECONDS))
    return f"{until}.{_mac(db, link, until)}"


def is_proven(db: Reads, link: LinkRow, proof: str) -> bool:
    """Return whether the link needs no password, or the proof is right."""
    if link.password is None:
        return True
    until, _, mac = proof.partition(".")
    is_valid = until.isascii() and until.isdigit() and len(until) < 12 and int(until) > clock.now()
    return is_valid and hmac.compare_digest(mac.encode(), _mac(db, link, until).encode())


def _mac(db: Reads, link: LinkRow, until: str) -> str:
    return db.vault.mac("proof of a link", f"{link.id}|{until}|{link.password}".encode()).hex()


# What it shows


def content(db: Db, files: BlobStore, who: Principal, shared: SharedFile, *, view: bool) -> StoredContent:
    """Return the file: an attachment, or inline if it is to be viewed and its type is safe."""
    is_download = not view or shared.version.content_type not in reading.VIEWED_TYPES
    shown = reading.present(shared.version, partial(_read, db, files, who, shared, is_download), inline=not is_download)
    headers = {**shown.headers, "x-robots-tag": "noindex"}
    return msgspec.structs.replace(shown, headers=headers, payer=shared.payer)


async def _read(
    db: Db, files: BlobStore, who: Principal, shared: SharedFile, is_download: bool, start: int, length: int
) -> AsyncGenerator[bytes, None]:
    await count_use(db, who, shared.link, downloads=int(is_download and start == 0))
    async for chunk in reading.read_range(db, files, shared.version, start, length):
        yield chunk


async def read_beginning(db: Reads, files: BlobStore, shared: SharedFile, size: int) -> bytes:
    length = min(size, shared.version.size)
    return b"".join([chunk async for chunk in reading.read_range(db, files, shared.version, 0, length)])


async def count_use(db: Db, who: Principal, link: LinkRow, *, views: int = 0, downloads: int = 0) -> None:
    """Count a use. A link works also if that fails, such as on a full disk.

    What is neither a view nor a download, such as a range or the picture on a page, belongs to one; in case it doesn't, it
    is noted once an hour.
    """
    now = clock.stamp()
    visitor = msgspec.structs.replace(who, org_id=link.org_id, team_id=link.team_id)
    with suppress(Refusal):
        if link.last_used_at is not None and link.last_used_at > clock.ago(_AUDITED_EVERY):
            if not views and not downloads:
                return
            async with db.maintenance(visitor, durable=False) as tx:
                await store.count_use(tx, link.id, now, views=views, downloads=downloads)
            return
        async with db.write(visitor, "link.use", durable=False) as tx:
            tx.target, tx.detail = link.object_id, {"link": link.id}
            await store.count_use(tx, link.id, now, views=views, downloads=downloads)
