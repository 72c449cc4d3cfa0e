"""Fill in a template with data: a form beside the source, in the template's format."""

import hashlib
from typing import Any

import msgspec

from teamspace import fulltext, repository
from teamspace.blobs import BlobStore
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound, TooLarge
from teamspace.core.principal import Principal
from teamspace.pipeline.domain import deriving, docx, fields, templates, xml_trees
from teamspace.pipeline.domain.templates import Rendering
from teamspace.pipeline.schemas import DerivationPlan, DerivedContent, FilledForm, FormTemplate, PipelineCall
from teamspace.repository import MARKDOWN, ObjectRow, VersionSource
from teamspace.tools import Artifact

TOOL = "doc_render"
MAX_TEMPLATE = 1024 * 1024
"""Bytes of a text template."""
MAX_DATA = 1024 * 1024
"""Bytes of JSON."""
HTML = "text/html"
_EXTENSIONS = {MARKDOWN: "md", "text/plain": "txt", HTML: "html", docx.CONTENT_TYPE: "docx"}
_HTML_BEGINS = ("<!doctype html", "<html")
_MAX_NAME = 1024


async def render(call: PipelineCall, name: str, template: str, data: dict[str, Any]) -> Artifact:
    row = await deriving.find_source(call.db, call.who, name)
    encoded = await pools.TEXT.run(msgspec.json.encode, data)
    if len(encoded) > MAX_DATA:
        raise TooLarge("pipeline.data", limit=MAX_DATA)
    form = await _find_template(call.db, call.files, call.who, template)
    filled = await pools.TEXT.run(_fill, form, data)
    origin = await _find_origin(call, row, data)
    sources = (*origin, form.source) if form.source and form.source.object_id != row.id else origin
    recipe = await pools.TEXT.run(deriving.hash_recipe, TOOL, hashlib.sha256(form.data).hexdigest(), data)
    plan = DerivationPlan(row, f".form.{form.extension}", form.content_type, recipe, sources)

    async def make() -> DerivedContent:
        is_text = form.text is not None and form.content_type != HTML
        text = filled.data.decode() if is_text else None
        searched = None if text is None else await fulltext.prepare(text, is_markdown=form.content_type == MARKDOWN)
        return DerivedContent(filled.data, searched)

    derived = await deriving.derive(call, plan, make)
    missing = f"; missing: {', '.join(filled.missing[:5])}" if filled.missing else ""
    return Artifact(
        kind="document", title=derived.row.filename, summary=f"filled in from {row.key}{missing}",
        content_type=form.content_type, object_id=derived.row.id, version_id=derived.version.id,
        extra={"key": derived.row.key, "version": derived.version.number, "missing": filled.missing,
               "source": {"object_id": row.id, "version": origin[0].number}},
    )  # fmt: skip


def _fill(form: FormTemplate, data: dict[str, Any]) -> FilledForm:
    """Runs in a thread."""
    if form.text is None:
        rendering = Rendering(data, xml_trees.escape)
        return FilledForm(docx.render(form.data, rendering), list(rendering.missing))
    rendering = Rendering(data, templates.escape_html if form.content_type == HTML else templates.keep)
    filled = templates.render(templates.parse(form.text), rendering)
    return FilledForm(filled.encode(errors="replace"), list(rendering.missing))


async def _find_origin(call: PipelineCall, row: ObjectRow, data: dict[str, Any]) -> tuple[VersionSource, ...]:
    """Return what the data comes from: the document's extracted fields, if these are the data, and their source.

    The source may have changed since its fields were extracted: the form is then as old as they are.
    """
    newest = (VersionSource(row.id, row.version),)
    try:
        found = await repository.get_by_id_or_key(call.db, call.who, row.key + fields.SUFFIX)
        derivation = await repository.get_latest_derivation(call.db, found, row.id)
        if derivation is None or found.size > fields.MAX_SIZE:
            return newest
        if await pools.TEXT.run(_decode, await repository.read_text(call.db, call.files, found)) != data:
            return newest
    except NotFound:
        return newest
    return VersionSource(row.id, derivation.checked_number), VersionSource(found.id, found.version)


def _decode(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


# Templates


async def _find_template(db: Db, files: BlobStore, who: Principal, given: str) -> FormTemplate:
    """Return the document with this id or key; or the text itself, if it has marks or several lines."""
    try:
        return await _load(db, files, who, await _find_document(db, who, given))
    except NotFound:
        if "{{" not in given and "\n" not in given:
            raise NotFound("pipeline.no_template") from None
    if len(given.encode(errors="replace")) > MAX_TEMPLATE:
        raise TooLarge("pipeline.template", limit=MAX_TEMPLATE)
    kind = HTML if given.lstrip()[:20].lower().startswith(_HTML_BEGINS) else MARKDOWN
    return FormTemplate(_EXTENSIONS[kind], kind, given, given.encode(errors="replace"))


async def _find_document(db: Db, who: Principal, given: str) -> ObjectRow:
    if len(given) > _MAX_NAME or "\n" in given:
        raise NotFound()
    return await repository.get_by_id_or_key(db, who, given)


async def _load(db: Db, files: BlobStore, who: Principal, row: ObjectRow) -> FormTemplate:
    kind = row.content_type
    if kind not in _EXTENSIONS:
        raise BadRequest.at("/arguments/template", "pipeline.template_type")
    limit = docx.MAX_FILE if kind == docx.CONTENT_TYPE else MAX_TEMPLATE
    if row.size > limit:
        raise TooLarge("pipeline.template", limit=limit)
    version = await repository.get_version(db, row, row.version)
    content = repository.reading.read_range(db, files, version, 0, version.size)
    data = b"".join([chunk async for chunk in content])
    text = None if kind == docx.CONTENT_TYPE else await pools.TEXT.run(data.decode, "utf-8", "replace")
    return FormTemplate(_EXTENSIONS[kind], kind, text, data, VersionSource(row.id, row.version))
