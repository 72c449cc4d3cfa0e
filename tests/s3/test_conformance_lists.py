"""Lists of keys and folders, in both of S3's ways: what is in them, in which order, and where they go on."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.s3.places import Place

WAYS = ["list_objects", "list_objects_v2"]
PLAIN = ["bar", "baz", "foo", "quxx"]
TREE = ["asdf", "boo/bar", "boo/baz/xyzzy", "cquux/bla", "cquux/thud"]
ODD = ["b ar", "b%az", "b.in", "c+ab", "c_on", "é/è", "foo"]


@pytest.fixture(scope="module")
def shelves(running: Any) -> dict[str, Place]:
    """Keys that tests only look at: each set in a bucket's folder of its own."""
    made = {name: running.shared.below(f"lists-{name}/") for name in ("plain", "tree", "odd", "underscored")}
    made["plain"].fill(*PLAIN)
    made["tree"].fill(*TREE)
    made["odd"].fill(*ODD)
    made["underscored"].fill("_obj1_", "_under1/bar", "_under1/baz/xyzzy", "_under2/thud", "_under2/bla")
    return made


def listed(bucket: Place, way: str, **parameters: Any) -> tuple[list[str], list[str]]:
    """Keys and folders of one page."""
    page = bucket.do(way, None, **parameters)
    keys = [item["Key"] for item in page.get("Contents", [])]
    folders = [item["Prefix"] for item in page.get("CommonPrefixes", [])]
    if way == "list_objects_v2":
        assert page["KeyCount"] == len(keys) + len(folders)
    return [key.removeprefix(bucket.prefix) for key in keys], [key.removeprefix(bucket.prefix) for key in folders]


# Folders


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("shelf", "prefix", "delimiter", "keys", "folders"),
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
def test_keys_are_folded_at_the_delimiter_beyond_the_prefix(
    shelves: dict[str, Place], way: str, shelf: str, prefix: str, delimiter: str, keys: list[str], folders: list[str]
) -> None:
    bucket = shelves[shelf]
    asked = {"Prefix": bucket.key(prefix), "Delimiter": delimiter}
    assert listed(bucket, way, **asked) == (keys, folders)
    page = bucket.do(way, None, **asked)
    assert page["Prefix"] == asked["Prefix"]
    assert page.get("Delimiter") == (delimiter or None)
    assert page["IsTruncated"] is False and "NextMarker" not in page and "NextContinuationToken" not in page


@pytest.mark.parametrize("way", WAYS)
def test_a_key_that_ends_with_the_delimiter_is_a_key_in_its_own_folder(place: Place, way: str) -> None:
    place.put("asdf/")
    assert listed(place, way, Prefix=place.key("asdf/"), Delimiter="/") == (["asdf/"], [])
    assert listed(place, way, Prefix=place.key("asdf"), Delimiter="/") == ([], ["asdf/"])


@pytest.mark.parametrize("way", WAYS)
def test_what_follows_a_large_folder_is_not_skipped(place: Place, way: str) -> None:
    place.fill("0/", *(f"0/{number}" for number in range(30)), "1999", "1999#", "1999+", "2000")
    assert listed(place, way, Prefix=place.prefix, Delimiter="/", MaxKeys=5) == (
        ["1999", "1999#", "1999+", "2000"],
        ["0/"],
    )


def test_keys_come_in_the_order_of_their_bytes(empty: Place) -> None:
    keys = ["Z", "a", "a!", "a/b", "a0", "aé", "b", "zz", "~", "é", "\ue000", "😀"]
    assert sorted(keys, key=str.encode) == keys
    empty.fill(*reversed(keys))
    assert listed(empty, "list_objects_v2") == (keys, [])
    assert [key for key, *_ in empty.versions()] == keys


@pytest.mark.parametrize("way", WAYS)
def test_an_empty_bucket_lists_nothing(empty: Place, way: str) -> None:
    page = empty.do(way, None)
    assert "Contents" not in page and page["IsTruncated"] is False
    assert (page["Name"], page["Prefix"], page["MaxKeys"]) == (empty.name, "", 1000)
    assert "Versions" not in empty.do("list_object_versions", None)


@pytest.mark.parametrize("way", WAYS)
def test_a_bucket_that_is_not_there_lists_nothing_either(place: Place, way: str) -> None:
    other = place.below("")
    other.name = "team-nowhere"
    assert other.refused(way, None) == (404, "NoSuchBucket")


