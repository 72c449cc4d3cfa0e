"""The HTTP route for events: a stream that stays open."""

from teamspace.core.db import Db
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.errors import RateLimited
from teamspace.core.principal import Principal
from teamspace.core.replies import Feed
from teamspace.core.routing import BEARER, Route
from teamspace.events.domain.hub import Hub

# fmt: off
ROUTES = (
    Route("GET", "/api/events", BEARER, None, None, "events", "Stream what changes as server-sent events: `ready`, `change` with type, id and change of a thing that the caller can read, and `reset` if everything must be fetched again. Send `Last-Event-ID` to resume.",
          refuses=(RateLimited,)),
)
# fmt: on


async def events(db: Db, who: Principal, hub: Hub, last_event_id: str, disconnect: DisconnectWatch) -> Feed:
    hub.check_room(who)
    chunks = hub.listen(db, who, last_event_id or None, disconnect)
    return Feed(chunks, "text/event-stream", headers={"x-accel-buffering": "no"})
