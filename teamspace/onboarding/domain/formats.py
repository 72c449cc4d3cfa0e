"""Tells pictures and fonts by their bytes: what they declare themselves to be is not asked."""

import re
import struct
from collections.abc import Callable

import msgspec

from teamspace import branding
from teamspace.core.errors import BadRequest

FONTS = ("font/woff2", "font/woff", "font/ttf", "font/otf")


class FileFormat(msgspec.Struct, frozen=True):
    content_type: str
    width: int | None = None
    height: int | None = None

    @property
    def is_font(self) -> bool:
        return self.content_type in FONTS


def read(data: bytes, pointer: str) -> FileFormat:
    """Return the format, or raise BadRequest."""
    try:
        for start, parse in _FORMATS:
            if data.startswith(start):
                return parse(data, pointer)
        image = branding.read_image(data)
        return FileFormat(image.content_type, image.width, image.height)
    except branding.NotAnImage as fault:
        if fault.key == "branding.logo_format":
            raise BadRequest.at(pointer, "onboarding.asset_format") from None
        raise BadRequest.at(pointer, fault.key, **fault.params) from None
    except (struct.error, IndexError):
        raise _damaged(pointer) from None


def _damaged(pointer: str) -> BadRequest:
    return BadRequest.at(pointer, "onboarding.asset_damaged")


# GIF: a header, then blocks to a trailer, which must be the last byte

_IMAGE, _EXTENSION, _TRAILER = 0x2C, 0x21, 0x3B


def _gif(data: bytes, pointer: str) -> FileFormat:
    if not re.match(rb"GIF8[79]a", data):
        raise _damaged(pointer)
    width, height, packed = struct.unpack_from("<HHB", data, 6)
    at, images = 13 + _palette(packed), 0
    while data[at] != _TRAILER:
        kind, at = data[at], at + 1
        if kind == _IMAGE:
            images += 1
            at += 9 + _palette(data[at + 8]) + 1
        elif kind == _EXTENSION:
            at += 1
        else:
            raise _damaged(pointer)
        while data[at]:
            at += data[at] + 1
        at += 1
    if at + 1 != len(data) or not images or not (width and height):
        raise _damaged(pointer)
    return FileFormat("image/gif", width, height)


def _palette(packed: int) -> int:
    return 3 * 2 ** ((packed & 7) + 1) if packed & 0x80 else 0


# Fonts: WOFF files name their own length, the others have a directory of tables within the file


def _woff(content_type: str) -> Callable[[bytes, str], FileFormat]:
    def parse(data: bytes, pointer: str) -> FileFormat:
        length, tables = struct.unpack_from(">IH", data, 8)
        if length != len(data) or not tables:
            raise _damaged(pointer)
        return FileFormat(content_type)

    return parse


def _sfnt(content_type: str) -> Callable[[bytes, str], FileFormat]:
    def parse(data: bytes, pointer: str) -> FileFormat:
        (tables,) = struct.unpack_from(">H", data, 4)
        entries = [struct.unpack_from(">4sIII", data, 12 + 16 * number) for number in range(tables)]
        names = {name for name, _, _, _ in entries}
        if b"head" not in names or any(offset + size > len(data) for _, _, offset, size in entries):
            raise _damaged(pointer)
        return FileFormat(content_type)

    return parse


_FORMATS: tuple[tuple[bytes, Callable[[bytes, str], FileFormat]], ...] = (
    (b"GIF8", _gif),
    (b"wOF2", _woff("font/woff2")),
    (b"wOFF", _woff("font/woff")),
    (b"\x00\x01\x00\x00", _sfnt("font/ttf")),
    (b"OTTO", _sfnt("font/otf")),
)
