"""Parsing of search queries."""

import pytest

from teamspace.core.db.dialect import POSTGRES, SQLITE
from teamspace.fulltext import hits, parse_query
from teamspace.fulltext.schemas import Term


def term(*words: str, prefix: bool = False) -> Term:
    return Term(words, prefix)


# fmt: off
QUERIES = [
    ("Budget plan",          [term("budget"), term("plan", prefix=True)]),
    ('"Budget plan"',        [term("budget", "plan")]),
    ('“Budget plan” 2026',   [term("budget", "plan"), term("2026", prefix=True)]),
    ('draft "Budget plan',   [term("draft"), term("budget"), term("plan", prefix=True)]),
    ('"a" b',                [term("a"), term("b")]),
    ("plan plan plan",       [term("plan"), term("plan", prefix=True)]),
    ("東京都",                [term("東京", "京都", prefix=True)]),
    ("東 plan",               [term("東", prefix=True), term("plan", prefix=True)]),
    ('"東京 tower"',          [term("東京", "京", "tower")]),
    ("サーバ 設定",            [term("サー", "ーバ"), term("設定", prefix=True)]),
    ('"*',                   []),
    ("NEAR(a b)",            [term("near"), term("a"), term("b")]),
    ("title:secret OR 1",    [term("title"), term("secret"), term("or"), term("1")]),
    ("",                     []),
]
# fmt: on


@pytest.mark.parametrize(("text", "expected"), QUERIES, ids=[text for text, _ in QUERIES])
def test_a_query_is_parsed_into_terms(text: str, expected: list[Term]) -> None:
    assert list(parse_query(text).terms) == expected


def test_the_query_for_each_database() -> None:
    query = parse_query('"big plan" zur')
    assert hits(SQLITE, query, "note", "a-b").params == {
        "note_words": 'scope : "noteab" AND {title labels body} : ("big plan" AND "zur" *)'
    }
    assert hits(POSTGRES, query, "note", "a-b").params == {
        "note_words": "'noteab':C & (('big':ABD <-> 'plan':ABD) & ('zur':ABD*))",
        "note_ranked": "('big':ABD <-> 'plan':ABD) & ('zur':ABD*)",
    }
