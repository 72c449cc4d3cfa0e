"""Read request bodies and verify them against the client's hashes and checksums."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from xml.etree.ElementTree import Element

from teamspace import blobs
from teamspace.blobs import StagedBlob
from teamspace.core import pools
from teamspace.quota import StorageRoom
from teamspace.repository import Checksum
from teamspace.s3.domain import checksums, payload, xml
from teamspace.s3.domain.checksums import ExpectedChecksum, RunningChecksum
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import MAX_XML, S3Request

_THREAD_SIZE = 64 * 1024


@asynccontextmanager
async def stage_body(
    request: S3Request, expected: ExpectedChecksum, room: StorageRoom | None = None
) -> AsyncIterator[tuple[StagedBlob, Checksum | None]]:
    """Stage the body; yields the blob and its checksum in the expected algorithm. Limited to the free quota."""
    request.services.files.check_space()
    trailers = dict[str, str]()
    if request.length is not None and request.length <= request.services.files.small:
        staged = blobs.stage_bytes(b"".join([chunk async for chunk in request.body(trailers)]))
        yield staged, _verify(request, expected, staged, _checksum_bytes(expected, staged), trailers)
        return
    checksum_state = expected.algorithm.start() if expected.algorithm else None
    body = request.body(trailers) if room is None else room.limit_stream(request.body(trailers))
    async with blobs.stage(
        request.services.files, checksums.update_while_reading(body, checksum_state) if checksum_state else body
    ) as staged:
        yield staged, _verify(request, expected, staged, checksum_state, trailers)


def _checksum_bytes(expected: ExpectedChecksum, staged: StagedBlob) -> RunningChecksum | None:
    if expected.algorithm is None:
        return None
    checksum_state = expected.algorithm.start()
    checksum_state.update(staged.data or b"")
    return checksum_state


def _verify(
    request: S3Request,
    expected: ExpectedChecksum,
    staged: StagedBlob,
    checksum_state: RunningChecksum | None,
    trailers: Mapping[str, str],
) -> Checksum | None:
    """Check the bytes against every hash the client sent; `checksum_state` must have seen all of them."""
    payload.check(request.payload, staged.digest)
    checksums.check_md5(expected, bytes.fromhex(staged.md5))
    if checksum_state is None or expected.algorithm is None:
        return None
    return Checksum(expected.algorithm.name, checksums.verify(expected, checksum_state.digest(), trailers))


async def read_xml(request: S3Request, name: str, headers: Mapping[str, str] | None = None) -> Element:
    """Read an XML body with the given root element; a large one is parsed in a thread."""
    body = await read_body(request, headers)
    return xml.parse(body, name) if len(body) < _THREAD_SIZE else await pools.TEXT.run(xml.parse, body, name)


async def read_body(request: S3Request, headers: Mapping[str, str] | None = None) -> bytes:
    """Read and verify a body of limited size; `headers` are those about the body, by default all."""
    expected = checksums.parse_expected(request.headers if headers is None else headers, request.payload.trailers)
    trailers, body = dict[str, str](), bytearray()
    async for chunk in request.body(trailers):
        body += chunk
        if len(body) > MAX_XML:
            raise S3Error("EntityTooLarge", f"The maximum size of a document is {MAX_XML} bytes.")
    staged = blobs.stage_bytes(bytes(body))
    _verify(request, expected, staged, _checksum_bytes(expected, staged), trailers)
    return bytes(body)
