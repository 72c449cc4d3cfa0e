"""Multipart uploads: sending, listing, copying, completing, aborting, and reading by part."""

import hashlib
from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket

MIN_SIZE = 5 * 1024 * 1024


def etag_of(*bodies: bytes) -> str:
    """The ETag of a multipart object."""
    digests = b"".join(hashlib.md5(body).digest() for body in bodies)
    return f'"{hashlib.md5(digests).hexdigest()}-{len(bodies)}"'


def body(letter: str, size: int = MIN_SIZE) -> bytes:
    return letter.encode() * size


def test_parts_become_one_object(bucket: PrefixedBucket) -> None:
    bodies = body("a"), body("b"), b"c" * 10
    answer = bucket.put_multipart("object", *bodies, ContentType="text/bla", Metadata={"foo": "bar"})
    assert answer["ETag"] == etag_of(*bodies) and answer["VersionId"]
    assert (answer["Bucket"], answer["Key"]) == (bucket.name, bucket.key())
    assert answer["Location"].endswith(f"/{bucket.name}/{bucket.key()}")
    got = bucket.call("get_object")
    assert (got["ETag"], got["ContentType"], got["Metadata"]) == (answer["ETag"], "text/bla", {"foo": "bar"})
    assert got["Body"].read() == b"".join(bodies)
    assert bucket.read(Range=f"bytes={MIN_SIZE - 2}-{MIN_SIZE + 1}") == b"aabb"
    assert bucket.read(Range="bytes=-12") == b"bb" + b"c" * 10
    (item,) = bucket.call("list_objects_v2", None, Prefix=bucket.prefix)["Contents"]
    assert (item["ETag"], item["Size"]) == (answer["ETag"], 2 * MIN_SIZE + 10)


def test_a_single_small_or_empty_part_is_an_object(bucket: PrefixedBucket) -> None:
    for content in (b"small", b""):
        bucket.put_multipart("object", content)
        assert bucket.read() == bucket.read(PartNumber=1) == content
        assert bucket.call("head_object", PartNumber=1)["PartsCount"] == 1


def test_completing_again_gives_the_same_answer(bucket: PrefixedBucket) -> None:
    upload = bucket.create_upload()
    parts = [bucket.send_part(upload, 1, b"x")]
    first, second = bucket.complete(upload, parts), bucket.complete(upload, parts)
    assert (first["ETag"], first["VersionId"]) == (second["ETag"], second["VersionId"])
    assert len(bucket.versions()) == 1


@pytest.mark.parametrize("sent", [(1, 1), (1, 2, 1), (2, 1, 2, 2)])
def test_a_part_can_be_sent_again(bucket: PrefixedBucket, sent: tuple[int, ...]) -> None:
    upload, parts, bodies = bucket.create_upload(), dict[int, Any](), dict[int, bytes]()
    for attempt, number in enumerate(sent):
        bodies[number] = str(attempt).encode() * MIN_SIZE
        parts[number] = bucket.send_part(upload, number, bodies[number])
    bucket.complete(upload, [parts[number] for number in sorted(parts)])
    assert bucket.read() == b"".join(bodies[number] for number in sorted(bodies))


def test_parts_that_are_not_named_are_dropped(bucket: PrefixedBucket) -> None:
    upload = bucket.create_upload()
    parts = [bucket.send_part(upload, number, str(number).encode()) for number in (2, 7, 9999)]
    bucket.complete(upload, [parts[1]])
    assert bucket.read() == b"7"
    assert bucket.call("head_object", PartNumber=7)["PartsCount"] == 1


def test_the_last_entry_of_a_repeated_part_counts(bucket: PrefixedBucket) -> None:
    upload = bucket.create_upload()
    first = bucket.send_part(upload, 1, body("a"))
    again, last = bucket.send_part(upload, 1, body("b")), bucket.send_part(upload, 2, b"c")
    bucket.complete(upload, [first, again, last, last])
    assert bucket.read() == body("b") + b"c"
    assert bucket.call("head_object", PartNumber=1)["PartsCount"] == 2


def test_a_completed_upload_is_a_new_version(bucket: PrefixedBucket) -> None:
    bucket.put()
    bucket.put_multipart("object", b"in parts")
    assert bucket.read() == b"in parts" and len(bucket.versions()) == 2


# Invalid completions


