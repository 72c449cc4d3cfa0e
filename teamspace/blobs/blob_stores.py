"""A kind of blob store; the default one, rs3, is a plugin."""

from teamspace.blobs.domain.remote import BucketAddress, BucketStore
from teamspace.core.tables import BlobStoreSpec
from teamspace.settings import Settings

BLOB_STORES = (
    BlobStoreSpec("s3", "open_bucket", "Objects in a bucket of an S3-compatible service."),
)  # fmt: skip


def open_bucket(settings: Settings) -> BucketStore:
    return BucketStore(
        BucketAddress(settings.s3_url, settings.s3_bucket, settings.s3_region, settings.s3_key_id, settings.s3_secret),
        settings.data / "blobs",
        settings.disk_floor,
    )
