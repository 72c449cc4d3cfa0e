"""Validates text from people: kept as written, without characters that deceive readers or break lines."""

import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime

from teamspace.core.errors import BadRequest

MAX_TAGS, TAG_LENGTH = 20, 50
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


def clean_tags(tags: Iterable[str], field: str = "tags") -> list[str]:
    """Return tags normalised and without duplicates, in their order."""
    cleaned = list(dict.fromkeys(clean_tag(tag, field) for tag in tags))
    if len(cleaned) > MAX_TAGS:
        raise BadRequest.at(f"/{field}", "value.tags", limit=MAX_TAGS)
    return cleaned


def clean_tag(tag: str, field: str = "tags") -> str:
    return clean_name(unicodedata.normalize("NFKC", tag), field, max_length=TAG_LENGTH)


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