@pytest.mark.parametrize(
    ("listed", "status", "code"),
    [
        ([], 400, "MalformedXML"),
        ([(1, "own"), (9999, "own")], 400, "InvalidPart"),
        ([(1, '"ffffffffffffffffffffffffffffffff"')], 400, "InvalidPart"),
        ([(1, '""')], 400, "InvalidPart"),
        ([(2, "own"), (1, "own")], 400, "InvalidPartOrder"),
        ([(1, "own"), (2, "own"), (1, "own")], 400, "InvalidPartOrder"),
        ([(1, "own"), (1, '"x"')], 400, "InvalidPart"),
        ([(1, "own"), (2, "own")], 400, "EntityTooSmall"),
    ],
)
def test_a_completion_that_does_not_match_the_parts_is_refused(
    bucket: PrefixedBucket, listed: Any, status: int, code: str
) -> None:
    upload = bucket.create_upload()
    etags = {number: bucket.send_part(upload, number, b"tiny")["ETag"] for number in (1, 2)}
    parts = [{"PartNumber": n, "ETag": etags.get(n, '"x"') if etag == "own" else etag} for n, etag in listed]
    parameters: dict[str, Any] = {"UploadId": upload, "MultipartUpload": {"Parts": parts}}
    assert bucket.refused("complete_multipart_upload", **parameters) == (status, code)
    assert bucket.request("HEAD").status == 404
    bucket.complete(upload, [{"PartNumber": 1, "ETag": etags[1]}])


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"<CompleteMultipartUpload>",
        b"<CompleteMultipartUpload><Part><ETag>x</ETag></Part></CompleteMultipartUpload>",
        b"<CompleteMultipartUpload><Part><PartNumber>one</PartNumber></Part></CompleteMultipartUpload>",
        b"<Complete><Part><PartNumber>1</PartNumber></Part></Complete>",
    ],
)
def test_an_invalid_completion_document_is_refused(bucket: PrefixedBucket, document: bytes) -> None:
    reply = bucket.request("POST", query=f"uploadId={bucket.create_upload()}", body=document)
    assert (reply.status, reply.code) == (400, "MalformedXML")


