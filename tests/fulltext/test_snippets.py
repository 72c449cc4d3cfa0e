"""Search snippets and their marks."""

import re
from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.fulltext import parse_query
from teamspace.fulltext.domain import snippets
from teamspace.fulltext.domain.snippets import LENGTH, MAX_SECONDS, _snippets, snippet

# fmt: off
MARKED = [
    # text                              query          snippet
    ("We met in Zürich.",               "zurich",      "We met in <mark>Zürich</mark>."),
    ("Zu\u0308rich",                    "zürich",      "<mark>Zu\u0308rich</mark>"),
    ("Η Ελλάδα",                        "ελλαδα",      "Η <mark>Ελλάδα</mark>"),
    ("planning plans a plan",           "plan",        "<mark>planning</mark> <mark>plans</mark> a <mark>plan</mark>"),
    ("planning plans a plan",           '"plan"',      "planning plans a <mark>plan</mark>"),
    ("我住在東京都新宿区。",                "東京都",       "我住在<mark>東京都</mark>新宿区。"),
    ("서울에서 만나요",                    "서울",         "<mark>서울</mark>에서 만나요"),
    ("関東と東京",                        "東",           "関<mark>東</mark>と<mark>東</mark>京"),
    ("<script>x</script> & \"plan\"",   "plan",        "&lt;script&gt;x&lt;/script&gt; &amp; \"<mark>plan</mark>\""),
    ("<b>plan</b>",                     "b",           "&lt;<mark>b</mark>&gt;plan&lt;/<mark>b</mark>&gt;"),
    ("two\n\n  lines\tand tabs",        "none",        "two lines and tabs"),
    ("",                                "none",        ""),
]
# fmt: on


@pytest.mark.parametrize(("text", "query", "expected"), MARKED, ids=[query for _, query, _ in MARKED])
def test_matching_words_are_marked(text: str, query: str, expected: str) -> None:
    assert snippet(text, parse_query(query)) == expected


def test_a_snippet_shows_the_passage_with_the_most_matches() -> None:
    filler = "nothing of interest here " * 400
    shown = snippet(f"alpha {filler} beta {filler} alpha and beta {filler}", parse_query("alpha beta"))
    assert "<mark>alpha</mark> and <mark>beta</mark>" in shown
    assert shown.startswith("…") and shown.endswith("…")


def test_a_snippet_has_a_maximum_length() -> None:
    shown = snippet("word " * 50_000, parse_query("word"))
    assert len(re.sub("</?mark>", "", shown)) <= LENGTH + 2


@given(st.text(max_size=300), st.text(max_size=20))
def test_a_snippet_is_safe_html_whatever_the_text(text: str, query: str) -> None:
    shown = snippet(text, parse_query(query))
    plain = re.sub("</?mark>", "", shown)
    assert "<" not in plain and ">" not in plain
    assert shown.count("<mark>") == shown.count("</mark>")


def test_all_snippets_of_a_response_share_one_time_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve texts of a character that expands to eighteen once took 14 seconds."""
    seconds, searched = count(step=MAX_SECONDS / 2.5), list[int]()
    monkeypatch.setattr(snippets, "time", SimpleNamespace(thread_time=lambda: next(seconds)))
    monkeypatch.setattr(snippets, "snippet", lambda text, _: searched.append(len(text)))
    _snippets(["\ufdfa " * 2_000] * 10, parse_query("\ufdfa nothing"))
    assert searched == [4_000] * 2 + [LENGTH] * 8


def test_matches_can_be_adjacent_distant_or_overlapping() -> None:
    assert snippet("東東東", parse_query("東 東東")) == "<mark>東</mark><mark>東</mark><mark>東</mark>"
    far = snippet("alpha " + "x " * 200 + "beta gamma", parse_query("alpha beta gamma"))
    assert "<mark>beta</mark> <mark>gamma</mark>" in far and "alpha" not in far
