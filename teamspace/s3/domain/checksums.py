"""Checksums that clients send along: which one is meant, the sum of the bytes as they flow, and of parts together."""

import base64
import binascii
import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Protocol

import msgspec
from awscrt import checksums as crt

from teamspace.core import pools
from teamspace.s3.domain.faults import Fault

PREFIX = "x-amz-checksum-"
_WORTH_A_THREAD = 64 * 1024
_DECLARED = ("x-amz-sdk-checksum-algorithm", f"{PREFIX}algorithm")
_ABOUT = frozenset(f"{PREFIX}{word}" for word in ("algorithm", "mode", "type"))


class Running(Protocol):
    """A sum that grows with what is added."""

    def update(self, block: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class Algorithm(msgspec.Struct, frozen=True):
    """`name` as in x-amz-checksum-<name>, `element` as in XML; `combine` where the sum of a whole follows from its parts'."""

    name: str
    element: str
    size: int
    start: Callable[[], Running]
    combine: Callable[[int, int, int], int] | None = None
    composite: bool = True

    @property
    def header(self) -> str:
        return PREFIX + self.name

    @property
    def full_object(self) -> bool:
        return self.combine is not None


class Wanted(msgspec.Struct, frozen=True):
    """What a client announced: no algorithm, one to be computed, or one whose value is given here or in a trailer."""

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


def _sha1() -> Running:
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


def wanted(headers: Mapping[str, str], trailers: Collection[str]) -> Wanted:
    """What is to be summed and compared; `headers` and the names of `trailers` in lower case."""
    md5 = headers.get("content-md5", "")
    if "content-md5" in headers and _size(md5) != 16:
        raise Fault("InvalidDigest", "The Content-MD5 you specified was invalid.")
    declared = {name: _named(headers[name], name) for name in _DECLARED if name in headers}
    given = [name for name in (*headers, *trailers) if name.startswith(PREFIX) and name not in _ABOUT]
    if len(given) > 1:
        raise Fault(
            "InvalidRequest", "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."
        )
    algorithms = [*declared.values(), *(_named(name.removeprefix(PREFIX), name) for name in given)]
    if not algorithms:
        return Wanted(md5=md5)
    algorithm = algorithms[-1]
    if any(other is not algorithm for other in algorithms):
        raise Fault("InvalidRequest", "The checksum is of another algorithm than the one that is declared.")
    value = headers.get(algorithm.header, "")
    if algorithm.header in headers:
        check_form(algorithm, value)
    return Wanted(algorithm, value, algorithm.header in trailers, md5)


def check_form(algorithm: Algorithm, value: str) -> None:
    """Base64 of as many bytes as the algorithm gives; anything else is the sum of no bytes at all."""
    if _size(value) != algorithm.size:
        raise Fault("BadDigest", f"The value of {algorithm.header} is no {algorithm.name.upper()} in base64.")


async def summed(chunks: AsyncIterator[bytes], running: Running) -> AsyncIterator[bytes]:
    """The same bytes, added to the sum on their way."""
    async for chunk in chunks:
        await add(running, chunk)
        yield chunk


async def add(running: Running, block: bytes) -> None:
    """In a thread where that is worth it; a CRC is faster than the way there."""
    if isinstance(running, _Crc) or len(block) < _WORTH_A_THREAD:
        running.update(block)
    else:
        await pools.HASHING.run(running.update, block)


def checked(wanted: Wanted, digest: bytes, trailers: Mapping[str, str]) -> str:
    """The checksum in base64, which is the one that was announced."""
    value = encoded(digest)
    if wanted.algorithm is None:
        return value
    given = trailers.get(wanted.algorithm.header, "") if wanted.in_trailer else wanted.value
    if wanted.in_trailer:
        check_form(wanted.algorithm, given)
    if given and base64.b64decode(given) != digest:
        name = wanted.algorithm.name.upper()
        raise Fault("BadDigest", f"The {name} you specified did not match the calculated checksum.")
    return value


def encoded(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def check_md5(wanted: Wanted, digest: bytes) -> None:
    if wanted.md5 and base64.b64decode(wanted.md5) != digest:
        raise Fault("BadDigest", "The Content-MD5 you specified did not match what we received.")


def composite(algorithm: Algorithm, parts: Sequence[str]) -> str:
    """The checksum of the parts' checksums, and how many they are."""
    running = algorithm.start()
    for part in parts:
        running.update(base64.b64decode(part))
    return f"{base64.b64encode(running.digest()).decode()}-{len(parts)}"


def full_object(algorithm: Algorithm, parts: Sequence[tuple[str, int]]) -> str:
    """The checksum of the whole from each part's checksum and size, without reading anything again."""
    if algorithm.combine is None:
        raise Fault("InvalidRequest", f"The checksum type FULL_OBJECT cannot be used with {algorithm.name.upper()}.")
    whole = 0
    for value, size in parts:
        whole = algorithm.combine(whole, int.from_bytes(base64.b64decode(value)), size)
    return base64.b64encode(whole.to_bytes(algorithm.size)).decode()


def _named(name: str, where: str) -> Algorithm:
    algorithm = ALGORITHMS.get(name.lower())
    if algorithm is None:
        raise Fault("InvalidRequest", f"Value for {where} header is invalid: there is {', '.join(ALGORITHMS)}.")
    return algorithm


def _size(value: str) -> int:
    try:
        return len(base64.b64decode(value.encode("ascii"), validate=True))
    except (binascii.Error, UnicodeEncodeError):
        return -1
