"""Bodies, believed only once they are seen to be what the client says they are."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from xml.etree.ElementTree import Element

from teamspace import blobs
from teamspace.blobs import Draft
from teamspace.repository import Checksum
from teamspace.s3.domain import checksums, payload, xml
from teamspace.s3.domain.checksums import Wanted
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import LARGEST_XML, Visit

_WORTH_A_THREAD = 64 * 1024


@asynccontextmanager
async def drafted(visit: Visit, wanted: Wanted) -> AsyncIterator[tuple[Draft, Checksum | None]]:
    """The body as a draft, and its sum in the algorithm that is wanted."""
    trailers: dict[str, str] = {}
    running = wanted.algorithm.start() if wanted.algorithm else None
    body = visit.body(trailers)
    async with blobs.drafted(visit.house.files, checksums.summed(body, running) if running else body) as draft:
        payload.check(visit.payload, draft.digest)
        checksums.check_md5(wanted, bytes.fromhex(draft.md5))
        if running is None or wanted.algorithm is None:
            yield draft, None
        else:
            yield draft, Checksum(wanted.algorithm.name, checksums.checked(wanted, running.digest(), trailers))


async def document(visit: Visit, name: str, headers: Mapping[str, str] | None = None) -> Element:
    """A body of XML, whose root is called so; a large one is read where it holds nobody up."""
    body = await whole(visit, headers)
    return xml.read(body, name) if len(body) < _WORTH_A_THREAD else await asyncio.to_thread(xml.read, body, name)


async def whole(visit: Visit, headers: Mapping[str, str] | None = None) -> bytes:
    """A body of XML, proven by whatever sums came with it; `headers` are those that speak of it, if not all do."""
    wanted = checksums.wanted(visit.headers if headers is None else headers, visit.payload.trailers)
    trailers, body = dict[str, str](), bytearray()
    running = wanted.algorithm.start() if wanted.algorithm else None
    chunks = visit.body(trailers)
    async for chunk in checksums.summed(chunks, running) if running else chunks:
        body += chunk
        if len(body) > LARGEST_XML:
            raise Fault("EntityTooLarge", f"The document may hold {LARGEST_XML} bytes.")
    payload.check(visit.payload, hashlib.sha256(body).hexdigest())
    checksums.check_md5(wanted, hashlib.md5(body, usedforsecurity=False).digest())
    if running:
        checksums.checked(wanted, running.digest(), trailers)
    return bytes(body)
