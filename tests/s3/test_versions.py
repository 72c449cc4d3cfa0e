"""S3 versions are the versions of the repository: one history for S3 and HTTP, and delete markers."""

from functools import partial
from typing import Any

import pytest

from tests.s3.help import Bucket, Person, list_all, refused, wait_until
from tests.support.served import teamspace

KEY = "plans/crane ü.txt"
NO_KEY = (404, "NoSuchKey")
GONE = (404, "NoSuchVersion")


@pytest.fixture
def bucket(owner: Person) -> Bucket:
    return owner.bucket()


def put(bucket: Bucket, body: bytes) -> str:
    """Write a version; return its id."""
    version: str = bucket.put_object(KEY, Body=body)["VersionId"]
    return version


def get_object(owner: Person) -> dict[str, Any]:
    """The object with its versions, from the HTTP API."""
    found = owner.object(KEY)
    assert found is not None
    details: dict[str, Any] = owner.call("GET", f"/api/repo-obj/{found['id']}")
    return details


def numbers(owner: Person) -> list[int]:
    return [version["number"] for version in get_object(owner)["versions"]]


def search(owner: Person, query: str) -> list[str]:
    return [hit["id"] for hit in owner.call("GET", f"/api/search?q={query}")["items"]]


def actions(owner: Person, object_id: str) -> list[str]:
    """The audited actions on an object, oldest first."""
    rows = owner.call("GET", "/api/audit?limit=100")["items"]
    return [row["action"] for row in reversed(rows) if row["target"] == object_id]


def test_a_moved_object_has_its_new_key_with_all_its_versions(owner: Person, bucket: Bucket) -> None:
    ids, moved = [put(bucket, body) for body in (b"first", b"second")], "archive/crane 2030.txt"
    found = owner.object(KEY)
    assert found is not None
    assert owner.call("POST", f"/api/repo-obj/{found['id']}/move", {"key": moved})["key"] == moved
    assert bucket.keys() == [moved]
    assert refused(partial(bucket.get_object, KEY)) == NO_KEY
    assert refused(partial(bucket.get_object, KEY, VersionId=ids[0])) == GONE
    assert bucket.read(moved) == b"second"
    assert [bucket.read(moved, VersionId=id) for id in ids] == [b"first", b"second"]
    listed = bucket.list_object_versions()
    assert [(each["Key"], each["VersionId"], each["IsLatest"]) for each in listed["Versions"]] == [
        (moved, ids[1], True), (moved, ids[0], False)
    ]  # fmt: skip
    assert "DeleteMarkers" not in listed
    bucket.put_object(KEY, Body=b"another")
    assert [bucket.read(key) for key in (moved, KEY)] == [b"second", b"another"]


def test_s3_and_http_writes_share_one_history(owner: Person, bucket: Bucket) -> None:
    bodies = [b"by S3", b"by HTTP", b"by S3 again", b"by HTTP again"]
    for number, body in enumerate(bodies):
        if number % 2:
            assert owner.request("PUT", f"/api/repo/{KEY}", body).status_code == 200
        else:
            put(bucket, body)
    history = get_object(owner)["versions"]
    assert [(version["number"], version["actor_kind"]) for version in history] == [
        (4, "human"), (3, "s3"), (2, "human"), (1, "s3")
    ]  # fmt: skip
    ids = [version["id"] for version in history]
    assert bucket.versions() == [(id, False) for id in ids]
    assert [bucket.read(KEY, VersionId=id) for id in reversed(ids)] == bodies
    path = f"/api/repo-obj/{get_object(owner)['id']}/content?version="
    assert [owner.request("GET", f"{path}{number}").content for number in (1, 2, 3, 4)] == bodies


def test_a_deleted_key_is_not_found_and_its_versions_are_kept(owner: Person, bucket: Bucket) -> None:
    first = put(bucket, b"The excavator arrives on Monday.")
    object_id = get_object(owner)["id"]
    wait_until(lambda: search(owner, "excavator") == [object_id])
    marker = bucket.delete_object(KEY)
    assert marker["DeleteMarker"] is True
    assert refused(partial(bucket.get_object, KEY)) == NO_KEY
    assert refused(partial(bucket.get_object, KEY, VersionId=marker["VersionId"])) == (405, "MethodNotAllowed")
    assert (bucket.keys(), bucket.keys("list_objects"), owner.object(KEY)) == ([], [], None)
    for path in ("", "/content", "/content?version=1"):
        assert owner.request("GET", f"/api/repo-obj/{object_id}{path}").status_code == 404
    assert search(owner, "excavator") == []
    assert bucket.versions() == [(marker["VersionId"], True), (first, False)]
    assert bucket.read(KEY, VersionId=first) == b"The excavator arrives on Monday."


def test_a_write_after_a_deletion_revives_the_same_object(owner: Person, bucket: Bucket) -> None:
    put(bucket, b"first")
    object_id = get_object(owner)["id"]
    bucket.delete_object(KEY)
    put(bucket, b"third")
    assert (get_object(owner)["id"], numbers(owner)) == (object_id, [3, 1])
    bucket.delete_object(KEY)
    assert owner.request("PUT", f"/api/repo/{KEY}", b"fifth").status_code == 201
    assert (get_object(owner)["id"], numbers(owner)) == (object_id, [5, 3, 1])
    assert bucket.read(KEY) == b"fifth"


