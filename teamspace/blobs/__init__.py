"""Blobs: bytes addressed by SHA-256 in a company's namespace, kept as long as a row references them."""

from teamspace.blobs.domain.collecting import collect, find_untracked
from teamspace.blobs.domain.folder_identity import claim_folder
from teamspace.blobs.domain.local import FolderStore
from teamspace.blobs.domain.plugin_store import MAX_BYTES, PluginStore, find_missing
from teamspace.blobs.domain.reading import fetch_to_file, is_present, read, read_range, verify
from teamspace.blobs.domain.remote import BucketStore
from teamspace.blobs.domain.staging import as_stream, stage, stage_bytes, stage_copy
from teamspace.blobs.domain.storing import (
    add_reference,
    reference_staged,
    release_references,
    store_bytes,
    store_staged,
)
from teamspace.blobs.schemas import (
    BLOCK,
    NONE_IN_ROWS,
    SMALL,
    STRIDE,
    Blob,
    BlobMissing,
    BlobStore,
    DamagedBlob,
    LargeBlobStore,
    PlainBlobStore,
    StagedBlob,
    WrongFolder,
)
from teamspace.blobs.store import FOLDER_ID, invariants, is_known, is_referenced, select, select_unknown

__all__ = [
    "BLOCK",
    "FOLDER_ID",
    "MAX_BYTES",
    "NONE_IN_ROWS",
    "SMALL",
    "STRIDE",
    "Blob",
    "BlobMissing",
    "BlobStore",
    "BucketStore",
    "DamagedBlob",
    "FolderStore",
    "LargeBlobStore",
    "PlainBlobStore",
    "PluginStore",
    "StagedBlob",
    "WrongFolder",
    "add_reference",
    "as_stream",
    "claim_folder",
    "collect",
    "fetch_to_file",
    "find_missing",
    "find_untracked",
    "invariants",
    "is_known",
    "is_present",
    "is_referenced",
    "read",
    "read_range",
    "reference_staged",
    "release_references",
    "select",
    "select_unknown",
    "stage",
    "stage_bytes",
    "stage_copy",
    "store_bytes",
    "store_staged",
    "verify",
]
