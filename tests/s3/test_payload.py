"""Payloads are decoded however they are split; truncated, reordered or modified ones are refused."""

import hashlib
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teamspace.s3.domain import payload as module
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.payload import Payload, PayloadKind, Seed, decode, parse_length, parse_payload
from teamspace.s3.domain.signature_v4 import Scope, signing_key
from tests.s3.frames import CHUNKED_KINDS, CHUNKS, TRAILER, TRAILERS, frames, payload, signature
from tests.s3.signed import split

BODY = b"".join(CHUNKS)
each_frame = pytest.mark.parametrize("kind", CHUNKED_KINDS)


async def read(
    data: bytes, of: Payload, length: int | None = None, sizes: Iterable[int] = ()
) -> tuple[bytes, dict[str, str]]:
    trailers: dict[str, str] = {}
    body = b"".join([block async for block in decode(split(data, sizes), of, length, trailers)])
    module.check(of, hashlib.sha256(body).hexdigest())
    return body, trailers


async def refusal(data: bytes, of: Payload, length: int | None = None) -> str:
    try:
        await read(data, of, length)
    except S3Error as error:
        assert error.status >= 400
        return error.code
    return ""


# Whole bodies


async def test_a_signed_body_is_verified_against_its_hash() -> None:
    of = parse_payload(hashlib.sha256(BODY).hexdigest(), {}, None)
    assert (await read(BODY, of, len(BODY), [5, 0, 7]))[0] == BODY
    assert await refusal(BODY[:-1], of) == "XAmzContentSHA256Mismatch"
    assert await refusal(BODY + b"x", of) == "XAmzContentSHA256Mismatch"
    big = b"x" * 200_000
    assert (await read(big, parse_payload(hashlib.sha256(big).hexdigest(), {}, None), sizes=[100_000]))[0] == big


async def test_a_body_must_have_its_announced_length() -> None:
    of = parse_payload("UNSIGNED-PAYLOAD", {}, None)
    assert (await read(BODY, of, len(BODY)))[0] == BODY
    assert (await read(b"", of, 0))[0] == b""
    assert await refusal(BODY, of, len(BODY) + 1) == "IncompleteBody"
    assert await refusal(BODY, of, len(BODY) - 1) == "IncompleteBody"


def test_the_length_is_that_of_the_decoded_body() -> None:
    headers = {"content-length": "99", "x-amz-decoded-content-length": "7"}
    assert parse_length(payload(PayloadKind.SIGNED_CHUNKS), headers) == 7
    assert parse_length(Payload(PayloadKind.UNSIGNED), headers) == 99
    assert parse_length(Payload(PayloadKind.UNSIGNED), {}) is None
    for text in ("", "-1", "1e3", "٣", "9" * 20, "7,7"):
        with pytest.raises(S3Error, match="must be a number"):
            parse_length(Payload(PayloadKind.UNSIGNED), {"content-length": text})


def test_trailers_can_only_be_announced_for_chunked_payloads() -> None:
    headers = {"x-amz-trailer": " x-amz-checksum-CRC32, x-amz-meta-a ,"}
    assert parse_payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER", headers, None).trailers == (TRAILER, "x-amz-meta-a")
    with pytest.raises(S3Error):
        parse_payload("UNSIGNED-PAYLOAD", headers, None)


# Frames


@each_frame
async def test_frames_can_be_split_anywhere(kind: PayloadKind) -> None:
    data, of = b"".join(frames(kind)), payload(kind)
    expected = BODY, {} if kind is PayloadKind.SIGNED_CHUNKS else dict(TRAILERS)
    assert await read(data, of, len(BODY), [1] * len(data)) == expected
    for index in range(len(data) + 1):
        assert await read(data, of, len(BODY), [index, 0]) == expected


@given(
    st.sampled_from(CHUNKED_KINDS),
    st.lists(st.binary(min_size=1, max_size=99), max_size=9),
    st.lists(st.integers(0, 50)),
)
@settings(deadline=None)
async def test_random_chunks_are_decoded_however_they_are_split(
    kind: PayloadKind, chunks: list[bytes], sizes: list[int]
) -> None:
    whole, _ = await read(b"".join(frames(kind, chunks)), payload(kind), sum(map(len, chunks)), sizes)
    assert whole == b"".join(chunks)


