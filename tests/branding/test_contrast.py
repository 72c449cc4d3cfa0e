"""The contrast rules against two independent implementations: a library, and WCAG 2.2 in exact decimals.

https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio and #dfn-relative-luminance.
"""

import random
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from itertools import islice

import pytest
from a11y_pygments.utils import wcag_contrast  # type: ignore[import-untyped]

from teamspace.branding.domain import contrast, themes
from teamspace.branding.schemas import Theme
from teamspace.core.errors import InvalidThemeToken

PAIRS, NEAR = 100_000, 10_000
NEAREST = (
    ("#89bb09", "#8212db"), ("#04d923", "#676283"), ("#be64db", "#480b1d"), ("#20cee6", "#9b0b14"),
    ("#beb3bb", "#394a5a"), ("#dd5ef5", "#5e3683"), ("#32f120", "#bf39c2"), ("#aecf2d", "#985191"),
)  # fmt: skip
"""The pairs nearest to a threshold, within 2e-13; found by searching all 2^48."""


def _decimals() -> tuple[Decimal, ...]:
    with localcontext() as context:
        context.prec = 40
        shares = [Decimal(channel) / 255 for channel in range(256)]
        curve = Decimal("2.4")
        return tuple(
            share / Decimal("12.92")
            if share <= Decimal("0.04045")
            else ((share + Decimal("0.055")) / Decimal("1.055")) ** curve
            for share in shares
        )


LINEAR = _decimals()
MIDDLE = Decimal("0.18")
"""The luminance on which black and white are about equally readable, at 4.6:1 and 4.57:1."""


def luminance(colour: str) -> Decimal:
    red, green, blue = (LINEAR[int(colour[start : start + 2], 16)] for start in (1, 3, 5))
    return Decimal("0.2126") * red + Decimal("0.7152") * green + Decimal("0.0722") * blue


def exact(one: str, other: str) -> Decimal:
    with localcontext() as context:
        context.prec = 40
        darker, lighter = sorted((luminance(one), luminance(other)))
        return (lighter + Decimal("0.05")) / (darker + Decimal("0.05"))


def by_library(one: str, other: str) -> float:
    ratio: float = wcag_contrast.contrast_ratio(wcag_contrast.hex_to_rgb01(one), wcag_contrast.hex_to_rgb01(other))
    return ratio


def colour(number: int) -> str:
    return f"#{number:06x}"


def random_pairs() -> Iterator[tuple[str, str]]:
    rng = random.Random(2022)
    for _ in range(PAIRS):
        yield colour(rng.getrandbits(24)), colour(rng.getrandbits(24))


def pairs_near_thresholds() -> Iterator[tuple[str, str]]:
    """Neighbouring colours of which one reaches a threshold against a third and the other does not."""
    rng = random.Random(45)
    yield from NEAREST
    found = 0
    while found < NEAR:
        one, red, blue = rng.getrandbits(24), rng.getrandbits(8), rng.getrandbits(8)
        pairs = [(colour(one), f"#{red:02x}{green:02x}{blue:02x}") for green in range(0, 256, 5)]
        ratios = [by_library(*pair) for pair in pairs]
        for threshold in (3, 4.5):
            for index in range(len(pairs) - 1):
                if (ratios[index] >= threshold) != (ratios[index + 1] >= threshold):
                    green = index * 5
                    yield from ((colour(one), f"#{red:02x}{green + step:02x}{blue:02x}") for step in range(6))
                    found += 6


def is_accepted(tokens: dict[str, str]) -> bool:
    try:
        themes.validate(tokens)
    except InvalidThemeToken:
        return False
    return True


def reaches_text_threshold(one: str, other: str) -> bool:
    """The validator at 4.5: no other pair depends on these two tokens."""
    return is_accepted({"accent": one, "accent_text": other})


def reaches_focus_threshold(one: str, other: str) -> bool:
    """The validator at 3: everything else is black or white on the same background, which always passes."""
    ink = "#000000" if luminance(other) > MIDDLE else "#ffffff"
    rest = dict.fromkeys(("text", "text_muted", "link", "danger", "success", "warning"), ink)
    return is_accepted({"focus": one, "background": other, "surface": other} | rest)


@pytest.mark.parametrize(("pairs", "sample"), [(random_pairs, 5_000), (pairs_near_thresholds, 2_000)])
def test_the_validator_agrees_with_the_standard(
    pairs: Callable[[], Iterator[tuple[str, str]]], sample: int, thorough: bool
) -> None:
    for one, other in islice(pairs(), None if thorough else sample):
        ratio, library, exact_ratio = contrast.ratio(one, other), by_library(one, other), exact(one, other)
        assert abs(ratio - library) < 1e-9
        assert abs(Decimal(ratio) - exact_ratio) < Decimal("1e-12")
        assert reaches_text_threshold(one, other) == (library >= 4.5) == (exact_ratio >= Decimal("4.5")), (
            one,
            other,
            exact_ratio,
        )
        assert reaches_focus_threshold(one, other) == (library >= 3) == (exact_ratio >= 3), (one, other, exact_ratio)


def test_the_nearest_pairs_are_within_the_stated_distance() -> None:
    gaps = [min(abs(exact(*pair) - 3), abs(exact(*pair) - Decimal("4.5"))) for pair in NEAREST]
    assert Decimal("6e-14") < min(gaps) < max(gaps) < Decimal("2e-13")


def test_black_on_white_is_21_and_a_colour_on_itself_is_1() -> None:
    assert contrast.ratio("#000000", "#ffffff") == contrast.ratio("#ffffff", "#000000") == 21
    assert contrast.ratio("#123456", "#123456") == 1


def test_every_contrast_rule_of_the_contract_exists() -> None:
    text = {
        (token, background, 4.5) for token in ("text", "text_muted", "link") for background in ("background", "surface")
    }
    states = {(token, "surface", 4.5) for token in ("danger", "success", "warning")}
    expected = text | states | {("accent_text", "accent", 4.5), ("focus", "background", 3)}
    assert {
        (threshold.foreground, threshold.background, threshold.ratio) for threshold in themes.CONTRAST_RULES
    } == expected


def test_the_base_theme_meets_the_contrast_rules() -> None:
    assert themes.validate({}) == {}
    base = Theme()
    for threshold in themes.CONTRAST_RULES:
        assert exact(getattr(base, threshold.foreground), getattr(base, threshold.background)) >= Decimal(
            threshold.ratio
        )
