"""What is shown of a text, and what is marked in it."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.fulltext import parse_query
from teamspace.fulltext.domain.snippets import LENGTH, MAX_SECONDS, _snippets, snippet

# fmt: off
MARKED = [
    # text                              question       snippet
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


@pytest.mark.parametrize(("text", "question", "expected"), MARKED, ids=[question for _, question, _ in MARKED])
def test_words_are_marked_where_they_stand(text: str, question: str, expected: str) -> None:
    assert snippet(text, parse_query(question)) == expected


def test_it_shows_the_place_with_the_most_of_the_words() -> None:
    filler = "nothing of interest here " * 400
    shown = snippet(f"alpha {filler} beta {filler} alpha and beta {filler}", parse_query("alpha beta"))
    assert "<mark>alpha</mark> and <mark>beta</mark>" in shown
    assert shown.startswith("…") and shown.endswith("…")


def test_it_is_short() -> None:
    shown = snippet("word " * 50_000, parse_query("word"))
    assert len(re.sub("</?mark>", "", shown)) <= LENGTH + 2


@given(st.text(max_size=300), st.text(max_size=20))
def test_it_is_safe_whatever_the_text_holds(text: str, question: str) -> None:
    shown = snippet(text, parse_query(question))
    plain = re.sub("</?mark>", "", shown)
    assert "<" not in plain and ">" not in plain
    assert shown.count("<mark>") == shown.count("</mark>")


def test_all_snippets_of_an_answer_share_one_budget() -> None:
    """Twelve texts of one sign that stands for eighteen took fourteen seconds."""
    began = time.thread_time()
    shown = _snippets(["\ufdfa " * 50_000 + "plan"] * 100, parse_query("\ufdfa nothing"))
    assert time.thread_time() - began < 3 * MAX_SECONDS
    assert len(shown) == 100 and all(shown)


def test_the_words_of_a_question_may_stand_close_or_far_or_in_each_other() -> None:
    assert snippet("東東東", parse_query("東 東東")) == "<mark>東</mark><mark>東</mark><mark>東</mark>"
    far = snippet("alpha " + "x " * 200 + "beta gamma", parse_query("alpha beta gamma"))
    assert "<mark>beta</mark> <mark>gamma</mark>" in far and "alpha" not in far
