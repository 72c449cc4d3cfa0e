"""Text that people give: kept as they wrote it, without what could deceive a reader or break a line."""

import unicodedata
from datetime import UTC, datetime

from teamspace.core.errors import BadRequest

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def line(value: str, *, most: int) -> str:
    """What a program says of itself, as far as it can be shown on a line."""
    return "".join(character for character in value[:most] if character.isprintable())


def name(value: str, field: str, *, most: int) -> str:
    """A line of text that is shown as a name or title: normalised, trimmed, no control or direction marks."""
    text = unicodedata.normalize("NFC", value).strip()
    if not any(unicodedata.category(character) != "Cf" for character in text):
        raise BadRequest.at(f"/{field}", "must not be empty")
    if len(text) > most:
        raise BadRequest.at(f"/{field}", f"may hold {most} characters")
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _BIDI for character in text):
        raise BadRequest.at(f"/{field}", "holds a control or text direction character")
    return text


def moment(value: str, field: str) -> str:
    """A time with its zone, as we write times."""
    try:
        given = datetime.fromisoformat(value)
        if given.tzinfo is None:
            raise ValueError
        moment = given.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadRequest.at(f"/{field}", "must be a time such as 2030-01-31T09:00:00Z") from None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
