"""Tools of the document pipeline. What they write is beside its source, and writing it twice is writing it once."""

from typing import Annotated, Any

from msgspec import Meta

from teamspace.ai import Gateway
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import row
from teamspace.core.tables import Tool
from teamspace.extraction import ReaderPool
from teamspace.jobs import Queue
from teamspace.pipeline.domain import fields, reading, rendering, translating
from teamspace.pipeline.schemas import PipelineCall, TextIndexed
from teamspace.quota import Spend
from teamspace.tools import Artifact, ToolContext

# fmt: off
TOOLS = (
    Tool("doc_text",            "doc_text",            "Return the whole text of a document or file; it is extracted if that was not done yet.", row(P.FILES_READ), artifacts=("text",), slow=True, only_documents=True),
    Tool("doc_extract_fields",  "doc_extract_fields",  "Extract fields from a document's text, as JSON for a schema, into a document beside it.", P.FILES_WRITE, F.CHAT, artifacts=("document",), slow=True, estimate="estimate_fields", only_documents=True),
    Tool("doc_render",          "doc_render",          "Fill in a template with data, into a document beside the given one. `missing` names the fields without a value.", P.FILES_WRITE, artifacts=("document",), slow=True, only_documents=True),
    Tool("doc_translate",       "doc_translate",       "Translate a document with the team's glossary, into a Markdown document beside it.", P.FILES_WRITE, F.TRANSLATE, artifacts=("document",), slow=True, estimate="estimate_translation", only_documents=True),
    Tool("repo_list_unindexed", "repo_list_unindexed", "List up to 40 documents whose text is not in the search index, and that the caller may change.", row(P.FILES_READ), only_documents=True),
    Tool("repo_extract_text",   "repo_extract_text",   "Extract the text of a document and add it to the search index.", row(P.FILES_READ), slow=True, only_documents=True),
)
# fmt: on

Reference = Annotated[str, Meta(max_length=1024, description="An id, such as from a search, or a key.")]
Version = Annotated[int, Meta(ge=1, lt=2**53, description="A version number; by default the newest.")]
Run = Annotated[
    str, Meta(max_length=100, description="The id of the run that calls the tool; recorded with the result.")
]
Step = Annotated[str, Meta(max_length=100, description="The step of the run.")]
Text = str | dict[str, Any]
Schema = Annotated[dict[str, Any], Meta(description="The JSON schema of the fields.")]
Template = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=rendering.MAX_TEMPLATE,
        description="A text with {{field}} and {{#list}}...{{/list}}; or the id or key of a Markdown, HTML or DOCX document.",
    ),
]
Data = Annotated[dict[str, Any], Meta(description="The values of the template's fields.")]
Locale = Annotated[str, Meta(min_length=2, max_length=35, description="A language tag, such as `de` or `pt-BR`.")]
ObjectId = Annotated[str, Meta(max_length=100, description="The id of a document.")]


async def doc_text(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, object: Reference, version: Version | None = None
) -> Artifact:
    return await reading.read(db, files, readers, who, object, version)


async def doc_extract_fields(
    db: Db, files: BlobStore, queue: Queue, gateway: Gateway, who: Principal, context: ToolContext, object: Reference,
    text: Text, schema: Schema, run: Run = "", step: Step = "",
) -> Artifact:  # fmt: skip
    call = PipelineCall(db, files, queue, who, context, run, step)
    return await fields.extract(call, gateway, object, text, schema)


async def doc_render(
    db: Db, files: BlobStore, queue: Queue, who: Principal, context: ToolContext, object: Reference,
    template: Template, data: Data, run: Run = "", step: Step = "",
) -> Artifact:  # fmt: skip
    return await rendering.render(PipelineCall(db, files, queue, who, context, run, step), object, template, data)


async def doc_translate(
    db: Db, files: BlobStore, queue: Queue, gateway: Gateway, readers: ReaderPool, who: Principal,
    context: ToolContext, object: Reference, locale: Locale, run: Run = "", step: Step = "",
) -> Artifact:  # fmt: skip
    call = PipelineCall(db, files, queue, who, context, run, step)
    return await translating.translate(call, gateway, readers, object, locale)


async def repo_list_unindexed(db: Db, who: Principal) -> list[str]:
    return await reading.list_unread(db, who)


async def repo_extract_text(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, id: ObjectId
) -> TextIndexed:  # fmt: skip
    return await reading.index(db, files, readers, who, id)


def estimate_fields(arguments: dict[str, Any]) -> Spend:
    return fields.estimate(arguments.get("text"))


def estimate_translation(arguments: dict[str, Any]) -> Spend:
    return translating.ESTIMATE
