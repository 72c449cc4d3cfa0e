"""Full-text search: one tokeniser for texts and queries, and an index on either database."""

from teamspace.fulltext.domain.index import (
    EMPTY,
    aside,
    bring_back,
    drop,
    get_titles,
    prepare,
    put,
    refresh,
    rename,
    set_aside,
)
from teamspace.fulltext.domain.markdown import plain
from teamspace.fulltext.domain.queries import parse_query
from teamspace.fulltext.domain.snippets import MAX_SEARCHED, snippets
from teamspace.fulltext.domain.words import TOKENIZER_VERSION, distinct_words, load
from teamspace.fulltext.schemas import Hits, Prepared, Query
from teamspace.fulltext.store import hits

__all__ = [
    "EMPTY",
    "MAX_SEARCHED",
    "TOKENIZER_VERSION",
    "Hits",
    "Prepared",
    "Query",
    "aside",
    "bring_back",
    "distinct_words",
    "drop",
    "get_titles",
    "hits",
    "load",
    "parse_query",
    "plain",
    "prepare",
    "put",
    "refresh",
    "rename",
    "set_aside",
    "snippets",
]  # fmt: skip