# Encoding


@pytest.mark.parametrize("way", WAYS)
def test_names_are_encoded_on_request(place: Place, way: str) -> None:
    place.fill("foo+1/bar", "foo/bar/xyzzy", "quux ab/thud", "asdf+b")
    page = place.do(way, None, Prefix=place.prefix, Delimiter="/", EncodingType="url")
    assert page["EncodingType"] == "url"
    assert [item["Key"] for item in page["Contents"]] == [place.key("asdf%2Bb")]
    folders = [item["Prefix"] for item in page["CommonPrefixes"]]
    assert folders == [place.key(name) for name in ("foo%2B1/", "foo/", "quux%20ab/")]


@pytest.mark.parametrize("query", ["", "list-type=2", "versions"])
def test_without_encoding_every_name_is_legal_xml(place: Place, query: str) -> None:
    place.fill('<&>"', "é")
    reply = place.raw("GET", None, f"{query}&prefix={place.prefix}")
    assert reply.status == 200 and b"EncodingType" not in reply.body
    assert b"&lt;&amp;&gt;&quot;" in reply.body and "é".encode() in reply.body


def test_an_unknown_encoding_is_refused(place: Place) -> None:
    assert place.refused("list_objects", None, EncodingType="rot13") == (400, "InvalidArgument")


# Pages


