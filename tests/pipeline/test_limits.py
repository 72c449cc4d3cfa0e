"""The longest texts in their worst shapes, through every tool: none holds the event loop."""

import io
import zipfile

import pytest

from teamspace.core import errors
from teamspace.pipeline.domain import docx, translating, xml_trees
from teamspace.translation.domain import segments
from tests.mcp.help import loop_watched
from tests.pipeline.help import SCHEMA, call
from tests.pipeline.test_docx import lines, pack, paragraph
from tests.repository.help import put
from tests.support.world import Caller, World

SIZE = 2_000_000
SHAPES = {
    "one word": b"a" * SIZE,
    "one line": b"word. " * (SIZE // 6),
    "short lines": b"a\n" * (SIZE // 2),
    "empty lines": b"\n" * SIZE,
    "cells": b"|a long cell" * (SIZE // 12),
    "fences": b"```\n" * (SIZE // 4),
    "brackets": b"[(" * (SIZE // 2),
    "names": b"Total: 1\n" * (SIZE // 9),
    "letters of four bytes": "\U0001d4d0".encode() * (SIZE // 4),
}


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.mark.parametrize("shape", SHAPES)
async def test_no_text_holds_the_event_loop(ann: Caller, shape: str) -> None:
    document = (await put(ann, "in/long.md", SHAPES[shape]))["id"]
    async with loop_watched():
        text = await call(ann, "doc_text", object=document)
    assert text["text"].encode() == SHAPES[shape]
    async with loop_watched():
        await call(ann, "repo_extract_text", id=document)
    async with loop_watched():
        found = await call(ann, "doc_extract_fields", object=document, schema=SCHEMA, text=text)
    assert found["truncated"] is True
    async with loop_watched():
        await call(ann, "doc_render", object=document, template="{{text}}{{#names}}{{x}}{{/names}}", data={"text": "x"})
    async with loop_watched():
        await call(ann, "doc_translate", object=document, locale="de")


@pytest.mark.parametrize("shape", SHAPES)
def test_no_piece_of_a_text_is_longer_than_a_translation_may_be(shape: str) -> None:
    text = SHAPES[shape].decode()
    pieces = list(translating.pieces(text))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= translating.MAX_PIECE
    for piece in pieces[:3]:
        segments.lay_out({"": piece})


def test_a_row_of_many_different_cells_is_divided_between_them() -> None:
    text = "".join(f"|cell {number}" for number in range(20_000)) + "|\n"
    pieces = list(translating.pieces(text))
    assert "".join(pieces) == text and all(piece.startswith("|") for piece in pieces)
    assert all(len(segments.lay_out({"": piece}).segments) <= translating.MAX_UNITS for piece in pieces)


async def test_a_docx_template_is_filled_in_by_the_tool(ann: Caller) -> None:
    source = (await put(ann, "in/a.md", b"Text"))["id"]
    template = pack(
        paragraph("Dear {{name}}, {{nothing}}") + paragraph("{{#items}}") + paragraph("{{.}}") + paragraph("{{/items}}")
    )
    stored = await put(ann, "templates/letter.docx", template, content_type=docx.CONTENT_TYPE)
    data = {"name": "A & B", "items": ["one", "two"]}
    form = await call(ann, "doc_render", object=source, template="templates/letter.docx", data=data)
    assert (form["key"], form["content_type"], form["missing"]) == ("in/a.md.form.docx", docx.CONTENT_TYPE, ["nothing"])
    content = (await ann.get(f"/api/repo-obj/{form['object_id']}/content")).content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert lines(archive.read("word/document.xml").decode()) == ["Dear A &amp; B, ", "one", "two"]
    sources = (await ann.get(f"/api/repo-obj/{form['object_id']}/derivations")).json()["sources"]
    assert {each["id"] for each in sources} == {source, stored["id"]}


async def test_the_largest_docx_template_does_not_hold_the_event_loop(ann: Caller) -> None:
    source = (await put(ann, "in/a.md", b"Text"))["id"]
    one = paragraph("{{name}}", " and ", "{{#items}}", "{{.}}", "{{/items}}")
    body = one * (xml_trees.MAX_TOKENS // (one.count("<") + 5) - 10)
    assert docx.MAX_PART / 2 < len(body) < docx.MAX_PART
    await put(ann, "templates/large.docx", pack(body), content_type=docx.CONTENT_TYPE)
    async with loop_watched():
        form = await call(
            ann, "doc_render", object=source, template="templates/large.docx", data={"name": "x", "items": ["y"]}
        )
    assert form["missing"] == []


async def test_the_longest_form_does_not_hold_the_event_loop(ann: Caller) -> None:
    source = (await put(ann, "in/a.md", b"Text"))["id"]
    many = "{{#items}}{{.}}\n{{/items}}"
    async with loop_watched():
        await call(ann, "doc_render", object=source, template=many, data={"items": ["a.b" for _ in range(150_000)]})
    with pytest.raises(errors.TooLarge):
        await call(ann, "doc_render", object=source, template=many, data={"items": ["a" * 1000] * 1100})
