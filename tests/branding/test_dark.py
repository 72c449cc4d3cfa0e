"""The dark theme: of the base theme the one that was designed, of any other one that can be read."""

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


def faint(theme: Theme) -> list[str]:
    return [
        f"{floor.foreground} on {floor.background}"
        for floor in CONTRAST_RULES
        if contrast.ratio(getattr(theme, floor.foreground), getattr(theme, floor.background)) < floor.ratio
    ]


def test_the_base_theme_has_the_dark_side_that_was_designed() -> None:
    assert derive(Theme()) == BASE
    assert faint(BASE) == []


@given(THEMES, st.integers(0, 24), st.sampled_from(["inter", "system", "serif", "mono"]))
def test_any_theme_can_be_read_in_the_dark(tokens: dict[str, str | int], radius: int, font: str) -> None:
    dark = derive(complete({**tokens, "radius": radius, "font": font}))
    assert faint(dark) == []
    assert (dark.radius, dark.font) == (radius, font)


def test_a_ground_is_dark_and_keeps_its_hue() -> None:
    dark = derive(complete({"background": "#e8f0ff", "accent": "#a01060"}))
    red, green, blue = bytes.fromhex(dark.background[1:])
    assert max(red, green, blue) < 48 and blue == max(red, green, blue)
    red, green, blue = bytes.fromhex(dark.accent[1:])
    assert red == max(red, green, blue) and green == min(red, green, blue)
