"""The dark side of a theme: the same hues, with lightness turned round until every floor holds again."""

import colorsys
from collections.abc import Iterator

import msgspec

from teamspace.branding.domain import contrast
from teamspace.branding.domain.themes import FLOORS, Floor
from teamspace.branding.schemas import Theme

# fmt: off
BASE = Theme(
    background="#151413", surface="#1e1d1b", text="#f1eee9", text_muted="#aaa49b", border="#35322e",
    accent="#5cc9b8", accent_text="#06211d", link="#7cc4ea", focus="#8ab4ff",
    danger="#ff8a80", success="#7fd694", warning="#f0b860",
)
_GROUNDS = {"background": 0.08, "surface": 0.115, "border": 0.195}
"""How light the grounds are, whatever they were by day."""
_FIGURES = ("text", "text_muted", "link", "focus", "danger", "success", "warning")
# fmt: on

_CALM = 0.35  # a saturated ground glows in the dark
_LIGHTEST_ACCENT, _DARKEST = 0.72, 0.06
_STEP = 0.01


def derived(light: Theme) -> Theme:
    """A token that is the base theme's becomes the base's dark one; any other is turned round by itself."""
    chosen = {name for name in _GROUNDS | dict.fromkeys(_FIGURES) if getattr(light, name) != getattr(Theme(), name)}
    dark = {name: _ground(getattr(light, name), _GROUNDS[name]) for name in chosen & _GROUNDS.keys()}
    grounds = msgspec.structs.replace(BASE, radius=light.radius, font=light.font, **dark)
    figures = {
        name: _readable(getattr(light, name) if name in chosen else getattr(BASE, name), _floors_of(name), grounds)
        for name in _FIGURES
    }
    return msgspec.structs.replace(grounds, **figures, **_accent(light))


def _ground(colour: str, lightness: float) -> str:
    hue, _, saturation = _taken_apart(colour)
    return _put_together(hue, lightness, min(saturation, _CALM))


def _readable(colour: str, floors: list[Floor], theme: Theme) -> str:
    """The first on the way from its mirror image to white that stands apart from every ground it lies on."""
    return next(
        step
        for step in _lighter(colour)
        if all(contrast.ratio(step, getattr(theme, floor.background)) >= floor.ratio for floor in floors)
    )


def _accent(light: Theme) -> dict[str, str]:
    """The accent is a ground of its own: it goes lighter until dark text of its hue can be read on it."""
    if (light.accent, light.accent_text) == (Theme().accent, Theme().accent_text):
        return {"accent": BASE.accent, "accent_text": BASE.accent_text}
    hue, lightness, saturation = _taken_apart(light.accent)
    text = _put_together(hue, _DARKEST, min(saturation, _CALM))
    floor = next(floor for floor in FLOORS if floor.background == "accent")
    start = _put_together(hue, min(max(1 - lightness, 0.6), _LIGHTEST_ACCENT), saturation)
    return {
        "accent": next(step for step in _lighter(start) if contrast.ratio(text, step) >= floor.ratio),
        "accent_text": text,
    }


def _floors_of(token: str) -> list[Floor]:
    return [floor for floor in FLOORS if floor.foreground == token]


def _lighter(colour: str) -> Iterator[str]:
    hue, lightness, saturation = _taken_apart(colour)
    start = lightness if lightness > 0.5 else 1 - lightness
    yield from (
        _put_together(hue, start + _STEP * step, saturation) for step in range(int((1 - start) / _STEP) + 1)
    )  # fmt: skip
    yield "#ffffff"


def _taken_apart(colour: str) -> tuple[float, float, float]:
    red, green, blue = (channel / 255 for channel in bytes.fromhex(colour[1:]))
    return colorsys.rgb_to_hls(red, green, blue)


def _put_together(hue: float, lightness: float, saturation: float) -> str:
    channels = colorsys.hls_to_rgb(hue, max(0.0, min(1.0, lightness)), saturation)
    return "#" + bytes(round(channel * 255) for channel in channels).hex()
