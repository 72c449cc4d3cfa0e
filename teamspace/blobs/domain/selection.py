"""Open the blob store that the settings select."""

from teamspace.blobs.domain.local import FolderStore
from teamspace.blobs.domain.remote import BucketAddress, BucketStore
from teamspace.blobs.schemas import BlobStore
from teamspace.settings import Settings


def open_store(settings: Settings) -> BlobStore:
    root = settings.data / "blobs"
    if settings.blob_store == "rs3":
        return FolderStore(root, settings.disk_floor)
    return BucketStore(
        BucketAddress(settings.s3_url, settings.s3_bucket, settings.s3_region, settings.s3_key_id, settings.s3_secret),
        root,
        settings.disk_floor,
    )
