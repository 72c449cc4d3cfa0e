"""Plain text: decode bytes in common encodings. Linear time for any input.

Text is decoded in pieces, so that other threads get their turn: a decoder keeps the interpreter's lock, and replacing
characters that are not valid is slow.
"""

import codecs

from teamspace.extraction.domain import limits
from teamspace.extraction.schemas import Extracted, ExtractionFailed, ExtractionReason

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
CODECS = (*(name for _, name in _MARKS), "cp1252")
_UNPRINTABLE = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r")
_PRINTABLE = bytes.maketrans(_UNPRINTABLE, b" " * len(_UNPRINTABLE))
_HEAD = 4096
_PIECE = 64 * 1024
_WINDOWS_1252 = bytes(range(256)).decode("cp1252", "replace")
"""The character of every byte. The codec itself takes 400 ms for a mebibyte of bytes that it does not define."""


def read(data: bytes) -> Extracted:
    """Return the text of a file, up to the limits."""
    return clean(_decode(data[: limits.READ_BYTES]))


def clean(text: str) -> Extracted:
    # In UTF-8 every byte below 128 is a character, and translating bytes is much faster than translating str.
    data = text.encode("utf-8", "replace").translate(_PRINTABLE)
    return Extracted(data[: limits.TEXT_BYTES].decode("utf-8", "ignore"), len(data) > limits.TEXT_BYTES)


def _decode(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decode_as(name, data[len(mark) :])
    if b"\0" in data[:_HEAD]:
        return _decode_utf16(data)
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data)  # the data may end inside a character
    except UnicodeDecodeError:
        return codecs.charmap_decode(data[: limits.TEXT_BYTES + 1], "strict", _WINDOWS_1252)[0]


def _decode_as(name: str, data: bytes) -> str:
    """Decode as much of the data as can be stored."""
    decoder, texts, size = codecs.getincrementaldecoder(name)("replace"), list[str](), 0
    for start in range(0, len(data), _PIECE):
        texts.append(decoder.decode(data[start : start + _PIECE], final=start + _PIECE >= len(data)))
        size += len(texts[-1])
        if size > limits.TEXT_BYTES:
            break
    return "".join(texts)


def _decode_utf16(data: bytes) -> str:
    """Decode UTF-16 without a BOM, which has zeros at every second byte; any other data with zeros is not text."""
    head = data[:_HEAD]
    for name, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if zeros.count(0) > len(zeros) * 0.6 and others.count(0) == 0:
            return _decode_as(name, data)
    raise ExtractionFailed(ExtractionReason.DAMAGED)
