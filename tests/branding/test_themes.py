"""Theme tokens: valid ones are accepted and normalised, invalid ones refused."""

import random
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teamspace.branding.domain import themes
from teamspace.branding.schemas import Theme
from teamspace.core.errors import InvalidThemeToken

COLOURS = [name for name in Theme.__struct_fields__ if name not in ("radius", "font")]
FUZZED = 20_000
HEX = frozenset("0123456789abcdefABCDEF")
DEBRIS = (
    *"#0fFgG xX;:{}()/*\\\"'<>,.%&_-+\n\r\t\0", "url(", "red", "rgb(", "var(--x)", "}", "/*", "\u2028", "\u0660", "０",
    "ａ", "𝟎", "ſ", "\ud7ff", "\x0c", "expression(", "!important", "\\23 ",
)  # fmt: skip

colour = st.from_regex(r"#[0-9a-fA-F]{6}", fullmatch=True)
values = {name: st.one_of(colour, st.just("#000000"), st.just("#FFFFFF"), st.text()) for name in COLOURS}
values["radius"] = st.one_of(st.integers(-2, 30), st.booleans(), st.floats(), st.text())
values["font"] = st.one_of(st.sampled_from(["inter", "system", "serif", "mono", "Inter", "comic"]), st.text())
proposals = st.fixed_dictionaries({}, optional=values)


def refusal(tokens: dict[str, Any]) -> InvalidThemeToken | None:
    try:
        themes.validate(tokens)
    except InvalidThemeToken as refused:
        return refused
    return None


@settings(max_examples=1000, deadline=None)
@given(proposals)
def test_an_accepted_theme_matches_the_grammar_after_a_round_trip(tokens: dict[str, Any]) -> None:
    try:
        accepted = themes.validate(tokens)
    except InvalidThemeToken as refused:
        assert refused.extra["field"] in Theme.__struct_fields__
        return
    stored = msgspec.json.decode(msgspec.json.encode(accepted))
    assert stored == accepted == themes.validate(stored)
    assert stored.keys() == tokens.keys()
    theme = msgspec.structs.asdict(themes.complete(stored))
    assert all(re.fullmatch(r"#[0-9a-f]{6}", theme[name]) for name in COLOURS)
    assert type(theme["radius"]) is int and 0 <= theme["radius"] <= 24
    assert theme["font"] in ("inter", "system", "serif", "mono")
    assert {name: theme[name] for name in stored} == stored


def test_a_fuzzed_value_is_accepted_only_if_it_is_a_colour() -> None:
    rng, passed = random.Random(26), 0
    for _ in range(FUZZED):
        value = mangle(rng)
        is_colour = len(value) == 7 and value[0] == "#" and set(value[1:]) <= HEX
        refused = refusal({"border": value})
        assert (refused is None) == is_colour, value
        if is_colour:
            passed += 1
            assert themes.validate({"border": value}) == {"border": value.lower()}
    assert 200 < passed < FUZZED / 2


def mangle(rng: random.Random) -> str:
    """A colour with a few characters replaced, inserted or removed."""
    parts = list(f"#{rng.getrandbits(24):06x}")
    for _ in range(rng.randrange(4)):
        start = rng.randrange(len(parts) + 1)
        parts[start : start + rng.randrange(3)] = rng.choices(DEBRIS, k=rng.randrange(3))
    return "".join(parts)


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("surface", "#fff"),
        ("surface", "ffffff"),
        ("surface", "#ffffff "),
        ("surface", "#ffffff\n"),
        ("surface", "#ffffffff"),
        ("surface", "white"),
        ("surface", "#ffffff}body{display:none"),
        ("surface", "url(https://example.com/x)"),
        ("surface", "#００００００"),
        ("surface", 16777215),
        ("surface", None),
        ("surface", ["#ffffff"]),
        ("surface", {"value": "#ffffff"}),
        ("radius", -1),
        ("radius", 25),
        ("radius", 8.0),
        ("radius", "8"),
        ("radius", True),
        ("radius", None),
        ("font", "Inter"),
        ("font", "comic"),
        ("font", ""),
        ("font", 1),
        ("font", None),
        ("font", ["inter"]),
        ("shadow", "#000000"),
        ("", "#000000"),
        ("Text", "#000000"),
        ("__class__", "#000000"),
    ],
)
def test_an_unknown_or_malformed_token_is_named(token: str, value: Any) -> None:
    refused = refusal({"border": "#000000", token: value})
    assert refused is not None and refused.extra == {"field": token}
    assert token in refused.detail


def test_a_very_long_token_name_is_truncated() -> None:
    refused = refusal({"x" * 5000: "#000000"})
    assert refused is not None and refused.extra == {"field": "x" * 80} and len(refused.detail) < 200


def test_upper_case_becomes_lower_case() -> None:
    assert themes.validate({"text": "#0A0B0C", "radius": 0, "font": "mono"}) == {
        "text": "#0a0b0c", "radius": 0, "font": "mono",
    }  # fmt: skip


# fmt: off
LOW_CONTRAST = (
    # tokens                                           field          against       ratio  required
    # Against white, the nearest greys on either side of 4.5 are #767676 (4.54) and #777777 (4.478).
    ({"text": "#777777"},                              "text",        "background", 4.25, 4.5),
    ({"text": "#777777", "background": "#ffffff"},     "text",        "background", 4.47, 4.5),
    ({"text_muted": "#777777", "background": "#000000", "text": "#767676", "link": "#767676"},
                                                       "text_muted",  "surface",    4.47, 4.5),
    ({"link": "#ffffff"},                              "link",        "background", 1.05, 4.5),
    ({"accent": "#777777"},                            "accent",      "accent_text", 4.47, 4.5),
    ({"accent_text": "#0f6b62"},                       "accent_text", "accent",     1.0,  4.5),
    ({"accent": "#ffff00", "accent_text": "#ffffff"},  "accent_text", "accent",     1.07, 4.5),
    ({"danger": "#ff0000"},                            "danger",      "surface",    3.99, 4.5),
    ({"success": "#00ff00"},                           "success",     "surface",    1.37, 4.5),
    ({"warning": "#ffa500"},                           "warning",     "surface",    1.97, 4.5),
    ({"focus": "#ffffff"},                             "focus",       "background", 1.05, 3.0),
    # Only the background was set, so it is the field to correct.
    ({"background": "#000000"},                        "background",  "text",       1.24, 4.5),
    ({"surface": "#333333"},                           "surface",     "text",       1.33, 4.5),
)
# fmt: on


@pytest.mark.parametrize(("tokens", "field", "against", "ratio", "required"), LOW_CONTRAST)
def test_low_contrast_is_reported_with_its_ratio(
    tokens: dict[str, Any], field: str, against: str, ratio: float, required: float
) -> None:
    refused = refusal(tokens)
    assert refused is not None
    assert refused.extra == {"field": field, "against": against, "ratio": ratio, "required": required}
    assert all(word in refused.detail for word in (field, against, f"{ratio:.2f}:1", f"{required}:1"))


def test_a_ratio_just_below_its_threshold_is_rounded_down() -> None:
    refused = refusal({"accent": "#be64da", "accent_text": "#480b1d"})
    assert refused is not None and refused.extra["ratio"] == 4.49
    assert refusal({"accent": "#be64db", "accent_text": "#480b1d"}) is None
