"""Runs as a process of its own: a file comes in on standard input, its text goes out on standard output.

Everything that is needed is loaded first; then the walls are closed, and only then is the file looked at.
"""

import codecs
import html
import io
import os
import re
import sys
import zipfile
from typing import Any

import msgspec

from teamspace.extraction.domain import kinds, limits, walls
from teamspace.extraction.schemas import ExtractionFailed, Reason, Told

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TAGS = re.compile(r"<[^>]*>")
_SPACES = re.compile(r"\s*\n\s*")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
"""What an encrypted document of today's Office is wrapped in."""
_SAMPLE = (
    b"%PDF-1.1\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
    b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>\nendobj\ntrailer\n<</Root 1 0 R/Size 4>>\n%%EOF\n"
)


def main(kind: str) -> None:
    walls.bound()
    standing = ["network"] if walls.leave_the_network() else []
    reader = None if kind == kinds.TEXT else _reader(kind)
    _load_codecs()
    if walls.close():
        standing.append("calls")
    try:
        text, truncated = _kept(_plain() if reader is None else _document(kind, *reader))
        told = Told(truncated=truncated, walls=tuple(standing))
    except ExtractionFailed as failure:
        text, told = b"", Told(failure.reason, walls=tuple(standing))
    except MemoryError:
        text, told = b"", Told(Reason.TOO_MUCH_MEMORY, walls=tuple(standing))
    _say(msgspec.json.encode(told) + b"\n" + text)


def _say(answer: bytes) -> None:
    while answer:
        answer = answer[os.write(1, answer) :]
    # Not the usual way out: the reader's threads are of no interest any more.
    os._exit(0)


def _load_codecs() -> None:
    for _, name in _MARKS:
        codecs.lookup(name)
    for name in ("cp1252", "latin-1", "cp437"):
        codecs.lookup(name)


def _input(most: int) -> bytes:
    parts, size = [], 0
    while size < most and (part := os.read(0, min(most - size, limits.MIB))):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _kept(text: str) -> tuple[bytes, bool]:
    data = _UNPRINTABLE.sub(" ", text).encode("utf-8", "replace")
    return data[: limits.TEXT_BYTES].decode("utf-8", "ignore").encode(), len(data) > limits.TEXT_BYTES


# Text as it stands


def _plain() -> str:
    data = _input(limits.READ_BYTES)
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if b"\0" in data[:4096]:
        return _wide(data)
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data)  # which may be cut in the middle of a character
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _wide(data: bytes) -> str:
    """UTF-16 without a mark has its zeros at every second place; anything else with zeros is no text."""
    head = data[:4096]
    for name, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if zeros.count(0) > len(zeros) * 0.6 and others.count(0) == 0:
            return data.decode(name, "replace")
    raise ExtractionFailed(Reason.DAMAGED)


# Documents


def _reader(kind: str) -> tuple[Any, Any]:
    """The library, loaded to the last file that it wants."""
    import kreuzberg  # noqa: PLC0415 - a third of a second, and not for plain text

    settings: Any = kreuzberg.ExtractionConfig  # its stubs do not know every setting
    config = settings(use_cache=False, disable_ocr=True, enable_quality_processing=False)
    sample, called = (_SAMPLE, kinds.PDF) if kind == kinds.PDF else (b"x", kinds.TEXT)
    kreuzberg.extract_bytes_sync(sample, called, config)  # whatever fails here is the system's fault, not the file's
    return kreuzberg, config


def _document(kind: str, kreuzberg: Any, config: Any) -> str:
    data = _input(limits.FILE_BYTES + 1)
    if len(data) > limits.FILE_BYTES:
        raise ExtractionFailed(Reason.TOO_LARGE)
    if kind in kinds.PACKED:
        _check_archive(data)
    try:
        text: str = _slides(data) if kind == kinds.SLIDES else kreuzberg.extract_bytes_sync(data, kind, config).content
    except MemoryError:
        raise
    except Exception as fault:
        raise ExtractionFailed(_reason(str(fault).lower())) from None
    if not text.strip():
        raise ExtractionFailed(Reason.NO_TEXT)
    return text


def _slides(data: bytes) -> str:
    """Of the one kind that the library does not know, what stands between the tags. No entity is ever expanded."""
    content = zipfile.ZipFile(io.BytesIO(data)).read("content.xml").decode()
    return html.unescape(_SPACES.sub("\n", _TAGS.sub("\n", content)))


def _reason(message: str) -> Reason:
    if "password" in message or "encrypt" in message:
        return Reason.ENCRYPTED
    if "limit" in message or "bomb" in message or "too large" in message or "exceed" in message:
        return Reason.UNPACKS_TOO_MUCH
    return Reason.TOO_MUCH_MEMORY if "memory" in message else Reason.DAMAGED


def _check_archive(data: bytes) -> None:
    if data.startswith(_OLD_OFFICE):
        raise ExtractionFailed(Reason.ENCRYPTED)
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise ExtractionFailed(Reason.DAMAGED) from None
    size = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if any(member.flag_bits & 1 for member in members):
        raise ExtractionFailed(Reason.ENCRYPTED)
    tight = size > limits.RATIO_FROM and size > limits.UNPACKED_RATIO * packed
    if tight or size > limits.UNPACKED_BYTES or len(members) > limits.UNPACKED_MEMBERS:
        raise ExtractionFailed(Reason.UNPACKS_TOO_MUCH)


if __name__ == "__main__":
    main(sys.argv[1])
