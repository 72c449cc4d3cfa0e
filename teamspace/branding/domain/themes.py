"""Theme tokens: names, formats and minimum contrasts."""

import math
import re
from typing import Any, get_args

import msgspec

from teamspace.branding.domain import contrast
from teamspace.branding.schemas import MAX_RADIUS, Font, Theme, Tokens
from teamspace.core.errors import InvalidThemeToken

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class ContrastRule(msgspec.Struct, frozen=True):
    """The minimum contrast of two tokens."""

    foreground: str
    background: str
    ratio: float


# fmt: off
CONTRAST_RULES = (
    ContrastRule("text",        "background", 4.5),
    ContrastRule("text",        "surface",    4.5),
    ContrastRule("text_muted",  "background", 4.5),
    ContrastRule("text_muted",  "surface",    4.5),
    ContrastRule("link",        "background", 4.5),
    ContrastRule("link",        "surface",    4.5),
    ContrastRule("accent_text", "accent",     4.5),
    ContrastRule("danger",      "surface",    4.5),
    ContrastRule("success",     "surface",    4.5),
    ContrastRule("warning",     "surface",    4.5),
    ContrastRule("focus",       "background", 3.0),
)
# fmt: on


def validate(raw: dict[str, Any]) -> Tokens:
    """Return the tokens in canonical form, if they have enough contrast together with the base theme."""
    tokens = {name: _value(name, value) for name, value in raw.items()}
    theme = complete(tokens)
    for rule in CONTRAST_RULES:
        _check(rule, theme, raw)
    return tokens


def complete(tokens: Tokens) -> Theme:
    """Fill in missing tokens from the base theme."""
    return msgspec.convert(tokens, Theme)


def _check(rule: ContrastRule, theme: Theme, raw: dict[str, Any]) -> None:
    ratio = contrast.ratio(getattr(theme, rule.foreground), getattr(theme, rule.background))
    if ratio >= rule.ratio:
        return
    token, against = rule.foreground, rule.background
    if against in raw and token not in raw:
        # Name the token that the caller sent.
        token, against = against, token
    rounded = math.floor(ratio * 100) / 100  # rounded down, so that 4.499 is not shown as 4.5
    raise InvalidThemeToken(
        "branding.contrast", token=token, ratio=f"{rounded:.2f}", against=against, required=rule.ratio
    ).with_fields(field=token, ratio=rounded, required=rule.ratio, against=against)


def _value(token: str, value: Any) -> str | int:
    """Parse and format the value again, so that no raw input gets into a style sheet."""
    if token not in Theme.__struct_fields__:
        raise InvalidThemeToken("branding.unknown_token", token=token[:80]).with_fields(field=token[:80])
    if token == "radius":
        return _radius(value)
    return _font(value) if token == "font" else _colour(token, value)


def _colour(token: str, value: Any) -> str:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise InvalidThemeToken("branding.colour", token=token).with_fields(field=token)
    return f"#{int(value[1:], 16):06x}"


def _radius(value: Any) -> int:
    # A bool is an int in Python, but not in a style sheet.
    if type(value) is not int or not 0 <= value <= MAX_RADIUS:
        raise InvalidThemeToken("branding.radius", limit=MAX_RADIUS).with_fields(field="radius")
    return value


def _font(value: Any) -> str:
    for font in get_args(Font):
        if value == font:
            return str(font)
    raise InvalidThemeToken("branding.font", choices=", ".join(get_args(Font))).with_fields(field="font")
