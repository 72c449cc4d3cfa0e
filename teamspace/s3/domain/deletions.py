"""Deleting many keys with one request."""

import asyncio
from itertools import chain
from xml.etree.ElementTree import Element

import msgspec

from teamspace.core.db import Units, persistently
from teamspace.core.errors import Refusal
from teamspace.repository import Condition, removing
from teamspace.s3.domain import bodies, describing, objects, refusing, xml
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit

MOST = 1000
_TOGETHER, _AT_ONCE = 50, 4


class _Wish(msgspec.Struct, frozen=True):
    key: str
    version_id: str | None
    condition: Condition


async def delete_many(visit: Visit) -> Answer:
    """Some share a commit, and each is by itself: what is refused for one key is told of that key."""
    root = await bodies.document(visit, "Delete")
    wishes = [_wish(item) for item in xml.children(root, "Object")]
    if not 1 <= len(wishes) <= MOST:
        raise xml.malformed()
    quiet = xml.value(root, "Quiet", "").strip().lower() == "true"
    room = asyncio.Semaphore(_AT_ONCE)
    batches = [wishes[start : start + _TOGETHER] for start in range(0, len(wishes), _TOGETHER)]
    told = chain.from_iterable(await asyncio.gather(*(_deleted(visit, batch, room) for batch in batches)))
    return Answer(
        body=xml.document("DeleteResult", *(text for text in told if not quiet or text.startswith("<Error>")))
    )


def _wish(item: Element) -> _Wish:
    key = xml.value(item, "Key")
    if not key:
        raise xml.malformed()
    condition = describing.of_deletion(*(xml.value(item, name) for name in ("ETag", "Size", "LastModifiedTime")))
    return _Wish(key, xml.value(item, "VersionId") or None, condition)


async def _deleted(visit: Visit, wishes: list[_Wish], room: asyncio.Semaphore) -> list[str]:
    """What became of each; where the commit fails, the same of all."""

    async def write() -> list[str]:
        async with removing.together(visit.db, visit.who, [wish.key for wish in wishes if _is_key(wish)]) as units:
            return [await _told(visit, units, wish) for wish in wishes]

    try:
        async with room:
            return await persistently(write)
    except Refusal as refusal:
        return [_refused(wish, refusal) for wish in wishes]


def _is_key(wish: _Wish) -> bool:
    try:
        return bool(describing.key(wish.key))
    except (Fault, Refusal):
        return False


async def _told(visit: Visit, units: Units, wish: _Wish) -> str:
    try:
        gone = await objects.removed(visit, units, describing.key(wish.key), wish.version_id, wish.condition)
    except (Fault, Refusal) as refusal:
        return _refused(wish, refusal)
    mark = (
        [xml.text("DeleteMarker", "true"), xml.text("DeleteMarkerVersionId", gone.id)] if gone and gone.removal else []
    )
    return xml.element("Deleted", *_about(wish), *mark)


def _refused(wish: _Wish, refusal: Fault | Refusal) -> str:
    fault = refusing.as_fault(refusal)
    return xml.element("Error", *_about(wish), xml.text("Code", fault.code), xml.text("Message", fault.message))


def _about(wish: _Wish) -> tuple[str, str]:
    return xml.text("Key", wish.key), xml.text("VersionId", wish.version_id) if wish.version_id else ""
