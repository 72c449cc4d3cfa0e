"""Names the key and the parameters of a validation error of msgspec, which only has a text."""

import re

from teamspace.core.messages import Key, Param

MAX_LENGTH = 500
"""An error may contain a name or a value as long as the body."""
_TABLE: tuple[tuple[Key, str], ...] = (
    ("value.missing_field",    r"Object missing required field `(?P<field>.*)`"),
    ("value.unknown_field",    r"Object contains unknown field `(?P<field>.*)`"),
    ("value.no_choice",        r"Invalid enum value (?P<value>.*)"),
    ("value.no_variant",       r"Invalid value (?P<value>.*)"),
    ("value.min_length",       r"Expected `(?P<expected>\w+)` of length >= (?P<limit>\d+)"),
    ("value.max_length",       r"Expected `(?P<expected>\w+)` of length <= (?P<limit>\d+)"),
    ("value.array_length",     r"Expected `array` of (?P<expected>(?:at least |at most )?length \d+(?: to \d+)?), got (?P<got>\d+)"),
    ("value.pattern",          r"Expected `str` matching regex (?P<pattern>.*)"),
    ("value.min",              r"Expected `(?P<expected>\w+)` >= (?P<limit>\S+)"),
    ("value.max",              r"Expected `(?P<expected>\w+)` <= (?P<limit>\S+)"),
    ("value.above",            r"Expected `(?P<expected>\w+)` > (?P<limit>\S+)"),
    ("value.below",            r"Expected `(?P<expected>\w+)` < (?P<limit>\S+)"),
    ("value.wrong_type",       r"Expected `(?P<expected>.*)`, got `(?P<got>\w+)`"),
    ("value.type",             r"Expected `(?P<expected>\w+)`"),
    ("value.integer_range",    r"Integer value out of range"),
    ("value.number_range",     r"Number out of range"),
    ("value.base64",           r"Invalid base64 encoded string"),
)  # fmt: skip
_PATTERNS = tuple((key, re.compile(pattern, re.DOTALL)) for key, pattern in _TABLE)


def message_of(error: str) -> tuple[Key, dict[str, Param]]:
    """Return the key and the parameters of an error; an unknown one is passed on as text."""
    if len(error) > 3 * MAX_LENGTH:  # it quotes what was sent, of which only the beginning is shown
        error = error[: 2 * MAX_LENGTH] + error[-MAX_LENGTH:]
    for key, pattern in _PATTERNS:
        if match := pattern.fullmatch(error):
            return key, {name: value[:MAX_LENGTH] for name, value in match.groupdict().items()}
    return "value.invalid", {"error": error[:MAX_LENGTH]}