@each_frame
async def test_a_truncated_body_is_refused(kind: PayloadKind) -> None:
    data = b"".join(frames(kind))
    for end in range(len(data)):
        assert await refusal(data[:end], payload(kind)), end


@pytest.mark.parametrize("kind", [PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER])
async def test_no_byte_of_signed_chunks_can_be_changed(kind: PayloadKind) -> None:
    data = b"".join(frames(kind))
    for index in range(len(data)):
        for byte in (data[index] ^ 1, data[index] ^ 0x20):
            changed = data[:index] + bytes([byte]) + data[index + 1 :]
            if await refusal(changed, payload(kind)) == "":
                expected = BODY, {} if kind is PayloadKind.SIGNED_CHUNKS else dict(TRAILERS)
                assert await read(changed, payload(kind)) == expected, "only the case of a size or name may differ"


@pytest.mark.parametrize("kind", [PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER])
async def test_signed_chunks_cannot_be_reordered_repeated_or_dropped(kind: PayloadKind) -> None:
    framed = frames(kind)
    count = len(CHUNKS)
    for one in range(count):
        for other in range(count):
            if one != other:
                swapped = list(framed)
                swapped[one], swapped[other] = framed[other], framed[one]
                assert await refusal(b"".join(swapped), payload(kind)) == "SignatureDoesNotMatch"
        repeated = b"".join([*framed[: one + 1], *framed[one:]])
        assert await refusal(repeated, payload(kind)) == "SignatureDoesNotMatch"
        assert await refusal(b"".join(framed[:one] + framed[one + 1 :]), payload(kind)) == "SignatureDoesNotMatch"


@each_frame
async def test_data_after_the_last_chunk_is_refused(kind: PayloadKind) -> None:
    framed = frames(kind)
    empty = len(CHUNKS)
    early = b"".join([*framed[:1], framed[empty] + b"\r\n", *framed[1:]])
    assert await refusal(early, payload(kind))
    assert await refusal(b"".join([*framed, *framed]), payload(kind))
    assert await refusal(b"".join([*framed[: empty + 1], *framed[empty:]]), payload(kind))
    assert await refusal(b"".join(framed) + b"more", payload(kind))


@each_frame
async def test_a_wrong_decoded_length_is_refused(kind: PayloadKind) -> None:
    data = b"".join(frames(kind))
    for length in (0, len(BODY) - 1, len(BODY) + 1, 10**12):
        assert await refusal(data, payload(kind), length) == "IncompleteBody"


@pytest.mark.parametrize(
    "head",
    [b"", b"-1", b"+5", b"0x5", b" 5", b"5 ", b"5;a=b", b"g", b"f" * 16, b"5;chunk-signature=", b"5;chunk-signature=" + b"ab" * 32],
)  # fmt: skip
async def test_an_invalid_chunk_header_is_refused(head: bytes) -> None:
    assert await refusal(head + b"\r\nhello\r\n0\r\n\r\n", payload(CHUNKED_KINDS[0], ())) == "InvalidRequest"
    assert await refusal(b"5\r\nhello\r\n0\r\n\r\n", payload(CHUNKED_KINDS[0], ())) == ""


async def test_a_chunk_with_a_wrong_size_is_refused() -> None:
    for data in (b"5\r\nhello there\r\n0\r\n\r\n", b"5\r\nhello\n\r\n0\r\n\r\n", b"6\r\nhello\r\n0\r\n\r\n"):
        assert await refusal(data, payload(CHUNKED_KINDS[0], ())) in ("InvalidRequest", "IncompleteBody")


async def test_signed_chunks_need_signatures() -> None:
    assert (
        await refusal(b"".join(frames(PayloadKind.UNSIGNED_CHUNKS_TRAILER)), payload(PayloadKind.SIGNED_CHUNKS))
        == "InvalidRequest"
    )
    bare = b"".join(frames(PayloadKind.SIGNED_CHUNKS, trailers=[])[:-1]) + b"\r\n"
    assert await refusal(bare, payload(PayloadKind.SIGNED_CHUNKS_TRAILER, ())) == "MalformedTrailerError"


async def test_reading_stops_at_the_announced_length() -> None:
    endless = _Endless(b"a" * 1000)
    with pytest.raises(S3Error, match="announced"):
        await _drain(endless, Payload(PayloadKind.UNSIGNED), 5000)
    assert endless.sent <= 6000


