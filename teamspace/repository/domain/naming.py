"""Validation and defaults of keys, filenames and content types."""

import mimetypes
import re
from functools import lru_cache

from teamspace.core.errors import BadRequest

MAX_KEY = 1024
MAX_FILENAME = 255
DEFAULT_TYPE = "application/octet-stream"
# What clients send by default when they do not know the type.
_UNSPECIFIC_TYPES = ("", DEFAULT_TYPE, "application/x-www-form-urlencoded", "binary/octet-stream")
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPES = {".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".eml": "message/rfc822",
          ".webp": "image/webp", ".avif": "image/avif"}  # fmt: skip
_NOT_ASCII = re.compile(r"[^A-Za-z0-9._ -]")


def validate_key(text: str, field: str = "key") -> str:
    """Return the key unchanged, or raise BadRequest. Never normalised: a client must find the key it sent."""
    if not text:
        raise BadRequest.at(field, "value.empty")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadRequest.at(field, "repository.key_utf8") from None
    if size > MAX_KEY:
        raise BadRequest.at(field, "value.max_bytes", limit=MAX_KEY)
    if _CONTROL.search(text):
        raise BadRequest.at(field, "repository.key_control")
    if any(part in (".", "..") for part in text.split("/")):
        raise BadRequest.at(field, "repository.key_dots")
    return text


def choose_filename(requested: str | None, key: str) -> str:
    """Return the requested name without its folders, or the last segment of the key that can be a filename."""
    if requested is None:
        names = (part.strip() for part in reversed(re.split(r"[/\\]", key)))
        return next((name for name in names if name not in ("", ".", "..")), "file")[-MAX_FILENAME:]
    name = requested.replace("\\", "/").rsplit("/", 1)[-1].strip()
    if not name or _CONTROL.search(name):
        raise BadRequest.at("filename", "repository.filename")
    if len(name) > MAX_FILENAME:
        raise BadRequest.at("filename", "repository.filename_length", limit=MAX_FILENAME)
    return name


def parse_content_type(header: str, filename: str) -> str:
    """Return the header's media type without parameters; if it is unspecific, guess from the filename."""
    kind = header.partition(";")[0].strip().lower()
    if kind in _UNSPECIFIC_TYPES:
        return guess_content_type(filename)
    if not _TYPE.fullmatch(kind):
        raise BadRequest("repository.content_type")
    return kind


def parse_content_type_or_guess(header: str, filename: str) -> str:
    """Do the same for clients that can send anything: guess if the header is not a media type."""
    try:
        return parse_content_type(header, filename)
    except BadRequest:
        return guess_content_type(filename)


def guess_content_type(filename: str) -> str:
    return _by_extension(filename[filename.rfind(".") :].lower() if "." in filename else "")


@lru_cache(maxsize=256)
def _by_extension(extension: str) -> str:
    return _TYPES.get(extension) or mimetypes.guess_type(f"file{extension}", strict=False)[0] or DEFAULT_TYPE


def content_disposition(kind: str, filename: str) -> str:
    """Return the header's value with an ASCII name for old clients and the exact name in RFC 8187 encoding."""
    ascii_name = _NOT_ASCII.sub("_", filename)
    exact_name = "".join(chr(byte) if chr(byte) in _UNESCAPED else f"%{byte:02X}" for byte in filename.encode())
    return f"{kind}; filename=\"{ascii_name}\"; filename*=UTF-8''{exact_name}"


_UNESCAPED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&+-.^_`|~")


def successor(prefix: str) -> str | None:
    """Return the smallest string greater than every string with this prefix, or None if there is none."""
    while prefix:
        last = ord(prefix[-1])
        if last < 0x10FFFF:
            return prefix[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)
        prefix = prefix[:-1]
    return None
