"""Bytes kept outside the database: by their SHA-256, in a company's namespace, for as long as a row names them."""

from teamspace.blobs.domain.keeping import collect, keep, read
from teamspace.blobs.domain.local import Folder
from teamspace.blobs.schemas import Blob, BlobMissing, BlobStore, DamagedBlob
from teamspace.blobs.store import is_known, is_named, select, select_unknown

__all__ = [
    "Blob",
    "BlobMissing",
    "BlobStore",
    "DamagedBlob",
    "Folder",
    "collect",
    "is_known",
    "is_named",
    "keep",
    "read",
    "select",
    "select_unknown",
]
