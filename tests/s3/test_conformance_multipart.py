"""Uploads in parts: sent, sent again, listed, copied, completed, given up, and read part by part."""

import hashlib
from typing import Any

import pytest

from tests.s3.places import Place

MIN_SIZE = 5 * 1024 * 1024


def etag_of(*bodies: bytes) -> str:
    """Of what came in parts."""
    together = b"".join(hashlib.md5(body).digest() for body in bodies)
    return f'"{hashlib.md5(together).hexdigest()}-{len(bodies)}"'


def body(letter: str, size: int = MIN_SIZE) -> bytes:
    return letter.encode() * size


def test_parts_become_one_object(place: Place) -> None:
    bodies = body("a"), body("b"), b"c" * 10
    answer = place.in_parts("object", *bodies, ContentType="text/bla", Metadata={"foo": "bar"})
    assert answer["ETag"] == etag_of(*bodies) and answer["VersionId"]
    assert (answer["Bucket"], answer["Key"]) == (place.name, place.key())
    assert answer["Location"].endswith(f"/{place.name}/{place.key()}")
    got = place.do("get_object")
    assert (got["ETag"], got["ContentType"], got["Metadata"]) == (answer["ETag"], "text/bla", {"foo": "bar"})
    assert got["Body"].read() == b"".join(bodies)
    assert place.read(Range=f"bytes={MIN_SIZE - 2}-{MIN_SIZE + 1}") == b"aabb"
    assert place.read(Range="bytes=-12") == b"bb" + b"c" * 10
    (item,) = place.do("list_objects_v2", None, Prefix=place.prefix)["Contents"]
    assert (item["ETag"], item["Size"]) == (answer["ETag"], 2 * MIN_SIZE + 10)


def test_one_small_part_or_an_empty_one_is_an_object(place: Place) -> None:
    for content in (b"small", b""):
        place.in_parts("object", content)
        assert place.read() == place.read(PartNumber=1) == content
        assert place.do("head_object", PartNumber=1)["PartsCount"] == 1


def test_completing_again_gives_the_same_answer(place: Place) -> None:
    upload = place.begin()
    parts = [place.send_part(upload, 1, b"x")]
    first, second = place.complete(upload, parts), place.complete(upload, parts)
    assert (first["ETag"], first["VersionId"]) == (second["ETag"], second["VersionId"])
    assert len(place.versions()) == 1


@pytest.mark.parametrize("sent", [(1, 1), (1, 2, 1), (2, 1, 2, 2)])
def test_a_part_may_be_sent_again(place: Place, sent: tuple[int, ...]) -> None:
    upload, parts, bodies = place.begin(), dict[int, Any](), dict[int, bytes]()
    for turn, number in enumerate(sent):
        bodies[number] = str(turn).encode() * MIN_SIZE
        parts[number] = place.send_part(upload, number, bodies[number])
    place.complete(upload, [parts[number] for number in sorted(parts)])
    assert place.read() == b"".join(bodies[number] for number in sorted(bodies))


def test_parts_that_are_not_named_are_left_out(place: Place) -> None:
    upload = place.begin()
    parts = [place.send_part(upload, number, str(number).encode()) for number in (2, 7, 9999)]
    place.complete(upload, [parts[1]])
    assert place.read() == b"7"
    assert place.do("head_object", PartNumber=7)["PartsCount"] == 1


def test_of_a_part_that_is_named_twice_the_last_counts(place: Place) -> None:
    upload = place.begin()
    first = place.send_part(upload, 1, body("a"))
    again, last = place.send_part(upload, 1, body("b")), place.send_part(upload, 2, b"c")
    place.complete(upload, [first, again, last, last])
    assert place.read() == body("b") + b"c"
    assert place.do("head_object", PartNumber=1)["PartsCount"] == 2


def test_an_upload_replaces_what_was_there(place: Place) -> None:
    place.put()
    place.in_parts("object", b"in parts")
    assert place.read() == b"in parts" and len(place.versions()) == 2


# What cannot be completed


