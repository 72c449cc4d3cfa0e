"""Detect the format and size of an image by parsing its structure to the end, without decoding pixels.

The image must end where the data ends, so that nothing can be hidden behind it.
"""

import re
import struct
import zlib
from collections.abc import Callable

import msgspec

from teamspace.core.errors import KeyedError


class NotAnImage(KeyedError):
    """The data is not an accepted image; the message completes "the logo ..."."""


class Image(msgspec.Struct, frozen=True):
    content_type: str
    width: int
    height: int


Size = tuple[int, int]


def read(data: bytes) -> Image:
    for content_type, start, size in _FORMATS:
        if start.match(data):
            try:
                return Image(content_type, *size(data))
            except struct.error:
                raise NotAnImage("branding.logo_cut_short") from None
    raise NotAnImage("branding.logo_format")


def _check_end(data: bytes, end: int) -> None:
    if end > len(data):
        raise NotAnImage("branding.logo_cut_short")
    if end < len(data):
        raise NotAnImage("branding.logo_extra_data")


# PNG: chunks of length, kind, content and checksum


def _png(data: bytes) -> Size:
    at, kinds = 8, list[bytes]()
    while kinds[-1:] != [b"IEND"]:
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 8 + length
        if struct.unpack_from(">I", data, end) != (zlib.crc32(data[at + 4 : end]),):
            raise NotAnImage("branding.logo_checksum")
        kinds.append(kind)
        at = end + 4
    _check_end(data, at)
    length, first, width, height = struct.unpack_from(">I4sII", data, 8)
    if (length, first) != (13, b"IHDR") or kinds.count(b"IHDR") > 1 or b"IDAT" not in kinds:
        raise NotAnImage("branding.logo_png")
    if b"acTL" in kinds:
        raise NotAnImage("branding.logo_animated")
    return width, height


# JPEG: segments with markers, and compressed image data between some of them

_SEGMENT = re.compile(rb"\xff+([\xc0-\xcf\xd9-\xfe])")
_AFTER_SCAN = re.compile(rb"\xff(?![\x00\xff\xd0-\xd7])")
_FRAMES = (0xC0, 0xC1, 0xC2)
"""Baseline, extended and progressive: what browsers support."""
_SCAN, _END = 0xDA, 0xD9


def _jpeg(data: bytes) -> Size:
    at, sizes, scans = 2, list[Size](), 0
    while (found := _SEGMENT.match(data, at)) and found[1][0] != _END:
        at, marker = found.end(), found[1][0]
        if marker in _FRAMES:
            _, _, height, width = struct.unpack_from(">HBHH", data, at)
            sizes.append((width, height))
        at += struct.unpack_from(">H", data, at)[0]
        if marker == _SCAN:
            scans += 1
            after = _AFTER_SCAN.search(data, at)
            at = after.start() if after else len(data)
    if not found:
        raise NotAnImage("branding.logo_cut_short" if at >= len(data) else "branding.logo_jpeg")
    _check_end(data, found.end())
    if len(sizes) != 1 or not scans:
        raise NotAnImage("branding.logo_jpeg")
    return sizes[0]


# WebP: chunks of kind, length and content, padded to even lengths


def _webp(data: bytes) -> Size:
    _check_end(data, 8 + struct.unpack_from("<I", data, 4)[0])
    at, kinds, sizes = 12, list[bytes](), set[Size]()
    while at < len(data):
        kind, length = struct.unpack_from("<4sI", data, at)
        if kind in _WEBP_SIZES:
            sizes.add(_WEBP_SIZES[kind](data[at + 8 : at + 8 + length]))
        kinds.append(kind)
        at += 8 + length + length % 2
    _check_end(data, at)
    if b"ANIM" in kinds or b"ANMF" in kinds:
        raise NotAnImage("branding.logo_animated")
    if len(sizes) != 1 or kinds[0] not in _WEBP_SIZES or kinds.count(b"VP8 ") + kinds.count(b"VP8L") != 1:
        raise NotAnImage("branding.logo_webp")
    return sizes.pop()


def _lossy(chunk: bytes) -> Size:
    tag, start, width, height = struct.unpack_from("<B2x3sHH", chunk)
    if tag & 1 or start != b"\x9d\x01\x2a":
        raise NotAnImage("branding.logo_webp")
    return width & 0x3FFF, height & 0x3FFF


def _lossless(chunk: bytes) -> Size:
    signature, bits = struct.unpack_from("<BI", chunk)
    if signature != 0x2F or bits >> 29:
        raise NotAnImage("branding.logo_webp")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _extended(chunk: bytes) -> Size:
    width, height = struct.unpack_from("<4x3s3s", chunk)
    return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1


_WEBP_SIZES: dict[bytes, Callable[[bytes], Size]] = {b"VP8 ": _lossy, b"VP8L": _lossless, b"VP8X": _extended}

# fmt: off
_FORMATS: tuple[tuple[str, re.Pattern[bytes], Callable[[bytes], Size]], ...] = (
    ("image/png",  re.compile(rb"\x89PNG\r\n\x1a\n"),    _png),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff"),         _jpeg),
    ("image/webp", re.compile(rb"RIFF.{4}WEBP", re.S),   _webp),
)
# fmt: on
