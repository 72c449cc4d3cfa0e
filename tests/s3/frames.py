"""aws-chunked bodies, encoded and signed independently of the code under test."""

import hashlib
import hmac
from collections.abc import Sequence

from teamspace.s3.domain.payload import Payload, PayloadKind, Seed

TIMESTAMP, SCOPE, SEED_SIGNATURE = "20260504T123015Z", "20260504/auto/s3/aws4_request", "5e" * 32
KEY = b"a signing key of thirty-two bytes"
TRAILER = "x-amz-checksum-crc32"
CHUNKS = [b"first chunk\r\n", b"0\r\n\r\n", b"x" * 300, b"last"]
TRAILERS = [(TRAILER, "AAAAAA==")]
CHUNKED_KINDS = [PayloadKind.UNSIGNED_CHUNKS_TRAILER, PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER]


def payload(kind: PayloadKind, trailers: Sequence[str] = (TRAILER,)) -> Payload:
    signed = kind in (PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER)
    seed = Seed(KEY, TIMESTAMP, SCOPE, SEED_SIGNATURE) if signed else None
    return Payload(kind, "", seed, () if kind is PayloadKind.SIGNED_CHUNKS else tuple(trailers))


def frames(
    kind: PayloadKind, chunks: Sequence[bytes] = CHUNKS, trailers: Sequence[tuple[str, str]] = TRAILERS
) -> list[bytes]:
    """One frame per chunk, an empty one, and one with the trailers."""
    previous, framed = SEED_SIGNATURE, []
    for chunk in (*chunks, b""):
        head = f"{len(chunk):x}"
        if kind is not PayloadKind.UNSIGNED_CHUNKS_TRAILER:
            previous = signature("PAYLOAD", previous, _sha256(b""), _sha256(chunk))
            head += f";chunk-signature={previous}"
        framed.append(head.encode() + b"\r\n" + chunk + (b"\r\n" if chunk else b""))
    return [*framed, _trailer_frame(kind, previous, trailers)]


def _trailer_frame(kind: PayloadKind, previous: str, trailers: Sequence[tuple[str, str]]) -> bytes:
    if kind is PayloadKind.SIGNED_CHUNKS:
        return b"\r\n"
    lines = [f"{name}:{value}" for name, value in trailers]
    if kind is PayloadKind.SIGNED_CHUNKS_TRAILER:
        signed = _sha256("".join(f"{line}\n" for line in lines).encode())
        lines.append(f"x-amz-trailer-signature:{signature('TRAILER', previous, signed)}")
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def signature(kind: str, previous: str, *digests: str) -> str:
    text = "\n".join((f"AWS4-HMAC-SHA256-{kind}", TIMESTAMP, SCOPE, previous, *digests))
    return hmac.new(KEY, text.encode(), "sha256").hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
