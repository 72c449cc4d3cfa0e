"""S3 uses the rights of the repository, checked with every request and every kind of signature."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx2
import pytest

from tests.ops.help import at, content
from tests.s3.help import PROVISION_TOKEN, Bucket, Instance, Key, Person, refused
from tests.support.served import Served

DENIED = (403, "AccessDenied")
NO_KEY = (404, "NoSuchKey")
NO_BUCKET = (404, "NoSuchBucket")
UNKNOWN = (403, "InvalidAccessKeyId")
TEAM_ACL = "bucket-owner-full-control"


def reads(bucket: Bucket, key: str) -> list[Callable[[], Any]]:
    source = {"Bucket": bucket.name, "Key": key}
    return [
        partial(bucket.get_object, key),
        partial(bucket.get_object_tagging, key),
        partial(bucket.get_object_acl, key),
        partial(bucket.get_object_attributes, key, ObjectAttributes=["ETag"]),
        partial(bucket.copy_object, "copy", CopySource=source),
    ]


def writes(bucket: Bucket, key: str) -> list[Callable[[], Any]]:
    source = {"Bucket": bucket.name, "Key": key}
    return [
        partial(bucket.put_object, key, Body=b"mine"),
        partial(bucket.create_multipart_upload, key),
        partial(bucket.copy_object, key, CopySource=source, MetadataDirective="REPLACE"),
        partial(bucket.put_object_tagging, key, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]}),
    ]


def read_refusals(bucket: Bucket, key: str) -> list[tuple[int, str]]:
    return [refused(read) for read in reads(bucket, key)]


def share(owner: Person, key: str, person: Person) -> str:
    """Share an object with a person; return its id."""
    found = owner.object(key)
    assert found is not None
    owner.call("POST", f"/api/repo-obj/{found['id']}/share", {"user_id": person.user_id})
    return str(found["id"])


# Objects


def test_a_private_object_of_another_is_not_found_and_not_overwritten(owner: Person) -> None:
    own, other = owner.bucket(), owner.add_member().bucket()
    version = own.put_object("plan.txt", Body=b"private")["VersionId"]
    assert set(read_refusals(other, "plan.txt")) == {NO_KEY}
    assert refused(partial(other.get_object, "plan.txt", VersionId=version))[0] == 404
    assert (other.keys(), other.keys("list_objects"), other.versions()) == ([], [], [])

    before = own.versions()
    assert [refused(write) for write in writes(other, "plan.txt")] == [DENIED, DENIED, NO_KEY, NO_KEY]
    other.delete_object("plan.txt")
    other.delete_object("plan.txt", VersionId=version)
    assert "Errors" not in other.delete_objects(Delete={"Objects": [{"Key": "plan.txt"}]})
    assert own.versions() == before
    assert own.read("plan.txt") == b"private"


def test_a_team_object_is_read_and_written_by_role(owner: Person) -> None:
    own, member, viewer = owner.bucket(), owner.add_member().bucket(), owner.add_member("viewer").bucket()
    own.put_object("plan.txt", Body=b"first", ACL=TEAM_ACL)
    found = owner.object("plan.txt")
    assert found and found["visibility"] == "team"
    for other in (member, viewer):
        assert (other.read("plan.txt"), other.keys(), len(other.versions())) == (b"first", ["plan.txt"], 1)
    assert {refused(write) for write in writes(viewer, "plan.txt")} == {DENIED}
    member.put_object("plan.txt", Body=b"second")
    assert own.read("plan.txt") == viewer.read("plan.txt") == b"second"
    for other in (member, viewer):
        assert refused(partial(other.delete_object, "plan.txt")) == DENIED
    answer = member.delete_objects(Delete={"Objects": [{"Key": "plan.txt"}, {"Key": "nothing"}]})
    assert [(error["Key"], error["Code"]) for error in answer["Errors"]] == [("plan.txt", "AccessDenied")]
    assert own.keys() == ["plan.txt"]


def test_only_a_manager_makes_an_object_visible_to_the_team(owner: Person) -> None:
    own, member = owner.bucket(), owner.add_member().bucket()
    own.put_object("plan.txt", Body=b"private")
    assert refused(partial(member.put_object_acl, "plan.txt", ACL=TEAM_ACL)) == NO_KEY
    own.put_object_acl("plan.txt", ACL=TEAM_ACL)
    assert member.read("plan.txt") == b"private"
    own.put_object("plan.txt", Body=b"again", ACL="private")
    assert member.read("plan.txt") == b"again"
    assert refused(partial(own.put_object_acl, "plan.txt", ACL="public-read")) == (400, "AccessControlListNotSupported")


def test_an_object_shared_for_viewing_is_read_and_not_written(owner: Person) -> None:
    guest = owner.add_member("guest")
    own, other = owner.bucket(), guest.bucket()
    own.put_object("plan.txt", Body=b"first")
    own.put_object("else.txt", Body=b"private")
    object_id = share(owner, "plan.txt", guest)
    assert (other.read("plan.txt"), other.keys(), len(other.versions())) == (b"first", ["plan.txt"], 1)
    assert {refused(write) for write in writes(other, "plan.txt")} == {DENIED}
    assert refused(partial(other.delete_object, "plan.txt")) == DENIED
    owner.call("POST", f"/api/repo-obj/{object_id}/unshare", {"user_id": guest.user_id})
    assert set(read_refusals(other, "plan.txt")) == {NO_KEY}
    assert own.read("plan.txt") == b"first"


# Keys


def test_a_key_scoped_to_reading_a_prefix_allows_nothing_else(owner: Person) -> None:
    own, scoped = owner.bucket(), owner.bucket(["files:read:reports/"])
    for key in ("reports/a", "reportsb", "plans/c"):
        own.put_object(key, Body=key.encode())
    assert scoped.read("reports/a") == b"reports/a"
    assert (scoped.keys(), scoped.keys(Prefix="plans/"), len(scoped.versions())) == (["reports/a"], [], 1)
    for key in ("reportsb", "plans/c"):
        assert refused(partial(scoped.get_object, key)) == NO_KEY
    for key in ("reports/a", "reports/new", "plans/c"):
        assert {refused(write) for write in writes(scoped, key)} == {DENIED}
        assert refused(partial(scoped.delete_object, key)) == DENIED
    assert own.keys() == ["plans/c", "reports/a", "reportsb"]


def test_a_key_scoped_to_writing_a_prefix_allows_nothing_else(owner: Person) -> None:
    own, scoped = owner.bucket(), owner.bucket(["files:write:in/"])
    own.put_object("plans/c", Body=b"kept")
    scoped.put_object("in/a", Body=b"first")
    scoped.put_object("in/a", Body=b"second")
    parts = scoped.create_multipart_upload("in/parts")["UploadId"]
    scoped.abort_multipart_upload("in/parts", UploadId=parts)
    for key in ("in/a", "plans/c"):
        *plain, copy = read_refusals(scoped, key)
        assert ({*plain, refused(partial(scoped.delete_object, key))}, copy) == ({DENIED}, NO_KEY)
    assert refused(scoped.keys) == refused(scoped.versions) == DENIED
    for key in ("plans/c", "plans/new"):
        assert refused(partial(scoped.put_object, key, Body=b"x")) == DENIED
    assert own.read("in/a") == b"second"
    assert own.keys() == ["in/a", "plans/c"]


def links(key: Key) -> list[Callable[[], httpx2.Response]]:
    """Presigned URLs of an object with both signature versions."""
    return [
        partial(httpx2.get, key.open_bucket(signature_version=version).link("get_object", "plan.txt"))
        for version in ("s3v4", "s3")
    ]


def status_and_code(call: Callable[[], httpx2.Response]) -> tuple[int, str]:
    answer = call()
    code = answer.text.partition("<Code>")[2].partition("</Code>")[0] if answer.status_code >= 400 else ""
    return answer.status_code, code


def test_a_revoked_key_is_refused_from_the_next_request_on(owner: Person) -> None:
    key = owner.key()
    bucket = key.open_bucket()
    bucket.put_object("plan.txt", Body=b"x")
    urls = links(owner.key()) + links(key)
    assert [status_and_code(link) for link in urls] == [(200, "")] * 4
    owner.call("DELETE", f"/api/s3/credentials/{key.id}")
    assert [status_and_code(link) for link in urls] == [(200, "")] * 2 + [UNKNOWN] * 2
    assert {refused(call) for call in (*reads(bucket, "plan.txt"), *writes(bucket, "plan.txt"))} == {UNKNOWN}


def test_the_keys_of_a_former_member_are_refused(owner: Person) -> None:
    member = owner.add_member()
    bucket = member.bucket()
    bucket.put_object("plan.txt", Body=b"x")
    urls = links(member.key())
    owner.call("DELETE", f"/api/members/{member.user_id}")
    assert [status_and_code(link) for link in urls] == [UNKNOWN] * 2
    assert refused(partial(bucket.get_object, "plan.txt")) == UNKNOWN
    assert refused(partial(bucket.put_object, "plan.txt", Body=b"y")) == UNKNOWN


# Companies and teams


@contextmanager
def suspended(served: Served, plane: str, token: str) -> Iterator[None]:
    served.call("POST", f"{plane}/suspend", token=token)
    try:
        yield
    finally:
        served.call("POST", f"{plane}/resume", token=token)


def check_only_reads(person: Person, plane: str, token: str) -> None:
    bucket = person.bucket()
    bucket.put_object("plan.txt", Body=b"first")
    upload = bucket.link("put_object", "plan.txt")
    upload_id = bucket.create_multipart_upload("plan.txt")["UploadId"]
    with suspended(person.served, plane, token):
        assert (bucket.read("plan.txt"), bucket.keys()) == (b"first", ["plan.txt"])
        assert bucket.list_parts("plan.txt", UploadId=upload_id).get("Parts", []) == []
        assert refused(partial(bucket.upload_part, "plan.txt", UploadId=upload_id, PartNumber=1, Body=b"x")) == DENIED
        assert {refused(write) for write in writes(bucket, "plan.txt")} == {DENIED}
        assert refused(partial(bucket.delete_object, "plan.txt")) == DENIED
        assert status_and_code(partial(httpx2.put, upload, content=b"second")) == DENIED
    assert bucket.read("plan.txt") == b"first"
    assert len(bucket.versions()) == 1
    assert status_and_code(partial(httpx2.put, upload, content=b"second")) == (200, "")


def test_a_suspended_company_reads_and_does_not_write(instance: Instance) -> None:
    slug, person = instance.company()
    check_only_reads(person, f"/api/orgs/{slug}", instance.ann.token)


@pytest.mark.parametrize("instance", ["hosted"], indirect=True)
def test_a_suspended_tenant_reads_and_does_not_write(owner: Person) -> None:
    check_only_reads(owner, "/api/instance", PROVISION_TOKEN)


def test_buckets_with_the_same_name_in_two_companies_are_separate(instance: Instance) -> None:
    (_, one), (_, two) = instance.company(), instance.company()
    first, second = one.bucket(), two.bucket()
    assert first.name == second.name
    first.put_object("plan.txt", Body=b"first", ACL=TEAM_ACL)
    assert set(read_refusals(second, "plan.txt")) == {NO_KEY}
    assert second.keys() == []
    second.put_object("plan.txt", Body=b"second")
    assert (first.read("plan.txt"), second.read("plan.txt")) == (b"first", b"second")


def test_the_bucket_of_another_team_is_not_found(instance: Instance) -> None:
    one, two = instance.owner().bucket(), instance.owner().bucket()
    one.put_object("plan.txt", Body=b"first", ACL=TEAM_ACL)
    foreign = Bucket(two.client, one.name)
    assert {refused(call) for call in (*reads(foreign, "plan.txt"), foreign.list_objects_v2)} == {NO_BUCKET}
    assert refused(partial(foreign.put_object, "plan.txt", Body=b"x")) == NO_BUCKET
    source = {"Bucket": one.name, "Key": "plan.txt"}
    assert refused(partial(two.copy_object, "plan.txt", CopySource=source)) == NO_BUCKET
    assert [bucket["Name"] for bucket in two.client.list_buckets()["Buckets"]] == [two.name]


# Credentials


def test_tokens_and_access_keys_are_not_interchangeable(owner: Person) -> None:
    key = owner.key()
    key.open_bucket().put_object("plan.txt", Body=b"x")
    path = f"/{key.bucket}/plan.txt"
    for bearer in (owner.token, key.access_key_id, key.secret_access_key):
        answer = httpx2.get(owner.served.url + path, headers={"authorization": f"Bearer {bearer}"})
        assert (answer.status_code, "plan" in answer.text.partition("<Resource>")[0]) == (400, False)
    for bearer in (key.access_key_id, key.secret_access_key):
        answer = httpx2.get(f"{owner.served.url}/api/whoami", headers={"authorization": f"Bearer {bearer}"})
        assert answer.status_code == 401
    for secret in (owner.token, key.secret_access_key):
        wrong = key._replace(access_key_id=owner.token, secret_access_key=secret)
        assert refused(partial(wrong.open_bucket().get_object, "plan.txt")) == UNKNOWN


async def test_secrets_are_shown_once_and_stored_encrypted(owner: Person) -> None:
    key = owner.key()
    key.open_bucket().put_object("plan.txt", Body=b"x")
    listing = owner.request("GET", "/api/s3/credentials").text
    assert key.access_key_id in listing
    settings = at(owner.served.log.with_suffix(""), owner.served.settings.get("SERVICE_DATABASE_URL", ""))
    rows = await content(settings)
    assert any(key.access_key_id.encode() in row for row in rows["audit"])
    files = b"".join(path.read_bytes() for path in settings.data.rglob("*") if path.is_file())
    database = b"".join(row for table in rows.values() for row in table)
    assert key.secret_access_key not in listing + owner.served.logs
    assert key.secret_access_key.encode() not in files + database


# Links


def presign(person: Person, object_id: str, **body: Any) -> httpx2.Response:
    return person.request("POST", f"/api/repo-obj/{object_id}/presign", body)


def presigned_url(person: Person, object_id: str, **body: Any) -> str:
    answer = presign(person, object_id, **body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["url"])


@pytest.fixture
def plan(owner: Person) -> str:
    """The id of an object with two versions."""
    bucket = owner.bucket()
    for body in (b"first", b"second"):
        bucket.put_object("plans/ü +.txt", Body=body)
    found = owner.object("plans/ü +.txt")
    assert found is not None
    return str(found["id"])


def test_a_link_reads_the_latest_version_or_a_given_one(owner: Person, plan: str) -> None:
    newest, first = presigned_url(owner, plan), presigned_url(owner, plan, version=1)
    assert [httpx2.get(url).content for url in (newest, first)] == [b"second", b"first"]
    owner.bucket().put_object("plans/ü +.txt", Body=b"third")
    assert [httpx2.get(url).content for url in (newest, first)] == [b"third", b"first"]
    assert status_and_code(partial(httpx2.put, newest, content=b"x")) == (403, "SignatureDoesNotMatch")


def test_a_link_for_writing_adds_a_version_and_cannot_read(owner: Person, plan: str) -> None:
    url = presigned_url(owner, plan, method="PUT")
    assert status_and_code(partial(httpx2.get, url)) == (403, "SignatureDoesNotMatch")
    assert httpx2.put(url, content=b"third").status_code == 200
    shown = owner.call("GET", f"/api/repo-obj/{plan}")
    assert (shown["version"], shown["size"]) == (3, 5)


def test_the_parameters_of_a_link_are_validated(owner: Person, plan: str) -> None:
    for seconds in (1, 604_800):
        assert f"X-Amz-Expires={seconds}&" in presigned_url(owner, plan, expires_in=seconds)
    wrong: list[dict[str, Any]] = [
        {"expires_in": 0}, {"expires_in": 604_801}, {"method": "DELETE"}, {"version": 0}, {"version": 1, "method": "PUT"},
    ]  # fmt: skip
    for body in wrong:
        assert presign(owner, plan, **body).status_code == 400, body
    assert presign(owner, plan, version=99).status_code == 404
    assert presign(owner, "no-such-object").status_code == 404


def test_a_link_needs_a_key_and_the_permission(owner: Person, plan: str) -> None:
    member = owner.add_member()
    assert presign(member, plan).status_code == 404
    share(owner, "plans/ü +.txt", member)
    assert presign(member, plan).status_code == 409
    key = member.key()
    url = presigned_url(member, plan)
    assert httpx2.get(url).content == b"second"
    assert presign(member, plan, method="PUT").status_code == 403
    member.call("DELETE", f"/api/s3/credentials/{key.id}")
    assert status_and_code(partial(httpx2.get, url)) == UNKNOWN


def test_rights_are_checked_again_when_a_link_is_used(owner: Person, plan: str) -> None:
    member = owner.add_member()
    member.key()
    share(owner, "plans/ü +.txt", member)
    url = presigned_url(member, plan)
    assert httpx2.get(url).content == b"second"
    owner.call("POST", f"/api/repo-obj/{plan}/unshare", {"user_id": member.user_id})
    assert status_and_code(partial(httpx2.get, url)) == NO_KEY
