"""HTTP routes of the activity of a team."""

from teamspace.activity.domain import colleagues, shared
from teamspace.activity.schemas import ActivityItem, ActivityQuery, SharedItem, SharedQuery
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route

# fmt: off
ROUTES = (
    Route("GET", "/api/activity", BEARER, None, None, "activity", "List what others in the team created, edited, shared and ran, of what the caller can read, newest first; what one person did with one thing is one item, and a page can have fewer items than its limit."),
    Route("GET", "/api/shared",   BEARER, None, None, "shared_with_me", "List the notes, documents, files and conversations that others shared with the caller or with their team, newest share first; a page can have fewer items than its limit."),
)
# fmt: on


async def activity(db: Db, who: Principal, query: ActivityQuery) -> Page[ActivityItem]:
    return await colleagues.listing(db, who, query)


async def shared_with_me(db: Db, who: Principal, query: SharedQuery) -> Page[SharedItem]:
    return await shared.listing(db, who, query)
