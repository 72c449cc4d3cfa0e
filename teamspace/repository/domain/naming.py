"""Keys, file names and types: what they may be, and what is made of those that clients send."""

import mimetypes
import re
from functools import lru_cache

from teamspace.core.errors import BadRequest

LONGEST_KEY = 1024
LONGEST_FILENAME = 255
UNKNOWN = "application/octet-stream"
# What clients send when nobody told them better.
_SAYS_NOTHING = ("", UNKNOWN, "application/x-www-form-urlencoded", "binary/octet-stream")
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPES = {".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".eml": "message/rfc822",
          ".webp": "image/webp", ".avif": "image/avif"}  # fmt: skip
_NOT_ASCII = re.compile(r"[^A-Za-z0-9._ -]")


def key(text: str) -> str:
    """Kept byte for byte: a client must find what it sent."""
    if not text:
        raise BadRequest.at("key", "must not be empty")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadRequest.at("key", "is not valid UTF-8") from None
    if size > LONGEST_KEY:
        raise BadRequest.at("key", f"may hold {LONGEST_KEY} bytes")
    if _CONTROL.search(text):
        raise BadRequest.at("key", "holds a control character")
    if any(part in (".", "..") for part in text.split("/")):
        raise BadRequest.at("key", "holds a segment that is . or ..")
    return text


def filename(given: str | None, key: str) -> str:
    """The one given, or the last segment of the key that is a name."""
    if given is None:
        names = (part.strip() for part in reversed(re.split(r"[/\\]", key)))
        return next((name for name in names if name not in ("", ".", "..")), "file")[-LONGEST_FILENAME:]
    name = given.replace("\\", "/").rsplit("/", 1)[-1].strip()
    if not name or _CONTROL.search(name):
        raise BadRequest.at("filename", "must be a name without control characters")
    if len(name) > LONGEST_FILENAME:
        raise BadRequest.at("filename", f"may hold {LONGEST_FILENAME} characters")
    return name


def content_type(given: str, filename: str) -> str:
    """What the client says, without parameters; where that says nothing, what the file's name suggests."""
    kind = given.partition(";")[0].strip().lower()
    if kind in _SAYS_NOTHING:
        return guessed(filename)
    if not _TYPE.fullmatch(kind):
        raise BadRequest("The header Content-Type is not a media type.")
    return kind


def leniently(given: str, filename: str) -> str:
    """The same of clients that may send anything: what is no media type says nothing."""
    try:
        return content_type(given, filename)
    except BadRequest:
        return guessed(filename)


def guessed(filename: str) -> str:
    return _by_extension(filename[filename.rfind(".") :].lower() if "." in filename else "")


@lru_cache(maxsize=256)
def _by_extension(extension: str) -> str:
    return _TYPES.get(extension) or mimetypes.guess_type(f"file{extension}", strict=False)[0] or UNKNOWN


def disposition(kind: str, filename: str) -> str:
    """An ASCII name for old readers, and the true one as RFC 8187 has it."""
    plain = _NOT_ASCII.sub("_", filename)
    exact = "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02X}" for byte in filename.encode())
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{exact}"


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&+-.^_`|~")


def successor(prefix: str) -> str | None:
    """The first text that is beyond all that begin with `prefix`; None when there is none."""
    while prefix:
        last = ord(prefix[-1])
        if last < 0x10FFFF:
            return prefix[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)
        prefix = prefix[:-1]
    return None
