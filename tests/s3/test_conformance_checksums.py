"""Checksums: verified, stored, returned, and combined from parts."""

import base64
import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from awscrt import checksums as crt

from tests.s3.prefixed_bucket import PrefixedBucket

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
CHECKSUM_TYPES = [
    (kind, checksum_type) for kind in KINDS for checksum_type in ("COMPOSITE", "FULL_OBJECT")
    if (kind.composite if checksum_type == "COMPOSITE" else kind.full_object)
]  # fmt: skip
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
every_checksum_type = pytest.mark.parametrize(
    ("kind", "checksum_type"), CHECKSUM_TYPES, ids=lambda value: getattr(value, "name", value)
)


@every_kind
@pytest.mark.parametrize("body", [b"", b"bar", b"x" * 200_000])
def test_a_checksum_is_stored_and_returned_on_request(bucket: PrefixedBucket, kind: Kind, body: bytes) -> None:
    for checksum in ({kind.field: kind(body)}, {"ChecksumAlgorithm": kind.name}):
        written = bucket.put(body=body, **checksum)
        assert (written[kind.field], written["ChecksumType"]) == (kind(body), "FULL_OBJECT")
        for operation in ("head_object", "get_object"):
            answer = bucket.call(operation, ChecksumMode="ENABLED")
            assert (answer[kind.field], answer["ChecksumType"]) == (kind(body), "FULL_OBJECT")
        assert kind.field not in bucket.call("head_object")
        attributes = bucket.call("get_object_attributes", ObjectAttributes=["Checksum"])
        assert attributes["Checksum"] == {kind.field: kind(body), "ChecksumType": "FULL_OBJECT"}


@every_kind
@pytest.mark.parametrize("value", ["bad", "", "YmFk", "????", "other"])
def test_a_wrong_checksum_is_refused(bucket: PrefixedBucket, kind: Kind, value: str) -> None:
    checksum = kind(b"other") if value == "other" else value
    reply = bucket.request("PUT", body=b"bytes", headers={f"x-amz-checksum-{kind.name.lower()}": checksum})
    assert (reply.status, reply.code) == (400, "BadDigest")
    assert bucket.request("HEAD").status == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"x-amz-checksum-crc32": KINDS[0](b"bytes"), "x-amz-checksum-sha1": KINDS[3](b"bytes")},
        {"x-amz-checksum-crc32": KINDS[0](b"bytes"), "x-amz-sdk-checksum-algorithm": "SHA1"},
        {"x-amz-sdk-checksum-algorithm": "ROT13"},
        {"x-amz-checksum-rot13": "AAAA"},
    ],
)
def test_unknown_or_multiple_checksums_are_refused(bucket: PrefixedBucket, headers: dict[str, str]) -> None:
    reply = bucket.request("PUT", body=b"bytes", headers=headers)
    assert (reply.status, reply.code) == (400, "InvalidRequest")


@every_kind
def test_a_checksum_can_be_sent_as_a_trailer(bucket: PrefixedBucket, kind: Kind) -> None:
    name, body = f"x-amz-checksum-{kind.name.lower()}", b"behind"
    headers = {"x-amz-trailer": name, "x-amz-decoded-content-length": str(len(body)), "Content-Encoding": "aws-chunked"}
    for value, status in ((kind(body), 200), (kind(b"other"), 400), ("bad", 400)):
        framed = f"{len(body):x}\r\n{body.decode()}\r\n0\r\n{name}:{value}\r\n\r\n".encode()
        assert bucket.put_chunked(framed, headers).status == status
    assert bucket.read() == body and len(bucket.versions()) == 1
    assert "ContentEncoding" not in bucket.call("head_object")
    assert bucket.call("head_object", ChecksumMode="ENABLED")[kind.field] == kind(body)


def test_without_a_checksum_none_is_returned(bucket: PrefixedBucket) -> None:
    bare = bucket.client_with(request_checksum_calculation="when_required")
    bare.put_object(Bucket=bucket.name, Key=bucket.key(), Body=b"bytes")
    answer = bucket.call("head_object", ChecksumMode="ENABLED")
    assert not [name for name in answer if name.startswith("Checksum")]
    assert "Checksum" not in bucket.call("get_object_attributes", ObjectAttributes=["Checksum", "ETag"])


# Parts


