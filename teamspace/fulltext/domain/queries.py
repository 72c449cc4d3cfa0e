"""Parse search queries. No part of the input is ever interpreted as the database's query syntax."""

import re

from teamspace.fulltext.domain import words
from teamspace.fulltext.schemas import Query, Term

_QUOTES = re.compile('["\u201c\u201d\u201e\u201f\u00ab\u00bb]')


def parse_query(text: str) -> Query:
    """Parse a query: every word must match, the last one also as a prefix; quoted words must match as a phrase."""
    parts = _QUOTES.split(text)
    # Every second part is quoted, except after an unpaired last quote.
    quoted = set(range(1, len(parts) - 1, 2))
    terms: list[Term] = []
    for place, part in enumerate(parts):
        found = words.runs(words.fold(part))
        terms += [_term(found)] if place in quoted and found else [_term([run]) for run in found]
    has_prefix = bool(terms) and len(parts) - 1 not in quoted and bool(words.runs(words.fold(parts[-1])))
    highlights = words.runs(words.fold(text))
    if has_prefix:
        terms[-1] = _as_prefix(terms[-1])
    return Query(tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(highlights)), highlights[-1] if has_prefix else None)


def _term(runs: list[str]) -> Term:
    found = [word for run in runs for word in words.words(run)]
    if not words.is_unspaced(runs[-1]):
        return Term(tuple(found))
    # The index has the last character of a run on its own only at the end of the run, and a query can end before it.
    is_single = len(runs[-1]) == 1
    return Term(tuple(found if is_single else found[:-1]), prefix=is_single)


def _as_prefix(term: Term) -> Term:
    """Make the last word a prefix, unless it is a single letter, which would match too much."""
    return Term(term.words, prefix=term.prefix or len(term.words[-1]) > 1)
