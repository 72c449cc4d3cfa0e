"""Bucket settings that cannot be changed answer like unset ones."""

from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ("get_bucket_cors", "NoSuchCORSConfiguration"),
        ("get_bucket_encryption", "ServerSideEncryptionConfigurationNotFoundError"),
        ("get_bucket_lifecycle_configuration", "NoSuchLifecycleConfiguration"),
        ("get_bucket_ownership_controls", "OwnershipControlsNotFoundError"),
        ("get_bucket_policy", "NoSuchBucketPolicy"),
        ("get_bucket_policy_status", "NoSuchBucketPolicy"),
        ("get_bucket_replication", "ReplicationConfigurationNotFoundError"),
        ("get_bucket_tagging", "NoSuchTagSet"),
        ("get_bucket_website", "NoSuchWebsiteConfiguration"),
        ("get_object_lock_configuration", "ObjectLockConfigurationNotFoundError"),
        ("get_public_access_block", "NoSuchPublicAccessBlockConfiguration"),
    ],
)
def test_an_unset_configuration_is_not_found(bucket: PrefixedBucket, operation: str, code: str) -> None:
    assert bucket.refused(operation, None) == (404, code)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("get_bucket_accelerate_configuration", {}),
        ("get_bucket_logging", {}),
        ("get_bucket_notification_configuration", {}),
        ("get_bucket_request_payment", {"Payer": "BucketOwner"}),
        ("get_bucket_versioning", {"Status": "Enabled"}),
    ],
)
def test_a_default_configuration_is_returned(bucket: PrefixedBucket, operation: str, expected: dict[str, Any]) -> None:
    answer = bucket.call(operation, None)
    del answer["ResponseMetadata"]
    assert answer == expected


def test_changing_a_configuration_is_refused(bucket: PrefixedBucket) -> None:
    rules = {"CORSRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]}]}
    assert bucket.refused("put_bucket_cors", None, CORSConfiguration=rules) == (501, "NotImplemented")
    assert bucket.refused("delete_bucket_cors", None) == (501, "NotImplemented")
    assert (
        bucket.client.get_bucket_accelerate_configuration(Bucket=bucket.name)["ResponseMetadata"]["HTTPStatusCode"]
        == 200
    )
