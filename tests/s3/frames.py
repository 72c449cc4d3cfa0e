"""Bodies in chunks, framed and signed by the book, independently of the code that reads them."""

import hashlib
import hmac
from collections.abc import Sequence

from teamspace.s3.domain.payload import Payload, PayloadKind, Seed

MOMENT, SCOPE, FIRST = "20260504T123015Z", "20260504/auto/s3/aws4_request", "5e" * 32
KEY = b"a signing key of thirty-two bytes"
TRAILER = "x-amz-checksum-crc32"
CHUNKS = [b"first chunk\r\n", b"0\r\n\r\n", b"x" * 300, b"last"]
PAIRS = [(TRAILER, "AAAAAA==")]
FRAMED = [PayloadKind.UNSIGNED_CHUNKS_TRAILER, PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER]


def payload(kind: PayloadKind, trailers: Sequence[str] = (TRAILER,)) -> Payload:
    signed = kind in (PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER)
    seed = Seed(KEY, MOMENT, SCOPE, FIRST) if signed else None
    return Payload(kind, "", seed, () if kind is PayloadKind.SIGNED_CHUNKS else tuple(trailers))


def frames(
    kind: PayloadKind, chunks: Sequence[bytes] = CHUNKS, trailers: Sequence[tuple[str, str]] = PAIRS
) -> list[bytes]:
    """One frame for each chunk, the last of them empty, and one for the trailers."""
    last, framed = FIRST, []
    for chunk in (*chunks, b""):
        head = f"{len(chunk):x}"
        if kind is not PayloadKind.UNSIGNED_CHUNKS_TRAILER:
            last = signature("PAYLOAD", last, _sha256(b""), _sha256(chunk))
            head += f";chunk-signature={last}"
        framed.append(head.encode() + b"\r\n" + chunk + (b"\r\n" if chunk else b""))
    return [*framed, _trailing(kind, last, trailers)]


def _trailing(kind: PayloadKind, last: str, trailers: Sequence[tuple[str, str]]) -> bytes:
    if kind is PayloadKind.SIGNED_CHUNKS:
        return b"\r\n"
    lines = [f"{name}:{value}" for name, value in trailers]
    if kind is PayloadKind.SIGNED_CHUNKS_TRAILER:
        signed = _sha256("".join(f"{line}\n" for line in lines).encode())
        lines.append(f"x-amz-trailer-signature:{signature('TRAILER', last, signed)}")
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def signature(what: str, last: str, *digests: str) -> str:
    text = "\n".join((f"AWS4-HMAC-SHA256-{what}", MOMENT, SCOPE, last, *digests))
    return hmac.new(KEY, text.encode(), "sha256").hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
