"""Full text: one tokeniser for what is written and what is asked, and an index of it on either database."""

from teamspace.fulltext.domain.index import drop, put, refresh
from teamspace.fulltext.domain.markdown import plain
from teamspace.fulltext.domain.queries import read
from teamspace.fulltext.domain.snippets import READ, snippet
from teamspace.fulltext.schemas import Hits, Query
from teamspace.fulltext.store import hits

__all__ = ["READ", "Hits", "Query", "drop", "hits", "plain", "put", "read", "refresh", "snippet"]
