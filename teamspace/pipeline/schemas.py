"""Data types of the document pipeline."""

from typing import Any

import msgspec

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.fulltext import Prepared
from teamspace.jobs import Queue
from teamspace.repository import ObjectRow, VersionRow, VersionSource
from teamspace.tools import ToolContext


class PipelineCall(msgspec.Struct, frozen=True):
    """A call of a tool that derives a document: who calls, for what, and what the tool writes with."""

    db: Db
    files: BlobStore
    queue: Queue
    who: Principal
    context: ToolContext
    run: str = ""
    step: str = ""

    @property
    def run_id(self) -> str | None:
        """The run that calls. A run that another caller names is not recorded."""
        is_own = self.context.caller == "workflow" and bool(self.run) and self.context.key.startswith(f"{self.run}:")
        return self.run if is_own else None


class DerivationPlan(msgspec.Struct, frozen=True):
    """What is to be derived from a document, and where it goes."""

    source: ObjectRow
    suffix: str
    """Appended to the key of the source."""
    content_type: str
    recipe: str
    sources: tuple[VersionSource, ...]


class DerivedContent(msgspec.Struct, frozen=True):
    data: bytes
    text: Prepared | None = None
    """The searchable text, if it need not be extracted."""


class DerivedDocument(msgspec.Struct, frozen=True):
    row: ObjectRow
    version: VersionRow


class TextIndexed(msgspec.Struct, frozen=True):
    """The result of indexing a document."""

    object_id: str
    version: int
    text_state: str
    characters: int
    reason: str | None = None


class TextArgument(msgspec.Struct, frozen=True):
    """The text of a document as a tool takes it: with the version it is from, if that is known."""

    text: str
    version: int | None = None


class FormTemplate(msgspec.Struct, frozen=True):
    extension: str
    content_type: str
    text: str | None
    """None for a DOCX."""
    data: bytes
    source: VersionSource | None = None
    """The document that it is, if it was not given as text."""


class FilledForm(msgspec.Struct, frozen=True):
    data: bytes
    missing: list[str]


Fields = dict[str, Any]
