"""Versions in the bucket are the repository's: one row of numbers for both doors, and deleting that leaves what it should."""

from functools import partial
from typing import Any

import pytest

from tests.s3.help import Bucket, Person, pages, refused, until
from tests.support.served import teamspace

KEY = "plans/crane ü.txt"
NO_KEY = (404, "NoSuchKey")
GONE = (404, "NoSuchVersion")


@pytest.fixture
def bucket(owner: Person) -> Bucket:
    return owner.bucket()


def put(bucket: Bucket, body: bytes) -> str:
    """The version's id."""
    version: str = bucket.put_object(KEY, Body=body)["VersionId"]
    return version


def shown(owner: Person) -> dict[str, Any]:
    """The object with its versions, as HTTP shows it."""
    found = owner.object(KEY)
    assert found is not None
    whole: dict[str, Any] = owner.call("GET", f"/api/repo-obj/{found['id']}")
    return whole


def numbers(owner: Person) -> list[int]:
    return [version["number"] for version in shown(owner)["versions"]]


def found_words(owner: Person, words: str) -> list[str]:
    return [hit["id"] for hit in owner.call("GET", f"/api/search?q={words}")["items"]]


def actions(owner: Person, object_id: str) -> list[str]:
    """What the trail tells of an object, oldest first."""
    rows = owner.call("GET", "/api/audit?limit=100")["items"]
    return [row["action"] for row in reversed(rows) if row["target"] == object_id]


def test_writes_through_both_doors_make_one_history(owner: Person, bucket: Bucket) -> None:
    bodies = [b"by S3", b"by HTTP", b"by S3 again", b"by HTTP again"]
    for number, body in enumerate(bodies):
        if number % 2:
            assert owner.ask("PUT", f"/api/repo/{KEY}", body).status_code == 200
        else:
            put(bucket, body)
    history = shown(owner)["versions"]
    assert [(version["number"], version["actor_kind"]) for version in history] == [
        (4, "human"), (3, "s3"), (2, "human"), (1, "s3")
    ]  # fmt: skip
    ids = [version["id"] for version in history]
    assert bucket.versions() == [(id, False) for id in ids]
    assert [bucket.read(KEY, VersionId=id) for id in reversed(ids)] == bodies
    path = f"/api/repo-obj/{shown(owner)['id']}/content?version="
    assert [owner.ask("GET", f"{path}{number}").content for number in (1, 2, 3, 4)] == bodies


def test_a_deleted_key_is_absent_everywhere_and_its_versions_stay(owner: Person, bucket: Bucket) -> None:
    first = put(bucket, b"The excavator arrives on Monday.")
    object_id = shown(owner)["id"]
    until(lambda: found_words(owner, "excavator") == [object_id])
    mark = bucket.delete_object(KEY)
    assert mark["DeleteMarker"] is True
    assert refused(partial(bucket.get_object, KEY)) == NO_KEY
    assert refused(partial(bucket.get_object, KEY, VersionId=mark["VersionId"])) == (405, "MethodNotAllowed")
    assert (bucket.keys(), bucket.keys("list_objects"), owner.object(KEY)) == ([], [], None)
    for path in ("", "/content", "/content?version=1"):
        assert owner.ask("GET", f"/api/repo-obj/{object_id}{path}").status_code == 404
    assert found_words(owner, "excavator") == []
    assert bucket.versions() == [(mark["VersionId"], True), (first, False)]
    assert bucket.read(KEY, VersionId=first) == b"The excavator arrives on Monday."


def test_a_write_after_a_deletion_revives_the_same_object(owner: Person, bucket: Bucket) -> None:
    put(bucket, b"first")
    object_id = shown(owner)["id"]
    bucket.delete_object(KEY)
    put(bucket, b"third")
    assert (shown(owner)["id"], numbers(owner)) == (object_id, [3, 1])
    bucket.delete_object(KEY)
    assert owner.ask("PUT", f"/api/repo/{KEY}", b"fifth").status_code == 201
    assert (shown(owner)["id"], numbers(owner)) == (object_id, [5, 3, 1])
    assert bucket.read(KEY) == b"fifth"


def test_taking_the_mark_away_restores_what_was_there(owner: Person, bucket: Bucket) -> None:
    put(bucket, b"The excavator is back.")
    before = shown(owner)
    mark = bucket.delete_object(KEY)["VersionId"]
    bucket.delete_object(KEY, VersionId=mark)
    after = shown(owner)
    assert (after["id"], after["version"], after["sha256"]) == (before["id"], 1, before["sha256"])
    assert bucket.read(KEY) == b"The excavator is back."
    until(lambda: found_words(owner, "excavator") == [before["id"]])
    put(bucket, b"next")
    assert numbers(owner) == [3, 1]


