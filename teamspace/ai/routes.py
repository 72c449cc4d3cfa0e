"""HTTP routes that use models."""

from teamspace.ai.domain import echo as echoing
from teamspace.ai.schemas import Echo, EchoAnswer
from teamspace.core.db import Db
from teamspace.core.errors import QuotaExceeded
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route

# fmt: off
ROUTES = (
    Route("POST", "/api/ai/echo", BEARER, P.CHAT_USE, None, "echo", "Return the prompt without a model, metered as one request and one token per four characters.",
          refuses=(QuotaExceeded,)),
)
# fmt: on


async def echo(db: Db, who: Principal, body: Echo) -> EchoAnswer:
    return await echoing.echo(db, who, body)
