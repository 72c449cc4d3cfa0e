"""DOCX templates: marks over several runs, lists of paragraphs and rows, and archives that are not what they seem."""

import io
import re
import zipfile
from typing import Any
from xml.etree import ElementTree

import pytest

from teamspace.core.errors import BadRequest, TooLarge
from teamspace.pipeline.domain import docx, xml_trees
from teamspace.pipeline.domain.templates import Rendering

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def run(text: str, style: str = "") -> str:
    properties = f"<w:rPr>{style}</w:rPr>" if style else ""
    return f"<w:r>{properties}<w:t>{xml_trees.escape(text)}</w:t></w:r>"


def paragraph(*runs: str) -> str:
    return "<w:p>" + "".join(each if each.startswith("<") else run(each) for each in runs) + "</w:p>"


def table(*rows: tuple[str, ...]) -> str:
    cells = ["".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows]
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def pack(body: str, **more: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "word/document.xml", f'<?xml version="1.0"?><w:document {SPACE}><w:body>{body}</w:body></w:document>'
        )
        for name, data in more.items():
            archive.writestr(name.replace("__", "/"), data)
    return packed.getvalue()


def fill(body: str, data: Any, **more: bytes) -> tuple[str, list[str]]:
    rendering = Rendering(data, xml_trees.escape)
    with zipfile.ZipFile(io.BytesIO(docx.render(pack(body, **more), rendering))) as archive:
        xml = archive.read("word/document.xml").decode()
    ElementTree.fromstring(xml)  # it is well-formed
    return xml, list(rendering.missing)


def lines(xml: str) -> list[str]:
    """Return the texts of the paragraphs."""
    texts = [re.findall(r"<w:t[^>]*>([^<]*)</w:t>", each) for each in xml.split("</w:p>")[:-1]]
    return ["".join(found) for found in texts]


def test_a_field_is_filled_in_and_escaped() -> None:
    xml, missing = fill(paragraph("Dear {{name}}, {{nothing}}!"), {"name": "A & <B>\x01"})
    assert (lines(xml), missing) == (["Dear A &amp; &lt;B&gt;, !"], ["nothing"])


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_mark_that_is_split_over_runs_is_found(cut: int) -> None:
    mark = "{{ name.x }}"
    body = paragraph(run("A " + mark[:cut], "<w:b/>"), run(mark[cut:-1]), run(mark[-1] + " Z", "<w:i/>"))
    xml, _ = fill(body, {"name": {"x": "Ann"}})
    assert lines(xml) == ["A Ann Z"]
    assert xml.count("<w:b/>") == 1 and xml.count("<w:i/>") == 1


def test_everything_else_stays_as_it_is() -> None:
    body = (
        '<w:p w:rsidR="00A"><!-- a > b --><w:pPr/><w:r><w:tab/><w:t xml:space="preserve"> a &amp; b </w:t></w:r></w:p>'
    )
    xml, _ = fill(body, {})
    assert body in xml


def test_a_list_within_a_paragraph_repeats_runs() -> None:
    body = paragraph(run("Items: {{#items}}"), run("{{name}}", "<w:b/>"), run("; {{/items}}end"))
    xml, _ = fill(body, {"items": [{"name": "a"}, {"name": "b"}]})
    assert lines(xml) == ["Items: a; b; end"] and xml.count("<w:b/>") == 2
    assert lines(fill(paragraph("x{{#items}}{{name}},{{/items}}y"), {"items": [{"name": "a"}] * 2})[0]) == ["xa,a,y"]


def test_a_list_over_paragraphs_repeats_them_without_its_marks() -> None:
    body = (
        paragraph("Top")
        + paragraph("{{#items}}")
        + paragraph("{{name}}")
        + table(("{{price}}",))
        + paragraph("{{/items}}")
        + paragraph("End")
    )
    data = {"items": [{"name": "a", "price": 1}, {"name": "b", "price": 2}]}
    assert lines(fill(body, data)[0]) == ["Top", "a", "1", "b", "2", "End"]
    assert lines(fill(body, {"items": []})[0]) == ["Top", "End"]


def test_paragraphs_with_more_than_a_mark_are_repeated_too() -> None:
    body = paragraph("{{#items}}Item {{name}}:") + paragraph("costs {{price}}{{/items}}")
    assert lines(fill(body, {"items": [{"name": "a", "price": 1}, {"name": "b", "price": 2}]})[0]) == [
        "Item a:", "costs 1", "Item b:", "costs 2"
    ]  # fmt: skip


def test_a_list_over_cells_repeats_the_row() -> None:
    body = table(("Name", "Price"), ("{{#items}}{{name}}", "{{price}}{{/items}}"), ("Total", "{{total}}"))
    xml, _ = fill(body, {"items": [{"name": "a", "price": 1}, {"name": "b", "price": 2}], "total": 3})
    assert lines(xml) == ["Name", "Price", "a", "1", "b", "2", "Total", "3"] and xml.count("<w:tr>") == 4


