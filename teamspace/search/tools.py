"""The search as a tool."""

from typing import Annotated, Literal

from msgspec import Meta

from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.tables import Tool
from teamspace.search import domain
from teamspace.search.schemas import SearchQuery, SearchResult

TOOLS = (
    Tool(
        "search",
        "search",
        "Search notes and files by their words, best match first, with ids for `read_note` and `read_document`.",
        P.SEARCH,
    ),
)

Words = Annotated[
    str,
    Meta(min_length=1, max_length=256, description="Words that must all match; in double quotes, as a phrase."),
]
_SEARCHED = ("note", "object")
"""Not conversations: a model that searches for a subject would find the question it is answering."""
Types = Annotated[list[Literal["note", "object"]], Meta(max_length=2, description="What to search; by default all.")]
Limit = Annotated[int, Meta(ge=1, le=50, description="The maximum number of results.")]


async def search(db: Db, who: Principal, q: Words, types: Types = [], limit: Limit = 10) -> list[SearchResult]:  # noqa: B006
    page = await domain.search(db, who, SearchQuery(q=q, types=tuple(types) or _SEARCHED, limit=limit))
    return page.items
