"""Unsupported operations are refused and change nothing; hostile XML is refused quickly."""

import gzip
import time

import pytest

from teamspace.s3.domain.operations import OPERATIONS, SUBRESOURCES, ResourceLevel
from tests.s3.prefixed_bucket import PrefixedBucket

METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE")
SUPPORTED = {
    (operation.level, operation.method, name) for operation in OPERATIONS for name in (operation.query + " " + operation.optional).split()
}  # fmt: skip
MAX_SECONDS = 5.0


@pytest.mark.parametrize("name", sorted(SUBRESOURCES))
def test_an_unsupported_object_operation_changes_nothing(bucket: PrefixedBucket, name: str) -> None:
    written = bucket.put(body=b"precious", Metadata={"a": "b"}, Tagging="c=d")
    for method in METHODS:
        if (ResourceLevel.OBJECT, method, name) in SUPPORTED:
            continue
        for headers in ({}, {"x-amz-copy-source": f"{bucket.name}/{bucket.key()}"}):
            body = b"" if method in ("GET", "HEAD") else b"lost"
            reply = bucket.request(method, query=name, body=body, headers=headers)
            assert reply.status == 501 and (method == "HEAD" or reply.code == "NotImplemented")
    got = bucket.call("get_object")
    assert (got["Body"].read(), got["VersionId"], got["Metadata"]) == (b"precious", written["VersionId"], {"a": "b"})
    assert len(bucket.versions()) == 1


@pytest.mark.parametrize("name", sorted(SUBRESOURCES))
def test_an_unsupported_bucket_operation_is_refused(bucket: PrefixedBucket, name: str) -> None:
    for method in METHODS:
        if (ResourceLevel.BUCKET, method, name) not in SUPPORTED:
            reply = bucket.request(method, None, name, b"" if method in ("GET", "HEAD") else b"<Nonsense/>")
            assert reply.status == 501 and (method == "HEAD" or reply.code == "NotImplemented")


@pytest.mark.parametrize(
    ("method", "query"),
    [
        ("PUT", "partNumber=1"), ("PUT", "uploadId=x&acl"), ("PUT", "tagging&acl"), ("PUT", "versionId=x"),
        ("POST", "uploads&uploadId=x"), ("POST", ""), ("GET", "uploadId=x&tagging"), ("DELETE", "uploadId=x&versionId=y"),
        ("DELETE", "acl"), ("GET", "uploads"),
    ],
)  # fmt: skip
def test_an_ambiguous_request_is_refused(bucket: PrefixedBucket, method: str, query: str) -> None:
    bucket.put(body=b"precious")
    assert bucket.request(method, query=query, body=b"lost").status == 501
    assert bucket.read() == b"precious" and len(bucket.versions()) == 1


# XML

BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in range(ord("b"), ord("k"))
)

ATTACKS = {
    "entities": BOMB + b"]><Tagging><TagSet>&j;</TagSet></Tagging>",
    "quadratic": b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 50_000 + b'">]><Tagging>' + b"&a;" * 10_000 + b"</Tagging>",
    "file": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><Tagging><TagSet>&a;</TagSet></Tagging>',
    "network": b'<!DOCTYPE x [<!ENTITY a SYSTEM "http://127.0.0.1:1/">]><Tagging><TagSet>&a;</TagSet></Tagging>',
    "parameter": b'<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:1/x.dtd"> %a;]><Tagging/>',
    "type": b'<!DOCTYPE Tagging SYSTEM "http://127.0.0.1:1/x.dtd"><Tagging><TagSet/></Tagging>',
    "deep": b"<Tagging>" + b"<TagSet>" * 10_000 + b"</TagSet>" * 10_000 + b"</Tagging>",
    "deeper": b"<Tagging>" + b"<a>" * 1_000_000,
    "attribute": b'<Tagging a="' + b"x" * 3_000_000 + b'"></Tagging>',
    "attributes": b"<Tagging " + b" ".join(b'a%d="x"' % number for number in range(100_000)) + b"/>",
    "namespaces": b"<Tagging " + b" ".join(b'xmlns:a%d="x"' % number for number in range(100_000)) + b"/>",
    "names": b"<" + b"T" * 1_000_000 + b"/>",
    "many": b"<Tagging><TagSet>" + b"<Tag/>" * 500_000 + b"</TagSet></Tagging>",
    "truncated": b"<Tagging><TagSet><Tag><Key>a</Key>",
    "nothing": b"",
    "blank": b"   ",
    "junk": b"\x00\x01\x02",
    "bytes": b"<Tagging><TagSet>\xff\xfe</TagSet></Tagging>",
    "nul": b"<Tagging><TagSet>\x00</TagSet></Tagging>",
    "wider": "<Tagging><TagSet/></Tagging>".encode("utf-16"),
    "hidden": '<!DOCTYPE x [<!ENTITY a "b">]><Tagging><TagSet>&a;</TagSet></Tagging>'.encode("utf-16"),
    "utf-7": b'<?xml version="1.0" encoding="utf-7"?><Tagging>+ADw-</Tagging>',
    "half": "<Tagging><TagSet/></Tagging>".encode("utf-16")[:-1],
    "packed": gzip.compress(b"<Tagging><TagSet/></Tagging>"),
    "twice": b"<Tagging><TagSet/></Tagging><Tagging/>",
    "other": b"<Nonsense/>",
    "unclosed": b"<Tagging><TagSet></Tagging></TagSet>",
    "unbound": b"<a:Tagging><TagSet/></a:Tagging>",
    "large": b"<Tagging>" + b" " * (5 * 1024 * 1024) + b"</Tagging>",
}


DOCUMENTS = {
    "Tagging": ("PUT", "tagging", "object"),
    "Delete": ("POST", "delete", None),
    "CompleteMultipartUpload": ("POST", "uploadId", "object"),
    "VersioningConfiguration": ("PUT", "versioning", None),
    "AccessControlPolicy": ("PUT", "acl", "object"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_document_is_refused_quickly(bucket: PrefixedBucket, attack: str) -> None:
    bucket.put(Tagging="a=b")
    upload = bucket.create_upload()
    for root, (method, query, key) in DOCUMENTS.items():
        body = ATTACKS[attack].replace(b"Tagging", root.encode())
        started = time.monotonic()
        reply = bucket.request(method, key, query.replace("uploadId", f"uploadId={upload}"), body)
        assert reply.status == 400
        assert reply.code in ("MalformedXML", "EntityTooLarge", "MalformedACLError", "InvalidTag")
        assert time.monotonic() - started < MAX_SECONDS
    assert bucket.call("get_object_tagging")["TagSet"] == [{"Key": "a", "Value": "b"}]