@pytest.mark.parametrize(
    ("told", "status", "code"),
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
def test_what_does_not_fit_the_parts_is_refused(place: Place, told: Any, status: int, code: str) -> None:
    upload = place.begin()
    etags = {number: place.send_part(upload, number, b"tiny")["ETag"] for number in (1, 2)}
    parts = [{"PartNumber": n, "ETag": etags.get(n, '"x"') if etag == "own" else etag} for n, etag in told]
    wish: dict[str, Any] = {"UploadId": upload, "MultipartUpload": {"Parts": parts}}
    assert place.refused("complete_multipart_upload", **wish) == (status, code)
    assert place.raw("HEAD").status == 404
    place.complete(upload, [{"PartNumber": 1, "ETag": etags[1]}])


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
def test_what_names_no_parts_is_refused(place: Place, document: bytes) -> None:
    reply = place.raw("POST", query=f"uploadId={place.begin()}", body=document)
    assert (reply.status, reply.code) == (400, "MalformedXML")


@pytest.mark.parametrize("form", ["{}", '"{}"', "&quot;{}&quot;", "&#34;{}&#34;", " {} "])
@pytest.mark.parametrize("space", ["", ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'])
def test_tags_are_told_in_every_form(place: Place, form: str, space: str) -> None:
    upload = place.begin()
    etag = place.send_part(upload, 2, b"x")["ETag"].strip('"')
    part = f"<Part><ETag>{form.format(etag)}</ETag><PartNumber> 2 </PartNumber></Part>"
    document = f"<CompleteMultipartUpload{space}>\n{part}\n</CompleteMultipartUpload>"
    assert place.raw("POST", query=f"uploadId={upload}", body=document.encode()).status == 200
    assert place.read() == b"x"


@pytest.mark.parametrize("number", ["0", "10001", "-1", "one", ""])
def test_a_part_has_a_number_up_to_ten_thousand(place: Place, number: str) -> None:
    reply = place.raw("PUT", query=f"partNumber={number}&uploadId={place.begin()}", body=b"x")
    assert (reply.status, reply.code) == (400, "InvalidArgument")


def test_an_upload_that_is_not_there_is_told(place: Place) -> None:
    gone, known = place.begin(), place.begin()
    parts = {"MultipartUpload": {"Parts": [{"PartNumber": 1, "ETag": '"x"'}]}}
    place.do("abort_multipart_upload", UploadId=gone)
    for key, upload in (("object", gone), ("object", "nothing"), ("another", known)):
        for operation, more in (
            ("upload_part", {"PartNumber": 1, "Body": b""}), ("list_parts", {}), ("abort_multipart_upload", {}),
            ("complete_multipart_upload", parts),
        ):  # fmt: skip
            assert place.refused(operation, key, UploadId=upload, **more) == (404, "NoSuchUpload")


def test_giving_up_leaves_what_is_there(place: Place) -> None:
    place.put(body=b"before")
    upload = place.begin()
    place.send_part(upload, 1, b"after")
    answer = place.do("abort_multipart_upload", UploadId=upload)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert place.read() == b"before" and len(place.versions()) == 1
    assert "Uploads" not in place.do("list_multipart_uploads", None, Prefix=place.prefix)


# Lists


@pytest.mark.parametrize("most", [1, 2, 3, 1000])
def test_parts_are_listed_page_by_page(place: Place, most: int) -> None:
    upload = place.begin()
    sent = {number: place.send_part(upload, number, b"x" * number) for number in (1, 3, 10)}
    seen: list[tuple[int, str, int]] = []
    marker = 0
    while True:
        page = place.do("list_parts", UploadId=upload, MaxParts=most, PartNumberMarker=marker)
        assert (page["PartNumberMarker"], page["MaxParts"], page["StorageClass"]) == (marker, most, "STANDARD")
        assert page["Owner"] and page["Initiator"]["ID"]
        seen += [(part["PartNumber"], part["ETag"], part["Size"]) for part in page["Parts"]]
        if not page["IsTruncated"]:
            break
        marker = page["NextPartNumberMarker"]
    assert seen == [(number, sent[number]["ETag"], number) for number in (1, 3, 10)]


def test_uploads_are_listed_by_key_and_then_by_age(place: Place) -> None:
    begun = [(key, place.begin(key)) for key in ("a/x", "a/y", "mykey", "mykey", "other")]
    asked: dict[str, Any] = {"Prefix": place.prefix}

    def found(page: Any) -> list[tuple[str, str]]:
        return [(item["Key"].removeprefix(place.prefix), item["UploadId"]) for item in page.get("Uploads", [])]

    assert found(place.do("list_multipart_uploads", None, **asked)) == begun
    assert found(place.do("list_multipart_uploads", None, Prefix=place.key("my"))) == begun[2:4]
    folded = place.do("list_multipart_uploads", None, **asked, Delimiter="/")
    assert [item["Prefix"] for item in folded["CommonPrefixes"]] == [place.key("a/")]
    assert found(folded) == begun[2:]
    first = place.do("list_multipart_uploads", None, **asked, MaxUploads=3)
    assert first["IsTruncated"] is True and found(first) == begun[:3]
    markers = {"KeyMarker": first["NextKeyMarker"], "UploadIdMarker": first["NextUploadIdMarker"]}
    rest = place.do("list_multipart_uploads", None, **asked, **markers)
    assert rest["IsTruncated"] is False and found(rest) == begun[3:]


# Parts that are copies


@pytest.mark.parametrize(
    ("size", "span"), [(10, None), (10, (0, 9)), (10, (3, 6)), (0, None), (1024 * 1024, (5, 600_000))]
)
def test_a_part_is_copied_from_another_object(place: Place, size: int, span: tuple[int, int] | None) -> None:
    content = bytes(number % 251 for number in range(size))
    version = place.put("source", content)["VersionId"]
    upload = place.begin()
    wish: dict[str, Any] = {"CopySource": {"Bucket": place.name, "Key": place.key("source")}}
    if span:
        wish["CopySourceRange"] = f"bytes={span[0]}-{span[1]}"
    answer = place.do("upload_part_copy", UploadId=upload, PartNumber=1, **wish)
    assert answer["CopySourceVersionId"] == version and answer["CopyPartResult"]["LastModified"]
    place.complete(upload, [{"PartNumber": 1, "ETag": answer["CopyPartResult"]["ETag"]}])
    assert place.read() == (content[span[0] : span[1] + 1] if span else content)


@pytest.mark.parametrize("key", [" ", "_", "__", "?versionId", "a%b"])
def test_a_part_is_copied_from_an_odd_key(place: Place, key: str) -> None:
    older = place.put(key, b"older")["VersionId"]
    place.put(key, b"newer")
    for version, content in (({}, b"newer"), ({"VersionId": older}, b"older")):
        upload, source = place.begin(), {"Bucket": place.name, "Key": place.key(key), **version}
        answer = place.do("upload_part_copy", UploadId=upload, PartNumber=1, CopySource=source)
        place.complete(upload, [{"PartNumber": 1, "ETag": answer["CopyPartResult"]["ETag"]}])
        assert place.read() == content


def test_a_part_is_copied_across_the_parts_of_its_source(place: Place) -> None:
    place.in_parts("source", body("a"), b"b" * 10)
    upload, source = place.begin(), {"Bucket": place.name, "Key": place.key("source")}
    wish: dict[str, Any] = {"CopySource": source, "CopySourceRange": f"bytes={MIN_SIZE - 3}-{MIN_SIZE + 2}"}
    part = place.do("upload_part_copy", UploadId=upload, PartNumber=1, **wish)["CopyPartResult"]
    place.complete(upload, [{"PartNumber": 1, "ETag": part["ETag"]}])
    assert place.read() == b"aaabbb"


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
def test_a_range_of_a_source_is_exact(place: Place, span: str, statuses: tuple[int, ...], code: str) -> None:
    place.put("source", b"bytes")
    headers = {"x-amz-copy-source": f"{place.name}/{place.key('source')}", "x-amz-copy-source-range": span}
    reply = place.raw("PUT", query=f"partNumber=1&uploadId={place.begin()}", headers=headers)
    assert reply.status in statuses and reply.code == code


@pytest.mark.parametrize(
    ("bucket", "key", "code"), [("team-nowhere", "x", "NoSuchBucket"), (None, "gone", "NoSuchKey")]
)
def test_a_part_of_nothing_is_not_copied(place: Place, bucket: str | None, key: str, code: str) -> None:
    source = {"Bucket": bucket or place.name, "Key": place.key(key)}
    wish: dict[str, Any] = {"UploadId": place.begin(), "PartNumber": 1, "CopySource": source}
    assert place.refused("upload_part_copy", **wish) == (404, code)


# Part by part


def test_an_object_is_read_part_by_part(place: Place) -> None:
    bodies = {1: body("a"), 3: body("b"), 4: b"c"}
    upload = place.begin()
    parts = [place.send_part(upload, number, content) for number, content in bodies.items()]
    assert place.refused("get_object", PartNumber=1) == (404, "NoSuchKey")
    etag = place.complete(upload, parts)["ETag"]
    for number, content in bodies.items():
        for operation in ("head_object", "get_object"):
            answer = place.do(operation, PartNumber=number)
            assert (answer["PartsCount"], answer["ETag"], answer["ContentLength"]) == (3, etag, len(content))
        assert answer["Body"].read() == content
        assert answer["ContentRange"].endswith(f"/{2 * MIN_SIZE + 1}")
    for number in (2, 5):
        assert place.refused("get_object", PartNumber=number) == (400, "InvalidPart")


def test_facts_tell_of_parts_page_by_page(place: Place) -> None:
    bodies = body("a"), body("b"), b"c"
    etag = place.in_parts("object", *bodies)["ETag"]
    wanted = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]
    facts = place.do("get_object_attributes", ObjectAttributes=wanted)
    assert (facts["ETag"], facts["ObjectSize"]) == (etag.strip('"'), 2 * MIN_SIZE + 1)
    assert facts["StorageClass"] == "STANDARD" and facts["VersionId"] and facts["LastModified"]
    parts = facts["ObjectParts"]
    assert (parts["TotalPartsCount"], parts["MaxParts"], parts["PartNumberMarker"]) == (3, 1000, 0)
    assert (parts["NextPartNumberMarker"], parts["IsTruncated"]) == (3, False)
    assert [(part["PartNumber"], part["Size"]) for part in parts["Parts"]] == [(1, MIN_SIZE), (2, MIN_SIZE), (3, 1)]
    page = place.do("get_object_attributes", ObjectAttributes=["ObjectParts"], MaxParts=1, PartNumberMarker=1)[
        "ObjectParts"
    ]
    assert (page["NextPartNumberMarker"], page["IsTruncated"], page["Parts"][0]["PartNumber"]) == (2, True, 2)
    rest = place.do("get_object_attributes", ObjectAttributes=["ObjectParts"], MaxParts=10, PartNumberMarker=2)[
        "ObjectParts"
    ]
    assert (rest["NextPartNumberMarker"], rest["IsTruncated"], len(rest["Parts"])) == (3, False, 1)


def test_facts_are_told_as_far_as_they_are_asked_for(place: Place) -> None:
    version = place.put(body=b"12345")
    facts = place.do("get_object_attributes", ObjectAttributes=["ObjectSize", "ObjectParts"])
    assert facts["ObjectSize"] == 5 and not facts.keys() & {"ETag", "StorageClass", "Checksum", "ObjectParts"}
    place.put(body=b"another")
    facts = place.do("get_object_attributes", VersionId=version["VersionId"], ObjectAttributes=["ETag"])
    assert (facts["ETag"], facts["VersionId"]) == (version["ETag"].strip('"'), version["VersionId"])
    for header in ("", "Nonsense", "ETag,Nonsense"):
        assert place.raw("GET", query="attributes", headers={"x-amz-object-attributes": header}).status == 400
    assert place.raw("GET", query="attributes").status == 400
    assert place.refused("get_object_attributes", "gone", ObjectAttributes=["ETag"]) == (404, "NoSuchKey")
