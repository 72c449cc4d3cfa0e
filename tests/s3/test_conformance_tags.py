"""Tags of objects, and what the bucket says of itself and of rights."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.s3.places import Place


def tags(**named: str) -> dict[str, Any]:
    return {"TagSet": [{"Key": name, "Value": value} for name, value in named.items()]}


def test_tags_come_back_in_the_order_of_their_keys(place: Place) -> None:
    place.put(Tagging="b=1&a=2&B=3")
    assert place.do("get_object_tagging")["TagSet"] == tags(B="3", a="2", b="1")["TagSet"]
    place.do("put_object_tagging", Tagging=tags(z="1", m="2", a="3"))
    assert place.do("get_object_tagging")["TagSet"] == tags(a="3", m="2", z="1")["TagSet"]


def many(count: int, key: int = 10, value: int = 10) -> dict[str, str]:
    return {f"{number:03}".ljust(key, "k"): "v" * value for number in range(count)}


@pytest.mark.parametrize(
    "named", [{}, {"0": "0"}, many(10), many(10, 128, 256), {"a": ""}, {"a b": "+-=._:/@"}, {"ключ": "значение"}]
)
def test_tags_are_set_and_replaced(place: Place, named: dict[str, str]) -> None:
    version = place.put(Tagging="old=1")["VersionId"]
    assert place.do("put_object_tagging", Tagging=tags(**named))["VersionId"] == version
    answer = place.do("get_object_tagging")
    assert (answer["TagSet"], answer["VersionId"]) == (tags(**named)["TagSet"], version)
    assert place.do("head_object").get("TagCount") == (len(named) or None)


@pytest.mark.parametrize("named", [many(11), many(1, 129, 1), many(1, 1, 257), {"a": "<>"}, {"a?": "x"}])
def test_what_cannot_be_a_tag_is_refused(place: Place, named: dict[str, str]) -> None:
    place.put()
    assert place.refused("put_object_tagging", Tagging=tags(**named)) == (400, "InvalidTag")
    assert place.do("get_object_tagging")["TagSet"] == []


def test_the_same_tag_twice_is_refused(place: Place) -> None:
    place.put()
    twice = {"TagSet": tags(a="1")["TagSet"] * 2}
    assert place.refused("put_object_tagging", Tagging=twice) == (400, "InvalidTag")


def test_tags_are_removed(place: Place) -> None:
    place.put(Tagging="a=b")
    answer = place.do("delete_object_tagging")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert place.do("get_object_tagging")["TagSet"] == []


@pytest.mark.parametrize(
    ("header", "expected"),
    [("foo=bar&bar", {"bar": "", "foo": "bar"}), ("a%20b=c%2Bd", {"a b": "c+d"}), ("a+b=c", {"a b": "c"}), ("", {})],
)
def test_tags_come_with_a_write(place: Place, header: str, expected: dict[str, str]) -> None:
    place.put(Tagging=header)
    assert place.do("get_object_tagging")["TagSet"] == tags(**expected)["TagSet"]
    place.in_parts("parts", b"x", Tagging=header)
    assert place.do("get_object_tagging", "parts")["TagSet"] == tags(**expected)["TagSet"]


@pytest.mark.parametrize("header", ["&".join(many(11)), "a=1&a=2", "=x", f"{'k' * 129}=x"])
def test_a_write_with_what_cannot_be_a_tag_is_refused(place: Place, header: str) -> None:
    assert place.refused("put_object", Tagging=header) == (400, "InvalidTag")
    assert place.raw("HEAD").status == 404


def test_every_version_has_tags_of_its_own(place: Place) -> None:
    first = place.put(Tagging="v=1")["VersionId"]
    second = place.put()["VersionId"]
    assert place.do("get_object_tagging")["TagSet"] == []
    place.do("put_object_tagging", VersionId=first, Tagging=tags(v="changed"))
    assert place.do("get_object_tagging", VersionId=first)["TagSet"] == tags(v="changed")["TagSet"]
    assert place.do("get_object_tagging", VersionId=second)["TagSet"] == []
    place.do("delete_object_tagging", VersionId=first)
    assert place.do("get_object_tagging", VersionId=first)["TagSet"] == []


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [("get_object_tagging", {}), ("delete_object_tagging", {}), ("put_object_tagging", {"Tagging": tags(a="b")})],
)
def test_what_is_not_there_has_no_tags(place: Place, operation: str, parameters: Any) -> None:
    assert place.refused(operation, **parameters) == (404, "NoSuchKey")
    place.put()
    assert place.refused(operation, VersionId="nothing", **parameters) == (404, "NoSuchVersion")


# Rights


def test_what_is_private_stays_so(place: Place) -> None:
    place.put()
    for key, operation in ((None, "bucket"), ("object", "object")):
        place.do(f"put_{operation}_acl", key, ACL="private")
        acl = place.do(f"get_{operation}_acl", key)
        (grant,) = acl["Grants"]
        assert grant["Permission"] == "FULL_CONTROL" and grant["Grantee"]["Type"] == "CanonicalUser"
        assert {name: grant["Grantee"][name] for name in ("ID", "DisplayName")} == acl["Owner"]
        policy = {"Grants": acl["Grants"], "Owner": acl["Owner"]}
        place.do(f"put_{operation}_acl", key, AccessControlPolicy=policy)
        public = {"ACL": "public-read"}
        assert place.refused(f"put_{operation}_acl", key, **public) == (400, "AccessControlListNotSupported")
    assert place.refused("put_object_acl", "nowhere", ACL="private") == (404, "NoSuchKey")
    assert place.refused("get_object_acl", "nowhere") == (404, "NoSuchKey")


# The bucket


def test_the_bucket_tells_of_itself(place: Place) -> None:
    buckets = place.client.list_buckets()
    assert [bucket["Name"] for bucket in buckets["Buckets"]] == [place.name]
    assert timedelta() <= datetime.now(UTC) - buckets["Buckets"][0]["CreationDate"] < timedelta(hours=1)
    assert buckets["Owner"] == place.do("get_bucket_acl", None)["Owner"]
    assert place.do("head_bucket", None)["BucketRegion"] == place.access.region
    assert place.do("get_bucket_location", None)["LocationConstraint"] == place.access.region
    assert place.do("create_bucket", None)["Location"] == f"/{place.name}"


def test_no_other_bucket_is_there(place: Place) -> None:
    other = place.below("")
    other.name = "team-nowhere"
    assert other.refused("head_bucket", None) == (404, "404")
    for operation in ("delete_bucket", "get_bucket_versioning", "list_object_versions", "get_bucket_acl"):
        assert other.refused(operation, None) == (404, "NoSuchBucket")
    assert other.refused("put_object") == (404, "NoSuchBucket")
    assert other.refused("create_bucket", None) == (403, "AccessDenied")


def test_the_bucket_stays(empty: Place) -> None:
    assert empty.refused("delete_bucket", None) == (403, "AccessDenied")
    empty.put()
    assert empty.refused("delete_bucket", None) == (409, "BucketNotEmpty")


def test_a_client_may_say_whose_bucket_it_means(place: Place) -> None:
    owner = place.do("get_bucket_acl", None)["Owner"]["ID"]
    place.put(ExpectedBucketOwner=owner)
    for operation, key in (("put_object", "object"), ("get_object", "object"), ("list_objects", None)):
        assert place.refused(operation, key, ExpectedBucketOwner=f"{owner}foo") == (403, "AccessDenied")
