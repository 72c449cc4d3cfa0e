"""Bytes kept outside the database: by their SHA-256, in a company's namespace, for as long as a row names them."""

from teamspace.blobs.domain.belonging import claim_folder
from teamspace.blobs.domain.choice import opened
from teamspace.blobs.domain.collecting import collect, search
from teamspace.blobs.domain.drafts import copied, drafted, in_hand, once
from teamspace.blobs.domain.keeping import hold, keep, name, release, store_draft
from teamspace.blobs.domain.local import Folder
from teamspace.blobs.domain.reading import fetched, prove, read, span
from teamspace.blobs.domain.remote import Bucket
from teamspace.blobs.schemas import BLOCK, SMALL, STRIDE, Blob, BlobMissing, BlobStore, DamagedBlob, Draft, WrongFolder
from teamspace.blobs.store import FOLDER_ID, invariants, is_known, is_named, select, select_unknown

__all__ = [
    "BLOCK",
    "FOLDER_ID",
    "SMALL",
    "STRIDE",
    "Blob",
    "BlobMissing",
    "BlobStore",
    "Bucket",
    "DamagedBlob",
    "Draft",
    "Folder",
    "WrongFolder",
    "claim_folder",
    "collect",
    "copied",
    "drafted",
    "fetched",
    "hold",
    "in_hand",
    "invariants",
    "is_known",
    "is_named",
    "keep",
    "name",
    "once",
    "opened",
    "prove",
    "read",
    "release",
    "search",
    "select",
    "select_unknown",
    "span",
    "store_draft",
]
