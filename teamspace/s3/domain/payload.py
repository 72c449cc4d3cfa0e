"""The body of a request: what its hash header promises, and the real bytes inside whatever frame they come in."""

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Mapping
from enum import StrEnum
from itertools import count

import msgspec

from teamspace.s3.domain.checksums import add
from teamspace.s3.domain.faults import Fault

LONGEST_LINE = 1024
"""Of a chunk's head; a real one has less than a hundred bytes."""
MOST_TRAILING = 8 * 1024
_AT_ONCE = 256
_SMALL, _MOST_SMALL = 1024, 2_000
"""S3 takes chunks from 8 KiB on, and a smaller last one. A body of tiny ones would cost far more than its bytes."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HEAD = re.compile(rb"([0-9a-fA-F]{1,15})(?:;chunk-signature=([0-9a-f]{64}))?")
_LENGTH = re.compile(r"\d{1,15}", re.ASCII)
_OF_NOTHING = hashlib.sha256().hexdigest()
_TRAILER_SIGNATURE = "x-amz-trailer-signature"


class Kind(StrEnum):
    """How a body is signed and framed; all but the first are what the header says itself."""

    SIGNED = "sha256"
    UNSIGNED = "UNSIGNED-PAYLOAD"
    UNSIGNED_CHUNKS_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    SIGNED_CHUNKS_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"


UNSIGNED = Kind.UNSIGNED.value
_SAID = {kind.value: kind for kind in Kind if kind is not Kind.SIGNED}


class Seed(msgspec.Struct, frozen=True):
    """What the signatures of chunks hang on: each is made with the one before, and the first with the request's."""

    key: bytes
    moment: str
    scope: str
    signature: str


class Payload(msgspec.Struct, frozen=True):
    """`digest` is given where the whole is signed, `seed` where chunks are; `trailers` are the names announced."""

    kind: Kind
    digest: str = ""
    seed: Seed | None = None
    trailers: tuple[str, ...] = ()

    @property
    def framed(self) -> bool:
        return self.kind not in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def has_trailer(self) -> bool:
        return self.kind in (Kind.UNSIGNED_CHUNKS_TRAILER, Kind.SIGNED_CHUNKS_TRAILER)


def kind_of(digest: str) -> Kind:
    """What x-amz-content-sha256 says."""
    kind = Kind.SIGNED if _SHA256.fullmatch(digest) else _SAID.get(digest)
    if kind is None:
        raise Fault("InvalidArgument", f"x-amz-content-sha256 must be {', '.join(_SAID)} or a valid sha256 value.")
    return kind


def announced(digest: str, headers: Mapping[str, str], seed: Seed | None) -> Payload:
    """The body to come, by its hash header and its trailers; signed chunks need the seed of a signature."""
    kind = kind_of(digest)
    names = tuple(name.strip().lower() for name in headers.get("x-amz-trailer", "").split(",") if name.strip())
    in_chunks = kind in (Kind.SIGNED_CHUNKS, Kind.SIGNED_CHUNKS_TRAILER)
    payload = Payload(kind, digest if kind is Kind.SIGNED else "", seed if in_chunks else None, names)
    if in_chunks and seed is None:
        raise Fault("InvalidRequest", "Signed chunks need a request that is signed with AWS4-HMAC-SHA256.")
    if names and not payload.has_trailer:
        raise Fault("InvalidRequest", "x-amz-trailer announces what a body of this x-amz-content-sha256 does not have.")
    return payload


def length_of(payload: Payload, headers: Mapping[str, str]) -> int | None:
    """How many real bytes the client says are coming; None when it does not say."""
    text = headers.get("x-amz-decoded-content-length" if payload.framed else "content-length")
    if text is None:
        return None
    if not _LENGTH.fullmatch(text):
        raise Fault("InvalidArgument", "The length of the content must be a number.")
    return int(text)


async def decoded(
    chunks: AsyncIterator[bytes], payload: Payload, length: int | None, trailers: dict[str, str]
) -> AsyncIterator[bytes]:
    """The real bytes of a body, and its trailers.

    They flow on before their signature or hash can be known: nothing may be kept of them unless the iterator
    ends without a Fault, and `check` finds their hash to be the one that was signed.
    """
    size = 0
    async for block in _unframed(_Source(chunks), payload, trailers) if payload.framed else chunks:
        size += len(block)
        if length is not None and size > length:
            break
        yield block
    if length not in (None, size):
        raise Fault("IncompleteBody", f"The request body has not the {length} bytes that the headers announced.")