def test_removing_the_delete_marker_restores_the_object(owner: Person, bucket: Bucket) -> None:
    put(bucket, b"The excavator is back.")
    before = get_object(owner)
    marker = bucket.delete_object(KEY)["VersionId"]
    bucket.delete_object(KEY, VersionId=marker)
    after = get_object(owner)
    assert (after["id"], after["version"], after["sha256"]) == (before["id"], 1, before["sha256"])
    assert bucket.read(KEY) == b"The excavator is back."
    wait_until(lambda: search(owner, "excavator") == [before["id"]])
    put(bucket, b"next")
    assert numbers(owner) == [3, 1]


def test_removing_the_latest_version_reveals_the_previous_one_and_numbers_are_not_reused(
    owner: Person, bucket: Bucket
) -> None:
    ids = [put(bucket, body) for body in (b"first", b"second", b"third")]
    bucket.delete_object(KEY, VersionId=ids[2])
    assert (get_object(owner)["version"], bucket.read(KEY)) == (2, b"second")
    put(bucket, b"fourth")
    assert numbers(owner) == [4, 2, 1]
    bucket.delete_object(KEY, VersionId=ids[0])
    assert numbers(owner) == [4, 2]
    assert refused(partial(bucket.get_object, KEY, VersionId=ids[0])) == GONE
    assert owner.request("GET", f"/api/repo-obj/{get_object(owner)['id']}/content?version=3").status_code == 404


def test_removing_all_versions_removes_the_object(owner: Person, bucket: Bucket) -> None:
    ids = [put(bucket, b"first"), put(bucket, b"second"), bucket.delete_object(KEY)["VersionId"]]
    object_id = owner.call("GET", "/api/audit?limit=1")["items"][0]["target"]
    answer = bucket.delete_objects(Delete={"Objects": [{"Key": KEY, "VersionId": id} for id in ids]})
    assert {item["VersionId"] for item in answer["Deleted"]} == set(ids)
    assert bucket.versions() == []
    put(bucket, b"another")
    assert get_object(owner)["id"] != object_id
    assert numbers(owner) == [1]


def test_deleting_a_missing_key_adds_only_a_delete_marker(owner: Person, bucket: Bucket) -> None:
    id = put(bucket, b"first")
    marker = bucket.delete_object("nothing")["VersionId"]
    bucket.delete_object(KEY, VersionId="01a1dfb2-e7a0-7001-91d5-428850a7746c")
    assert bucket.versions() == [(marker, True), (id, False)]
    assert [item["key"] for item in list_all(owner)] == [KEY]
    bucket.delete_object("nothing", VersionId=marker)
    assert bucket.versions() == [(id, False)]


def test_every_change_is_audited(owner: Person, bucket: Bucket) -> None:
    first = put(bucket, b"first")
    object_id = get_object(owner)["id"]
    bucket.put_object_tagging(KEY, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]})
    put(bucket, b"second")
    bucket.delete_object(KEY, VersionId=first)
    bucket.delete_object(KEY)
    assert actions(owner, object_id) == [
        "object.create", "object.tag", "object.update", "object.drop_version", "object.remove"
    ]  # fmt: skip


def test_the_doctor_finds_no_faults_after_deletions(owner: Person, bucket: Bucket) -> None:
    ids = [put(bucket, body) for body in (b"small", b"x" * 300_000, b"x" * 300_000)]
    bucket.copy_object("copy", CopySource={"Bucket": bucket.name, "Key": KEY})
    bucket.delete_object(KEY, VersionId=ids[1])
    bucket.delete_object(KEY)
    doctor = teamspace("doctor", "--deep", settings=owner.served.settings)
    assert doctor.returncode == 0 and "BROKEN" not in doctor.stdout, doctor.stdout + doctor.stderr


def test_deleting_over_http_removes_all_versions(owner: Person, bucket: Bucket) -> None:
    put(bucket, b"first")
    put(bucket, b"second")
    owner.call("DELETE", f"/api/repo-obj/{get_object(owner)['id']}")
    assert refused(partial(bucket.get_object, KEY)) == NO_KEY
    assert (bucket.keys(), bucket.versions()) == ([], [])


def test_every_version_is_listed_once_with_any_page_size(bucket: Bucket) -> None:
    for key in ("a", "b/1", "b/2", "c d", "ü"):
        for _ in range(3):
            bucket.put_object(key, Body=b"x")
        if key in ("a", "b/2"):
            bucket.delete_object(key)
    versions = bucket.versions()
    assert (len(versions), sum(marker for _, marker in versions)) == (17, 2)
    for size in (1, 2, 3, 4, 16, 17, 18):
        assert bucket.versions(PaginationConfig={"PageSize": size}) == versions
        below = bucket.versions(Delimiter="/", PaginationConfig={"PageSize": size})
        assert len(below) == len(set(below)) == 10
