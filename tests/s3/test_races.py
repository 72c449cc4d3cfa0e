"""Concurrent writes: one of them wins, version numbers are unique, and aborted uploads stay aborted."""

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

from tests.s3.help import MIB, Bucket, Person, refused, wait_until
from tests.support.served import HOST, Served

WRITERS = 50
KEY = "plan.txt"
CONFLICTS = {"PreconditionFailed", "ConditionalRequestConflict"}


@pytest.fixture
def bucket(owner: Person) -> Bucket:
    bucket = owner.bucket(max_pool_connections=WRITERS)
    run_concurrently([bucket.head_bucket] * WRITERS)  # open all connections before the race
    return bucket


def run_concurrently(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """The result of each call, or its error code."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait()
        try:
            return call()
        except ClientError as error:
            return error.response["Error"]["Code"]

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def put_calls(bucket: Bucket, **condition: str) -> list[Callable[[], Any]]:
    """Calls that each write and return different bytes."""

    def put(body: bytes) -> bytes:
        bucket.put_object(KEY, Body=body, **condition)
        return body

    return [partial(put, f"by {number}".encode()) for number in range(WRITERS)]


@pytest.mark.both_databases
def test_one_of_many_concurrent_creations_wins(bucket: Bucket) -> None:
    outcomes = run_concurrently(put_calls(bucket, IfNoneMatch="*"))
    [winner] = [outcome for outcome in outcomes if isinstance(outcome, bytes)]
    assert {outcome for outcome in outcomes if outcome is not winner} <= CONFLICTS
    assert (bucket.read(KEY), len(bucket.versions())) == (winner, 1)


@pytest.mark.both_databases
def test_one_of_many_concurrent_replacements_wins(bucket: Bucket) -> None:
    seen = bucket.put_object(KEY, Body=b"first")["ETag"]
    outcomes = run_concurrently(put_calls(bucket, IfMatch=seen))
    [winner] = [outcome for outcome in outcomes if isinstance(outcome, bytes)]
    assert {outcome for outcome in outcomes if outcome is not winner} <= CONFLICTS
    assert (bucket.read(KEY), len(bucket.versions())) == (winner, 2)


def complete_and_abort(bucket: Bucket) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Calls that complete and abort the same new upload."""
    upload = bucket.create_multipart_upload(KEY)["UploadId"]
    tag = bucket.upload_part(KEY, UploadId=upload, PartNumber=1, Body=b"whole")["ETag"]
    parts = {"Parts": [{"PartNumber": 1, "ETag": tag}]}
    return (
        partial(bucket.complete_multipart_upload, KEY, UploadId=upload, MultipartUpload=parts, IfNoneMatch="*"),
        partial(bucket.abort_multipart_upload, KEY, UploadId=upload),
    )


@pytest.mark.both_databases
def test_completing_an_upload_concurrently_adds_one_version(bucket: Bucket) -> None:
    complete, _ = complete_and_abort(bucket)
    outcomes = run_concurrently([complete] * 8)
    [(id, _)] = bucket.versions()
    assert [answer if isinstance(answer, str) else answer["VersionId"] for answer in outcomes] == [id] * 8
    assert bucket.read(KEY) == b"whole"


@pytest.mark.both_databases
def test_an_upload_is_either_completed_or_aborted(bucket: Bucket) -> None:
    for _ in range(10):
        outcomes = run_concurrently(complete_and_abort(bucket))
        assert outcomes.count("NoSuchUpload") == 1, outcomes
        assert bucket.keys() == ([KEY] if isinstance(outcomes[0], dict) else [])
        bucket.delete_object(KEY)
    assert "Uploads" not in bucket.list_multipart_uploads()


@pytest.mark.both_databases
def test_version_numbers_are_unique_under_concurrent_writes_and_deletions(owner: Person, bucket: Bucket) -> None:
    bucket.put_object(KEY, Body=b"first")
    outcomes = run_concurrently(
        [call for put in put_calls(bucket)[:25] for call in (put, lambda: bucket.delete_object(KEY))]
    )
    assert not any(isinstance(outcome, str) for outcome in outcomes), Counter(map(str, outcomes))
    audit_log = owner.call("GET", "/api/audit?limit=100")["items"]
    numbers = [row["detail"]["version"] for row in audit_log if row["action"].startswith("object.")]
    assert sorted(numbers) == list(range(1, 52))
    assert len(bucket.versions()) == 51


def is_receiving(served: Served) -> bool:
    """Whether a large blob is being received."""
    with suppress(FileNotFoundError):
        staged = (Path(served.settings["SERVICE_DATA"]) / "blobs" / "tmp").iterdir()
        return any(file.stat().st_size > MIB for file in staged)
    return False


@pytest.mark.both_databases
def test_a_part_received_after_its_upload_was_aborted_is_discarded(owner: Person, bucket: Bucket) -> None:
    upload = bucket.create_multipart_upload(KEY)["UploadId"]
    url = bucket.link("upload_part", KEY, UploadId=upload, PartNumber=1)
    connection = http.client.HTTPConnection(HOST, owner.served.port, timeout=60)
    connection.putrequest("PUT", url.removeprefix(owner.served.url))
    connection.putheader("content-length", str(8 * MIB))
    connection.endheaders(os.urandom(6 * MIB))
    wait_until(lambda: is_receiving(owner.served))
    bucket.abort_multipart_upload(KEY, UploadId=upload)
    connection.send(os.urandom(2 * MIB))
    answer = connection.getresponse()
    assert (answer.status, b"<Code>NoSuchUpload</Code>" in answer.read()) == (404, True)
    connection.close()
    wait_until(lambda: not is_receiving(owner.served))
    assert refused(lambda: bucket.list_parts(KEY, UploadId=upload)) == (404, "NoSuchUpload")
    assert bucket.versions() == []
