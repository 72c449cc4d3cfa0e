"""Checksums that clients send: parsing, computing while streaming, and combining those of parts."""

import base64
import binascii
import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Protocol

import msgspec
from awscrt import checksums as crt

from teamspace.core import pools
from teamspace.s3.domain.errors import S3Error

PREFIX = "x-amz-checksum-"
_THREAD_SIZE = 64 * 1024
_DECLARED = ("x-amz-sdk-checksum-algorithm", f"{PREFIX}algorithm")
_NOT_VALUES = frozenset(f"{PREFIX}{word}" for word in ("algorithm", "mode", "type"))


class RunningChecksum(Protocol):
    """An incremental checksum."""

    def update(self, block: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class Algorithm(msgspec.Struct, frozen=True):
    """A checksum algorithm: `name` as in x-amz-checksum-<name>, `element` as in XML.

    `combine` computes the checksum of a whole from those of its parts, if the algorithm allows that.
    """

    name: str
    element: str
    size: int
    start: Callable[[], RunningChecksum]
    combine: Callable[[int, int, int], int] | None = None
    composite: bool = True

    @property
    def header(self) -> str:
        return PREFIX + self.name

    @property
    def full_object(self) -> bool:
        return self.combine is not None


class ExpectedChecksum(msgspec.Struct, frozen=True):
    """What a client announced: no algorithm, one to compute, or one with a value here or in a trailer."""

    algorithm: Algorithm | None = None
    value: str = ""
    in_trailer: bool = False
    md5: str = ""


class _Crc:
    def __init__(self, step: Callable[[bytes, int], int], size: int) -> None:
        self._step, self._size, self._value = step, size, 0

    def update(self, block: bytes, /) -> None:
        self._value = self._step(block, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._size)


def _sha1() -> RunningChecksum:
    return hashlib.sha1(usedforsecurity=False)


# fmt: off
ALGORITHMS: Mapping[str, Algorithm] = {algorithm.name: algorithm for algorithm in (
    Algorithm("crc32", "ChecksumCRC32", 4, lambda: _Crc(crt.crc32, 4), crt.combine_crc32),
    Algorithm("crc32c", "ChecksumCRC32C", 4, lambda: _Crc(crt.crc32c, 4), crt.combine_crc32c),
    Algorithm("crc64nvme", "ChecksumCRC64NVME", 8, lambda: _Crc(crt.crc64nvme, 8), crt.combine_crc64nvme, composite=False),
    Algorithm("sha1", "ChecksumSHA1", 20, _sha1),
    Algorithm("sha256", "ChecksumSHA256", 32, hashlib.sha256),
)}
# fmt: on


def parse_expected(headers: Mapping[str, str], trailers: Collection[str]) -> ExpectedChecksum:
    """Return the checksum to compute and compare. Header and trailer names must be in lower case."""
    md5 = headers.get("content-md5", "")
    if "content-md5" in headers and _decoded_size(md5) != 16:
        raise S3Error("InvalidDigest", "The Content-MD5 you specified was invalid.")
    declared = {name: _find_algorithm(headers[name], name) for name in _DECLARED if name in headers}
    values = [name for name in (*headers, *trailers) if name.startswith(PREFIX) and name not in _NOT_VALUES]
    if len(values) > 1:
        raise S3Error(
            "InvalidRequest", "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."
        )
    algorithms = [*declared.values(), *(_find_algorithm(name.removeprefix(PREFIX), name) for name in values)]
    if not algorithms:
        return ExpectedChecksum(md5=md5)
    algorithm = algorithms[-1]
    if any(other is not algorithm for other in algorithms):
        raise S3Error("InvalidRequest", "The checksum does not use the declared algorithm.")
    value = headers.get(algorithm.header, "")
    if algorithm.header in headers:
        check_format(algorithm, value)
    return ExpectedChecksum(algorithm, value, algorithm.header in trailers, md5)


def check_format(algorithm: Algorithm, value: str) -> None:
    """Refuse a value that is not base64 of the algorithm's size: it cannot match any bytes."""
    if _decoded_size(value) != algorithm.size:
        raise S3Error("BadDigest", f"The value of {algorithm.header} is not a {algorithm.name.upper()} in base64.")


async def update_while_reading(chunks: AsyncIterator[bytes], running: RunningChecksum) -> AsyncIterator[bytes]:
    """Yield the chunks, adding each to the checksum."""
    async for chunk in chunks:
        await update(running, chunk)
        yield chunk


async def update(running: RunningChecksum, block: bytes) -> None:
    """Add a block, in a thread if it is large; a CRC takes less time than the thread switch."""
    if isinstance(running, _Crc) or len(block) < _THREAD_SIZE:
        running.update(block)
    else:
        await pools.HASHING.run(running.update, block)


def verify(expected: ExpectedChecksum, digest: bytes, trailers: Mapping[str, str]) -> str:
    """Return the checksum in base64, or raise if it is not the announced one."""
    value = encode(digest)
    if expected.algorithm is None:
        return value
    announced = trailers.get(expected.algorithm.header, "") if expected.in_trailer else expected.value
    if expected.in_trailer:
        check_format(expected.algorithm, announced)
    if announced and base64.b64decode(announced) != digest:
        name = expected.algorithm.name.upper()
        raise S3Error("BadDigest", f"The {name} you specified did not match the calculated checksum.")
    return value


def encode(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def check_md5(expected: ExpectedChecksum, digest: bytes) -> None:
    if expected.md5 and base64.b64decode(expected.md5) != digest:
        raise S3Error("BadDigest", "The Content-MD5 you specified did not match what we received.")


def combine_composite(algorithm: Algorithm, parts: Sequence[str]) -> str:
    """Return the checksum of the parts' checksums, with the number of parts."""
    running = algorithm.start()
    for part in parts:
        running.update(base64.b64decode(part))
    return f"{base64.b64encode(running.digest()).decode()}-{len(parts)}"


def combine_full_object(algorithm: Algorithm, parts: Sequence[tuple[str, int]]) -> str:
    """Return the checksum of the whole from the parts' checksums and sizes, without reading the bytes."""
    if algorithm.combine is None:
        raise S3Error("InvalidRequest", f"The checksum type FULL_OBJECT cannot be used with {algorithm.name.upper()}.")
    combined = 0
    for value, size in parts:
        combined = algorithm.combine(combined, int.from_bytes(base64.b64decode(value)), size)
    return base64.b64encode(combined.to_bytes(algorithm.size)).decode()


def _find_algorithm(name: str, where: str) -> Algorithm:
    algorithm = ALGORITHMS.get(name.lower())
    if algorithm is None:
        raise S3Error("InvalidRequest", f"Value for {where} header is invalid: use one of {', '.join(ALGORITHMS)}.")
    return algorithm


def _decoded_size(value: str) -> int:
    try:
        return len(base64.b64decode(value.encode("ascii"), validate=True))
    except (binascii.Error, UnicodeEncodeError):
        return -1