@every_checksum_type
def test_the_checksum_of_an_object_is_combined_from_its_parts(
    bucket: PrefixedBucket, kind: Kind, checksum_type: str
) -> None:
    bodies = b"a" * MIN_SIZE, b"b" * MIN_SIZE, b"c" * 1000
    whole = kind.of_parts(*bodies) if checksum_type == "COMPOSITE" else kind(b"".join(bodies))
    created = bucket.call("create_multipart_upload", ChecksumAlgorithm=kind.name, ChecksumType=checksum_type)
    upload = created["UploadId"]
    assert (created["ChecksumAlgorithm"], created["ChecksumType"]) == (kind.name, checksum_type)
    parts = [bucket.send_part(upload, n, body, ChecksumAlgorithm=kind.name) for n, body in enumerate(bodies, 1)]
    assert [part[kind.field] for part in parts] == [kind(body) for body in bodies]
    listed = bucket.call("list_parts", UploadId=upload)
    assert (listed["ChecksumAlgorithm"], listed["ChecksumType"]) == (kind.name, checksum_type)
    assert [part[kind.field] for part in listed["Parts"]] == [kind(body) for body in bodies]
    done = bucket.complete(upload, parts, **{kind.field: whole}, ChecksumType=checksum_type)
    assert (done[kind.field], done["ChecksumType"]) == (whole, checksum_type)
    answer = bucket.call("head_object", ChecksumMode="ENABLED")
    assert (answer[kind.field], answer["ChecksumType"]) == (whole, checksum_type)
    attributes = bucket.call("get_object_attributes", ObjectAttributes=["Checksum", "ObjectParts"])
    assert attributes["Checksum"] == {kind.field: whole, "ChecksumType": checksum_type}
    assert [part[kind.field] for part in attributes["ObjectParts"]["Parts"]] == [kind(body) for body in bodies]
    part = bucket.call("get_object", PartNumber=3, ChecksumMode="ENABLED")
    assert (part["Body"].read(), part[kind.field]) == (bodies[2], kind(bodies[2]))
    assert bucket.read() == b"".join(bodies)


@every_checksum_type
def test_checksums_of_parts_are_verified(bucket: PrefixedBucket, kind: Kind, checksum_type: str) -> None:
    upload = bucket.create_upload(ChecksumAlgorithm=kind.name, ChecksumType=checksum_type)
    wrong: dict[str, Any] = {"UploadId": upload, "PartNumber": 1, "Body": b"bytes"}
    assert bucket.refused("upload_part", **wrong, **{kind.field: "bad"}) == (400, "BadDigest")
    assert bucket.refused("upload_part", **wrong, **{kind.field: kind(b"other")}) == (400, "BadDigest")
    part = bucket.send_part(upload, 1, b"bytes", **{kind.field: kind(b"bytes")})

    def refused(part: dict[str, Any], **more: Any) -> tuple[int, str]:
        return bucket.refused("complete_multipart_upload", UploadId=upload, MultipartUpload={"Parts": [part]}, **more)

    suffix = "-1" if checksum_type == "COMPOSITE" else ""
    assert refused(part | {kind.field: "bad"}) == (400, "InvalidPart")
    assert refused(part | {kind.field: kind(b"other")}) == (400, "InvalidPart")
    assert refused(part, **{kind.field: "bad"}) == (400, "BadDigest")
    assert refused(part, **{kind.field: kind(b"other") + suffix}) == (400, "BadDigest")
    assert bucket.request("HEAD").status == 404
    bucket.complete(upload, [{"PartNumber": 1, "ETag": part["ETag"]}])


@pytest.mark.parametrize(
    ("algorithm", "checksum_type"), [("SHA1", "FULL_OBJECT"), ("SHA256", "FULL_OBJECT"), ("CRC64NVME", "COMPOSITE")]
)
def test_unsupported_checksum_types_are_refused(bucket: PrefixedBucket, algorithm: str, checksum_type: str) -> None:
    parameters = {"ChecksumAlgorithm": algorithm, "ChecksumType": checksum_type}
    assert bucket.refused("create_multipart_upload", **parameters) == (400, "InvalidRequest")


@every_kind
def test_every_algorithm_has_a_default_checksum_type(bucket: PrefixedBucket, kind: Kind) -> None:
    created = bucket.call("create_multipart_upload", ChecksumAlgorithm=kind.name)
    assert created["ChecksumType"] == ("COMPOSITE" if kind.composite else "FULL_OBJECT")
    other = "SHA1" if kind.name != "SHA1" else "CRC32"
    wrong = {"UploadId": created["UploadId"], "PartNumber": 1, "Body": b"x", "ChecksumAlgorithm": other}
    assert bucket.refused("upload_part", **wrong) == (400, "InvalidRequest")


def test_the_checksum_of_a_part_is_computed_if_missing(bucket: PrefixedBucket) -> None:
    bare = bucket.client_with(request_checksum_calculation="when_required")
    upload = bucket.create_upload(ChecksumAlgorithm="SHA256")
    target = {"Bucket": bucket.name, "Key": bucket.key(), "UploadId": upload}
    part = bare.upload_part(**target, PartNumber=1, Body=b"bytes")
    kind = KINDS[4]
    assert part["ChecksumSHA256"] == kind(b"bytes")
    copied = bucket.call(
        "upload_part_copy", UploadId=bucket.create_upload(ChecksumAlgorithm="SHA256"), PartNumber=1,
        CopySource={"Bucket": bucket.name, "Key": bucket.key(bucket.put("source") and "source")},
    )  # fmt: skip
    assert copied["CopyPartResult"]["ChecksumSHA256"] == kind(b"bytes")
    done = bucket.complete(upload, [{"PartNumber": 1, "ETag": part["ETag"]}])
    assert done["ChecksumSHA256"] == kind.of_parts(b"bytes")


def test_the_object_size_is_verified_on_completion(bucket: PrefixedBucket) -> None:
    upload = bucket.create_upload()
    parts = [bucket.send_part(upload, 1, b"bytes")]
    wrong: dict[str, Any] = {"UploadId": upload, "MultipartUpload": {"Parts": parts}, "MpuObjectSize": 6}
    assert bucket.refused("complete_multipart_upload", **wrong) == (400, "InvalidRequest")
    bucket.complete(upload, parts, MpuObjectSize=5)
