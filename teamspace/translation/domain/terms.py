"""Finds the phrases of a glossary in texts, all in one pass: by word, whatever their case.

A text is a sequence of words; in scripts without spaces every character is one. The phrases are a trie of words, so
the cost of a text grows with its length and the longest phrase, not with the number of phrases.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PHRASE = ""
"""The key of a phrase in the node where it ends. No word is empty."""
BARRIER = "\0"
"""Between texts: no phrase goes across what stays. It is no word."""


class PhraseMatch(NamedTuple):
    start: int
    end: int
    phrase: str


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


class Phrases:
    """A set of phrases to look for."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._root: dict[str, Any] = {}
        for phrase in phrases:
            self._add(phrase)

    def _add(self, phrase: str) -> None:
        node = self._root
        for word in words(phrase):
            node = node.setdefault(word, {})
        if node is not self._root:
            node.setdefault(_PHRASE, phrase)

    def find_all(self, sequence: Sequence[str]) -> set[str]:
        """Return the phrases that occur."""
        return {phrase for start in range(len(sequence)) for _, phrase in self._at(sequence, start)}

    def find_longest(self, sequence: Sequence[str]) -> list[PhraseMatch]:
        """Return occurrences that do not overlap: from the left, the longest at each place."""
        found, start = list[PhraseMatch](), 0
        while start < len(sequence):
            end, phrase = max(self._at(sequence, start), default=(start + 1, ""))
            if phrase:
                found.append(PhraseMatch(start, end, phrase))
            start = end
        return found

    def _at(self, sequence: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
        """Yield the phrases that begin at a word, each with its end."""
        node = self._root
        for end in range(start, len(sequence)):
            if (below := node.get(sequence[end])) is None:
                return
            node = below
            if _PHRASE in node:
                yield end + 1, node[_PHRASE]


def count_beginnings(phrase: str, text: str) -> int:
    """Count where `phrase` begins a word of a case-folded text; the word may go on, as inflected words do."""
    phrase, count, at = phrase.casefold(), 0, 0
    is_word = phrase[:1].isalnum() and not _IS_UNSPACED.match(phrase)
    while (at := text.find(phrase, at)) >= 0:
        inside = is_word and at > 0 and text[at - 1].isalnum() and not _IS_UNSPACED.match(text[at - 1])
        count += not inside
        at += len(phrase)
    return count
