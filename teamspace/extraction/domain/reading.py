"""A fork server: a process that loads the libraries once, and then forks for every file.

The forked process puts up the walls and reads the file, which comes as an open file descriptor; its text goes out on
another. It starts with clean memory and ends with its file: no file ever meets what another one left behind. Forking
costs milliseconds where loading costs a tenth of a second. There must be no thread before a fork, so the libraries
are imported here and first used in the forked process.
"""

import codecs
import contextlib
import gc
import html
import io
import os
import re
import socket
import traceback
import zipfile
from collections.abc import Callable
from typing import Any

import msgspec

from teamspace.extraction.domain import kinds, limits, plain, walls
from teamspace.extraction.schemas import Extracted, ExtractionFailed, Reason, Told

_TAGS = re.compile(r"<[^>]*>")
_SPACES = re.compile(r"\s*\n\s*")
_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
"""What an encrypted document of today's Office is wrapped in."""
_SAMPLE = (
    b"%PDF-1.1\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
    b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>\nendobj\ntrailer\n<</Root 1 0 R/Size 4>>\n%%EOF\n"
)
_KIND_BYTES = 256
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2

Read = Callable[[str, tuple[str, ...]], bytes]


def serve(read: Read | None = None) -> None:
    """One file after the other, until whoever asks is gone. They come over the socket that is standard input."""
    standing = ("network",) if walls.leave_the_network() else ()
    walls.end_with_parent()
    read = read or _load()
    control = socket.socket(fileno=os.dup(_INPUT))
    gc.freeze()
    while True:
        kind, given, _, _ = socket.recv_fds(control, _KIND_BYTES, 3)
        if not kind:
            return
        child = os.fork()
        if not child:
            _answer(kind.decode(), given, control, read, standing)
        for descriptor in given:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        control.send(os.waitstatus_to_exitcode(status).to_bytes(4, "little", signed=True))


def _answer(kind: str, given: list[int], control: socket.socket, read: Read, standing: tuple[str, ...]) -> None:
    """In the forked process, which ends here: nothing of it may get back to where the next file is forked."""
    try:
        walls.end_with_parent()
        control.close()
        for descriptor, number in zip(given, (_INPUT, _OUTPUT, _ERRORS), strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        walls.bound()
        _say(read(kind, standing))
    except BaseException:
        with contextlib.suppress(BaseException):
            os.write(_ERRORS, traceback.format_exc().encode())
        os._exit(1)
    # Not the usual way out: the library's threads are of no interest any more.
    os._exit(0)


def _say(answer: bytes) -> None:
    while answer:
        answer = answer[os.write(_OUTPUT, answer) :]


def _load() -> Read:
    import kreuzberg  # noqa: PLC0415 - a tenth of a second, which only this process spends

    for name in (*plain.CODECS, "latin-1", "cp437"):
        codecs.lookup(name)

    def read(kind: str, standing: tuple[str, ...]) -> bytes:
        config = None if kind == kinds.TEXT else _ready(kreuzberg, kind)
        if walls.close():
            standing = (*standing, "calls")
        try:
            found = plain.read(_input(limits.READ_BYTES)) if config is None else _document(kind, kreuzberg, config)
            told, text = Told(truncated=found.truncated, walls=standing), found.text
        except ExtractionFailed as failure:
            told, text = Told(failure.reason, walls=standing), ""
        except MemoryError:
            told, text = Told(Reason.TOO_MUCH_MEMORY, walls=standing), ""
        return msgspec.json.encode(told) + b"\n" + text.encode()

    return read


def _input(most: int) -> bytes:
    parts, size = [], 0
    while size < most and (part := os.read(_INPUT, min(most - size, limits.MIB))):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


# Documents


def _ready(kreuzberg: Any, kind: str) -> Any:
    """How the library reads, once it has opened the last file that it wants."""
    settings = kreuzberg.ExtractionConfig  # its stubs do not know every setting
    config = settings(use_cache=False, disable_ocr=True, enable_quality_processing=False)
    sample, called = (_SAMPLE, kinds.PDF) if kind == kinds.PDF else (b"x", kinds.TEXT)
    kreuzberg.extract_bytes_sync(sample, called, config)  # whatever fails here is the system's fault, not the file's
    return config


def _document(kind: str, kreuzberg: Any, config: Any) -> Extracted:
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
    return plain.kept(text)


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
    serve()
