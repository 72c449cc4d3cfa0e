"""Checksums against values from elsewhere; what clients announce is found, compared and combined."""

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
from tests.s3.signed import cut

BODY = b"123456789"
# fmt: off
VALUES = {
    "crc32": "cbf43926", "crc32c": "e3069283", "crc64nvme": "ae8b14860a799888",
    "sha1": hashlib.sha1(BODY).hexdigest(), "sha256": hashlib.sha256(BODY).hexdigest(),
}
# fmt: on
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: algorithm.name)
combining = [algorithm for algorithm in ALGORITHMS.values() if algorithm.full_object]


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
async def test_bytes_are_summed_as_they_flow(algorithm: Algorithm) -> None:
    running = algorithm.start()
    assert b"".join([chunk async for chunk in update_while_reading(cut(BODY, [4, 0, 1]), running)]) == BODY
    assert running.digest().hex() == VALUES[algorithm.name]
    assert len(running.digest()) == algorithm.size


async def test_large_blocks_give_the_same_sums() -> None:
    data = bytes(range(256)) * 1024
    expected = {"crc32": zlib.crc32(data).to_bytes(4), "sha1": hashlib.sha1(data).digest(), "sha256": hashlib.sha256(data).digest()}  # fmt: skip
    for name, digest in expected.items():
        running = ALGORITHMS[name].start()
        async for _ in update_while_reading(cut(data, [100_000, 10]), running):
            pass
        assert running.digest() == digest


@each_algorithm
def test_a_checksum_in_a_header_is_compared(algorithm: Algorithm) -> None:
    digest = bytes.fromhex(VALUES[algorithm.name])
    asked = parse_expected(
        {algorithm.header: base64_of(digest), "x-amz-sdk-checksum-algorithm": algorithm.name.upper()}, ()
    )
    assert asked == ExpectedChecksum(algorithm, base64_of(digest))
    assert verify(asked, digest, {}) == base64_of(digest)
    with pytest.raises(S3Error, match=f"The {algorithm.name.upper()} you specified did not match") as caught:
        verify(asked, digest_of(algorithm, b"other"), {})
    assert caught.value.code == "BadDigest"


@each_algorithm
def test_a_checksum_in_a_trailer_is_compared(algorithm: Algorithm) -> None:
    digest = bytes.fromhex(VALUES[algorithm.name])
    asked = parse_expected({}, (algorithm.header,))
    assert asked == ExpectedChecksum(algorithm, in_trailer=True)
    assert verify(asked, digest, {algorithm.header: base64_of(digest)}) == base64_of(digest)
    for value in (base64_of(bytes(algorithm.size)), "", "x"):
        with pytest.raises(S3Error) as caught:
            verify(asked, digest, {algorithm.header: value})
        assert caught.value.code == "BadDigest"
    with pytest.raises(S3Error):
        verify(asked, digest, {})


@pytest.mark.parametrize("name", ["x-amz-sdk-checksum-algorithm", "x-amz-checksum-algorithm"])
def test_an_algorithm_alone_is_computed_for_the_answer(name: str) -> None:
    asked = parse_expected({name: "CRC32C", "x-amz-checksum-mode": "ENABLED", "x-amz-checksum-type": "FULL_OBJECT"}, ())
    assert asked == ExpectedChecksum(ALGORITHMS["crc32c"])
    assert verify(asked, bytes(4), {}) == "AAAAAA=="


def test_nothing_announced_is_nothing_wanted() -> None:
    assert parse_expected({"content-type": "text/plain"}, ("x-amz-meta-a",)) == ExpectedChecksum()
    assert verify(ExpectedChecksum(), b"", {}) == ""


def test_one_checksum_is_enough() -> None:
    both = {"x-amz-checksum-crc32": "AAAAAA==", "x-amz-checksum-crc32c": "AAAAAA=="}
    assert refused(both) == "InvalidRequest"
    assert refused({"x-amz-checksum-crc32": "AAAAAA=="}, ("x-amz-checksum-crc32",)) == "InvalidRequest"
    assert refused({"x-amz-checksum-crc32": "AAAAAA==", "x-amz-sdk-checksum-algorithm": "SHA1"}) == "InvalidRequest"


@pytest.mark.parametrize("value", ["", "AAAA", "AAAAAAA=", "AAAA AA==", "AAAAAA", "é", "AAAAAA==,AAAAAA=="])
def test_a_value_that_is_no_checksum_is_refused(value: str) -> None:
    assert refused({"x-amz-checksum-crc32": value}) == "BadDigest"


def test_an_unknown_algorithm_is_refused() -> None:
    assert refused({"x-amz-sdk-checksum-algorithm": "CRC16"}) == "InvalidRequest"
    assert refused({"x-amz-checksum-xxhash3": "AAAAAA=="}) == "InvalidRequest"
    assert refused({}, ("x-amz-checksum-md4",)) == "InvalidRequest"


def test_the_md5_of_the_content_is_compared() -> None:
    digest = hashlib.md5(BODY).digest()
    asked = parse_expected({"content-md5": base64_of(digest)}, ())
    check_md5(asked, digest)
    check_md5(ExpectedChecksum(), digest)
    with pytest.raises(S3Error) as caught:
        check_md5(asked, bytes(16))
    assert caught.value.code == "BadDigest"
    for value in ("", "AAAA", "not base64", digest.hex()):
        assert refused({"content-md5": value}) == "InvalidDigest"


@given(st.lists(st.binary(max_size=99), min_size=1, max_size=9))
def test_the_checksum_of_the_whole_follows_from_the_parts(parts: list[bytes]) -> None:
    for algorithm in combining:
        sums = [(base64_of(digest_of(algorithm, part)), len(part)) for part in parts]
        assert combine_full_object(algorithm, sums) == base64_of(digest_of(algorithm, b"".join(parts)))


def test_parts_beyond_four_gigabytes_are_combined_by_their_length() -> None:
    """Zeros, doubled until they are too many for 32 bits; then the same in another order."""
    for algorithm in combining:
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
def test_the_checksum_of_checksums_counts_the_parts(algorithm: Algorithm) -> None:
    digests = [digest_of(algorithm, part) for part in (b"a", b"b", b"c")]
    expected = base64_of(digest_of(algorithm, b"".join(digests)))
    assert combine_composite(algorithm, [base64_of(digest) for digest in digests]) == f"{expected}-3"


def test_hashes_cannot_be_combined() -> None:
    for name in ("sha1", "sha256"):
        with pytest.raises(S3Error, match="FULL_OBJECT"):
            combine_full_object(ALGORITHMS[name], [(base64_of(bytes(ALGORITHMS[name].size)), 1)])
