"""Checks the translation of one ICU message, and says what its source requires. Linear in the texts."""

import re
from collections.abc import Iterable

from teamspace.translation.domain import checks, icu, languages, parts
from teamspace.translation.domain.segments import Segment
from teamspace.translation.schemas import Check, MessageChecks, MessageShape, SegmentProblem

_ERRORS = frozenset({Check.EMPTY, Check.ICU, Check.PLACEHOLDERS, Check.PLURALS, Check.TAGS})
"""With these, the translation would be shown wrong or not at all; all others a person can decide to accept."""
_NAME = re.compile(r"\{\s*([\w.-]{1,100}+)")


def check_message(source: str, text: str, target: str) -> MessageChecks:
    """Compare the translation of a message with its source. Long texts take a while: call it in a thread."""
    original = _parse(source)
    if text.strip() and (translated := icu.parse(text)) and (wrong := _compare_choices(original, translated)):
        return MessageChecks([wrong], [])
    segment = Segment(source.strip(), tuple(parts.divide_message(original)), "", (), original)
    found = checks.find_problems(segment, text, target)
    return MessageChecks(
        [problem for problem in found if problem.check in _ERRORS],
        [problem for problem in found if problem.check not in _ERRORS],
    )


def describe_message(source: str, target: str) -> MessageShape:
    """Return which arguments and plural forms a translation of the message has."""
    message = _parse(source)
    has_plurals = any(choice.kind == "plural" for choice in message.choices)
    required = languages.plural_rule(target).required if has_plurals else frozenset()
    return MessageShape(_arguments(message), [name for name in languages.CATEGORIES if name in required])


def _parse(source: str) -> icu.IcuMessage:
    """Parse a source; one that is no ICU message has only words."""
    return icu.parse(source) or icu.IcuMessage([(icu.Piece.LITERAL, source)], [])


def _arguments(message: icu.IcuMessage) -> list[str]:
    simple = [_NAME.match(text) for piece, text in message.pieces if piece is icu.Piece.ARGUMENT]
    return sorted({found[1] for found in simple if found} | {choice.name for choice in message.choices})


def _compare_choices(source: icu.IcuMessage, translation: icu.IcuMessage) -> SegmentProblem | None:
    """Return what is wrong if the arguments with branches differ."""
    before, after = _choices(source.choices), _choices(translation.choices)
    if before == after:
        return None
    return checks.problem(Check.PLACEHOLDERS, missing=_listed(before - after), added=_listed(after - before))


def _choices(choices: Iterable[icu.Choice]) -> set[str]:
    return {f"{{{choice.name}, {choice.kind}}}" for choice in choices}


def _listed(names: Iterable[str]) -> str:
    return " ".join(sorted(names)[:10]) or "-"
