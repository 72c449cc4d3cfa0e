"""What is not offered is refused and changes nothing; and what no parser should be made to swallow."""

import gzip
import time

import pytest

from teamspace.s3.domain.operations import OPERATIONS, SUBRESOURCES, ResourceLevel
from tests.s3.places import Place

METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE")
OFFERED = {
    (operation.level, operation.method, name) for operation in OPERATIONS for name in (operation.query + " " + operation.optional).split()
}  # fmt: skip
LIMIT = 5.0


@pytest.mark.parametrize("name", sorted(SUBRESOURCES))
def test_what_is_not_offered_leaves_the_object_as_it_is(place: Place, name: str) -> None:
    written = place.put(body=b"precious", Metadata={"a": "b"}, Tagging="c=d")
    for method in METHODS:
        if (ResourceLevel.OBJECT, method, name) in OFFERED:
            continue
        for headers in ({}, {"x-amz-copy-source": f"{place.name}/{place.key()}"}):
            body = b"" if method in ("GET", "HEAD") else b"lost"
            reply = place.raw(method, query=name, body=body, headers=headers)
            assert reply.status == 501 and (method == "HEAD" or reply.code == "NotImplemented")
    got = place.do("get_object")
    assert (got["Body"].read(), got["VersionId"], got["Metadata"]) == (b"precious", written["VersionId"], {"a": "b"})
    assert len(place.versions()) == 1


@pytest.mark.parametrize("name", sorted(SUBRESOURCES))
def test_what_is_not_offered_of_the_bucket_is_refused(place: Place, name: str) -> None:
    for method in METHODS:
        if (ResourceLevel.BUCKET, method, name) not in OFFERED:
            reply = place.raw(method, None, name, b"" if method in ("GET", "HEAD") else b"<Nonsense/>")
            assert reply.status == 501 and (method == "HEAD" or reply.code == "NotImplemented")


@pytest.mark.parametrize(
    ("method", "query"),
    [
        ("PUT", "partNumber=1"), ("PUT", "uploadId=x&acl"), ("PUT", "tagging&acl"), ("PUT", "versionId=x"),
        ("POST", "uploads&uploadId=x"), ("POST", ""), ("GET", "uploadId=x&tagging"), ("DELETE", "uploadId=x&versionId=y"),
        ("DELETE", "acl"), ("GET", "uploads"),
    ],
)  # fmt: skip
def test_no_request_is_taken_for_another(place: Place, method: str, query: str) -> None:
    place.put(body=b"precious")
    assert place.raw(method, query=query, body=b"lost").status == 501
    assert place.read() == b"precious" and len(place.versions()) == 1


# XML

BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in range(ord("b"), ord("k"))
)

# The protocol is judged before any statement of SQL.
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


PLACES = {
    "Tagging": ("PUT", "tagging", "object"),
    "Delete": ("POST", "delete", None),
    "CompleteMultipartUpload": ("POST", "uploadId", "object"),
    "VersioningConfiguration": ("PUT", "versioning", None),
    "AccessControlPolicy": ("PUT", "acl", "object"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_document_harms(place: Place, attack: str) -> None:
    place.put(Tagging="a=b")
    upload = place.begin()
    for root, (method, query, key) in PLACES.items():
        body = ATTACKS[attack].replace(b"Tagging", root.encode())
        began = time.monotonic()
        reply = place.raw(method, key, query.replace("uploadId", f"uploadId={upload}"), body)
        assert reply.status == 400
        assert reply.code in ("MalformedXML", "EntityTooLarge", "MalformedACLError", "InvalidTag")
        assert time.monotonic() - began < LIMIT
    assert place.do("get_object_tagging")["TagSet"] == [{"Key": "a", "Value": "b"}]
