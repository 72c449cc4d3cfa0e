"""Many at once: one of them wins, no version number is given twice, and what was given up stays so."""

import http.client
import os
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.s3.help import MIB, Bucket, Person, refused, until
from tests.support.served import HOST, Served

MANY = 50
KEY = "plan.txt"
LOST = {"PreconditionFailed", "ConditionalRequestConflict"}


@pytest.fixture
def bucket(owner: Person) -> Bucket:
    bucket = owner.bucket(max_pool_connections=MANY)
    at_once([bucket.head_bucket] * MANY)  # so that every connection is there before a race begins
    return bucket


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What came of each: its answer, or the code of its refusal."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait()
        try:
            return call()
        except ClientError as refusal:
            return refusal.response["Error"]["Code"]

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def putting(bucket: Bucket, **condition: str) -> list[Callable[[], Any]]:
    """Each with bytes of its own, which are its answer."""

    def put(body: bytes) -> bytes:
        bucket.put_object(KEY, Body=body, **condition)
        return body

    return [partial(put, f"by {number}".encode()) for number in range(MANY)]


@pytest.mark.both_databases
def test_of_many_that_write_where_nothing_is_one_wins(bucket: Bucket) -> None:
    outcomes = at_once(putting(bucket, IfNoneMatch="*"))
    [winner] = [each for each in outcomes if isinstance(each, bytes)]
    assert {each for each in outcomes if each is not winner} <= LOST
    assert (bucket.read(KEY), len(bucket.versions())) == (winner, 1)


@pytest.mark.both_databases
def test_of_many_that_replace_what_they_have_seen_one_wins(bucket: Bucket) -> None:
    seen = bucket.put_object(KEY, Body=b"first")["ETag"]
    outcomes = at_once(putting(bucket, IfMatch=seen))
    [winner] = [each for each in outcomes if isinstance(each, bytes)]
    assert {each for each in outcomes if each is not winner} <= LOST
    assert (bucket.read(KEY), len(bucket.versions())) == (winner, 2)


def an_upload(bucket: Bucket) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Completing an upload, and aborting it."""
    upload = bucket.create_multipart_upload(KEY)["UploadId"]
    tag = bucket.upload_part(KEY, UploadId=upload, PartNumber=1, Body=b"whole")["ETag"]
    parts = {"Parts": [{"PartNumber": 1, "ETag": tag}]}
    return (
        partial(bucket.complete_multipart_upload, KEY, UploadId=upload, MultipartUpload=parts, IfNoneMatch="*"),
        partial(bucket.abort_multipart_upload, KEY, UploadId=upload),
    )


@pytest.mark.both_databases
def test_an_upload_that_is_completed_many_times_at_once_is_one_version(bucket: Bucket) -> None:
    complete, _ = an_upload(bucket)
    outcomes = at_once([complete] * 8)
    [(id, _)] = bucket.versions()
    assert [answer if isinstance(answer, str) else answer["VersionId"] for answer in outcomes] == [id] * 8
    assert bucket.read(KEY) == b"whole"


@pytest.mark.both_databases
def test_an_upload_is_completed_or_aborted_and_not_both(bucket: Bucket) -> None:
    for _ in range(10):
        outcomes = at_once(an_upload(bucket))
        assert outcomes.count("NoSuchUpload") == 1, outcomes
        assert bucket.keys() == ([KEY] if isinstance(outcomes[0], dict) else [])
        bucket.delete_object(KEY)
    assert "Uploads" not in bucket.list_multipart_uploads()


@pytest.mark.both_databases
def test_no_number_is_given_twice_while_a_key_is_written_and_deleted(owner: Person, bucket: Bucket) -> None:
    bucket.put_object(KEY, Body=b"first")
    outcomes = at_once([call for put in putting(bucket)[:25] for call in (put, lambda: bucket.delete_object(KEY))])
    assert not any(isinstance(each, str) for each in outcomes), Counter(map(str, outcomes))
    trail = owner.call("GET", "/api/audit?limit=100")["items"]
    numbers = [row["detail"]["version"] for row in trail if row["action"].startswith("object.")]
    assert sorted(numbers) == list(range(1, 52))
    assert len(bucket.versions()) == 51


def is_drafting(served: Served) -> bool:
    """Whether something large is on its way in."""
    with suppress(FileNotFoundError):
        drafts = (Path(served.settings["SERVICE_DATA"]) / "blobs" / "tmp").iterdir()
        return any(draft.stat().st_size > MIB for draft in drafts)
    return False


@pytest.mark.both_databases
def test_a_part_that_arrives_after_its_upload_was_aborted_is_not_kept(owner: Person, bucket: Bucket) -> None:
    upload = bucket.create_multipart_upload(KEY)["UploadId"]
    url = bucket.link("upload_part", KEY, UploadId=upload, PartNumber=1)
    connection = http.client.HTTPConnection(HOST, owner.served.port, timeout=60)
    connection.putrequest("PUT", url.removeprefix(owner.served.url))
    connection.putheader("content-length", str(8 * MIB))
    connection.endheaders(os.urandom(6 * MIB))
    until(lambda: is_drafting(owner.served))
    bucket.abort_multipart_upload(KEY, UploadId=upload)
    connection.send(os.urandom(2 * MIB))
    answer = connection.getresponse()
    assert (answer.status, b"<Code>NoSuchUpload</Code>" in answer.read()) == (404, True)
    connection.close()
    until(lambda: not is_drafting(owner.served))
    assert refused(lambda: bucket.list_parts(KEY, UploadId=upload)) == (404, "NoSuchUpload")
    assert bucket.versions() == []