def check(payload: Payload, digest: str) -> None:
    """`digest` is the SHA-256 of all the bytes."""
    if payload.digest not in ("", digest):
        raise Fault(
            "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed."
        )


async def _unframed(source: "_Source", payload: Payload, trailers: dict[str, str]) -> AsyncIterator[bytes]:
    chain, small = _Chain(payload.seed) if payload.seed else None, 0
    for number in count():
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)  # chunks may be tiny and many in one block: others come in between
        size, signature = _head(await source.line(), signed=chain is not None)
        small += size < _SMALL
        if small > _MOST_SMALL:
            raise Fault("InvalidChunkSizeError", f"Only {_MOST_SMALL} chunks may hold less than {_SMALL} bytes.")
        left, running = size, hashlib.sha256()
        while left:
            piece = await source.some(left)
            left -= len(piece)
            if chain:
                await add(running, piece)
            yield piece
        if chain:
            chain.check("PAYLOAD", signature, _OF_NOTHING, running.hexdigest())
        if not size:
            break
        if await source.line():
            raise _malformed()
    trailers.update(_trailing(await source.rest(), payload, chain))


def _head(line: bytes, *, signed: bool) -> tuple[int, str]:
    match = _HEAD.fullmatch(line)
    if match is None or signed is not bool(match.group(2)):
        raise _malformed()
    return int(match.group(1), 16), (match.group(2) or b"").decode()


def _trailing(rest: bytes, payload: Payload, chain: "_Chain | None") -> dict[str, str]:
    """What comes after the last chunk: the trailers that were announced, no other, and nothing else."""
    if not (b"\r\n" + rest).endswith(b"\r\n\r\n"):
        raise _incomplete()
    # Some clients end a trailer with a line feed of its own before the line's end.
    lines = [line for line in map(str.strip, rest.decode("latin-1").split("\n")) if line]
    pairs = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    if chain and payload.has_trailer:
        name, signature = pairs.pop() if pairs else ("", "")
        if name != _TRAILER_SIGNATURE:
            raise _malformed_trailer()
        text = "".join(f"{name}:{value}\n" for name, value in pairs)
        chain.check("TRAILER", signature, hashlib.sha256(text.encode("latin-1")).hexdigest())
    if sorted(name for name, _ in pairs) != sorted(payload.trailers):
        raise _malformed_trailer()
    return dict(pairs)


class _Chain:
    """Signatures that each vouch for their place after the one before."""

    def __init__(self, seed: Seed) -> None:
        self._seed, self._last = seed, seed.signature

    def check(self, what: str, signature: str, *digests: str) -> None:
        seed = self._seed
        text = "\n".join((f"AWS4-HMAC-SHA256-{what}", seed.moment, seed.scope, self._last, *digests))
        if not hmac.compare_digest(hmac.digest(seed.key, text.encode(), "sha256").hex().encode(), signature.encode()):
            raise Fault("SignatureDoesNotMatch", "The signature of a chunk or of the trailer does not match its bytes.")
        self._last = signature


class _Source:
    """Lines and bytes from chunks that may be cut anywhere; holds one chunk, and a line's beginning."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks, self._held, self._at = chunks, b"", 0

    async def line(self) -> bytes:
        """Up to the next CRLF, which is taken as well."""
        while (end := self._held.find(b"\r\n", self._at, self._at + LONGEST_LINE)) < 0:
            if len(self._held) - self._at >= LONGEST_LINE:
                raise _malformed()
            if not await self._more():
                raise _incomplete()
        line, self._at = self._held[self._at : end], end + 2
        return line

    async def some(self, most: int) -> bytes:
        """At least one byte, and no more than `most`."""
        while self._at == len(self._held):
            if not await self._more():
                raise _incomplete()
        piece = self._held[self._at : self._at + most]
        self._at += len(piece)
        return piece

    async def rest(self) -> bytes:
        """All that is left, if it is little."""
        while len(self._held) - self._at <= MOST_TRAILING:
            if not await self._more():
                return self._held[self._at :]
        raise _malformed()

    async def _more(self) -> bool:
        chunk = await anext(self._chunks, None)
        self._held, self._at = self._held[self._at :] + (chunk or b""), 0
        return chunk is not None


def _malformed() -> Fault:
    return Fault("InvalidRequest", "The body is not framed as aws-chunked says.")


def _malformed_trailer() -> Fault:
    return Fault(
        "MalformedTrailerError", "The body does not end with the trailers that x-amz-trailer announced, each once."
    )


def _incomplete() -> Fault:
    return Fault("IncompleteBody", "The request body terminated unexpectedly.")
