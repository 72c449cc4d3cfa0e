"""DOCX templates: an archive whose parts with text are filled in. Runs in a thread, with limits for every part."""

import io
import re
import zipfile
import zlib

from teamspace.core.errors import BadRequest, TooLarge
from teamspace.pipeline.domain import docx_marks, docx_sections, templates, xml_trees
from teamspace.pipeline.domain.templates import Rendering
from teamspace.pipeline.domain.xml_trees import BadXml

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MAX_FILE = 5 * 1024 * 1024
MAX_UNPACKED = 20 * 1024 * 1024
MAX_MEMBERS = 500
MAX_PART = 4 * 1024 * 1024
"""Bytes of one part with text."""
_DOCUMENT = "word/document.xml"
_PARTS = re.compile(r"word/(?:document|header\d{0,3}|footer\d{0,3}|footnotes|endnotes)\.xml")
_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""The time of every member, so that equal documents have equal bytes."""
_DAMAGED = (BadXml, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)


def render(template: bytes, rendering: Rendering) -> bytes:
    """Return the document with all fields filled in; raise BadRequest if the template is no DOCX, TooLarge beyond limits."""
    try:
        members = _unpack(template)
        if _DOCUMENT not in members:
            raise BadXml
        parts = {name: _compile(data) for name, data in members.items() if _PARTS.fullmatch(name)}
    except _DAMAGED:
        raise BadRequest.at("/arguments/template", "pipeline.docx") from None
    return _pack(members | {name: templates.render(part, rendering).encode() for name, part in parts.items()})


def _compile(data: bytes) -> list[templates.TemplatePart]:
    if len(data) > MAX_PART:
        raise TooLarge("pipeline.docx_size", limit=MAX_PART)
    nodes = xml_trees.parse(data.decode("utf-8-sig"))
    docx_marks.gather(nodes)
    return docx_sections.compile_nodes(nodes)


def _unpack(data: bytes) -> dict[str, bytes]:
    """Return the members of an archive; what they claim of their size is not trusted."""
    members, room = dict[str, bytes](), MAX_UNPACKED
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_MEMBERS:
            raise TooLarge("pipeline.docx_size", limit=MAX_UNPACKED)
        for entry in entries:
            with archive.open(entry) as member:
                members[entry.filename] = member.read(room + 1)
            room -= len(members[entry.filename])
            if room < 0:
                raise TooLarge("pipeline.docx_size", limit=MAX_UNPACKED)
    return members


def _pack(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _ALWAYS), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
