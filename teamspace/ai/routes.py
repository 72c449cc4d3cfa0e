"""Model work over HTTP."""

from teamspace.ai.domain import echo as echoing
from teamspace.ai.schemas import Answer, Echo
from teamspace.core.db import Db
from teamspace.core.errors import QuotaExceeded
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route

# fmt: off
ROUTES = (
    Route("POST", "/api/ai/echo", BEARER, P.CHAT_USE, None, "echo", "A metered echo without a model: one request, and a token for every four letters.",
          refuses=(QuotaExceeded,)),
)
# fmt: on


async def echo(db: Db, who: Principal, body: Echo) -> Answer:
    return await echoing.echo(db, who, body)
