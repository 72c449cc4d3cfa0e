"""Object tags, ACLs, and bucket properties."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket


def tags(**values: str) -> dict[str, Any]:
    return {"TagSet": [{"Key": name, "Value": value} for name, value in values.items()]}


def test_tags_are_sorted_by_key(bucket: PrefixedBucket) -> None:
    bucket.put(Tagging="b=1&a=2&B=3")
    assert bucket.call("get_object_tagging")["TagSet"] == tags(B="3", a="2", b="1")["TagSet"]
    bucket.call("put_object_tagging", Tagging=tags(z="1", m="2", a="3"))
    assert bucket.call("get_object_tagging")["TagSet"] == tags(a="3", m="2", z="1")["TagSet"]


def many_tags(count: int, key: int = 10, value: int = 10) -> dict[str, str]:
    return {f"{number:03}".ljust(key, "k"): "v" * value for number in range(count)}


@pytest.mark.parametrize(
    "named",
    [{}, {"0": "0"}, many_tags(10), many_tags(10, 128, 256), {"a": ""}, {"a b": "+-=._:/@"}, {"ключ": "значение"}],
)
def test_tags_are_set_and_replaced(bucket: PrefixedBucket, named: dict[str, str]) -> None:
    version = bucket.put(Tagging="old=1")["VersionId"]
    assert bucket.call("put_object_tagging", Tagging=tags(**named))["VersionId"] == version
    answer = bucket.call("get_object_tagging")
    assert (answer["TagSet"], answer["VersionId"]) == (tags(**named)["TagSet"], version)
    assert bucket.call("head_object").get("TagCount") == (len(named) or None)


@pytest.mark.parametrize("named", [many_tags(11), many_tags(1, 129, 1), many_tags(1, 1, 257), {"a": "<>"}, {"a?": "x"}])
def test_invalid_tags_are_refused(bucket: PrefixedBucket, named: dict[str, str]) -> None:
    bucket.put()
    assert bucket.refused("put_object_tagging", Tagging=tags(**named)) == (400, "InvalidTag")
    assert bucket.call("get_object_tagging")["TagSet"] == []


def test_the_same_tag_twice_is_refused(bucket: PrefixedBucket) -> None:
    bucket.put()
    twice = {"TagSet": tags(a="1")["TagSet"] * 2}
    assert bucket.refused("put_object_tagging", Tagging=twice) == (400, "InvalidTag")


def test_tags_are_removed(bucket: PrefixedBucket) -> None:
    bucket.put(Tagging="a=b")
    answer = bucket.call("delete_object_tagging")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert bucket.call("get_object_tagging")["TagSet"] == []


@pytest.mark.parametrize(
    ("header", "expected"),
    [("foo=bar&bar", {"bar": "", "foo": "bar"}), ("a%20b=c%2Bd", {"a b": "c+d"}), ("a+b=c", {"a b": "c"}), ("", {})],
)
def test_tags_can_be_set_while_writing(bucket: PrefixedBucket, header: str, expected: dict[str, str]) -> None:
    bucket.put(Tagging=header)
    assert bucket.call("get_object_tagging")["TagSet"] == tags(**expected)["TagSet"]
    bucket.put_multipart("parts", b"x", Tagging=header)
    assert bucket.call("get_object_tagging", "parts")["TagSet"] == tags(**expected)["TagSet"]


@pytest.mark.parametrize("header", ["&".join(many_tags(11)), "a=1&a=2", "=x", f"{'k' * 129}=x"])
def test_a_write_with_invalid_tags_is_refused(bucket: PrefixedBucket, header: str) -> None:
    assert bucket.refused("put_object", Tagging=header) == (400, "InvalidTag")
    assert bucket.request("HEAD").status == 404


def test_every_version_has_its_own_tags(bucket: PrefixedBucket) -> None:
    first = bucket.put(Tagging="v=1")["VersionId"]
    second = bucket.put()["VersionId"]
    assert bucket.call("get_object_tagging")["TagSet"] == []
    bucket.call("put_object_tagging", VersionId=first, Tagging=tags(v="changed"))
    assert bucket.call("get_object_tagging", VersionId=first)["TagSet"] == tags(v="changed")["TagSet"]
    assert bucket.call("get_object_tagging", VersionId=second)["TagSet"] == []
    bucket.call("delete_object_tagging", VersionId=first)
    assert bucket.call("get_object_tagging", VersionId=first)["TagSet"] == []


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [("get_object_tagging", {}), ("delete_object_tagging", {}), ("put_object_tagging", {"Tagging": tags(a="b")})],
)
def test_tags_of_a_missing_object_are_refused(bucket: PrefixedBucket, operation: str, parameters: Any) -> None:
    assert bucket.refused(operation, **parameters) == (404, "NoSuchKey")
    bucket.put()
    assert bucket.refused(operation, VersionId="nothing", **parameters) == (404, "NoSuchVersion")


# ACLs


def test_only_a_private_acl_is_accepted(bucket: PrefixedBucket) -> None:
    bucket.put()
    for key, operation in ((None, "bucket"), ("object", "object")):
        bucket.call(f"put_{operation}_acl", key, ACL="private")
        acl = bucket.call(f"get_{operation}_acl", key)
        (grant,) = acl["Grants"]
        assert grant["Permission"] == "FULL_CONTROL" and grant["Grantee"]["Type"] == "CanonicalUser"
        assert {name: grant["Grantee"][name] for name in ("ID", "DisplayName")} == acl["Owner"]
        policy = {"Grants": acl["Grants"], "Owner": acl["Owner"]}
        bucket.call(f"put_{operation}_acl", key, AccessControlPolicy=policy)
        public = {"ACL": "public-read"}
        assert bucket.refused(f"put_{operation}_acl", key, **public) == (400, "AccessControlListNotSupported")
    assert bucket.refused("put_object_acl", "nowhere", ACL="private") == (404, "NoSuchKey")
    assert bucket.refused("get_object_acl", "nowhere") == (404, "NoSuchKey")


# The bucket


def test_bucket_properties(bucket: PrefixedBucket) -> None:
    buckets = bucket.client.list_buckets()
    assert [bucket["Name"] for bucket in buckets["Buckets"]] == [bucket.name]
    assert timedelta() <= datetime.now(UTC) - buckets["Buckets"][0]["CreationDate"] < timedelta(hours=1)
    assert buckets["Owner"] == bucket.call("get_bucket_acl", None)["Owner"]
    assert bucket.call("head_bucket", None)["BucketRegion"] == bucket.access.region
    assert bucket.call("get_bucket_location", None)["LocationConstraint"] == bucket.access.region
    assert bucket.call("create_bucket", None)["Location"] == f"/{bucket.name}"


def test_a_missing_bucket_is_refused(bucket: PrefixedBucket) -> None:
    other = bucket.with_prefix("")
    other.name = "team-nowhere"
    assert other.refused("head_bucket", None) == (404, "404")
    for operation in ("delete_bucket", "get_bucket_versioning", "list_object_versions", "get_bucket_acl"):
        assert other.refused(operation, None) == (404, "NoSuchBucket")
    assert other.refused("put_object") == (404, "NoSuchBucket")
    assert other.refused("create_bucket", None) == (403, "AccessDenied")


def test_the_bucket_cannot_be_deleted(empty_bucket: PrefixedBucket) -> None:
    assert empty_bucket.refused("delete_bucket", None) == (403, "AccessDenied")
    empty_bucket.put()
    assert empty_bucket.refused("delete_bucket", None) == (409, "BucketNotEmpty")


def test_the_expected_bucket_owner_is_verified(bucket: PrefixedBucket) -> None:
    owner = bucket.call("get_bucket_acl", None)["Owner"]["ID"]
    bucket.put(ExpectedBucketOwner=owner)
    for operation, key in (("put_object", "object"), ("get_object", "object"), ("list_objects", None)):
        assert bucket.refused(operation, key, ExpectedBucketOwner=f"{owner}foo") == (403, "AccessDenied")
