"""Minimal files of every kind, and malicious ones, built in code."""

import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

WORDS = "Zürich budget plan"


def zipped(members: dict[str, str | bytes], *, first: str = "") -> bytes:
    """Build a zip; `first` is the member that a format requires to be uncompressed, if there is one."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data, zipfile.ZIP_STORED if name == first else zipfile.ZIP_DEFLATED)
    return out.getvalue()


# Office

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_OPEN = "http://schemas.openxmlformats.org"
_RELATED = f"{_OPEN}/officeDocument/2006/relationships"


def _package(main: str, kind: str, members: dict[str, str | bytes]) -> bytes:
    overrides = (
        f'<Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/>'
    )
    return zipped({
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_OPEN}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>',
        "_rels/.rels": f'{_XML}<Relationships xmlns="{_OPEN}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{_RELATED}/officeDocument" Target="{main}"/></Relationships>',
        **members,
    })  # fmt: skip


def docx(text: str = WORDS, *, doctype: str = "") -> bytes:
    space = f'xmlns:w="{_OPEN}/wordprocessingml/2006/main"'
    document = (
        f"{_XML}{doctype}<w:document {space}><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    )
    return _package("word/document.xml", "wordprocessingml.document", {"word/document.xml": document})


def xlsx(text: str = WORDS) -> bytes:
    space = f'xmlns="{_OPEN}/spreadsheetml/2006/main" xmlns:r="{_RELATED}"'
    return _package("xl/workbook.xml", "spreadsheetml.sheet", {
        "xl/workbook.xml": f'{_XML}<workbook {space}><sheets><sheet name="Sheet" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_OPEN}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{_RELATED}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'{_XML}<worksheet {space}><sheetData><row r="1">'
        f'<c r="A1" t="inlineStr"><is><t>{text}</t></is></c><c r="B1"><v>42</v></c></row></sheetData></worksheet>',
    })  # fmt: skip


def pptx(text: str = WORDS) -> bytes:
    space = f'xmlns:a="{_OPEN}/drawingml/2006/main" xmlns:p="{_OPEN}/presentationml/2006/main" xmlns:r="{_RELATED}"'
    return _package("ppt/presentation.xml", "presentationml.presentation", {
        "ppt/presentation.xml": f'{_XML}<p:presentation {space}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels": f'{_XML}<Relationships xmlns="{_OPEN}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{_RELATED}/slide" Target="slides/slide1.xml"/></Relationships>',
        "ppt/slides/slide1.xml": f"{_XML}<p:sld {space}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
        "</p:txBody></p:sp></p:spTree></p:cSld></p:sld>",
    })  # fmt: skip


def odt(text: str = WORDS) -> bytes:
    return _open("text", f"<office:text><text:p>{text}</text:p></office:text>")


def ods(text: str = WORDS) -> bytes:
    cell = f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
    table = f'<table:table table:name="Sheet"><table:table-row>{cell}</table:table-row></table:table>'
    return _open("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>")


def odp(text: str = WORDS) -> bytes:
    frame = f"<draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"
    page = f'<draw:page draw:name="One">{frame}</draw:page>'
    return _open("presentation", f"<office:presentation>{page}</office:presentation>")


def _open(kind: str, body: str) -> bytes:
    oasis, media = "urn:oasis:names:tc:opendocument:xmlns", f"application/vnd.oasis.opendocument.{kind}"
    spaces = " ".join(f'xmlns:{name}="{oasis}:{name}:1.0"' for name in ("office", "text", "table"))
    return zipped({
        "mimetype": media,
        "META-INF/manifest.xml": f'{_XML}<manifest:manifest xmlns:manifest="{oasis}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"/></manifest:manifest>',
        "content.xml": f'{_XML}<office:document-content {spaces} xmlns:draw="{oasis}:drawing:1.0">'
        f"<office:body>{body}</office:body></office:document-content>",
    }, first="mimetype")  # fmt: skip


# PDF


def pdf(text: str = "Zurich budget plan", *, kids: str = "3 0 R", encrypt: str = "", xref: int | None = None) -> bytes:
    """Build a PDF with one page and a line of Latin text. `kids` can point at the page tree itself, `xref` anywhere."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count 1 >>".encode(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    loop = "" if xref is None else f" /Prev {xref}"
    out += f"trailer\n<< /Size 6 /Root 1 0 R{loop}{encrypt} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


ENCRYPTED = (
    " /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << /Filter /Standard /V 2 /R 3"
    f" /Length 128 /P -44 /O <{'5a' * 32}> /U <{'a5' * 32}> >>"
)


# Others


def html(text: str = WORDS) -> bytes:
    return f"<html><head><title>Page</title><script>evil()</script></head><body><p>{text}</p></body></html>".encode()


def eml(text: str = WORDS) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ann@example.com", "bob@example.com", "Hello from Ann"
    message.set_content(text)
    return message.as_bytes()


# Bombs


BOMB = 300 << 20


def zip_bomb() -> bytes:
    """A small document that unpacks to a huge one."""
    out = io.BytesIO(_package("word/document.xml", "wordprocessingml.document", {}))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as member:
        for _ in range(BOMB >> 20):
            member.write(b" " * (1 << 20))
    return out.getvalue()


def lying_bomb() -> bytes:
    """A zip bomb that declares a small size."""
    return zip_bomb().replace(BOMB.to_bytes(4, "little"), (1000).to_bytes(4, "little"))


def crowd() -> bytes:
    """A zip with far more members than a real document."""
    return zipped({"word/document.xml": "<x/>", **{f"{number}.xml": "" for number in range(5000)}})


def nested() -> bytes:
    """Nested zips."""
    inner = zipped({"word/document.xml": b"\0" * (10 << 20)})
    for _ in range(10):
        inner = zipped({f"{number}.docx": inner for number in range(10)})
    return inner


def laughs() -> bytes:
    """A billion laughs attack."""
    entities = '<!ENTITY l0 "laugh">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return docx("&l9;", doctype=f"<!DOCTYPE x [{entities}]>")


def foreign_file() -> bytes:
    return docx("&secret;", doctype='<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>')


def zeros(path: Path, size: int) -> Path:
    """Create a sparse file of zeros."""
    with path.open("wb") as file:
        file.truncate(size)
    return path
