"""The repository: objects by key with all their versions, and the one rule of who may touch them."""

from teamspace.repository.domain import assembling, copying, naming, reading, removing, walking, writing
from teamspace.repository.domain.assembling import reap
from teamspace.repository.domain.finding import (
    as_of,
    documents,
    held,
    permissions,
    readable,
    seen,
    version_at,
    version_of,
)
from teamspace.repository.domain.reading import text_of
from teamspace.repository.domain.removing import delete
from teamspace.repository.domain.writing import Uploads, add_version, free_keys, put
from teamspace.repository.schemas import (
    MARKDOWN,
    Carried,
    Checksum,
    Condition,
    ObjectRow,
    ObjectWritten,
    PartRow,
    UploadPartRow,
    UploadRow,
    VersionRow,
    Visibility,
    Whole,
    Work,
)
from teamspace.repository.store import COUNTS, INVARIANTS, KEPT, OWNED

__all__ = [
    "COUNTS",
    "INVARIANTS",
    "KEPT",
    "MARKDOWN",
    "OWNED",
    "Carried",
    "Checksum",
    "Condition",
    "ObjectRow",
    "ObjectWritten",
    "PartRow",
    "UploadPartRow",
    "UploadRow",
    "Uploads",
    "VersionRow",
    "Visibility",
    "Whole",
    "Work",
    "add_version",
    "as_of",
    "assembling",
    "copying",
    "delete",
    "documents",
    "free_keys",
    "held",
    "naming",
    "permissions",
    "put",
    "readable",
    "reading",
    "reap",
    "removing",
    "seen",
    "text_of",
    "version_at",
    "version_of",
    "walking",
    "writing",
]
