"""The checks of a translated segment."""

from collections.abc import Sequence

import pytest

from teamspace.translation.domain import checks, numbers, segments
from teamspace.translation.domain.checks import SegmentTerms, TermHit
from teamspace.translation.schemas import GlossaryTerm

PLURAL = "{n, plural, one {# file} other {# files}}"


def failed(source: str, translation: str, target: str = "de", terms: SegmentTerms = checks.NO_TERMS) -> Sequence[str]:
    (segment,) = segments.lay_out({"": source}).segments
    return [problem.check.value for problem in checks.find_problems(segment, translation, target, terms)]


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("Hello {name}", "Hallo {name}", []),
        ("Hello {name}", "Hallo {nome}", ["placeholders"]),
        ("{a} and {a}", "{a} und", ["placeholders"]),
        ("Hello %s", "Hallo %d", ["placeholders"]),
        ("Hello {name}", "Hallo \u27e6x\u27e7", ["placeholders"]),
        ("Hello {name}", "  ", ["empty"]),
        ("Hello {name}", "Hello {name}", ["unchanged"]),
        ("a <b>bold</b> word", "ein <b>fettes</b> Wort", []),
        ("a <b>bold</b> word", "ein <b>fettes Wort", ["tags"]),
        ("a <b>bold</b> word", "ein </b>fettes<b> Wort", ["tags"]),
        ("one<br>two", "eins<br>zwei", []),
        ("see https://a.example/x", "siehe https://a.example/y", ["urls"]),
        ("run `make`", "starte `mache`", ["code"]),
        ("a [link](x.md) here", "ein [Verweis](x.md) hier", []),
        ("a [link](x.md) here", "ein [Verweis](y.md) hier", ["links"]),
        ("a [link](x.md) here", "ein Verweis](x.md) hier", ["markdown"]),
        ("Some text", "# Ein Text", ["markdown"]),
        ("Some text", "Ein\n\nText", ["markdown"]),
        ("a cell", "eine | Zelle", ["markdown"]),
        ("a [link](x.md)", "[de] ein [Verweis](x.md)", []),
        ("in 2026-11-16", "am 16.11.2026", ["numbers"]),
        ("costs 1,234.50 euros", "kostet 1.234,50 Euro", []),
        ("costs 1,234.50 euros", "co\u00fbte 1\u202f234,50 euros", []),
        ("costs 1,234 euros", "co\u00fbte 1 234 euros", []),
        ("costs 12 euros", "kostet 21 Euro", ["numbers"]),
        ("has 12 rows", "\u0661\u0662 \u0635\u0641\u0648\u0641", []),
    ],
)
def test_a_translation_is_checked(source: str, translation: str, expected: list[str]) -> None:
    assert failed(source, translation) == expected


@pytest.mark.parametrize(
    ("translation", "target", "expected"),
    [
        ("{n, plural, one {# Datei} other {# Dateien}}", "de", []),
        ("{n, plural, other {# Dateien}}", "de", ["plurals"]),
        ("{n, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}", "pl", []),
        ("{n, plural, one {# plik} other {# pliku}}", "pl-PL", ["plurals"]),
        ("{n, plural, other {# 個のファイル}}", "ja", []),
        ("{n, plural, one {# 個} other {# 個}}", "ja", ["plurals"]),
        ("{n, plural, one {# fichier} other {# fichiers}}", "fr", []),
        ("{n, plural, one {# fichier} many {# de fichiers} other {# fichiers}}", "fr", []),
        ("{m, plural, one {# Datei} other {# Dateien}}", "de", ["icu"]),
        ("{n, plural, one {# Datei} other {# Dateien}", "de", ["icu"]),
        ("# Dateien", "de", ["icu"]),
        ("{n, plural, one {# Datei} other {# Dateien}} {x}", "de", ["placeholders"]),
        ("{n, plural, one {# x} few {# x} other {# x}}", "xx", []),
    ],
)
def test_a_message_has_the_plural_forms_of_its_language(translation: str, target: str, expected: list[str]) -> None:
    assert failed(PLURAL, translation, target) == expected


def test_the_keys_of_a_select_and_exact_numbers_stay() -> None:
    source = "{who, select, she {She} other {They}} {n, plural, =0 {none} one {one} other {many}}"
    assert failed(source, "{who, select, she {Sie} other {Sie}} {n, plural, =0 {keine} one {eine} other {viele}}") == []
    assert (
        failed(source, "{who, select, sie {Sie} other {Sie}} {n, plural, one {eine} other {viele}}") == ["plurals"] * 2
    )


def test_a_message_repeats_what_stays_once_for_each_branch() -> None:
    source = "{n, plural, one {# in {x} at 5} other {# in {x} at 5}}"
    assert failed(source, "{n, plural, other {{x} の 5 に #}}", "ja") == []
    assert failed(source, "{n, plural, other {5 に #}}", "ja") == ["placeholders"]
    assert failed(source, "{n, plural, other {{x} の 6 に #}}", "ja") == ["numbers"]


def hits(term: str, translation: str, *forbidden: str) -> SegmentTerms:
    return SegmentTerms((TermHit(GlossaryTerm(term, "de", translation, None, list(forbidden), ""), 1),))


def test_terms_of_the_glossary_are_used_and_forbidden_words_are_not() -> None:
    file = hits("file", "Datei", "Akte")
    assert failed("a file", "eine DATEI", terms=file) == failed("two files", "zwei Dateien", terms=file) == []
    assert failed("a file", "ein File", terms=file) == ["glossary"]
    assert failed("a file", "eine Unterdatei", terms=file) == ["glossary"]
    assert failed("a file", "eine Datei (akte)", terms=file) == ["forbidden"]
    assert failed("a file", "eine Datei im Aktenschrank", terms=file) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("1 234", "1,234", True), ("5 of 300", "300 von 5", True), ("1.5", "1,5", True), ("1.5", "1.6", False), ("12", "1 2", False)],
)  # fmt: skip
def test_numbers_are_compared_without_their_separators(one: str, other: str, same: bool) -> None:
    assert numbers.same_numbers([one], [other]) is same
