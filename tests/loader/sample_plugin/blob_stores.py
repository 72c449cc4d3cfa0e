"""A blob store of the sample plugin: a folder of its own."""

from teamspace.blobs import FolderStore
from teamspace.core.tables import BlobStoreSpec
from teamspace.settings import Settings

BLOB_STORES = (BlobStoreSpec("sample-store", "open_sample", "Files in a folder named sample."),)


def open_sample(settings: Settings) -> FolderStore:
    return FolderStore(settings.data / "sample", settings.disk_floor)
