"""Checksums match known values; announced ones are parsed, verified and combined."""

import base64
import hashlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.s3.domain.checksums import (
    ALGORITHMS,
    Algorithm,
    ExpectedChecksum,
    check_md5,
    combine_composite,
    combine_full_object,
    parse_expected,
    update_while_reading,
    verify,
)
from teamspace.s3.domain.errors import S3Error
from tests.s3.signed import split

BODY = b"123456789"
# fmt: off
VALUES = {
    "crc32": "cbf43926", "crc32c": "e3069283", "crc64nvme": "ae8b14860a799888",
    "sha1": hashlib.sha1(BODY).hexdigest(), "sha256": hashlib.sha256(BODY).hexdigest(),
}
# fmt: on
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: algorithm.name)
combinable = [algorithm for algorithm in ALGORITHMS.values() if algorithm.full_object]


def base64_of(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def digest_of(algorithm: Algorithm, data: bytes) -> bytes:
    running = algorithm.start()
    running.update(data)
    return running.digest()


def refused(headers: dict[str, str], trailers: tuple[str, ...] = ()) -> str:
    with pytest.raises(S3Error) as caught:
        parse_expected(headers, trailers)
    return caught.value.code


@each_algorithm
async def test_a_checksum_is_computed_while_reading(algorithm: Algorithm) -> None:
    running = algorithm.start()
    assert b"".join([chunk async for chunk in update_while_reading(split(BODY, [4, 0, 1]), running)]) == BODY
    assert running.digest().hex() == VALUES[algorithm.name]
    assert len(running.digest()) == algorithm.size


async def test_large_blocks_give_the_same_checksums() -> None:
    data = bytes(range(256)) * 1024
    expected = {"crc32": zlib.crc32(data).to_bytes(4), "sha1": hashlib.sha1(data).digest(), "sha256": hashlib.sha256(data).digest()}  # fmt: skip
    for name, digest in expected.items():
        running = ALGORITHMS[name].start()
        async for _ in update_while_reading(split(data, [100_000, 10]), running):
            pass
        assert running.digest() == digest


@each_algorithm
def test_a_checksum_in_a_header_is_verified(algorithm: Algorithm) -> None:
    digest = bytes.fromhex(VALUES[algorithm.name])
    expected = parse_expected(
        {algorithm.header: base64_of(digest), "x-amz-sdk-checksum-algorithm": algorithm.name.upper()}, ()
    )
    assert expected == ExpectedChecksum(algorithm, base64_of(digest))
    assert verify(expected, digest, {}) == base64_of(digest)
    with pytest.raises(S3Error, match=f"The {algorithm.name.upper()} you specified did not match") as caught:
        verify(expected, digest_of(algorithm, b"other"), {})
    assert caught.value.code == "BadDigest"


@each_algorithm
def test_a_checksum_in_a_trailer_is_verified(algorithm: Algorithm) -> None:
    digest = bytes.fromhex(VALUES[algorithm.name])
    expected = parse_expected({}, (algorithm.header,))
    assert expected == ExpectedChecksum(algorithm, in_trailer=True)
    assert verify(expected, digest, {algorithm.header: base64_of(digest)}) == base64_of(digest)
    for value in (base64_of(bytes(algorithm.size)), "", "x"):
        with pytest.raises(S3Error) as caught:
            verify(expected, digest, {algorithm.header: value})
        assert caught.value.code == "BadDigest"
    with pytest.raises(S3Error):
        verify(expected, digest, {})


@pytest.mark.parametrize("name", ["x-amz-sdk-checksum-algorithm", "x-amz-checksum-algorithm"])
def test_an_algorithm_without_a_value_is_computed_for_the_response(name: str) -> None:
    expected = parse_expected(
        {name: "CRC32C", "x-amz-checksum-mode": "ENABLED", "x-amz-checksum-type": "FULL_OBJECT"}, ()
    )
    assert expected == ExpectedChecksum(ALGORITHMS["crc32c"])
    assert verify(expected, bytes(4), {}) == "AAAAAA=="


def test_without_checksum_headers_none_is_expected() -> None:
    assert parse_expected({"content-type": "text/plain"}, ("x-amz-meta-a",)) == ExpectedChecksum()
    assert verify(ExpectedChecksum(), b"", {}) == ""


def test_more_than_one_checksum_is_refused() -> None:
    both = {"x-amz-checksum-crc32": "AAAAAA==", "x-amz-checksum-crc32c": "AAAAAA=="}
    assert refused(both) == "InvalidRequest"
    assert refused({"x-amz-checksum-crc32": "AAAAAA=="}, ("x-amz-checksum-crc32",)) == "InvalidRequest"
    assert refused({"x-amz-checksum-crc32": "AAAAAA==", "x-amz-sdk-checksum-algorithm": "SHA1"}) == "InvalidRequest"


@pytest.mark.parametrize("value", ["", "AAAA", "AAAAAAA=", "AAAA AA==", "AAAAAA", "é", "AAAAAA==,AAAAAA=="])
def test_an_invalid_checksum_value_is_refused(value: str) -> None:
    assert refused({"x-amz-checksum-crc32": value}) == "BadDigest"


def test_an_unknown_algorithm_is_refused() -> None:
    assert refused({"x-amz-sdk-checksum-algorithm": "CRC16"}) == "InvalidRequest"
    assert refused({"x-amz-checksum-xxhash3": "AAAAAA=="}) == "InvalidRequest"
    assert refused({}, ("x-amz-checksum-md4",)) == "InvalidRequest"


def test_content_md5_is_verified() -> None:
    digest = hashlib.md5(BODY).digest()
    expected = parse_expected({"content-md5": base64_of(digest)}, ())
    check_md5(expected, digest)
    check_md5(ExpectedChecksum(), digest)
    with pytest.raises(S3Error) as caught:
        check_md5(expected, bytes(16))
    assert caught.value.code == "BadDigest"
    for value in ("", "AAAA", "not base64", digest.hex()):
        assert refused({"content-md5": value}) == "InvalidDigest"


@given(st.lists(st.binary(max_size=99), min_size=1, max_size=9))
def test_a_full_object_checksum_is_combined_from_parts(parts: list[bytes]) -> None:
    for algorithm in combinable:
        sums = [(base64_of(digest_of(algorithm, part)), len(part)) for part in parts]
        assert combine_full_object(algorithm, sums) == base64_of(digest_of(algorithm, b"".join(parts)))


def test_parts_beyond_four_gigabytes_are_combined() -> None:
    """Double a run of zeros beyond 32 bits, then combine in another order."""
    for algorithm in combinable:
        value, size, sums = base64_of(digest_of(algorithm, bytes(1024))), 1024, []
        for _ in range(24):
            sums.append((value, size))
            value, size = combine_full_object(algorithm, [(value, size), (value, size)]), size * 2
        assert size > 2**33
        assert (
            combine_full_object(algorithm, [sums[0], *sums])
            == combine_full_object(algorithm, [*reversed(sums), sums[0]])
            == value
        )


@each_algorithm
def test_a_composite_checksum_counts_the_parts(algorithm: Algorithm) -> None:
    digests = [digest_of(algorithm, part) for part in (b"a", b"b", b"c")]
    expected = base64_of(digest_of(algorithm, b"".join(digests)))
    assert combine_composite(algorithm, [base64_of(digest) for digest in digests]) == f"{expected}-3"


def test_hashes_cannot_be_combined() -> None:
    for name in ("sha1", "sha256"):
        with pytest.raises(S3Error, match="FULL_OBJECT"):
            combine_full_object(ALGORITHMS[name], [(base64_of(bytes(ALGORITHMS[name].size)), 1)])
