"""Which store holds the blobs: the settings say so, and everybody who needs one asks here."""

from teamspace.blobs.domain.local import Folder
from teamspace.blobs.domain.remote import Address, Bucket
from teamspace.blobs.schemas import BlobStore
from teamspace.settings import Settings


def opened(settings: Settings) -> BlobStore:
    root = settings.data / "blobs"
    if settings.blob_store == "rs3":
        return Folder(root, settings.disk_floor)
    return Bucket(
        Address(settings.s3_url, settings.s3_bucket, settings.s3_region, settings.s3_key_id, settings.s3_secret),
        root,
        settings.disk_floor,
    )
