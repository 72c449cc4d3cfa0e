"""HTTP route of the activity of a team."""

from teamspace.activity import domain
from teamspace.activity.schemas import ActivityItem, ActivityQuery
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route

# fmt: off
ROUTES = (
    Route("GET", "/api/activity", BEARER, None, None, "activity", "List what others in the team created, edited, shared and ran, of what the caller can read, newest first; what one person did with one thing is one item, and a page can have fewer items than its limit."),
)
# fmt: on


async def activity(db: Db, who: Principal, query: ActivityQuery) -> Page[ActivityItem]:
    return await domain.listing(db, who, query)
