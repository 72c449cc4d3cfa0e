"""Validates text from people: kept as written, without characters that deceive readers or break lines."""

import unicodedata
from datetime import UTC, datetime

from teamspace.core.errors import BadRequest

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def one_line(value: str, *, max_length: int) -> str:
    """Return the printable characters of the beginning of a text, such as a User-Agent."""
    return "".join(character for character in value[:max_length] if character.isprintable())


def clean_name(value: str, field: str, *, max_length: int) -> str:
    """Return a name or title normalised and trimmed; refuse control and text direction characters."""
    text = unicodedata.normalize("NFC", value).strip()
    if not any(unicodedata.category(character) != "Cf" for character in text):
        raise BadRequest.at(f"/{field}", "value.empty")
    if len(text) > max_length:
        raise BadRequest.at(f"/{field}", "value.too_long", limit=max_length)
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _BIDI for character in text):
        raise BadRequest.at(f"/{field}", "value.control")
    return text


def timestamp(value: str, field: str) -> str:
    """Convert an ISO 8601 time with a time zone to our timestamp format."""
    try:
        parsed = datetime.fromisoformat(value)
        if parsed.tzinfo is None:
            raise ValueError
        moment = parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadRequest.at(f"/{field}", "value.time") from None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
