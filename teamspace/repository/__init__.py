"""The repository: objects by key with all their versions, and who can access them."""

from teamspace.repository.access import SUBJECTS
from teamspace.repository.domain import copying, deleting, key_order, multipart, naming, reading, writing
from teamspace.repository.domain.deleting import delete
from teamspace.repository.domain.finding import (
    get_as_of_version,
    get_by_id_or_key,
    get_permissions,
    get_version,
    get_version_at_key,
    get_visible,
    list_documents,
    read_fence,
    require,
    write_fence_without_grants,
)
from teamspace.repository.domain.multipart import abort_stale_uploads
from teamspace.repository.domain.reading import read_text
from teamspace.repository.domain.texts import NoText, read_version_text
from teamspace.repository.domain.writing import UploadLimit, add_version, put, unused_keys
from teamspace.repository.schemas import (
    MARKDOWN,
    Checksum,
    ObjectRow,
    PartRow,
    StoredHeaders,
    UploadPartRow,
    UploadRow,
    VersionDraft,
    VersionRow,
    VersionText,
    VersionWritten,
    Visibility,
    WholeBlob,
    WriteCondition,
)
from teamspace.repository.store import BLOB_COLUMNS, COUNTS, INVARIANTS, OWNED_TABLES

__all__ = [
    "BLOB_COLUMNS",
    "COUNTS",
    "INVARIANTS",
    "MARKDOWN",
    "OWNED_TABLES",
    "SUBJECTS",
    "Checksum",
    "NoText",
    "ObjectRow",
    "PartRow",
    "StoredHeaders",
    "UploadLimit",
    "UploadPartRow",
    "UploadRow",
    "VersionDraft",
    "VersionRow",
    "VersionText",
    "VersionWritten",
    "Visibility",
    "WholeBlob",
    "WriteCondition",
    "abort_stale_uploads",
    "add_version",
    "copying",
    "delete",
    "deleting",
    "get_as_of_version",
    "get_by_id_or_key",
    "get_permissions",
    "get_version",
    "get_version_at_key",
    "get_visible",
    "key_order",
    "list_documents",
    "multipart",
    "naming",
    "put",
    "read_fence",
    "read_text",
    "read_version_text",
    "reading",
    "require",
    "unused_keys",
    "write_fence_without_grants",
    "writing",
]
