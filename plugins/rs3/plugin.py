"""The default blob store: one file per blob in the data folder, named by its digest; small ones are in the database."""

from teamspace.sdk import BlobStoreSpec, FolderStore, Settings

BLOB_STORES = (BlobStoreSpec("rs3", "open_folder", "Files in the data folder."),)


def open_folder(settings: Settings) -> FolderStore:
    return FolderStore(settings.data / "blobs", settings.disk_floor, small_in_rows=True)
