"""What nobody can set of a bucket is told as S3 tells what is not set."""

from typing import Any

import pytest

from tests.s3.places import Place


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
def test_what_is_not_set_is_not_found(place: Place, operation: str, code: str) -> None:
    assert place.refused(operation, None) == (404, code)


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
def test_what_has_a_default_is_told(place: Place, operation: str, expected: dict[str, Any]) -> None:
    answer = place.do(operation, None)
    del answer["ResponseMetadata"]
    assert answer == expected


def test_no_setting_is_taken_and_forgotten(place: Place) -> None:
    rules = {"CORSRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]}]}
    assert place.refused("put_bucket_cors", None, CORSConfiguration=rules) == (501, "NotImplemented")
    assert place.refused("delete_bucket_cors", None) == (501, "NotImplemented")
    assert (
        place.client.get_bucket_accelerate_configuration(Bucket=place.name)["ResponseMetadata"]["HTTPStatusCode"] == 200
    )
