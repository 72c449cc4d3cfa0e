"""Checksums: sent, compared, kept, told, and put together from those of parts."""

import base64
import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from awscrt import checksums as crt

from tests.s3.places import Place

# The protocol is judged before any statement of SQL.

MIN_SIZE = 5 * 1024 * 1024


class Kind(NamedTuple):
    name: str
    digest: Callable[[bytes], bytes]
    full_object: bool
    composite: bool

    @property
    def field(self) -> str:
        return f"Checksum{self.name}"

    def __call__(self, body: bytes) -> str:
        return base64.b64encode(self.digest(body)).decode()

    def of_parts(self, *bodies: bytes) -> str:
        return f"{self(b''.join(self.digest(body) for body in bodies))}-{len(bodies)}"


KINDS = [
    Kind("CRC32", lambda body: crt.crc32(body).to_bytes(4), True, True),
    Kind("CRC32C", lambda body: crt.crc32c(body).to_bytes(4), True, True),
    Kind("CRC64NVME", lambda body: crt.crc64nvme(body).to_bytes(8), True, False),
    Kind("SHA1", lambda body: hashlib.sha1(body).digest(), False, True),
    Kind("SHA256", lambda body: hashlib.sha256(body).digest(), False, True),
]
WAYS = [
    (kind, way) for kind in KINDS for way in ("COMPOSITE", "FULL_OBJECT")
    if (kind.composite if way == "COMPOSITE" else kind.full_object)
]  # fmt: skip
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
every_way = pytest.mark.parametrize(("kind", "way"), WAYS, ids=lambda value: getattr(value, "name", value))


@every_kind
@pytest.mark.parametrize("body", [b"", b"bar", b"x" * 200_000])
def test_a_sum_is_kept_and_told_on_request(place: Place, kind: Kind, body: bytes) -> None:
    for announced in ({kind.field: kind(body)}, {"ChecksumAlgorithm": kind.name}):
        written = place.put(body=body, **announced)
        assert (written[kind.field], written["ChecksumType"]) == (kind(body), "FULL_OBJECT")
        for operation in ("head_object", "get_object"):
            told = place.do(operation, ChecksumMode="ENABLED")
            assert (told[kind.field], told["ChecksumType"]) == (kind(body), "FULL_OBJECT")
        assert kind.field not in place.do("head_object")
        facts = place.do("get_object_attributes", ObjectAttributes=["Checksum"])
        assert facts["Checksum"] == {kind.field: kind(body), "ChecksumType": "FULL_OBJECT"}


@every_kind
@pytest.mark.parametrize("value", ["bad", "", "YmFk", "????", "other"])
def test_a_sum_of_something_else_is_refused(place: Place, kind: Kind, value: str) -> None:
    given = kind(b"other") if value == "other" else value
    reply = place.raw("PUT", body=b"bytes", headers={f"x-amz-checksum-{kind.name.lower()}": given})
    assert (reply.status, reply.code) == (400, "BadDigest")
    assert place.raw("HEAD").status == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"x-amz-checksum-crc32": KINDS[0](b"bytes"), "x-amz-checksum-sha1": KINDS[3](b"bytes")},
        {"x-amz-checksum-crc32": KINDS[0](b"bytes"), "x-amz-sdk-checksum-algorithm": "SHA1"},
        {"x-amz-sdk-checksum-algorithm": "ROT13"},
        {"x-amz-checksum-rot13": "AAAA"},
    ],
)
def test_a_sum_is_one_of_one_kind(place: Place, headers: dict[str, str]) -> None:
    reply = place.raw("PUT", body=b"bytes", headers=headers)
    assert (reply.status, reply.code) == (400, "InvalidRequest")


@every_kind
def test_a_sum_may_come_behind_the_bytes(place: Place, kind: Kind) -> None:
    name, body = f"x-amz-checksum-{kind.name.lower()}", b"behind"
    headers = {"x-amz-trailer": name, "x-amz-decoded-content-length": str(len(body)), "Content-Encoding": "aws-chunked"}
    for value, status in ((kind(body), 200), (kind(b"other"), 400), ("bad", 400)):
        framed = f"{len(body):x}\r\n{body.decode()}\r\n0\r\n{name}:{value}\r\n\r\n".encode()
        assert place.streamed(framed, headers).status == status
    assert place.read() == body and len(place.versions()) == 1
    assert "ContentEncoding" not in place.do("head_object")
    assert place.do("head_object", ChecksumMode="ENABLED")[kind.field] == kind(body)


def test_without_a_sum_none_is_told(place: Place) -> None:
    bare = place.client_with(request_checksum_calculation="when_required")
    bare.put_object(Bucket=place.name, Key=place.key(), Body=b"bytes")
    told = place.do("head_object", ChecksumMode="ENABLED")
    assert not [name for name in told if name.startswith("Checksum")]
    assert "Checksum" not in place.do("get_object_attributes", ObjectAttributes=["Checksum", "ETag"])


# Parts


