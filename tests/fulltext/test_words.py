"""What a word is, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.fulltext.domain import words

# fmt: off
READINGS = [
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


@pytest.mark.parametrize(("text", "expected"), READINGS, ids=[text for text, _ in READINGS])
def test_a_text_is_read_as_these_words(text: str, expected: list[str]) -> None:
    assert words.words(text) == expected


@given(st.text(max_size=200))
def test_a_word_holds_nothing_that_means_something_to_a_database(text: str) -> None:
    for word in words.words(text):
        assert word and not set(word) & set(" \t\n\x00'\"\\:*&|!<>()-+^{}_")
        assert not any(character.isspace() for character in word)


@given(st.text(max_size=200))
def test_reading_what_was_read_changes_nothing(text: str) -> None:
    plain = words.folded(text)
    assert [word for run in words.runs(plain) for word in words.runs(words.folded(run))] == words.runs(plain)


def test_a_text_is_read_as_far_as_the_index_goes() -> None:
    made = words.kept("title", "label", "word " * 100_000)
    assert (made.title_words, made.label_words) == ("title", "label")
    assert len(made.body_words.split()) == words.MOST_WORDS - 2
    long = words.kept("", "", " ".join(f"{number:05}{'漢字' * 100}" for number in range(10_000)))
    assert len(long.body_words.encode()) <= words.MOST_BYTES
    assert words.kept("", "", "." * words.MOST_CHARACTERS + " word").body_words == ""
    assert len(words.kept("x" * 10_000, "", "").title_words) == words.LONGEST
