"""Bodies, believed only once they are seen to be what the client says they are."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from xml.etree.ElementTree import Element

from teamspace import blobs
from teamspace.blobs import Draft
from teamspace.core import pools
from teamspace.quota import Room
from teamspace.repository import Checksum
from teamspace.s3.domain import checksums, payload, xml
from teamspace.s3.domain.checksums import Running, Wanted
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import LARGEST_XML, Visit

_WORTH_A_THREAD = 64 * 1024


@asynccontextmanager
async def drafted(
    visit: Visit, wanted: Wanted, room: Room | None = None
) -> AsyncIterator[tuple[Draft, Checksum | None]]:
    """The body as a draft, and its sum in the algorithm that is wanted; no more of it than there is room for."""
    visit.house.files.check_space()
    trailers = dict[str, str]()
    if visit.length is not None and visit.length <= blobs.SMALL:
        draft = blobs.in_hand(b"".join([chunk async for chunk in visit.body(trailers)]))
        yield draft, _proven(visit, wanted, draft, _summed(wanted, draft), trailers)
        return
    running = wanted.algorithm.start() if wanted.algorithm else None
    body = visit.body(trailers) if room is None else room.within(visit.body(trailers))
    async with blobs.drafted(visit.house.files, checksums.summed(body, running) if running else body) as draft:
        yield draft, _proven(visit, wanted, draft, running, trailers)


def _summed(wanted: Wanted, draft: Draft) -> Running | None:
    if wanted.algorithm is None:
        return None
    running = wanted.algorithm.start()
    running.update(draft.data or b"")
    return running


def _proven(
    visit: Visit, wanted: Wanted, draft: Draft, running: Running | None, trailers: Mapping[str, str]
) -> Checksum | None:
    """By all that the client said of it; `running` has seen every byte."""
    payload.check(visit.payload, draft.digest)
    checksums.check_md5(wanted, bytes.fromhex(draft.md5))
    if running is None or wanted.algorithm is None:
        return None
    return Checksum(wanted.algorithm.name, checksums.checked(wanted, running.digest(), trailers))


async def document(visit: Visit, name: str, headers: Mapping[str, str] | None = None) -> Element:
    """A body of XML, whose root is called so; a large one is read where it holds nobody up."""
    body = await whole(visit, headers)
    return xml.read(body, name) if len(body) < _WORTH_A_THREAD else await pools.TEXT.run(xml.read, body, name)


async def whole(visit: Visit, headers: Mapping[str, str] | None = None) -> bytes:
    """A body of XML, proven by whatever sums came with it; `headers` are those that speak of it, if not all do."""
    wanted = checksums.wanted(visit.headers if headers is None else headers, visit.payload.trailers)
    trailers, body = dict[str, str](), bytearray()
    async for chunk in visit.body(trailers):
        body += chunk
        if len(body) > LARGEST_XML:
            raise Fault("EntityTooLarge", f"The document may hold {LARGEST_XML} bytes.")
    draft = blobs.in_hand(bytes(body))
    _proven(visit, wanted, draft, _summed(wanted, draft), trailers)
    return bytes(body)
