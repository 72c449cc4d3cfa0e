"""Phrases are found in one pass."""

import time

import pytest

from teamspace.translation.domain.terms import Phrases, count_beginnings, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The FILE system of a File", ["file system", "file"]),
        ("profile files", []),
        ("files_file-file", ["file", "file"]),
        ("STRASSE", ["Straße"]),
        ("我的文件夹文件", ["文件夹", "文件"]),
        ("Ärger", ["ärger"]),
    ],
)
def test_the_longest_phrases_are_found_by_word_and_without_case(text: str, found: list[str]) -> None:
    phrases = Phrases(["file", "file system", "system error", "Straße", "文件", "文件夹", "ärger"])
    assert [match.phrase for match in phrases.find_longest(words(text))] == found


def test_all_phrases_are_found_even_inside_each_other() -> None:
    assert Phrases(["a b", "b", "b c"]).find_all(words("a b c")) == {"a b", "b", "b c"}


def test_a_word_may_go_on_but_not_begin_earlier() -> None:
    assert count_beginnings("Datei", "dateien, unterdatei, datei") == 2
    assert count_beginnings("文件", "我的文件") == 1


@pytest.mark.parametrize("word", ["a ", "漢"])
def test_five_thousand_terms_cost_little_even_where_all_begin_alike(word: str) -> None:
    phrases = Phrases([*(word * length for length in range(1, 20)), *(f"{word * 19}x{n}" for n in range(5_000))])
    sequence, begun = words(word * (100_000 // len(word))), time.thread_time()
    phrases.find_longest(sequence)
    Phrases([f"{word * 19}x"]).find_longest(sequence)
    assert time.thread_time() - begun < 3
