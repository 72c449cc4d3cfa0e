"""A small package of routes that exercise what `core` offers."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator

import msgspec

from teamspace.core.db import Db
from teamspace.core.db.engine import SerializationFailure
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.limits import Notifier
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted, Content, Download, EventStream, Reply, ServerSentEvent
from teamspace.core.routing import BEARER, ORGADMIN, OWN, PROVISION, PUBLIC, SUPERADMIN, Route, row

MAX_COUNT = 8 * 1024 * 1024

# fmt: off
ROUTES = (
    Route("PUT",  "/lab/files/*key",   PUBLIC,     None,                       None,           "upload",    "Counts the bytes of a raw body.", limit=MAX_COUNT),
    Route("GET",  "/lab/bytes/:count", PUBLIC,     None,                       None,           "download",  "Streams that many bytes."),
    Route("GET",  "/lab/events",       PUBLIC,     None,                       None,           "events",    "Three events."),
    Route("GET",  "/lab/endless",      PUBLIC,     None,                       None,           "endless",   "Events until the server or the client stops."),
    Route("GET",  "/lab/wait/:topic",  PUBLIC,     None,                       None,           "wait",      "A long poll."),
    Route("GET",  "/lab/counted",      PUBLIC,     None,                       None,           "count",     "A long download that counts what was read of it."),
    Route("GET",  "/lab/held",         PUBLIC,     None,                       None,           "held",      "A download that does not end."),
    Route("GET",  "/lab/mine",         BEARER,     None,                       None,           "mine",      "The same for a signed-in caller."),
    Route("GET",  "/lab/flood",        PUBLIC,     None,                       None,           "flood",     "Many large events."),
    Route("POST", "/lab/patience",     PUBLIC,     None,                       None,           "patience",  "A long poll that ends with its client."),
    Route("POST", "/lab/gift",         PUBLIC,     None,                       None,           "gift",      "Hands something out, and takes it back if the client has gone."),
    Route("POST", "/lab/tell/:topic",  PUBLIC,     None,                       None,           "tell",      "Wakes the long poll."),
    Route("GET",  "/lab/boom",         PUBLIC,     None,                       None,           "boom",      "Fails."),
    Route("GET",  "/lab/slow",         PUBLIC,     None,                       None,           "slow",      "Takes a while."),
    Route("POST", "/lab/collide",      BEARER,     None,                       None,           "collide",   "Fails twice with a serialization failure, then succeeds."),
    Route("GET",  "/lab/role",         BEARER,     Permission.SETTINGS_MANAGE, None,           "page",      "Needs a permission."),
    Route("GET",  "/lab/feature",      BEARER,     None,                       Feature.CHAT,   "feature",   "Needs a feature."),
    Route("GET",  "/lab/row",          BEARER,     row(Permission.NOTES_READ), None,           "own_row",   "The fence would decide."),
    Route("GET",  "/lab/own",          BEARER,     OWN,                        None,           "own",       "The caller's own account."),
    Route("POST", "/lab/provision",    PROVISION,  None,                       None,           "provision", "Hosted mode."),
    Route("GET",  "/lab/operator",     SUPERADMIN, Permission.INSTANCE_MANAGE, None,           "operator",  "The superadmin plane."),
    Route("GET",  "/lab/company",      ORGADMIN,   Permission.ORG_READ,        None,           "company",   "The company plane."),
    Route("POST", "/lab/body",         PUBLIC,     None,                       None,           "echo",      "Returns the body.", limit=4096),
    Route("POST", "/lab/job",          BEARER,     None,                       None,           "job",       "Accepted for later."),
)
# fmt: on


class Tries(msgspec.Struct):
    left: int = 2


COUNTED = 2_000


class Counted(msgspec.Struct):
    read: int = 0
    closed: bool = False


class Gifts(msgspec.Struct):
    handed_out: int = 0
    returned: int = 0


class Note(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    numbers: list[int] = []


async def upload(key: str, upload: AsyncIterator[bytes]) -> dict[str, str | int]:
    size, digest, largest = 0, hashlib.sha256(), 0
    async for chunk in upload:
        size, largest = size + len(chunk), max(largest, len(chunk))
        digest.update(chunk)
    return {"key": key, "size": size, "sha256": digest.hexdigest(), "largest_chunk": largest}


async def download(count: str) -> Download:
    async def chunks() -> AsyncGenerator[bytes, None]:
        for start in range(0, int(count), 65536):
            yield b"x" * min(65536, int(count) - start)

    return Download(chunks(), "application/octet-stream", int(count))


async def count(counted: Counted) -> Download:
    async def chunks() -> AsyncGenerator[bytes, None]:
        try:
            for counted.read in range(1, COUNTED + 1):
                yield b"x" * 65536
        finally:
            counted.closed = True

    return Download(chunks(), "application/octet-stream", COUNTED * 65536)


async def patience(wake: Notifier, disconnect: DisconnectWatch) -> None:
    with wake.subscribe(["nothing"]) as news:
        while not disconnect.has_disconnected:
            await wake.wait(news, 60, disconnect)


async def gift(gifts: Gifts, disconnect: DisconnectWatch) -> Reply[dict[str, int]]:
    gifts.handed_out += 1

    async def returned() -> None:
        gifts.returned += 1

    if gifts.handed_out == 1:
        await disconnect.watch()
    return Reply({"gift": gifts.handed_out}, on_undelivered=returned)


async def held() -> Download:
    async def chunks() -> AsyncGenerator[bytes, None]:
        while True:
            yield b"x"
            await asyncio.sleep(0.01)

    return Download(chunks(), "application/octet-stream")


async def mine(who: Principal) -> Download:
    return await held()


async def flood(counted: Counted) -> EventStream:
    async def events() -> AsyncGenerator[list[ServerSentEvent], None]:
        try:
            for counted.read in range(1, COUNTED + 1):
                yield [ServerSentEvent("large", {"text": "x" * 65536})]
        finally:
            counted.closed = True

    return EventStream(events())


async def events() -> EventStream:
    async def three() -> AsyncGenerator[list[ServerSentEvent], None]:
        for number in (1, 2, 3):
            yield [ServerSentEvent("count", {"number": number}, str(number))]

    return EventStream(three())


async def endless() -> EventStream:
    async def forever() -> AsyncGenerator[list[ServerSentEvent], None]:
        yield [ServerSentEvent("begin", {})]
        while True:
            await asyncio.sleep(0.01)
            yield []

    return EventStream(forever())


async def wait(topic: str, wake: Notifier) -> dict[str, bool]:
    async with wake.poll_slot():
        with wake.subscribe([topic]) as news:
            return {"news": await wake.wait(news, 5)}


async def tell(topic: str, wake: Notifier) -> None:
    wake.notify(topic)


async def boom() -> None:
    raise ZeroDivisionError("SELECT secret FROM /var/lib/teamspace")


async def slow() -> dict[str, bool]:
    await asyncio.sleep(0.8)
    return {"finished": True}


async def collide(tries: Tries) -> None:
    if tries.left:
        tries.left -= 1
        raise SerializationFailure("another transaction was first")


async def page(db: Db, who: Principal) -> Content:
    return Content(b"hello", "text/plain")


async def feature(who: Principal) -> dict[str, str]:
    return {"who": who.username}


async def own_row(who: Principal) -> dict[str, str]:
    return {"who": who.username}


async def own(who: Principal) -> dict[str, str]:
    return {"who": who.username}


async def provision(who: Principal) -> dict[str, str]:
    return {"kind": who.kind}


async def operator(who: Principal) -> dict[str, str]:
    return {"who": who.username}


async def company(who: Principal) -> dict[str, str]:
    return {"who": who.username}


async def echo(body: Note) -> Note:
    return body


async def job(who: Principal) -> Accepted[dict[str, str]]:
    return Accepted({"state": "queued"})
