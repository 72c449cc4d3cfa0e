"""Splitting text into words, in any script."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.fulltext.domain import words

# fmt: off
CASES = [
    # text                          words
    ("Zürich, MÁLAGA!",             ["zurich", "malaga"]),
    ("Ελλάδα ΟΔΟΣ",                 ["ελλαδα", "οδοσ"]),
    ("Ёлка",                        ["елка"]),
    ("e\u0301te\u0301",             ["ete"]),
    ("Œuvre Łódź İstanbul Straße",  ["oeuvre", "lodz", "istanbul", "strasse"]),
    ("ＦＵＬＬ width ﬁne",           ["full", "width", "fine"]),
    ("don't x_y 12.5",              ["don", "t", "x", "y", "12", "5"]),
    ("soft\u00adhyphen",            ["softhyphen"]),
    ("हिन्दी में",                        ["हिन्दी", "में"]),
    ("שלום",                        ["שלום"]),
    ("東京都",                       ["東京", "京都", "都"]),
    ("東",                           ["東"]),
    ("ｶﾀｶﾅ",                         ["カタ", "タカ", "カナ", "ナ"]),
    ("が",                           ["が"]),
    ("서울에서",                      ["서울", "울에", "에서", "서"]),
    ("iPhone手机 2",                 ["iphone", "手机", "机", "2"]),
    ("ภาษา",                         ["ภา", "าษ", "ษา", "า"]),
    ("*'\":()-^ \x00 …",            []),
]
# fmt: on


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_a_text_is_split_into_words(text: str, expected: list[str]) -> None:
    assert words.words(text) == expected


@given(st.text(max_size=200))
def test_a_word_has_no_query_syntax(text: str) -> None:
    for word in words.words(text):
        assert word and not set(word) & set(" \t\n\x00'\"\\:*&|!<>()-+^{}_")
        assert not any(character.isspace() for character in word)


@given(st.text(max_size=200))
def test_folding_is_idempotent(text: str) -> None:
    plain = words.fold(text)
    assert [word for run in words.runs(plain) for word in words.runs(words.fold(run))] == words.runs(plain)


def test_the_words_of_a_text_are_limited() -> None:
    assert len(words.text_words("word " * 100_000).split()) == words.MAX_WORDS
    long = words.text_words(" ".join(f"{number:05}{'漢字' * 100}" for number in range(10_000)))
    assert len(long.encode()) <= words.MAX_BYTES
    assert words.text_words("." * words.MAX_CHARACTERS + " word") == ""
    assert len(words.name_words("x" * 10_000)) == words.MAX_LENGTH


@pytest.mark.parametrize("text", ["two words. ", "東京都、新宿区。", "Zürich und é\u0301 "])
def test_splitting_a_long_text_cuts_no_word(text: str) -> None:
    """Long texts are processed in pieces."""
    assert words.text_words(text * 2_000).split() == words.words(text) * 2_000


@pytest.mark.parametrize("marks", ["\u0300\u0316", "\u0f73", "\uff9e\u0316"])
def test_combining_marks_on_a_letter_are_limited(marks: str) -> None:
    """Ordering them takes quadratic time: 80,000 once took six seconds."""
    began = time.thread_time()
    words.fold("a" + marks * 40_000)
    assert time.thread_time() - began < 0.5
    assert words.fold("e" + "\u0301" * 100 + "te") == "ete"


def test_folding_expands_a_text_only_a_few_times() -> None:
    """One character can expand to eighteen letters."""
    assert words.words("\ufdfa") == ["صلى", "الله", "عليه", "وسلم"]
    assert len(words.fold("\ufdfa" * 1000)) < 5000
