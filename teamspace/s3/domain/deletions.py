"""Deleting many keys with one request."""

import asyncio
from xml.etree.ElementTree import Element

import msgspec

from teamspace.core.errors import Refusal
from teamspace.repository import Condition
from teamspace.s3.domain import bodies, describing, objects, refusing, xml
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit

MOST = 1000
_AT_ONCE = 16


class _Wish(msgspec.Struct, frozen=True):
    key: str
    version_id: str | None
    condition: Condition


async def delete_many(visit: Visit) -> Answer:
    """Each by itself: what is refused for one key is told of that key."""
    root = await bodies.document(visit, "Delete")
    wishes = [_wish(item) for item in xml.children(root, "Object")]
    if not 1 <= len(wishes) <= MOST:
        raise xml.malformed()
    quiet = xml.value(root, "Quiet", "").strip().lower() == "true"
    room = asyncio.Semaphore(_AT_ONCE)
    told = await asyncio.gather(*(_deleted(visit, wish, room, quiet=quiet) for wish in wishes))
    return Answer(body=xml.document("DeleteResult", *told))


def _wish(item: Element) -> _Wish:
    key = xml.value(item, "Key")
    if not key:
        raise xml.malformed()
    condition = describing.of_deletion(*(xml.value(item, name) for name in ("ETag", "Size", "LastModifiedTime")))
    return _Wish(key, xml.value(item, "VersionId") or None, condition)


async def _deleted(visit: Visit, wish: _Wish, room: asyncio.Semaphore, *, quiet: bool) -> str:
    about = [xml.text("Key", wish.key), xml.text("VersionId", wish.version_id) if wish.version_id else ""]
    try:
        async with room:
            gone = await objects.removed(visit, wish.key, wish.version_id, wish.condition)
    except (Fault, Refusal) as refusal:
        fault = refusing.as_fault(refusal)
        return xml.element("Error", *about, xml.text("Code", fault.code), xml.text("Message", fault.message))
    if quiet:
        return ""
    if gone is not None and gone.removal:
        about += [xml.text("DeleteMarker", "true"), xml.text("DeleteMarkerVersionId", gone.id)]
    return xml.element("Deleted", *about)