@every_way
def test_the_sum_of_a_whole_follows_from_its_parts(place: Place, kind: Kind, way: str) -> None:
    bodies = b"a" * MIN_SIZE, b"b" * MIN_SIZE, b"c" * 1000
    whole = kind.of_parts(*bodies) if way == "COMPOSITE" else kind(b"".join(bodies))
    begun = place.do("create_multipart_upload", ChecksumAlgorithm=kind.name, ChecksumType=way)
    upload = begun["UploadId"]
    assert (begun["ChecksumAlgorithm"], begun["ChecksumType"]) == (kind.name, way)
    parts = [place.send_part(upload, n, body, ChecksumAlgorithm=kind.name) for n, body in enumerate(bodies, 1)]
    assert [part[kind.field] for part in parts] == [kind(body) for body in bodies]
    listed = place.do("list_parts", UploadId=upload)
    assert (listed["ChecksumAlgorithm"], listed["ChecksumType"]) == (kind.name, way)
    assert [part[kind.field] for part in listed["Parts"]] == [kind(body) for body in bodies]
    done = place.complete(upload, parts, **{kind.field: whole}, ChecksumType=way)
    assert (done[kind.field], done["ChecksumType"]) == (whole, way)
    told = place.do("head_object", ChecksumMode="ENABLED")
    assert (told[kind.field], told["ChecksumType"]) == (whole, way)
    facts = place.do("get_object_attributes", ObjectAttributes=["Checksum", "ObjectParts"])
    assert facts["Checksum"] == {kind.field: whole, "ChecksumType": way}
    assert [part[kind.field] for part in facts["ObjectParts"]["Parts"]] == [kind(body) for body in bodies]
    part = place.do("get_object", PartNumber=3, ChecksumMode="ENABLED")
    assert (part["Body"].read(), part[kind.field]) == (bodies[2], kind(bodies[2]))
    assert place.read() == b"".join(bodies)


@every_way
def test_sums_of_parts_are_compared(place: Place, kind: Kind, way: str) -> None:
    upload = place.begin(ChecksumAlgorithm=kind.name, ChecksumType=way)
    wrong: dict[str, Any] = {"UploadId": upload, "PartNumber": 1, "Body": b"bytes"}
    assert place.refused("upload_part", **wrong, **{kind.field: "bad"}) == (400, "BadDigest")
    assert place.refused("upload_part", **wrong, **{kind.field: kind(b"other")}) == (400, "BadDigest")
    part = place.send_part(upload, 1, b"bytes", **{kind.field: kind(b"bytes")})

    def refused(told: dict[str, Any], **more: Any) -> tuple[int, str]:
        return place.refused("complete_multipart_upload", UploadId=upload, MultipartUpload={"Parts": [told]}, **more)

    suffix = "-1" if way == "COMPOSITE" else ""
    assert refused(part | {kind.field: "bad"}) == (400, "InvalidPart")
    assert refused(part | {kind.field: kind(b"other")}) == (400, "InvalidPart")
    assert refused(part, **{kind.field: "bad"}) == (400, "BadDigest")
    assert refused(part, **{kind.field: kind(b"other") + suffix}) == (400, "BadDigest")
    assert place.raw("HEAD").status == 404
    place.complete(upload, [{"PartNumber": 1, "ETag": part["ETag"]}])


@pytest.mark.parametrize(
    ("algorithm", "way"), [("SHA1", "FULL_OBJECT"), ("SHA256", "FULL_OBJECT"), ("CRC64NVME", "COMPOSITE")]
)
def test_not_every_kind_is_for_every_whole(place: Place, algorithm: str, way: str) -> None:
    wish = {"ChecksumAlgorithm": algorithm, "ChecksumType": way}
    assert place.refused("create_multipart_upload", **wish) == (400, "InvalidRequest")


@every_kind
def test_every_kind_has_a_way_of_its_own(place: Place, kind: Kind) -> None:
    begun = place.do("create_multipart_upload", ChecksumAlgorithm=kind.name)
    assert begun["ChecksumType"] == ("COMPOSITE" if kind.composite else "FULL_OBJECT")
    other = "SHA1" if kind.name != "SHA1" else "CRC32"
    wrong = {"UploadId": begun["UploadId"], "PartNumber": 1, "Body": b"x", "ChecksumAlgorithm": other}
    assert place.refused("upload_part", **wrong) == (400, "InvalidRequest")


def test_a_part_without_a_sum_is_summed_here(place: Place) -> None:
    bare = place.client_with(request_checksum_calculation="when_required")
    upload = place.begin(ChecksumAlgorithm="SHA256")
    at = {"Bucket": place.name, "Key": place.key(), "UploadId": upload}
    part = bare.upload_part(**at, PartNumber=1, Body=b"bytes")
    kind = KINDS[4]
    assert part["ChecksumSHA256"] == kind(b"bytes")
    copied = place.do(
        "upload_part_copy", UploadId=place.begin(ChecksumAlgorithm="SHA256"), PartNumber=1,
        CopySource={"Bucket": place.name, "Key": place.key(place.put("source") and "source")},
    )  # fmt: skip
    assert copied["CopyPartResult"]["ChecksumSHA256"] == kind(b"bytes")
    done = place.complete(upload, [{"PartNumber": 1, "ETag": part["ETag"]}])
    assert done["ChecksumSHA256"] == kind.of_parts(b"bytes")


def test_the_size_of_the_whole_may_be_told_at_its_end(place: Place) -> None:
    upload = place.begin()
    parts = [place.send_part(upload, 1, b"bytes")]
    wrong: dict[str, Any] = {"UploadId": upload, "MultipartUpload": {"Parts": parts}, "MpuObjectSize": 6}
    assert place.refused("complete_multipart_upload", **wrong) == (400, "InvalidRequest")
    place.complete(upload, parts, MpuObjectSize=5)