def test_lists_in_lists() -> None:
    body = table(("{{#rows}}{{name}}", "{{#tags}}{{.}} {{/tags}}{{/rows}}"))
    xml, _ = fill(body, {"rows": [{"name": "a", "tags": ["x", "y"]}, {"name": "b", "tags": []}]})
    assert lines(xml) == ["a", "x y ", "b", ""]
    nested = "".join(map(paragraph, ("{{#a}}", "{{#b}}", "{{x}}{{y}}", "{{/b}}", "{{/a}}")))
    assert lines(fill(nested, {"a": [{"x": 1, "b": [{"y": 2}, {"y": 3}]}, {"x": 4, "b": []}]})[0]) == ["12", "13"]


def test_a_cell_always_has_a_paragraph() -> None:
    cell = "<w:tbl><w:tr><w:tc>" + "".join(map(paragraph, ("{{#a}}", "{{.}}", "{{/a}}"))) + "</w:tc></w:tr></w:tbl>"
    assert "<w:p/></w:tc>" in fill(cell, {"a": []})[0]


def test_headers_and_footers_are_filled_in() -> None:
    header = f"<w:hdr {SPACE}>{paragraph('Invoice {{number}}')}</w:hdr>".encode()
    rendering = Rendering({"number": 7}, xml_trees.escape)
    filled = docx.render(pack(paragraph("x"), word__header1_xml=b"", **{"word/header1.xml": header}), rendering)
    with zipfile.ZipFile(io.BytesIO(filled)) as archive:
        assert b"Invoice 7" in archive.read("word/header1.xml")
        assert archive.read("[Content_Types].xml") == b"<Types/>"


def test_equal_input_gives_equal_bytes() -> None:
    template = pack(paragraph("{{a}}"))
    assert docx.render(template, Rendering({"a": 1}, xml_trees.escape)) == docx.render(
        template, Rendering({"a": 1}, xml_trees.escape)
    )


@pytest.mark.parametrize(
    "body",
    [
        paragraph("{{#a}}"), paragraph("{{/a}}"), paragraph("{{#a}}{{/b}}"),
        paragraph("{{#a}}") + table(("{{/a}}",)) + paragraph("{{/b}}"),
        table(("{{#a}}", "{{/b}}")), "".join(paragraph(f"{{{{#a{n}}}}}") for n in range(30)),
    ],
)  # fmt: skip
def test_sections_that_do_not_fit_are_refused(body: str) -> None:
    with pytest.raises(BadRequest):
        fill(body, {})


@pytest.mark.parametrize(
    "template",
    [
        b"", b"PK", b"not a zip" * 100, pack("<w:p>"), pack("<w:p></w:q>"), pack("<w:p", **{}), pack('<w:p a="></w:p>'),
        pack("<w:p>" * 300 + "</w:p>" * 300), pack('<!DOCTYPE a [<!ENTITY b "c">]><w:p/>'),
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused(template: bytes) -> None:
    with pytest.raises(BadRequest, match="not a DOCX"):
        docx.render(template, Rendering({}, xml_trees.escape))


def test_bombs_are_refused() -> None:
    zeros = bytes(docx.MAX_UNPACKED + 1)
    many = {f"word/{n}.xml": b"x" for n in range(docx.MAX_MEMBERS)}
    large = f"<w:t>{'x' * docx.MAX_PART}</w:t>"
    for template in (pack("", bomb=zeros), pack("", **many), pack(large)):
        assert len(template) < docx.MAX_FILE
        with pytest.raises(TooLarge):
            docx.render(template, Rendering({}, xml_trees.escape))
    output = pack(paragraph("{{#a}}") + paragraph("{{b}}") + paragraph("{{/a}}"))
    with pytest.raises(TooLarge):
        docx.render(output, Rendering({"a": [1] * 10_000, "b": "x" * 1000}, xml_trees.escape))


@pytest.mark.parametrize(
    "body",
    [
        paragraph(*(["{{", "a", "}}"] * 10_000)), paragraph("{{a}}" * 10_000), paragraph("{{" * 100_000),
        "".join(paragraph("{{#a}}x{{/a}}") for _ in range(10_000)), paragraph(*["{{#a}}", "{{/a}}"] * 5_000),
        table(*[("{{#a}}", "{{/a}}")] * 5_000), "<w:p/>" * 200_000, "<w:sdt>" * 150 + paragraph("{{a}}") + "</w:sdt>" * 150,
    ],
)  # fmt: skip
def test_hostile_documents_take_linear_time(body: str) -> None:
    """No assertion on time: what is quadratic would not come to an end."""
    fill(body, {"a": "x"})
