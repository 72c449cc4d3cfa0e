"""Full text: one tokeniser for what is written and what is asked, and an index of it on either database."""

from teamspace.fulltext.domain.index import NOTHING, drop, prepare, put, refresh, rename
from teamspace.fulltext.domain.markdown import plain
from teamspace.fulltext.domain.queries import read
from teamspace.fulltext.domain.snippets import READ, snippets
from teamspace.fulltext.schemas import Hits, Prepared, Query
from teamspace.fulltext.store import hits

__all__ = [
    "NOTHING", "READ", "Hits", "Prepared", "Query", "drop", "hits", "plain", "prepare", "put", "read", "refresh", "rename", "snippets",
]  # fmt: skip
