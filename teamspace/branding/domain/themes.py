"""Theme tokens: which there are, how each is written, and how far colours must stand apart to be read."""

import math
import re
from typing import Any, get_args

import msgspec

from teamspace.branding.domain import contrast
from teamspace.branding.schemas import WIDEST_RADIUS, Font, Theme, Tokens
from teamspace.core.errors import InvalidThemeToken

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class Floor(msgspec.Struct, frozen=True):
    """The least contrast of two tokens."""

    foreground: str
    background: str
    ratio: float


# fmt: off
FLOORS = (
    Floor("text",        "background", 4.5),
    Floor("text",        "surface",    4.5),
    Floor("text_muted",  "background", 4.5),
    Floor("text_muted",  "surface",    4.5),
    Floor("link",        "background", 4.5),
    Floor("link",        "surface",    4.5),
    Floor("accent_text", "accent",     4.5),
    Floor("danger",      "surface",    4.5),
    Floor("success",     "surface",    4.5),
    Floor("warning",     "surface",    4.5),
    Floor("focus",       "background", 3.0),
)
# fmt: on


def accepted(given: dict[str, Any]) -> Tokens:
    """The tokens in their one spelling, once a theme made of them and the base theme can be read."""
    tokens = {name: _value(name, value) for name, value in given.items()}
    theme = completed(tokens)
    for floor in FLOORS:
        _check(floor, theme, given)
    return tokens


def completed(tokens: Tokens) -> Theme:
    """What is left out comes from the base theme."""
    return msgspec.convert(tokens, Theme)


def _check(floor: Floor, theme: Theme, given: dict[str, Any]) -> None:
    ratio = contrast.ratio(getattr(theme, floor.foreground), getattr(theme, floor.background))
    if ratio >= floor.ratio:
        return
    token, against = floor.foreground, floor.background
    if against in given and token not in given:
        # The caller is told of the token that they sent.
        token, against = against, token
    shown = math.floor(ratio * 100) / 100  # down, so that 4.499 is not said to be 4.5
    raise InvalidThemeToken(
        f"The theme token {token} has a contrast of {shown:.2f}:1 against {against}; it needs at least {floor.ratio}:1.",
        field=token, ratio=shown, required=floor.ratio, against=against,
    )  # fmt: skip


def _value(token: str, value: Any) -> str | int:
    """Parsed and printed anew, so that nothing of what was sent gets into a style sheet as it came."""
    if token not in Theme.__struct_fields__:
        raise InvalidThemeToken(f"There is no theme token {token[:80]}.", field=token[:80])
    if token == "radius":
        return _radius(value)
    return _font(value) if token == "font" else _colour(token, value)


def _colour(token: str, value: Any) -> str:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise InvalidThemeToken(f"The theme token {token} must be a colour such as #0f6b62.", field=token)
    return f"#{int(value[1:], 16):06x}"


def _radius(value: Any) -> int:
    # A bool is an int to Python and none to a style sheet.
    if type(value) is not int or not 0 <= value <= WIDEST_RADIUS:
        raise InvalidThemeToken(
            f"The theme token radius must be a whole number from 0 to {WIDEST_RADIUS}.", field="radius"
        )
    return value


def _font(value: Any) -> str:
    for font in get_args(Font):
        if value == font:
            return str(font)
    raise InvalidThemeToken(f"The theme token font must be one of {', '.join(get_args(Font))}.", field="font")
