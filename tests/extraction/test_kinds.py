"""The kind of a file by content type and name."""

import pytest

from teamspace.extraction import can_read
from teamspace.extraction.domain.kinds import EMAIL, HTML, PDF, TEXT, kind_of

# fmt: off
FILES = [
    # content type                   filename         read as
    ("application/pdf",              "a",             PDF),
    ("Application/PDF; x=y",         "a.bin",         PDF),
    ("application/octet-stream",     "A.PDF",         PDF),
    ("text/plain",                   "report.pdf",    PDF),
    ("",                             "page.htm",      HTML),
    ("text/html; charset=utf-8",     "page",          HTML),
    ("message/rfc822",               "mail",          EMAIL),
    ("text/plain",                   "README",        TEXT),
    ("text/markdown",                "a.md",          TEXT),
    ("text/csv",                     "a",             TEXT),
    ("application/json",             "a",             TEXT),
    ("application/vnd.api+json",     "a",             TEXT),
    ("",                             "main.rs",       TEXT),
    ("",                             "dir/Dockerfile", TEXT),
    ("text/x-python",                "a.py",          TEXT),
    ("image/svg+xml",                "a.svg",         None),
    ("image/png",                    "a.txt",         None),
    ("application/zip",              "a.docx",        None),
    ("text/rtf",                     "a.rtf",         None),
    ("",                             "a.exe",         None),
    ("",                             "",              None),
]
# fmt: on


@pytest.mark.parametrize(("content_type", "filename", "expected"), FILES)
def test_the_kind_of_a_file(content_type: str, filename: str, expected: str | None) -> None:
    assert kind_of(content_type, filename) == expected
    assert can_read(content_type, filename) is (expected is not None)