@pytest.mark.parametrize(
    ("most", "prefix", "pages"),
    [
        (1, "", [(["asdf"], []), ([], ["boo/"]), ([], ["cquux/"])]),
        (2, "", [(["asdf"], ["boo/"]), ([], ["cquux/"])]),
        (1, "boo/", [(["boo/bar"], []), ([], ["boo/baz/"])]),
        (2, "boo/", [(["boo/bar"], ["boo/baz/"])]),
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_pages_go_on_behind_keys_and_folders(
    shelves: dict[str, Place], way: str, most: int, prefix: str, pages: list[Any]
) -> None:
    bucket = shelves["tree"]
    assert list(paged(bucket, way, MaxKeys=most, Prefix=bucket.key(prefix), Delimiter="/")) == pages


def paged(bucket: Place, way: str, **parameters: Any) -> Iterator[tuple[list[str], list[str]]]:
    """All pages, each asked for with what the one before names."""
    while True:
        yield listed(bucket, way, **parameters)
        page = bucket.do(way, None, **parameters)
        if not page["IsTruncated"]:
            return
        entries = [item["Key"] for item in page.get("Contents", [])]
        entries += [item["Prefix"] for item in page.get("CommonPrefixes", [])]
        if way == "list_objects":
            assert page["NextMarker"] == max(entries)
            parameters["Marker"] = page["NextMarker"]
        else:
            parameters["ContinuationToken"] = page["NextContinuationToken"]


def test_without_a_delimiter_the_last_key_is_the_next_marker(shelves: dict[str, Place]) -> None:
    page = shelves["plain"].do("list_objects", None, Prefix=shelves["plain"].prefix, MaxKeys=2)
    assert page["IsTruncated"] is True and "NextMarker" not in page
    last = page["Contents"][-1]["Key"]
    rest = listed(shelves["plain"], "list_objects", Prefix=shelves["plain"].prefix, Marker=last)
    assert rest == (["foo", "quxx"], [])


@pytest.mark.parametrize(
    ("marker", "keys"),
    [("", PLAIN), ("bar", PLAIN[1:]), ("blah", PLAIN[2:]), ("zzz", []), ("\n", PLAIN), ("ba", PLAIN), ("quxx", [])],
)
def test_a_list_begins_behind_its_marker(shelves: dict[str, Place], marker: str, keys: list[str]) -> None:
    bucket = shelves["plain"]
    for way, name in (("list_objects", "Marker"), ("list_objects_v2", "StartAfter")):
        asked = {"Prefix": bucket.prefix, name: bucket.key(marker)}
        assert listed(bucket, way, **asked) == (keys, [])
        assert bucket.do(way, None, **asked)[name] == bucket.key(marker)


def test_a_marker_within_a_folder_shows_the_rest_of_the_folder(shelves: dict[str, Place]) -> None:
    bucket = shelves["tree"]
    for way, name in (("list_objects", "Marker"), ("list_objects_v2", "StartAfter")):
        within = {"Prefix": bucket.prefix, "Delimiter": "/", name: bucket.key("boo/bar")}
        assert listed(bucket, way, **within) == ([], ["boo/", "cquux/"])
        beyond = within | {name: bucket.key("boo/zzz")}
        assert listed(bucket, way, **beyond) == ([], ["cquux/"])


def test_a_token_goes_on_whatever_the_list_started_after(shelves: dict[str, Place]) -> None:
    bucket = shelves["plain"]
    asked = {"Prefix": bucket.prefix, "StartAfter": bucket.key("bar"), "MaxKeys": 1}
    first = bucket.do("list_objects_v2", None, **asked)
    token = first["NextContinuationToken"]
    rest = bucket.do("list_objects_v2", None, **asked | {"ContinuationToken": token, "MaxKeys": 1000})
    assert (rest["ContinuationToken"], rest["StartAfter"]) == (token, bucket.key("bar"))
    assert [item["Key"] for item in rest["Contents"]] == [bucket.key("foo"), bucket.key("quxx")]
    assert rest["IsTruncated"] is False


def test_an_empty_token_is_no_token(shelves: dict[str, Place]) -> None:
    page = shelves["plain"].do("list_objects_v2", None, Prefix=shelves["plain"].prefix, ContinuationToken="")
    assert (page["ContinuationToken"], page["KeyCount"]) == ("", 4)


@pytest.mark.parametrize("token", ["nonsense", "W10", "WyJhIl0", "é", "WyJhIiwxXQ"])
def test_a_token_of_nobody_is_refused(place: Place, token: str) -> None:
    assert place.refused("list_objects_v2", None, ContinuationToken=token) == (400, "InvalidArgument")


@pytest.mark.parametrize("query", ["", "list-type=2", "versions", "uploads"])
@pytest.mark.parametrize(("given", "status"), [("blah", 400), ("-1", 400), ("1.5", 400), ("", 200), ("99999", 200)])
def test_a_page_size_that_is_no_number_is_refused(place: Place, query: str, given: str, status: int) -> None:
    name = "max-uploads" if query == "uploads" else "max-keys"
    reply = place.raw("GET", None, f"{query}&{name}={given}&prefix={place.prefix}")
    assert (reply.status, reply.code if status == 400 else "") == (status, "InvalidArgument" if status == 400 else "")
    if status == 200:
        assert b"1000</Max" in reply.body


@pytest.mark.parametrize("way", [*WAYS, "list_object_versions"])
def test_a_page_of_nothing_is_not_cut_short(shelves: dict[str, Place], way: str) -> None:
    page = shelves["plain"].do(way, None, Prefix=shelves["plain"].prefix, MaxKeys=0)
    assert page["IsTruncated"] is False and "Contents" not in page and "Versions" not in page


def test_all_is_listed_without_an_order_but_not_in_folders(shelves: dict[str, Place]) -> None:
    bucket = shelves["plain"]
    for query in ("", "list-type=2&"):
        asked = f"{query}allow-unordered=true&prefix={bucket.prefix}"
        assert bucket.raw("GET", None, asked).body.count(b"<Contents>") == 4
        assert bucket.raw("GET", None, f"{asked}&delimiter=/").code == "InvalidArgument"


# What is told of each


def test_a_list_tells_what_a_look_at_each_key_tells(place: Place) -> None:
    place.fill("bar", "baz")
    acl = place.do("get_object_acl", "bar")
    versions = {key: id for key, id, _, _ in place.versions()}
    for item in place.do("list_objects", None, Prefix=place.prefix)["Contents"]:
        key = item["Key"].removeprefix(place.prefix)
        head = place.do("head_object", key)
        assert (item["ETag"], item["Size"], item["StorageClass"]) == (head["ETag"], head["ContentLength"], "STANDARD")
        assert item["LastModified"].replace(microsecond=0) == head["LastModified"]
        assert item["Owner"] == acl["Owner"]
        assert versions[key] == head["VersionId"]
    for item in place.do("list_object_versions", None, Prefix=place.prefix)["Versions"]:
        assert item["Owner"] == acl["Owner"]


@pytest.mark.parametrize(("asked", "told"), [({}, False), ({"FetchOwner": False}, False), ({"FetchOwner": True}, True)])
def test_the_second_way_tells_owners_on_request(shelves: dict[str, Place], asked: Any, told: bool) -> None:
    page = shelves["plain"].do("list_objects_v2", None, Prefix=shelves["plain"].prefix, **asked)
    assert all(("Owner" in item) is told for item in page["Contents"])
