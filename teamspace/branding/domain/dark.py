"""Derive a dark theme: the same hues with inverted lightness, adjusted until every contrast rule is met."""

import colorsys
from collections.abc import Iterator

import msgspec

from teamspace.branding.domain import contrast
from teamspace.branding.domain.themes import CONTRAST_RULES, ContrastRule
from teamspace.branding.schemas import Theme

# fmt: off
BASE = Theme(
    background="#151413", surface="#1e1d1b", text="#f1eee9", text_muted="#aaa49b", border="#35322e",
    accent="#5cc9b8", accent_text="#06211d", link="#7cc4ea", focus="#8ab4ff",
    danger="#ff8a80", success="#7fd694", warning="#f0b860",
)
_BACKGROUNDS = {"background": 0.08, "surface": 0.115, "border": 0.195}
"""The lightness of dark backgrounds, whatever it is in the light theme."""
_FOREGROUNDS = ("text", "text_muted", "link", "focus", "danger", "success", "warning")
# fmt: on

_MAX_SATURATION = 0.35  # saturated backgrounds glow in the dark
_LIGHTEST_ACCENT, _DARKEST = 0.72, 0.06
_STEP = 0.01


def derive(light: Theme) -> Theme:
    """Replace tokens of the base theme by those of the dark base theme, and derive the others."""
    chosen = {
        name for name in _BACKGROUNDS | dict.fromkeys(_FOREGROUNDS) if getattr(light, name) != getattr(Theme(), name)
    }
    dark = {name: _background(getattr(light, name), _BACKGROUNDS[name]) for name in chosen & _BACKGROUNDS.keys()}
    backgrounds = msgspec.structs.replace(BASE, radius=light.radius, font=light.font, **dark)
    foregrounds = {
        name: _readable(getattr(light, name) if name in chosen else getattr(BASE, name), _rules_for(name), backgrounds)
        for name in _FOREGROUNDS
    }
    return msgspec.structs.replace(backgrounds, **foregrounds, **_accent(light))


def _background(colour: str, lightness: float) -> str:
    hue, _, saturation = _to_hls(colour)
    return _from_hls(hue, lightness, min(saturation, _MAX_SATURATION))


def _readable(colour: str, rules: list[ContrastRule], theme: Theme) -> str:
    """Invert the colour's lightness and lighten it until it has enough contrast with every background it is used on."""
    return next(
        step
        for step in _lighter(colour)
        if all(contrast.ratio(step, getattr(theme, rule.background)) >= rule.ratio for rule in rules)
    )


def _accent(light: Theme) -> dict[str, str]:
    """Lighten the accent, which is a background itself, until dark text of its hue is readable on it."""
    if (light.accent, light.accent_text) == (Theme().accent, Theme().accent_text):
        return {"accent": BASE.accent, "accent_text": BASE.accent_text}
    hue, lightness, saturation = _to_hls(light.accent)
    text = _from_hls(hue, _DARKEST, min(saturation, _MAX_SATURATION))
    rule = next(rule for rule in CONTRAST_RULES if rule.background == "accent")
    start = _from_hls(hue, min(max(1 - lightness, 0.6), _LIGHTEST_ACCENT), saturation)
    return {
        "accent": next(step for step in _lighter(start) if contrast.ratio(text, step) >= rule.ratio),
        "accent_text": text,
    }


def _rules_for(token: str) -> list[ContrastRule]:
    return [rule for rule in CONTRAST_RULES if rule.foreground == token]


def _lighter(colour: str) -> Iterator[str]:
    hue, lightness, saturation = _to_hls(colour)
    start = lightness if lightness > 0.5 else 1 - lightness
    yield from (
        _from_hls(hue, start + _STEP * step, saturation) for step in range(int((1 - start) / _STEP) + 1)
    )  # fmt: skip
    yield "#ffffff"


def _to_hls(colour: str) -> tuple[float, float, float]:
    red, green, blue = (channel / 255 for channel in bytes.fromhex(colour[1:]))
    return colorsys.rgb_to_hls(red, green, blue)


def _from_hls(hue: float, lightness: float, saturation: float) -> str:
    channels = colorsys.hls_to_rgb(hue, max(0.0, min(1.0, lightness)), saturation)
    return "#" + bytes(round(channel * 255) for channel in channels).hex()
