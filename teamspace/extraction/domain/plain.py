"""Text as it stands: from bytes in any encoding that people use to what is kept. Linear, and quick in any shape."""

import codecs

from teamspace.extraction.domain import limits
from teamspace.extraction.schemas import Extracted, ExtractionFailed, Reason

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
CODECS = (*(name for _, name in _MARKS), "cp1252")
_UNPRINTABLE = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r")
_PRINTABLE = bytes.maketrans(_UNPRINTABLE, b" " * len(_UNPRINTABLE))
_HEAD = 4096


def read(data: bytes) -> Extracted:
    """The text of a whole file, or of as much as anybody reads of it."""
    return kept(_decoded(data[: limits.READ_BYTES]))


def kept(text: str) -> Extracted:
    # In UTF-8 a byte below 128 is always a character of its own, and bytes are replaced much faster than characters.
    data = text.encode("utf-8", "replace").translate(_PRINTABLE)
    return Extracted(data[: limits.TEXT_BYTES].decode("utf-8", "ignore"), len(data) > limits.TEXT_BYTES)


def _decoded(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if b"\0" in data[:_HEAD]:
        return _wide(data)
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data)  # which may be cut in the middle of a character
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _wide(data: bytes) -> str:
    """UTF-16 without a mark has its zeros at every second place; anything else with zeros is no text."""
    head = data[:_HEAD]
    for name, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if zeros.count(0) > len(zeros) * 0.6 and others.count(0) == 0:
            return data.decode(name, "replace")
    raise ExtractionFailed(Reason.DAMAGED)