def test_without_the_newest_version_the_one_before_is_shown_and_no_number_comes_twice(
    owner: Person, bucket: Bucket
) -> None:
    ids = [put(bucket, body) for body in (b"first", b"second", b"third")]
    bucket.delete_object(KEY, VersionId=ids[2])
    assert (shown(owner)["version"], bucket.read(KEY)) == (2, b"second")
    put(bucket, b"fourth")
    assert numbers(owner) == [4, 2, 1]
    bucket.delete_object(KEY, VersionId=ids[0])
    assert numbers(owner) == [4, 2]
    assert refused(partial(bucket.get_object, KEY, VersionId=ids[0])) == GONE
    assert owner.ask("GET", f"/api/repo-obj/{shown(owner)['id']}/content?version=3").status_code == 404


def test_without_any_version_there_is_no_object(owner: Person, bucket: Bucket) -> None:
    ids = [put(bucket, b"first"), put(bucket, b"second"), bucket.delete_object(KEY)["VersionId"]]
    object_id = owner.call("GET", "/api/audit?limit=1")["items"][0]["target"]
    answer = bucket.delete_objects(Delete={"Objects": [{"Key": KEY, "VersionId": id} for id in ids]})
    assert {item["VersionId"] for item in answer["Deleted"]} == set(ids)
    assert bucket.versions() == []
    put(bucket, b"another")
    assert shown(owner)["id"] != object_id
    assert numbers(owner) == [1]


def test_deleting_what_is_not_there_leaves_a_mark_and_nothing_else(owner: Person, bucket: Bucket) -> None:
    id = put(bucket, b"first")
    mark = bucket.delete_object("nothing")["VersionId"]
    bucket.delete_object(KEY, VersionId="01a1dfb2-e7a0-7001-91d5-428850a7746c")
    assert bucket.versions() == [(mark, True), (id, False)]
    assert [item["key"] for item in pages(owner)] == [KEY]
    bucket.delete_object("nothing", VersionId=mark)
    assert bucket.versions() == [(id, False)]


def test_every_change_is_on_the_trail(owner: Person, bucket: Bucket) -> None:
    first = put(bucket, b"first")
    object_id = shown(owner)["id"]
    bucket.put_object_tagging(KEY, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]})
    put(bucket, b"second")
    bucket.delete_object(KEY, VersionId=first)
    bucket.delete_object(KEY)
    assert actions(owner, object_id) == [
        "object.create", "object.tag", "object.update", "object.drop_version", "object.remove"
    ]  # fmt: skip


def test_the_doctor_finds_nothing_amiss_after_all_this(owner: Person, bucket: Bucket) -> None:
    ids = [put(bucket, body) for body in (b"small", b"x" * 300_000, b"x" * 300_000)]
    bucket.copy_object("copy", CopySource={"Bucket": bucket.name, "Key": KEY})
    bucket.delete_object(KEY, VersionId=ids[1])
    bucket.delete_object(KEY)
    examined = teamspace("doctor", "--deep", settings=owner.served.settings)
    assert examined.returncode == 0 and "BROKEN" not in examined.stdout, examined.stdout + examined.stderr


def test_what_http_deletes_is_gone_with_all_its_versions(owner: Person, bucket: Bucket) -> None:
    put(bucket, b"first")
    put(bucket, b"second")
    owner.call("DELETE", f"/api/repo-obj/{shown(owner)['id']}")
    assert refused(partial(bucket.get_object, KEY)) == NO_KEY
    assert (bucket.keys(), bucket.versions()) == ([], [])


def test_every_version_is_listed_once_at_every_size_of_page(bucket: Bucket) -> None:
    for key in ("a", "b/1", "b/2", "c d", "ü"):
        for _ in range(3):
            bucket.put_object(key, Body=b"x")
        if key in ("a", "b/2"):
            bucket.delete_object(key)
    whole = bucket.versions()
    assert (len(whole), sum(mark for _, mark in whole)) == (17, 2)
    for size in (1, 2, 3, 4, 16, 17, 18):
        assert bucket.versions(PaginationConfig={"PageSize": size}) == whole
        below = bucket.versions(Delimiter="/", PaginationConfig={"PageSize": size})
        assert len(below) == len(set(below)) == 10
