"""Quoted words are found in a text, exactly or normalized, at the right place and in linear time."""

import asyncio
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teamspace.ai.domain import quotes
from teamspace.core import pools
from teamspace.repository.domain.texts import MAX_CHARACTERS
from tests.cost.attack import REPEATS, fill


def locate(text: str, quote: str) -> tuple[int, int] | None:
    return quotes.SearchableText(text).locate(quote)


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("The crane is back", "crane is", "crane is"),
        ("The crane\n   is  back", "crane is back", "crane\n   is  back"),
        ("The crane\u00a0is\u3000back", "crane is back", "crane\u00a0is\u3000back"),
        ("he said “no” – it’s", 'said "no" - it\'s', "said “no” – it’s"),
        ('he said "no" - it\'s', "said “no” – it’s", 'said "no" - it\'s'),
        ("Zu\u0308rich lake", "Zürich lake", "Zu\u0308rich lake"),
        ("Zürich lake", "Zu\u0308rich lake", "Zürich lake"),
        ("the ﬁrst oﬃce", "first office", "ﬁrst oﬃce"),
        ("wait… what", "wait... what", "wait… what"),
        ("価格（税込）は１０円", "価格(税込)は10円", "価格（税込）は１０円"),
        ("soft\u00adhyphen and\u200b zero", "softhyphen and zero", "soft\u00adhyphen and\u200b zero"),
        ("a plain word", "a\u202e plain\u0000word", "a plain word"),
        ("a\u202e plain", "a plain", "a\u202e plain"),
        ("x² + y", "x2 + y", "x² + y"),
        ("nothing here", "Nothing", None),
        ("café", "cafe", None),
        ("short", "much longer than the text", None),
        ("", "abc", None),
        ("anything", " \n ", None),
        ("\ufdfa word", "\ufdfa word", "\ufdfa word"),
    ],
)
def test_words_are_found(text: str, quote: str, found: str | None) -> None:
    span = locate(text, quote)
    assert (None if span is None else text[slice(*span)]) == found


ALPHABET = 'ab  \n\u00a0é\u0301“"–-ﬁ…（\u200b\u00ad\ufdfa½'


@settings(max_examples=200, deadline=None)
@given(st.text(ALPHABET, max_size=40), st.text(ALPHABET, min_size=1, max_size=6))
def test_a_span_lies_in_the_text_and_normalizes_to_the_words(text: str, quote: str) -> None:
    span = locate(text, quote)
    if span is None:
        assert quote not in text
        return
    start, end = span
    assert 0 <= start < end <= len(text)
    assert str(quotes._normalize(quote)).strip() in str(quotes._normalize(text[start:end])) or quote in text


@settings(max_examples=100, deadline=None)
@given(st.text("ab \né…ﬁ“", max_size=40), st.data())
def test_every_part_of_a_text_is_found_in_it_however_it_is_written(text: str, data: st.DataObject) -> None:
    words = [word for word in text.split() if word]
    if words:
        first = data.draw(st.integers(0, len(words) - 1))
        last = data.draw(st.integers(first, len(words) - 1))
        assert locate(text, " ".join(words[first : last + 1])) is not None
        assert locate(text, unicodedata.normalize("NFKC", "  ".join(words[first : last + 1]))) is not None


def test_what_is_shown_has_no_invisible_characters() -> None:
    hostile = "a\x00b\u202ec\u2066d\u200be\ufefff\ng\t\th\U000e0041\ud800"
    assert quotes.clean(hostile) == "a bcdef g h"
    bidi = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    assert quotes.clean(f"x{bidi}y") == "xy"
    assert quotes.clean("he said “no” – it’s") == "he said “no” – it’s"


SHAPES = [*REPEATS, "  a", "a ", "…", "e\u0301", "ﬁ", "\u200b", "a\u200b", "\u00a0 ", "“a” ", "\u0301", "（", "\u0958"]


@pytest.mark.parametrize("repeat", SHAPES)
def test_finding_is_linear(repeat: str) -> None:
    """The words are almost everywhere, and nowhere."""
    text, quote = fill(repeat, 60_000), fill(repeat, 1_500) + "?"
    half, whole = cpu_seconds(text[:30_000], quote), cpu_seconds(text, quote)
    assert whole < 0.1 or whole < 3.5 * half


def cpu_seconds(text: str, quote: str) -> float:
    began = time.thread_time()
    assert locate(text, quote) is None
    return time.thread_time() - began


@pytest.mark.parametrize("repeat", ["\ufdfa", "a"])
async def test_finding_in_a_thread_lets_the_loop_work(repeat: str) -> None:
    text = fill(repeat, MAX_CHARACTERS)
    waits = [await longest_wait(text)]
    while waits[-1] >= 0.1 and len(waits) < 4:
        waits.append(await longest_wait(text))
    assert waits[-1] < 0.1


async def longest_wait(text: str) -> float:
    finding = asyncio.ensure_future(pools.TEXT.run(locate, text, fill("zx", 1000)))
    longest, last = 0.0, time.process_time()  # the processor time of the other thread: it holds the lock meanwhile
    while not finding.done():
        await asyncio.sleep(0.001)
        longest, last = max(longest, time.process_time() - last), time.process_time()
    return longest
