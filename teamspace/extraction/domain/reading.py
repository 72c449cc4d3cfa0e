"""A fork server: loads the libraries once, then forks for every file.

The forked process enters the sandbox and reads the file from an open file descriptor; it writes the text to another.
It starts with clean memory and exits after its file, so no file can affect the next one. Forking takes milliseconds,
loading a tenth of a second. There must be no thread before a fork, so the libraries are imported here and first used
in the forked process.
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

from teamspace.extraction.domain import kinds, limits, plain, sandbox
from teamspace.extraction.domain.drawing import Drawer
from teamspace.extraction.domain.rendering import Renderer
from teamspace.extraction.schemas import Extracted, ExtractionFailed, ExtractionReason, ReaderHeader

_TAGS = re.compile(r"<[^>]*>")
_SPACES = re.compile(r"\s*\n\s*")
_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
"""The signature of OLE files; encrypted Office documents are wrapped in one."""
_SAMPLE = (
    b"%PDF-1.1\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
    b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>\nendobj\ntrailer\n<</Root 1 0 R/Size 4>>\n%%EOF\n"
)
_KIND_BYTES = 256
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2

Read = Callable[[str, tuple[str, ...]], bytes]


def serve(read: Read | None = None) -> None:
    """Read one file after the other until the caller closes the socket, which is standard input."""
    isolation = ("network",) if sandbox.unshare_network() else ()
    sandbox.die_with_parent()
    read = read or _load()
    control = socket.socket(fileno=os.dup(_INPUT))
    gc.freeze()
    while True:
        kind, descriptors, _, _ = socket.recv_fds(control, _KIND_BYTES, 3)
        if not kind:
            return
        child = os.fork()
        if not child:
            _read_file(kind.decode(), descriptors, control, read, isolation)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        control.send(os.waitstatus_to_exitcode(status).to_bytes(4, "little", signed=True))


def _read_file(
    kind: str, descriptors: list[int], control: socket.socket, read: Read, isolation: tuple[str, ...]
) -> None:
    """Read one file in the forked process, and exit: it must never return into the fork server's loop."""
    try:
        sandbox.die_with_parent()
        control.close()
        for descriptor, number in zip(descriptors, (_INPUT, _OUTPUT, _ERRORS), strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        sandbox.set_limits()
        _write_output(read(kind, isolation))
    except BaseException:
        with contextlib.suppress(BaseException):
            os.write(_ERRORS, traceback.format_exc().encode())
        os._exit(1)
    # Without the usual cleanup: the library's threads need not be joined.
    os._exit(0)


def _write_output(output: bytes) -> None:
    while output:
        output = output[os.write(_OUTPUT, output) :]


def _load() -> Read:
    import kreuzberg  # noqa: PLC0415 - takes a tenth of a second, which only this process should spend

    drawer, renderer = Drawer(), Renderer()
    for name in (*plain.CODECS, "latin-1", "cp437"):
        codecs.lookup(name)

    def read(kind: str, isolation: tuple[str, ...]) -> bytes:
        work = _prepare(kind, kreuzberg, drawer, renderer)
        if sandbox.install_filter():
            isolation = (*isolation, "calls")
        try:
            truncated, body = work()
            header = ReaderHeader(truncated=truncated, isolation=isolation)
        except ExtractionFailed as failure:
            header, body = ReaderHeader(failure.reason, isolation=isolation), b""
        except MemoryError:
            header, body = ReaderHeader(ExtractionReason.TOO_MUCH_MEMORY, isolation=isolation), b""
        return msgspec.json.encode(header) + b"\n" + body

    return read


def _prepare(kind: str, kreuzberg: Any, drawer: Drawer, renderer: Renderer) -> Callable[[], tuple[bool, bytes]]:
    """Return what reads, draws or renders a file, after a first use of its library."""
    if kind == kinds.RENDERED:
        renderer.prepare()
        return lambda: (False, renderer.render(_read_input(limits.READ_BYTES).decode(errors="replace")).encode())
    if kind.startswith(kinds.DRAWN):
        drawer.prepare()
        return lambda: (False, drawer.draw(kind.removeprefix(kinds.DRAWN), _INPUT))
    if kind == kinds.TEXT:
        return lambda: _encode(plain.read(_read_input(limits.READ_BYTES)))
    config = _prepare_library(kreuzberg, kind)
    return lambda: _encode(_read_document(kind, kreuzberg, config))


def _encode(found: Extracted) -> tuple[bool, bytes]:
    return found.truncated, found.text.encode()


def _read_input(limit: int) -> bytes:
    parts, size = [], 0
    while size < limit and (part := os.read(_INPUT, min(limit - size, limits.MIB))):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


# Documents


def _prepare_library(kreuzberg: Any, kind: str) -> Any:
    """Return the library's configuration after a first use, so that it has opened all files it needs."""
    settings = kreuzberg.ExtractionConfig  # its type stubs lack some settings
    config = settings(use_cache=False, disable_ocr=True, enable_quality_processing=False)
    sample, sample_kind = (_SAMPLE, kinds.PDF) if kind == kinds.PDF else (b"x", kinds.TEXT)
    kreuzberg.extract_bytes_sync(sample, sample_kind, config)  # a failure here is the system's fault, not the file's
    return config


def _read_document(kind: str, kreuzberg: Any, config: Any) -> Extracted:
    data = _read_input(limits.FILE_BYTES + 1)
    if len(data) > limits.FILE_BYTES:
        raise ExtractionFailed(ExtractionReason.TOO_LARGE)
    if kind in kinds.PACKED:
        _check_archive(data)
    try:
        text: str = (
            _read_slides(data) if kind == kinds.SLIDES else kreuzberg.extract_bytes_sync(data, kind, config).content
        )
    except MemoryError:
        raise
    except Exception as fault:
        raise ExtractionFailed(_reason(str(fault).lower())) from None
    if not text.strip():
        raise ExtractionFailed(ExtractionReason.NO_TEXT)
    return plain.clean(text)


def _read_slides(data: bytes) -> str:
    """Return the text between the tags of an ODP file, which the library cannot read. Entities are not expanded."""
    content = zipfile.ZipFile(io.BytesIO(data)).read("content.xml").decode()
    return html.unescape(_SPACES.sub("\n", _TAGS.sub("\n", content)))


def _reason(message: str) -> ExtractionReason:
    if "password" in message or "encrypt" in message:
        return ExtractionReason.ENCRYPTED
    if "limit" in message or "bomb" in message or "too large" in message or "exceed" in message:
        return ExtractionReason.UNPACKS_TOO_MUCH
    return ExtractionReason.TOO_MUCH_MEMORY if "memory" in message else ExtractionReason.DAMAGED


def _check_archive(data: bytes) -> None:
    if data.startswith(_OLD_OFFICE):
        raise ExtractionFailed(ExtractionReason.ENCRYPTED)
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise ExtractionFailed(ExtractionReason.DAMAGED) from None
    size = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if any(member.flag_bits & 1 for member in members):
        raise ExtractionFailed(ExtractionReason.ENCRYPTED)
    is_bomb = size > limits.RATIO_FROM and size > limits.UNPACKED_RATIO * packed
    if is_bomb or size > limits.UNPACKED_BYTES or len(members) > limits.UNPACKED_MEMBERS:
        raise ExtractionFailed(ExtractionReason.UNPACKS_TOO_MUCH)
