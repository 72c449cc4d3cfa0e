"""Addresses of content, for the elements of a page, which cannot send a credential: players, images, saved files.

An address names one version and the credential that it was made with, and is signed by the server. It has no rights of
its own: each use has those that the credential has then. So it ends with the credential, with the right to read the
object, and after an hour. All that do not work are alike. What a zip has is too long for an address: it is a signed list,
which a page sends as a form.
"""

import base64
import binascii
import hmac
from functools import partial
from typing import TypeVar

import msgspec

from teamspace import tenancy
from teamspace.blobs import BlobStore
from teamspace.core import clock
from teamspace.core.db import Db, Reads
from teamspace.core.errors import NotFound
from teamspace.core.limits import TokenRate
from teamspace.core.principal import Call, Principal
from teamspace.core.replies import Archive, StoredContent
from teamspace.repository import store
from teamspace.repository.domain import finding, naming, reading, zipping
from teamspace.repository.schemas import ContentAddress, ContentClaim, ZipClaim, ZipList, ZipRequest

LIFETIME = clock.HOUR
_CONTENT, _ZIP = "address of content", "list of a zip"
_FIELD = b"list="
_MAC_BYTES = 32

Claim = TypeVar("Claim", ContentClaim, ZipClaim)


async def make(db: Db, who: Principal, object_id: str, number: int | None) -> ContentAddress:
    """Return an address of a version that the caller can read, by default of the newest."""
    row = await finding.get_visible(db, who, object_id)
    version = await finding.get_version(db, row, number or row.version)
    until = int(clock.now() + LIFETIME)
    claim = ContentClaim(who.token_id, until, row.id, version.number)
    return ContentAddress(f"/api/repo-media/{_sign(db, _CONTENT, claim)}", clock.stamp(until))


async def open_content(
    db: Db, files: BlobStore, rate: TokenRate, call: Call, address: str, *, download: bool
) -> StoredContent:
    """Return the version that an address names, or raise NotFound."""
    claim = _verify(db, _CONTENT, address, ContentClaim)
    who = await _get_caller(db, rate, call, claim.token_id)
    row = await finding.get_visible(db, who, claim.object_id)
    version = await store.get_version(db, row.id, claim.version)
    if version is None:
        raise NotFound()
    shown = reading.present(version, partial(reading.read_range, db, files, version), inline=not download)
    return msgspec.structs.replace(shown, payer=(who.org_id, who.team_id))


async def sign_list(db: Db, who: Principal, request: ZipRequest) -> ZipList:
    """Return the list of a zip, signed; refuse what the zip would refuse."""
    await zipping.choose(db, who, request)
    until = int(clock.now() + LIFETIME)
    return ZipList(_sign(db, _ZIP, ZipClaim(who.token_id, until, request)), clock.stamp(until))


async def open_zip(db: Db, files: BlobStore, rate: TokenRate, call: Call, form: bytes) -> Archive:
    """Return the zip of the signed list in a form, or raise NotFound. It names what is gone since the list was signed."""
    claim = _verify(db, _ZIP, form.removeprefix(_FIELD).decode("latin-1"), ZipClaim)
    who = await _get_caller(db, rate, call, claim.token_id)
    chosen = await zipping.choose(db, who, claim.request, names_gone=True)
    headers = {"content-disposition": naming.content_disposition("attachment", claim.request.name)}
    chunks = zipping.write(db, files, who, chosen)
    return Archive(chunks, "application/zip", None, headers, payer=(who.org_id, who.team_id))


async def _get_caller(db: Db, rate: TokenRate, call: Call, token_id: str) -> Principal:
    """Return who made the address, with the rights that they have now. The use counts as one of their requests."""
    rate.spend(token_id)
    caller = (await tenancy.get_callers(db, [token_id], hosted=False)).get(token_id)
    if caller is None:
        raise NotFound()
    return msgspec.structs.replace(caller.principal, call=call)


def _sign(db: Reads, purpose: str, claim: ContentClaim | ZipClaim) -> str:
    text = msgspec.json.encode(claim)
    return _write(db.vault.mac(purpose, text) + text)


def _write(signed: bytes) -> str:
    return base64.urlsafe_b64encode(signed).rstrip(b"=").decode()


def _verify(db: Reads, purpose: str, address: str, kind: type[Claim]) -> Claim:
    try:
        signed = base64.b64decode(address + "=" * (-len(address) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise NotFound() from None
    mac, text = signed[:_MAC_BYTES], signed[_MAC_BYTES:]
    # The last letter has unused bits: only one way to write it is the address.
    if not hmac.compare_digest(mac, db.vault.mac(purpose, text)) or _write(signed) != address:
        raise NotFound()
    claim = msgspec.json.decode(text, type=kind)
    if claim.until <= clock.now():
        raise NotFound()
    return claim
