"""Decode request bodies: the x-amz-content-sha256 modes and aws-chunked encoding."""

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Mapping
from enum import StrEnum
from itertools import count

import msgspec

from teamspace.s3.domain.checksums import update
from teamspace.s3.domain.errors import S3Error

MAX_LINE = 1024
"""The maximum length of a chunk header; real ones have less than 100 bytes."""
MAX_TRAILER = 8 * 1024
_YIELD_EVERY = 256
_SMALL, _MAX_SMALL = 1024, 2_000
"""S3 requires chunks of at least 8 KiB, except the last. A body of tiny chunks would take too much CPU time."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CHUNK_HEADER = re.compile(rb"([0-9a-fA-F]{1,15})(?:;chunk-signature=([0-9a-f]{64}))?")
_LENGTH = re.compile(r"\d{1,15}", re.ASCII)
_EMPTY_SHA256 = hashlib.sha256().hexdigest()
_TRAILER_SIGNATURE = "x-amz-trailer-signature"


class PayloadKind(StrEnum):
    """How a body is signed and encoded. All but SIGNED are values of x-amz-content-sha256."""

    SIGNED = "sha256"
    UNSIGNED = "UNSIGNED-PAYLOAD"
    UNSIGNED_CHUNKS_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    SIGNED_CHUNKS_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"


UNSIGNED = PayloadKind.UNSIGNED.value
_KINDS = {kind.value: kind for kind in PayloadKind if kind is not PayloadKind.SIGNED}


class Seed(msgspec.Struct, frozen=True):
    """The start of the chain of chunk signatures: each includes the previous one, the first that of the request."""

    key: bytes
    timestamp: str
    scope: str
    signature: str


class Payload(msgspec.Struct, frozen=True):
    """`digest` is set if the whole body is signed, `seed` if chunks are; `trailers` are the announced names."""

    kind: PayloadKind
    digest: str = ""
    seed: Seed | None = None
    trailers: tuple[str, ...] = ()

    @property
    def is_chunked(self) -> bool:
        return self.kind not in (PayloadKind.SIGNED, PayloadKind.UNSIGNED)

    @property
    def has_trailer(self) -> bool:
        return self.kind in (PayloadKind.UNSIGNED_CHUNKS_TRAILER, PayloadKind.SIGNED_CHUNKS_TRAILER)


def parse_kind(digest: str) -> PayloadKind:
    """Parse x-amz-content-sha256."""
    kind = PayloadKind.SIGNED if _SHA256.fullmatch(digest) else _KINDS.get(digest)
    if kind is None:
        raise S3Error("InvalidArgument", f"x-amz-content-sha256 must be {', '.join(_KINDS)} or a valid sha256 value.")
    return kind


def parse_payload(digest: str, headers: Mapping[str, str], seed: Seed | None) -> Payload:
    """Return how the body is encoded, from its hash header and trailers; signed chunks need a seed."""
    kind = parse_kind(digest)
    names = tuple(name.strip().lower() for name in headers.get("x-amz-trailer", "").split(",") if name.strip())
    in_chunks = kind in (PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER)
    payload = Payload(kind, digest if kind is PayloadKind.SIGNED else "", seed if in_chunks else None, names)
    if in_chunks and seed is None:
        raise S3Error("InvalidRequest", "Signed chunks need a request that is signed with AWS4-HMAC-SHA256.")
    if names and not payload.has_trailer:
        raise S3Error("InvalidRequest", "x-amz-trailer cannot be used with this x-amz-content-sha256.")
    return payload


def parse_length(payload: Payload, headers: Mapping[str, str]) -> int | None:
    """Return the announced size of the decoded body, or None."""
    text = headers.get("x-amz-decoded-content-length" if payload.is_chunked else "content-length")
    if text is None:
        return None
    if not _LENGTH.fullmatch(text):
        raise S3Error("InvalidArgument", "The length of the content must be a number.")
    return int(text)


async def decode(
    chunks: AsyncIterator[bytes], payload: Payload, length: int | None, trailers: dict[str, str]
) -> AsyncIterator[bytes]:
    """Yield the decoded bytes of a body, and fill `trailers`.

    Bytes are yielded before their signature or hash is verified: do not store them unless the iterator ends without
    S3Error and `check` accepts their hash.
    """
    size = 0
    async for block in _decode_chunks(_ChunkReader(chunks), payload, trailers) if payload.is_chunked else chunks:
        size += len(block)
        if length is not None and size > length:
            break
        yield block
    if length not in (None, size):
        raise S3Error("IncompleteBody", f"The request body does not have the announced {length} bytes.")


def check(payload: Payload, digest: str) -> None:
    """Compare the signed hash with the SHA-256 of all bytes."""
    if payload.digest not in ("", digest):
        raise S3Error(
            "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed."
        )


async def _decode_chunks(source: "_ChunkReader", payload: Payload, trailers: dict[str, str]) -> AsyncIterator[bytes]:
    chain, small = _SignatureChain(payload.seed) if payload.seed else None, 0
    for number in count():
        if number % _YIELD_EVERY == 0:
            await asyncio.sleep(0)  # one block can contain many tiny chunks: let other tasks run
        size, signature = _parse_chunk_header(await source.read_line(), signed=chain is not None)
        small += size < _SMALL
        if small > _MAX_SMALL:
            raise S3Error("InvalidChunkSizeError", f"Only {_MAX_SMALL} chunks can have less than {_SMALL} bytes.")
        left, running = size, hashlib.sha256()
        while left:
            piece = await source.read(left)
            left -= len(piece)
            if chain:
                await update(running, piece)
            yield piece
        if chain:
            chain.check("PAYLOAD", signature, _EMPTY_SHA256, running.hexdigest())
        if not size:
            break
        if await source.read_line():
            raise _bad_framing()
    trailers.update(_parse_trailers(await source.read_rest(), payload, chain))


def _parse_chunk_header(line: bytes, *, signed: bool) -> tuple[int, str]:
    match = _CHUNK_HEADER.fullmatch(line)
    if match is None or signed is not bool(match.group(2)):
        raise _bad_framing()
    return int(match.group(1), 16), (match.group(2) or b"").decode()


def _parse_trailers(rest: bytes, payload: Payload, chain: "_SignatureChain | None") -> dict[str, str]:
    """Parse what follows the last chunk, which must be exactly the announced trailers."""
    if not (b"\r\n" + rest).endswith(b"\r\n\r\n"):
        raise _incomplete_body()
    # Some clients add a line feed before the line's CRLF.
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


class _SignatureChain:
    """Chunk signatures, each of which includes the previous one."""

    def __init__(self, seed: Seed) -> None:
        self._seed, self._last = seed, seed.signature

    def check(self, what: str, signature: str, *digests: str) -> None:
        seed = self._seed
        text = "\n".join((f"AWS4-HMAC-SHA256-{what}", seed.timestamp, seed.scope, self._last, *digests))
        if not hmac.compare_digest(hmac.digest(seed.key, text.encode(), "sha256").hex().encode(), signature.encode()):
            raise S3Error(
                "SignatureDoesNotMatch", "The signature of a chunk or of the trailer does not match its bytes."
            )
        self._last = signature


class _ChunkReader:
    """Read lines and bytes from a stream; buffers one chunk and the start of a line."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks, self._buffer, self._position = chunks, b"", 0

    async def read_line(self) -> bytes:
        """Read up to the next CRLF; returns the line without it."""
        while (end := self._buffer.find(b"\r\n", self._position, self._position + MAX_LINE)) < 0:
            if len(self._buffer) - self._position >= MAX_LINE:
                raise _bad_framing()
            if not await self._more():
                raise _incomplete_body()
        line, self._position = self._buffer[self._position : end], end + 2
        return line

    async def read(self, limit: int) -> bytes:
        """Read at least one byte and at most `limit`."""
        while self._position == len(self._buffer):
            if not await self._more():
                raise _incomplete_body()
        piece = self._buffer[self._position : self._position + limit]
        self._position += len(piece)
        return piece

    async def read_rest(self) -> bytes:
        """Read all remaining bytes, at most MAX_TRAILER."""
        while len(self._buffer) - self._position <= MAX_TRAILER:
            if not await self._more():
                return self._buffer[self._position :]
        raise _bad_framing()

    async def _more(self) -> bool:
        chunk = await anext(self._chunks, None)
        self._buffer, self._position = self._buffer[self._position :] + (chunk or b""), 0
        return chunk is not None


def _bad_framing() -> S3Error:
    return S3Error("InvalidRequest", "The body is not valid aws-chunked encoding.")


def _malformed_trailer() -> S3Error:
    return S3Error(
        "MalformedTrailerError", "The body must end with the trailers announced in x-amz-trailer, each once."
    )


def _incomplete_body() -> S3Error:
    return S3Error("IncompleteBody", "The request body terminated unexpectedly.")
