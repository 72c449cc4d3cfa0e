"""From what somebody typed to what is looked for. Nothing of it is ever read as a database's own syntax."""

import re

from teamspace.fulltext.domain import words
from teamspace.fulltext.schemas import Query, Term

_QUOTES = re.compile('["\u201c\u201d\u201e\u201f\u00ab\u00bb]')


def read(text: str) -> Query:
    """Every word must match, the last one also as a beginning; what stands in double quotes as it stands there."""
    parts = _QUOTES.split(text)
    # Every second part stood between quotes; after the last one without a partner nothing is quoted any more.
    quoted = set(range(1, len(parts) - 1, 2))
    terms: list[Term] = []
    for place, part in enumerate(parts):
        found = words.runs(words.folded(part))
        terms += [_term(found)] if place in quoted and found else [_term([run]) for run in found]
    goes_on = bool(terms) and len(parts) - 1 not in quoted and bool(words.runs(words.folded(parts[-1])))
    shown = words.runs(words.folded(text))
    if goes_on:
        terms[-1] = _beginning(terms[-1])
    return Query(tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(shown)), shown[-1] if goes_on else None)


def _term(runs: list[str]) -> Term:
    found = [word for run in runs for word in words.words(run)]
    if not words.is_unspaced(runs[-1]):
        return Term(tuple(found))
    # The last character alone is in the index where the run ends, and a query may end in its middle.
    alone = len(runs[-1]) == 1
    return Term(tuple(found if alone else found[:-1]), prefix=alone)


def _beginning(term: Term) -> Term:
    """A single letter begins too much to be of use."""
    return Term(term.words, prefix=term.prefix or len(term.words[-1]) > 1)
