"""The dark theme: designed for the base theme, derived and readable for any other."""

from hypothesis import given
from hypothesis import strategies as st

from teamspace.branding.domain import contrast
from teamspace.branding.domain.dark import BASE, derive
from teamspace.branding.domain.themes import CONTRAST_RULES, complete
from teamspace.branding.schemas import Theme

COLOURS = [name for name in Theme.__struct_fields__ if name not in ("radius", "font")]
THEMES = st.dictionaries(
    st.sampled_from(COLOURS), st.integers(0, 0xFFFFFF).map(lambda colour: f"#{colour:06x}"), max_size=len(COLOURS)
)


def contrast_violations(theme: Theme) -> list[str]:
    return [
        f"{rule.foreground} on {rule.background}"
        for rule in CONTRAST_RULES
        if contrast.ratio(getattr(theme, rule.foreground), getattr(theme, rule.background)) < rule.ratio
    ]


def test_the_base_theme_has_the_designed_dark_theme() -> None:
    assert derive(Theme()) == BASE
    assert contrast_violations(BASE) == []


@given(THEMES, st.integers(0, 24), st.sampled_from(["inter", "system", "serif", "mono"]))
def test_the_dark_theme_of_any_theme_is_readable(tokens: dict[str, str | int], radius: int, font: str) -> None:
    dark = derive(complete({**tokens, "radius": radius, "font": font}))
    assert contrast_violations(dark) == []
    assert (dark.radius, dark.font) == (radius, font)


def test_dark_backgrounds_and_accents_keep_their_hue() -> None:
    dark = derive(complete({"background": "#e8f0ff", "accent": "#a01060"}))
    red, green, blue = bytes.fromhex(dark.background[1:])
    assert max(red, green, blue) < 48 and blue == max(red, green, blue)
    red, green, blue = bytes.fromhex(dark.accent[1:])
    assert red == max(red, green, blue) and green == min(red, green, blue)
