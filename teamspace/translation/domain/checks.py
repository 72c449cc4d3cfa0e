"""Checks the translation of a segment against its source."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from teamspace.core.messages import Key, Param, render
from teamspace.translation.domain import icu, languages, numbers, parts, terms
from teamspace.translation.domain.parts import Part, PartKind
from teamspace.translation.domain.segments import MARKER, Segment
from teamspace.translation.schemas import Check, GlossaryTerm, SegmentProblem

_KEPT = {
    PartKind.PLACEHOLDER: Check.PLACEHOLDERS,
    PartKind.TAG: Check.TAGS,
    PartKind.LINK: Check.LINKS,
    PartKind.URL: Check.URLS,
    PartKind.CODE: Check.CODE,
    PartKind.FIGURE: Check.NUMBERS,
}
_MESSAGES: dict[Check, Key] = {
    Check.MISSING: "translation.check_missing",
    Check.EMPTY: "translation.check_empty",
    Check.UNCHANGED: "translation.check_unchanged",
    Check.PLACEHOLDERS: "translation.check_placeholders",
    Check.ICU: "translation.check_icu",
    Check.PLURALS: "translation.check_plurals",
    Check.TAGS: "translation.check_tags",
    Check.LINKS: "translation.check_links",
    Check.URLS: "translation.check_urls",
    Check.CODE: "translation.check_code",
    Check.NUMBERS: "translation.check_numbers",
    Check.MARKDOWN: "translation.check_markdown",
    Check.GLOSSARY: "translation.check_glossary",
    Check.FORBIDDEN: "translation.check_forbidden",
}
_ELEMENT = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,50})")
_EMPTY_ELEMENTS = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
_MAX_SHOWN = 200


class TermHit(msgspec.Struct, frozen=True):
    """A term of the glossary in a segment."""

    term: GlossaryTerm
    count: int


class SegmentTerms(msgspec.Struct, frozen=True):
    hits: tuple[TermHit, ...] = ()
    covers_all: bool = False
    """Whether every word of the segment belongs to a term that stays as it is."""


NO_TERMS = SegmentTerms()


def problem(check: Check, **params: Param) -> SegmentProblem:
    shown = {name: value[:_MAX_SHOWN] if isinstance(value, str) else value for name, value in params.items()}
    return SegmentProblem(check, render(_MESSAGES[check], shown), shown)


def find_problems(
    segment: Segment, translation: str, target: str, found: SegmentTerms = NO_TERMS
) -> list[SegmentProblem]:
    """Return what is wrong with a translation."""
    if not translation.strip():
        return [problem(Check.EMPTY)]
    message = icu.parse(translation) if segment.message else None
    if segment.message and message is None:
        return [problem(Check.ICU)]
    divided = parts.divide_message(message) if message else parts.divide(translation)
    return [
        *_unchanged(segment, translation, found),
        *(_message_problems(segment.message, message, target) if segment.message and message else ()),
        *_kept_problems(segment, divided),
        *_number_problems(segment, divided),
        *_markdown_problems(segment, translation, divided),
        *_glossary_problems(divided, found),
    ]


def count_applied(hit: TermHit, translation: str) -> int:
    """Return how often the translation of a term was used for it."""
    return min(hit.count, terms.count_beginnings(hit.term.translation or "", translation.casefold()))


def _unchanged(segment: Segment, translation: str, found: SegmentTerms) -> Iterator[SegmentProblem]:
    if translation.strip() == segment.source and not found.covers_all:
        yield problem(Check.UNCHANGED)


def _message_problems(source: icu.IcuMessage, translation: icu.IcuMessage, target: str) -> Iterator[SegmentProblem]:
    before = {(choice.name, choice.kind): set[str]() for choice in source.choices}
    for choice in source.choices:
        before[choice.name, choice.kind].update(choice.keys)
    after = {(choice.name, choice.kind) for choice in translation.choices}
    if before.keys() != after:
        yield problem(Check.ICU)
        return
    for choice in translation.choices:
        expected = before[choice.name, choice.kind]
        if wrong := _wrong_keys(choice, expected, languages.plural_rule(target)):
            yield problem(Check.PLURALS, argument=choice.name, forms=", ".join(sorted(wrong)))


def _wrong_keys(choice: icu.Choice, source: set[str], rule: languages.PluralRule) -> set[str]:
    """Return the branches that are missing or do not belong to the language."""
    keys = set(choice.keys)
    if choice.kind == "select":
        return keys ^ source
    exact = {key for key in source if key.startswith("=")}
    named = {key for key in keys if not key.startswith("=")}
    wrong = (keys - named) ^ exact
    if choice.kind == "plural":
        return wrong | (rule.required - named) | (named - rule.required - rule.optional)
    return wrong | (named - languages.ALL_CATEGORIES)


def _kept_problems(segment: Segment, divided: Sequence[Part]) -> Iterator[SegmentProblem]:
    for kind, check in _KEPT.items():
        before, after = _count(segment.parts, kind), _count(divided, kind)
        if segment.message:  # the number of branches, and so of repetitions, depends on the language
            before, after = Counter(before.keys()), Counter(after.keys())
        if before != after:
            yield problem(check, missing=_listed(before - after), added=_listed(after - before))
        elif kind is PartKind.TAG and _is_balanced(_tags(segment.parts)) and not _is_balanced(_tags(divided)):
            yield problem(check, missing="-", added="-")


def _count(divided: Iterable[Part], kind: PartKind) -> Counter[str]:
    return Counter(part.text for part in divided if part.kind is kind)


def _listed(counted: Counter[str]) -> str:
    return " ".join(list(counted)[:10]) or "-"


def _tags(divided: Iterable[Part]) -> Iterator[str]:
    return (part.text for part in divided if part.kind is PartKind.TAG)


def _is_balanced(tags: Iterable[str]) -> bool:
    """Whether every element that is opened is closed, in order."""
    opened = list[str]()
    for tag in tags:
        element = _ELEMENT.match(tag)
        if element is None or tag.endswith("/>") or element[2].lower() in _EMPTY_ELEMENTS:
            continue
        if not element[1]:
            opened.append(element[2])
        elif not opened or opened.pop() != element[2]:
            return False
    return not opened


def _number_problems(segment: Segment, divided: Sequence[Part]) -> Iterator[SegmentProblem]:
    if not numbers.same_numbers(parts.texts(segment.parts), parts.texts(divided), subset=segment.message is not None):
        yield problem(Check.NUMBERS)


def _markdown_problems(segment: Segment, translation: str, divided: Sequence[Part]) -> Iterator[SegmentProblem]:
    if segment.message is None and _structure(segment.source, segment.parts) != _structure(translation, divided):
        yield problem(Check.MARKDOWN)


def _structure(text: str, divided: Sequence[Part]) -> tuple[int, int, int, int]:
    """Count what makes the structure: marked lines, blank lines, borders of cells, links that nothing begins."""
    lines = text.splitlines()
    return (
        sum(map(bool, map(MARKER.match, lines))),
        sum(not line.strip() for line in lines),
        "".join(parts.texts(divided)).count("|"),
        _count_broken_links(divided),
    )


def _count_broken_links(divided: Iterable[Part]) -> int:
    opened = broken = 0
    for part in divided:
        if part.kind is PartKind.TEXT:
            opened = max(0, opened + part.text.count("[") - part.text.count("]"))
        elif part.kind is PartKind.LINK and part.text.startswith("]"):
            broken += not opened
            opened = max(0, opened - 1)
    return broken


def _glossary_problems(divided: Sequence[Part], found: SegmentTerms) -> Iterator[SegmentProblem]:
    if not found.hits:
        return
    literal = " ".join(parts.texts(divided)).casefold()
    forbidden = {word.casefold() for hit in found.hits for word in hit.term.forbidden}
    used = terms.Phrases(forbidden).find_all(terms.words(literal)) if forbidden else set()
    for hit in found.hits:
        if not terms.count_beginnings(hit.term.translation or "", literal):
            yield problem(Check.GLOSSARY, term=hit.term.term, translation=hit.term.translation or "")
        for word in hit.term.forbidden:
            if word.casefold() in used:
                yield problem(Check.FORBIDDEN, term=hit.term.term, word=word)
