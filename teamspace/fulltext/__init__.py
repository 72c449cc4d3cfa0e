"""Full-text search: one tokeniser for texts and queries, and an index on either database."""

from teamspace.fulltext.domain.index import EMPTY, drop, get_titles, prepare, put, refresh, rename
from teamspace.fulltext.domain.markdown import plain
from teamspace.fulltext.domain.queries import parse_query
from teamspace.fulltext.domain.snippets import MAX_SEARCHED, snippets
from teamspace.fulltext.domain.words import TOKENIZER_VERSION, distinct_words
from teamspace.fulltext.schemas import Hits, Prepared, Query
from teamspace.fulltext.store import hits

__all__ = [
    "EMPTY",
    "MAX_SEARCHED",
    "TOKENIZER_VERSION",
    "Hits",
    "Prepared",
    "Query",
    "distinct_words",
    "drop",
    "get_titles",
    "hits",
    "parse_query",
    "plain",
    "prepare",
    "put",
    "refresh",
    "rename",
    "snippets",
]  # fmt: skip
