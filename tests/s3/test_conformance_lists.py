"""Lists of keys and folders with both list operations: content, order, encoding and paging."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket

OPERATIONS = ["list_objects", "list_objects_v2"]
PLAIN = ["bar", "baz", "foo", "quxx"]
TREE = ["asdf", "boo/bar", "boo/baz/xyzzy", "cquux/bla", "cquux/thud"]
ODD = ["b ar", "b%az", "b.in", "c+ab", "c_on", "é/è", "foo"]


@pytest.fixture(scope="module")
def samples(shared_bucket: Any) -> dict[str, PrefixedBucket]:
    """Sets of keys that tests only read, each below its own prefix."""
    samples = {
        name: shared_bucket.bucket.with_prefix(f"lists-{name}/") for name in ("plain", "tree", "odd", "underscored")
    }
    samples["plain"].fill(*PLAIN)
    samples["tree"].fill(*TREE)
    samples["odd"].fill(*ODD)
    samples["underscored"].fill("_obj1_", "_under1/bar", "_under1/baz/xyzzy", "_under2/thud", "_under2/bla")
    return samples


def listed(bucket: PrefixedBucket, operation: str, **parameters: Any) -> tuple[list[str], list[str]]:
    """Keys and folders of one page."""
    page = bucket.call(operation, None, **parameters)
    keys = [item["Key"] for item in page.get("Contents", [])]
    folders = [item["Prefix"] for item in page.get("CommonPrefixes", [])]
    if operation == "list_objects_v2":
        assert page["KeyCount"] == len(keys) + len(folders)
    return [key.removeprefix(bucket.prefix) for key in keys], [key.removeprefix(bucket.prefix) for key in folders]


# Folders


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("sample", "prefix", "delimiter", "keys", "folders"),
    [
        ("plain", "", "", PLAIN, []),
        ("plain", "ba", "", ["bar", "baz"], []),
        ("plain", "ba", "r", ["baz"], ["bar"]),
        ("plain", "ba", "z", ["bar"], ["baz"]),
        ("plain", "", "a", ["foo", "quxx"], ["ba"]),
        ("plain", "nowhere", "", [], []),
        ("plain", "nowhere", "/", [], []),
        ("plain", "ba", "nowhere", ["bar", "baz"], []),
        ("plain", "", "\n", PLAIN, []),
        ("plain", "\n", "", [], []),
        ("tree", "", "/", ["asdf"], ["boo/", "cquux/"]),
        ("tree", "boo/", "/", ["boo/bar"], ["boo/baz/"]),
        ("tree", "boo", "/", [], ["boo/"]),
        ("tree", "boo/ba", "r", ["boo/baz/xyzzy"], ["boo/bar"]),
        ("tree", "", "o/", ["asdf", "cquux/bla", "cquux/thud"], ["boo/"]),
        ("underscored", "", "/", ["_obj1_"], ["_under1/", "_under2/"]),
        ("underscored", "_under1/", "/", ["_under1/bar"], ["_under1/baz/"]),
        ("odd", "", " ", ["b%az", "b.in", "c+ab", "c_on", "foo", "é/è"], ["b "]),
        ("odd", "", "%", ["b ar", "b.in", "c+ab", "c_on", "foo", "é/è"], ["b%"]),
        ("odd", "", ".", ["b ar", "b%az", "c+ab", "c_on", "foo", "é/è"], ["b."]),
        ("odd", "", "+", ["b ar", "b%az", "b.in", "c_on", "foo", "é/è"], ["c+"]),
        ("odd", "", "_", ["b ar", "b%az", "b.in", "c+ab", "foo", "é/è"], ["c_"]),
        ("odd", "é", "/", [], ["é/"]),
        ("odd", "", "é", ["b ar", "b%az", "b.in", "c+ab", "c_on", "foo"], ["é"]),
    ],
)
def test_keys_are_grouped_at_the_delimiter_after_the_prefix(
    samples: dict[str, PrefixedBucket],
    operation: str,
    sample: str,
    prefix: str,
    delimiter: str,
    keys: list[str],
    folders: list[str],
) -> None:
    bucket = samples[sample]
    parameters = {"Prefix": bucket.key(prefix), "Delimiter": delimiter}
    assert listed(bucket, operation, **parameters) == (keys, folders)
    page = bucket.call(operation, None, **parameters)
    assert page["Prefix"] == parameters["Prefix"]
    assert page.get("Delimiter") == (delimiter or None)
    assert page["IsTruncated"] is False and "NextMarker" not in page and "NextContinuationToken" not in page


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_key_that_ends_with_the_delimiter_is_listed_in_its_folder(bucket: PrefixedBucket, operation: str) -> None:
    bucket.put("asdf/")
    assert listed(bucket, operation, Prefix=bucket.key("asdf/"), Delimiter="/") == (["asdf/"], [])
    assert listed(bucket, operation, Prefix=bucket.key("asdf"), Delimiter="/") == ([], ["asdf/"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_keys_after_a_large_folder_are_listed(bucket: PrefixedBucket, operation: str) -> None:
    bucket.fill("0/", *(f"0/{number}" for number in range(30)), "1999", "1999#", "1999+", "2000")
    assert listed(bucket, operation, Prefix=bucket.prefix, Delimiter="/", MaxKeys=5) == (
        ["1999", "1999#", "1999+", "2000"],
        ["0/"],
    )


def test_keys_are_sorted_by_their_bytes(empty_bucket: PrefixedBucket) -> None:
    keys = ["Z", "a", "a!", "a/b", "a0", "aé", "b", "zz", "~", "é", "\ue000", "😀"]
    assert sorted(keys, key=str.encode) == keys
    empty_bucket.fill(*reversed(keys))
    assert listed(empty_bucket, "list_objects_v2") == (keys, [])
    assert [key for key, *_ in empty_bucket.versions()] == keys


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_empty_bucket_lists_nothing(empty_bucket: PrefixedBucket, operation: str) -> None:
    page = empty_bucket.call(operation, None)
    assert "Contents" not in page and page["IsTruncated"] is False
    assert (page["Name"], page["Prefix"], page["MaxKeys"]) == (empty_bucket.name, "", 1000)
    assert "Versions" not in empty_bucket.call("list_object_versions", None)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_listing_a_missing_bucket_is_refused(bucket: PrefixedBucket, operation: str) -> None:
    other = bucket.with_prefix("")
    other.name = "team-nowhere"
    assert other.refused(operation, None) == (404, "NoSuchBucket")


# Encoding


@pytest.mark.parametrize("operation", OPERATIONS)
def test_names_are_url_encoded_on_request(bucket: PrefixedBucket, operation: str) -> None:
    bucket.fill("foo+1/bar", "foo/bar/xyzzy", "quux ab/thud", "asdf+b")
    page = bucket.call(operation, None, Prefix=bucket.prefix, Delimiter="/", EncodingType="url")
    assert page["EncodingType"] == "url"
    assert [item["Key"] for item in page["Contents"]] == [bucket.key("asdf%2Bb")]
    folders = [item["Prefix"] for item in page["CommonPrefixes"]]
    assert folders == [bucket.key(name) for name in ("foo%2B1/", "foo/", "quux%20ab/")]


@pytest.mark.parametrize("query", ["", "list-type=2", "versions"])
def test_names_without_encoding_are_valid_xml(bucket: PrefixedBucket, query: str) -> None:
    bucket.fill('<&>"', "é")
    reply = bucket.request("GET", None, f"{query}&prefix={bucket.prefix}")
    assert reply.status == 200 and b"EncodingType" not in reply.body
    assert b"&lt;&amp;&gt;&quot;" in reply.body and "é".encode() in reply.body


def test_an_unknown_encoding_is_refused(bucket: PrefixedBucket) -> None:
    assert bucket.refused("list_objects", None, EncodingType="rot13") == (400, "InvalidArgument")


# Pages


@pytest.mark.parametrize(
    ("max_keys", "prefix", "pages"),
    [
        (1, "", [(["asdf"], []), ([], ["boo/"]), ([], ["cquux/"])]),
        (2, "", [(["asdf"], ["boo/"]), ([], ["cquux/"])]),
        (1, "boo/", [(["boo/bar"], []), ([], ["boo/baz/"])]),
        (2, "boo/", [(["boo/bar"], ["boo/baz/"])]),
    ],
)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_pages_continue_after_keys_and_folders(
    samples: dict[str, PrefixedBucket], operation: str, max_keys: int, prefix: str, pages: list[Any]
) -> None:
    bucket = samples["tree"]
    assert list(paged(bucket, operation, MaxKeys=max_keys, Prefix=bucket.key(prefix), Delimiter="/")) == pages


def paged(bucket: PrefixedBucket, operation: str, **parameters: Any) -> Iterator[tuple[list[str], list[str]]]:
    """All pages, each parameters for with what the one before names."""
    while True:
        yield listed(bucket, operation, **parameters)
        page = bucket.call(operation, None, **parameters)
        if not page["IsTruncated"]:
            return
        entries = [item["Key"] for item in page.get("Contents", [])]
        entries += [item["Prefix"] for item in page.get("CommonPrefixes", [])]
        if operation == "list_objects":
            assert page["NextMarker"] == max(entries)
            parameters["Marker"] = page["NextMarker"]
        else:
            parameters["ContinuationToken"] = page["NextContinuationToken"]


def test_without_a_delimiter_the_last_key_is_the_next_marker(samples: dict[str, PrefixedBucket]) -> None:
    page = samples["plain"].call("list_objects", None, Prefix=samples["plain"].prefix, MaxKeys=2)
    assert page["IsTruncated"] is True and "NextMarker" not in page
    last = page["Contents"][-1]["Key"]
    rest = listed(samples["plain"], "list_objects", Prefix=samples["plain"].prefix, Marker=last)
    assert rest == (["foo", "quxx"], [])


@pytest.mark.parametrize(
    ("marker", "keys"),
    [("", PLAIN), ("bar", PLAIN[1:]), ("blah", PLAIN[2:]), ("zzz", []), ("\n", PLAIN), ("ba", PLAIN), ("quxx", [])],
)
def test_a_list_starts_after_its_marker(samples: dict[str, PrefixedBucket], marker: str, keys: list[str]) -> None:
    bucket = samples["plain"]
    for operation, name in (("list_objects", "Marker"), ("list_objects_v2", "StartAfter")):
        parameters = {"Prefix": bucket.prefix, name: bucket.key(marker)}
        assert listed(bucket, operation, **parameters) == (keys, [])
        assert bucket.call(operation, None, **parameters)[name] == bucket.key(marker)


def test_a_marker_within_a_folder_lists_the_folder_again(samples: dict[str, PrefixedBucket]) -> None:
    bucket = samples["tree"]
    for operation, name in (("list_objects", "Marker"), ("list_objects_v2", "StartAfter")):
        within = {"Prefix": bucket.prefix, "Delimiter": "/", name: bucket.key("boo/bar")}
        assert listed(bucket, operation, **within) == ([], ["boo/", "cquux/"])
        beyond = within | {name: bucket.key("boo/zzz")}
        assert listed(bucket, operation, **beyond) == ([], ["cquux/"])


def test_a_continuation_token_overrides_start_after(samples: dict[str, PrefixedBucket]) -> None:
    bucket = samples["plain"]
    parameters = {"Prefix": bucket.prefix, "StartAfter": bucket.key("bar"), "MaxKeys": 1}
    first = bucket.call("list_objects_v2", None, **parameters)
    token = first["NextContinuationToken"]
    rest = bucket.call("list_objects_v2", None, **parameters | {"ContinuationToken": token, "MaxKeys": 1000})
    assert (rest["ContinuationToken"], rest["StartAfter"]) == (token, bucket.key("bar"))
    assert [item["Key"] for item in rest["Contents"]] == [bucket.key("foo"), bucket.key("quxx")]
    assert rest["IsTruncated"] is False


def test_an_empty_continuation_token_is_ignored(samples: dict[str, PrefixedBucket]) -> None:
    page = samples["plain"].call("list_objects_v2", None, Prefix=samples["plain"].prefix, ContinuationToken="")
    assert (page["ContinuationToken"], page["KeyCount"]) == ("", 4)


@pytest.mark.parametrize(
    "token", ["nonsense", "W10", "WyJhIl0", "é", "WyJhIiwxXQ", "WyJhIiwgImIiXQ", "WyJhIiwgImIiXQ.AAAA"]
)
def test_an_invalid_continuation_token_is_refused(bucket: PrefixedBucket, token: str) -> None:
    assert bucket.refused("list_objects_v2", None, ContinuationToken=token) == (400, "InvalidArgument")


@pytest.mark.parametrize("query", ["", "list-type=2", "versions", "uploads"])
@pytest.mark.parametrize(("value", "status"), [("blah", 400), ("-1", 400), ("1.5", 400), ("", 200), ("99999", 200)])
def test_an_invalid_page_size_is_refused(bucket: PrefixedBucket, query: str, value: str, status: int) -> None:
    name = "max-uploads" if query == "uploads" else "max-keys"
    reply = bucket.request("GET", None, f"{query}&{name}={value}&prefix={bucket.prefix}")
    assert (reply.status, reply.code if status == 400 else "") == (status, "InvalidArgument" if status == 400 else "")
    if status == 200:
        assert b"1000</Max" in reply.body


@pytest.mark.parametrize("operation", [*OPERATIONS, "list_object_versions"])
def test_a_page_of_zero_keys_is_not_truncated(samples: dict[str, PrefixedBucket], operation: str) -> None:
    page = samples["plain"].call(operation, None, Prefix=samples["plain"].prefix, MaxKeys=0)
    assert page["IsTruncated"] is False and "Contents" not in page and "Versions" not in page


def test_unordered_lists_cannot_have_a_delimiter(samples: dict[str, PrefixedBucket]) -> None:
    bucket = samples["plain"]
    for query in ("", "list-type=2&"):
        parameters = f"{query}allow-unordered=true&prefix={bucket.prefix}"
        assert bucket.request("GET", None, parameters).body.count(b"<Contents>") == 4
        assert bucket.request("GET", None, f"{parameters}&delimiter=/").code == "InvalidArgument"


# Attributes


def test_a_list_has_the_same_attributes_as_head(bucket: PrefixedBucket) -> None:
    bucket.fill("bar", "baz")
    acl = bucket.call("get_object_acl", "bar")
    versions = {key: id for key, id, _, _ in bucket.versions()}
    for item in bucket.call("list_objects", None, Prefix=bucket.prefix)["Contents"]:
        key = item["Key"].removeprefix(bucket.prefix)
        head = bucket.call("head_object", key)
        assert (item["ETag"], item["Size"], item["StorageClass"]) == (head["ETag"], head["ContentLength"], "STANDARD")
        assert item["LastModified"].replace(microsecond=0) == head["LastModified"]
        assert item["Owner"] == acl["Owner"]
        assert versions[key] == head["VersionId"]
    for item in bucket.call("list_object_versions", None, Prefix=bucket.prefix)["Versions"]:
        assert item["Owner"] == acl["Owner"]


@pytest.mark.parametrize(
    ("parameters", "included"), [({}, False), ({"FetchOwner": False}, False), ({"FetchOwner": True}, True)]
)
def test_list_objects_v2_includes_owners_on_request(
    samples: dict[str, PrefixedBucket], parameters: Any, included: bool
) -> None:
    page = samples["plain"].call("list_objects_v2", None, Prefix=samples["plain"].prefix, **parameters)
    assert all(("Owner" in item) is included for item in page["Contents"])