@pytest.mark.parametrize("form", ["{}", '"{}"', "&quot;{}&quot;", "&#34;{}&#34;", " {} "])
@pytest.mark.parametrize("space", ["", ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'])
def test_etags_are_accepted_in_every_form(bucket: PrefixedBucket, form: str, space: str) -> None:
    upload = bucket.create_upload()
    etag = bucket.send_part(upload, 2, b"x")["ETag"].strip('"')
    part = f"<Part><ETag>{form.format(etag)}</ETag><PartNumber> 2 </PartNumber></Part>"
    document = f"<CompleteMultipartUpload{space}>\n{part}\n</CompleteMultipartUpload>"
    assert bucket.request("POST", query=f"uploadId={upload}", body=document.encode()).status == 200
    assert bucket.read() == b"x"


@pytest.mark.parametrize("number", ["0", "10001", "-1", "one", ""])
def test_an_invalid_part_number_is_refused(bucket: PrefixedBucket, number: str) -> None:
    reply = bucket.request("PUT", query=f"partNumber={number}&uploadId={bucket.create_upload()}", body=b"x")
    assert (reply.status, reply.code) == (400, "InvalidArgument")


def test_an_unknown_upload_is_refused(bucket: PrefixedBucket) -> None:
    gone, known = bucket.create_upload(), bucket.create_upload()
    parts = {"MultipartUpload": {"Parts": [{"PartNumber": 1, "ETag": '"x"'}]}}
    bucket.call("abort_multipart_upload", UploadId=gone)
    for key, upload in (("object", gone), ("object", "nothing"), ("another", known)):
        for operation, more in (
            ("upload_part", {"PartNumber": 1, "Body": b""}), ("list_parts", {}), ("abort_multipart_upload", {}),
            ("complete_multipart_upload", parts),
        ):  # fmt: skip
            assert bucket.refused(operation, key, UploadId=upload, **more) == (404, "NoSuchUpload")


def test_aborting_keeps_the_current_object(bucket: PrefixedBucket) -> None:
    bucket.put(body=b"before")
    upload = bucket.create_upload()
    bucket.send_part(upload, 1, b"after")
    answer = bucket.call("abort_multipart_upload", UploadId=upload)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert bucket.read() == b"before" and len(bucket.versions()) == 1
    assert "Uploads" not in bucket.call("list_multipart_uploads", None, Prefix=bucket.prefix)


# Lists


@pytest.mark.parametrize("max_parts", [1, 2, 3, 1000])
def test_parts_are_listed_page_by_page(bucket: PrefixedBucket, max_parts: int) -> None:
    upload = bucket.create_upload()
    sent = {number: bucket.send_part(upload, number, b"x" * number) for number in (1, 3, 10)}
    seen: list[tuple[int, str, int]] = []
    marker = 0
    while True:
        page = bucket.call("list_parts", UploadId=upload, MaxParts=max_parts, PartNumberMarker=marker)
        assert (page["PartNumberMarker"], page["MaxParts"], page["StorageClass"]) == (marker, max_parts, "STANDARD")
        assert page["Owner"] and page["Initiator"]["ID"]
        seen += [(part["PartNumber"], part["ETag"], part["Size"]) for part in page["Parts"]]
        if not page["IsTruncated"]:
            break
        marker = page["NextPartNumberMarker"]
    assert seen == [(number, sent[number]["ETag"], number) for number in (1, 3, 10)]


def test_uploads_are_listed_by_key_and_age(bucket: PrefixedBucket) -> None:
    created = [(key, bucket.create_upload(key)) for key in ("a/x", "a/y", "mykey", "mykey", "other")]
    filters: dict[str, Any] = {"Prefix": bucket.prefix}

    def found(page: Any) -> list[tuple[str, str]]:
        return [(item["Key"].removeprefix(bucket.prefix), item["UploadId"]) for item in page.get("Uploads", [])]

    assert found(bucket.call("list_multipart_uploads", None, **filters)) == created
    assert found(bucket.call("list_multipart_uploads", None, Prefix=bucket.key("my"))) == created[2:4]
    grouped = bucket.call("list_multipart_uploads", None, **filters, Delimiter="/")
    assert [item["Prefix"] for item in grouped["CommonPrefixes"]] == [bucket.key("a/")]
    assert found(grouped) == created[2:]
    first = bucket.call("list_multipart_uploads", None, **filters, MaxUploads=3)
    assert first["IsTruncated"] is True and found(first) == created[:3]
    markers = {"KeyMarker": first["NextKeyMarker"], "UploadIdMarker": first["NextUploadIdMarker"]}
    rest = bucket.call("list_multipart_uploads", None, **filters, **markers)
    assert rest["IsTruncated"] is False and found(rest) == created[3:]


# Copied parts


@pytest.mark.parametrize(
    ("size", "span"), [(10, None), (10, (0, 9)), (10, (3, 6)), (0, None), (1024 * 1024, (5, 600_000))]
)
def test_a_part_is_copied_from_another_object(bucket: PrefixedBucket, size: int, span: tuple[int, int] | None) -> None:
    content = bytes(number % 251 for number in range(size))
    version = bucket.put("source", content)["VersionId"]
    upload = bucket.create_upload()
    parameters: dict[str, Any] = {"CopySource": {"Bucket": bucket.name, "Key": bucket.key("source")}}
    if span:
        parameters["CopySourceRange"] = f"bytes={span[0]}-{span[1]}"
    answer = bucket.call("upload_part_copy", UploadId=upload, PartNumber=1, **parameters)
    assert answer["CopySourceVersionId"] == version and answer["CopyPartResult"]["LastModified"]
    bucket.complete(upload, [{"PartNumber": 1, "ETag": answer["CopyPartResult"]["ETag"]}])
    assert bucket.read() == (content[span[0] : span[1] + 1] if span else content)


@pytest.mark.parametrize("key", [" ", "_", "__", "?versionId", "a%b"])
def test_a_part_is_copied_from_an_unusual_key(bucket: PrefixedBucket, key: str) -> None:
    older = bucket.put(key, b"older")["VersionId"]
    bucket.put(key, b"newer")
    for version, content in (({}, b"newer"), ({"VersionId": older}, b"older")):
        upload, source = bucket.create_upload(), {"Bucket": bucket.name, "Key": bucket.key(key), **version}
        answer = bucket.call("upload_part_copy", UploadId=upload, PartNumber=1, CopySource=source)
        bucket.complete(upload, [{"PartNumber": 1, "ETag": answer["CopyPartResult"]["ETag"]}])
        assert bucket.read() == content


def test_a_part_is_copied_across_parts_of_the_source(bucket: PrefixedBucket) -> None:
    bucket.put_multipart("source", body("a"), b"b" * 10)
    upload, source = bucket.create_upload(), {"Bucket": bucket.name, "Key": bucket.key("source")}
    parameters: dict[str, Any] = {"CopySource": source, "CopySourceRange": f"bytes={MIN_SIZE - 3}-{MIN_SIZE + 2}"}
    part = bucket.call("upload_part_copy", UploadId=upload, PartNumber=1, **parameters)["CopyPartResult"]
    bucket.complete(upload, [{"PartNumber": 1, "ETag": part["ETag"]}])
    assert bucket.read() == b"aaabbb"


@pytest.mark.parametrize(
    ("span", "statuses", "code"),
    [
        ("bytes=0-21", (400, 416), "InvalidRange"),
        ("bytes=5-5", (400, 416), "InvalidRange"),
        ("0-2", (400,), "InvalidArgument"),
        ("bytes=0", (400,), "InvalidArgument"),
        ("bytes=0-", (400,), "InvalidArgument"),
        ("bytes=-2", (400,), "InvalidArgument"),
        ("bytes=3-2", (400,), "InvalidArgument"),
        ("bytes=hello-world", (400,), "InvalidArgument"),
        ("bytes=0-bar", (400,), "InvalidArgument"),
        ("bytes=0-2,3-5", (400,), "InvalidArgument"),
    ],
)
def test_an_invalid_source_range_is_refused(
    bucket: PrefixedBucket, span: str, statuses: tuple[int, ...], code: str
) -> None:
    bucket.put("source", b"bytes")
    headers = {"x-amz-copy-source": f"{bucket.name}/{bucket.key('source')}", "x-amz-copy-source-range": span}
    reply = bucket.request("PUT", query=f"partNumber=1&uploadId={bucket.create_upload()}", headers=headers)
    assert reply.status in statuses and reply.code == code


@pytest.mark.parametrize(
    ("source_bucket", "key", "code"), [("team-nowhere", "x", "NoSuchBucket"), (None, "gone", "NoSuchKey")]
)
def test_a_part_of_a_missing_source_is_refused(
    bucket: PrefixedBucket, source_bucket: str | None, key: str, code: str
) -> None:
    source = {"Bucket": source_bucket or bucket.name, "Key": bucket.key(key)}
    parameters: dict[str, Any] = {"UploadId": bucket.create_upload(), "PartNumber": 1, "CopySource": source}
    assert bucket.refused("upload_part_copy", **parameters) == (404, code)


# Reading by part


def test_an_object_is_read_part_by_part(bucket: PrefixedBucket) -> None:
    bodies = {1: body("a"), 3: body("b"), 4: b"c"}
    upload = bucket.create_upload()
    parts = [bucket.send_part(upload, number, content) for number, content in bodies.items()]
    assert bucket.refused("get_object", PartNumber=1) == (404, "NoSuchKey")
    etag = bucket.complete(upload, parts)["ETag"]
    for number, content in bodies.items():
        for operation in ("head_object", "get_object"):
            answer = bucket.call(operation, PartNumber=number)
            assert (answer["PartsCount"], answer["ETag"], answer["ContentLength"]) == (3, etag, len(content))
        assert answer["Body"].read() == content
        assert answer["ContentRange"].endswith(f"/{2 * MIN_SIZE + 1}")
    for number in (2, 5):
        assert bucket.refused("get_object", PartNumber=number) == (400, "InvalidPart")


def test_object_attributes_list_parts_page_by_page(bucket: PrefixedBucket) -> None:
    bodies = body("a"), body("b"), b"c"
    etag = bucket.put_multipart("object", *bodies)["ETag"]
    names = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]
    attributes = bucket.call("get_object_attributes", ObjectAttributes=names)
    assert (attributes["ETag"], attributes["ObjectSize"]) == (etag.strip('"'), 2 * MIN_SIZE + 1)
    assert attributes["StorageClass"] == "STANDARD" and attributes["VersionId"] and attributes["LastModified"]
    parts = attributes["ObjectParts"]
    assert (parts["TotalPartsCount"], parts["MaxParts"], parts["PartNumberMarker"]) == (3, 1000, 0)
    assert (parts["NextPartNumberMarker"], parts["IsTruncated"]) == (3, False)
    assert [(part["PartNumber"], part["Size"]) for part in parts["Parts"]] == [(1, MIN_SIZE), (2, MIN_SIZE), (3, 1)]
    page = bucket.call("get_object_attributes", ObjectAttributes=["ObjectParts"], MaxParts=1, PartNumberMarker=1)[
        "ObjectParts"
    ]
    assert (page["NextPartNumberMarker"], page["IsTruncated"], page["Parts"][0]["PartNumber"]) == (2, True, 2)
    rest = bucket.call("get_object_attributes", ObjectAttributes=["ObjectParts"], MaxParts=10, PartNumberMarker=2)[
        "ObjectParts"
    ]
    assert (rest["NextPartNumberMarker"], rest["IsTruncated"], len(rest["Parts"])) == (3, False, 1)


def test_object_attributes_include_only_what_was_requested(bucket: PrefixedBucket) -> None:
    version = bucket.put(body=b"12345")
    attributes = bucket.call("get_object_attributes", ObjectAttributes=["ObjectSize", "ObjectParts"])
    assert attributes["ObjectSize"] == 5 and not attributes.keys() & {"ETag", "StorageClass", "Checksum", "ObjectParts"}
    bucket.put(body=b"another")
    attributes = bucket.call("get_object_attributes", VersionId=version["VersionId"], ObjectAttributes=["ETag"])
    assert (attributes["ETag"], attributes["VersionId"]) == (version["ETag"].strip('"'), version["VersionId"])
    for header in ("", "Nonsense", "ETag,Nonsense"):
        assert bucket.request("GET", query="attributes", headers={"x-amz-object-attributes": header}).status == 400
    assert bucket.request("GET", query="attributes").status == 400
    assert bucket.refused("get_object_attributes", "gone", ObjectAttributes=["ETag"]) == (404, "NoSuchKey")