async def test_lines_and_trailers_are_bounded() -> None:
    endless = _Endless(b"a" * 1000)
    with pytest.raises(S3Error, match="aws-chunked"):
        await _drain(endless, payload(CHUNKED_KINDS[0]))
    assert endless.sent < 5 * module.MAX_LINE
    endless = _Endless(b"x-amz-a:b\r\n" * 100, b"0\r\n")
    with pytest.raises(S3Error, match="aws-chunked"):
        await _drain(endless, payload(CHUNKED_KINDS[0]))
    assert endless.sent < 5 * module.MAX_TRAILER


class _Endless:
    """A client that never stops sending; `sent` counts the bytes read from it."""

    def __init__(self, repeated: bytes, first: bytes = b"") -> None:
        self._repeated, self._first, self.sent = repeated, first, 0

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._first
        while True:
            self.sent += len(self._repeated)
            yield self._repeated


async def _drain(endless: _Endless, of: Payload, length: int | None = None) -> None:
    async for _ in decode(endless.chunks(), of, length, {}):
        pass


# Trailers


@pytest.mark.parametrize("kind", [PayloadKind.UNSIGNED_CHUNKS_TRAILER, PayloadKind.SIGNED_CHUNKS_TRAILER])
async def test_trailers_must_match_the_announced_ones(kind: PayloadKind) -> None:
    pairs = [("x-amz-checksum-crc32", "AAAAAA=="), ("x-amz-meta-a", "b: c")]
    of = payload(kind, [name for name, _ in pairs])
    assert (await read(b"".join(frames(kind, trailers=pairs)), of))[1] == dict(pairs)
    for wrong in (pairs[:1], pairs[1:], [], [*pairs, pairs[0]], [*pairs, ("x-amz-acl", "public-read")]):
        assert await refusal(b"".join(frames(kind, trailers=wrong)), of) == "MalformedTrailerError"


async def test_a_trailer_signature_covers_the_trailers_and_the_chunks() -> None:
    kind = PayloadKind.SIGNED_CHUNKS_TRAILER
    framed = frames(kind)
    for chunks, trailers in ((CHUNKS, [(TRAILER, "AAAAAQ==")]), (CHUNKS[:1], TRAILERS)):
        other = frames(kind, chunks, trailers)[-1]
        changed = framed[-1].replace(framed[-1].rpartition(b":")[2], other.rpartition(b":")[2])
        assert await refusal(b"".join([*framed[:-1], changed]), payload(kind)) == "SignatureDoesNotMatch"
    assert signature("TRAILER", "a") != signature("PAYLOAD", "a")


async def test_an_extra_line_feed_after_a_trailer_is_accepted() -> None:
    for kind in (PayloadKind.UNSIGNED_CHUNKS_TRAILER, PayloadKind.SIGNED_CHUNKS_TRAILER):
        data = b"".join(frames(kind)).replace(b"AAAAAA==\r\n", b"AAAAAA==\n\r\n")
        assert await read(data, payload(kind)) == (BODY, dict(TRAILERS))


async def test_the_documented_examples_are_decoded() -> None:
    """The examples in Amazon's documentation, with and without a trailer."""
    scope = Scope("20130524", "us-east-1")
    key = signing_key("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", scope)
    for kind, first, signatures, trailing in EXAMPLES:
        seed = Seed(key, "20130524T000000Z", str(scope), first)
        sizes = (65536, 1024, 0)
        heads = [f"{size:x};chunk-signature={text}\r\n" for size, text in zip(sizes, signatures, strict=True)]
        data = f"{heads[0]}{'a' * 65536}\r\n{heads[1]}{'a' * 1024}\r\n{heads[2]}{trailing}\r\n".encode()
        names = ("x-amz-checksum-crc32c",) if trailing else ()
        whole, trailers = await read(data, Payload(kind, "", seed, names), 66560)
        assert (whole, tuple(trailers)) == (b"a" * 66560, names)


# fmt: off
EXAMPLES = [
    (PayloadKind.SIGNED_CHUNKS, "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9", (
        "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
        "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
        "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
    ), ""),
    (PayloadKind.SIGNED_CHUNKS_TRAILER, "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e", (
        "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
        "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
        "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
    ), "x-amz-checksum-crc32c:sOO8/Q==\r\n"
       "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n"),
]
# fmt: on
