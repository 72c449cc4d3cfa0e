"""HTTP routes of the OpenAI protocol."""

from teamspace.ai import MAX_BODY, Turns
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, ExecutorFailed, NoExecutor, QuotaExceeded, ResponseRefused
from teamspace.core.permissions import Feature
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import EventStream
from teamspace.core.routing import BEARER, Route
from teamspace.events import Streams
from teamspace.executors import Fleet
from teamspace.openai_api.domain import chatting, models
from teamspace.openai_api.domain.errors import FORMAT, ModelNotFound
from teamspace.openai_api.schemas import Completion, CompletionRequest, ModelCards

# fmt: off
ROUTES = (
    Route("POST", "/v1/chat/completions", BEARER, P.CHAT_USE, Feature.CHAT, "complete", "Have a chat answered, in OpenAI's protocol: as a whole, or as server-sent chunks with `stream`. Unknown options are ignored.",
          refuses=(ModelNotFound, QuotaExceeded, ExecutorFailed, NoExecutor, ResponseRefused, Conflict), limit=MAX_BODY, errors=FORMAT),
    Route("GET",  "/v1/models",           BEARER, P.CHAT_USE, Feature.CHAT, "list_models", "List the models for OpenAI clients: default, and those of the executors.", errors=FORMAT),
)
# fmt: on


async def complete(
    db: Db, who: Principal, fleet: Fleet, turns: Turns, streams: Streams, body: CompletionRequest, replay_of: str
) -> Completion | EventStream:
    if replay_of:
        return await chatting.replay(db, who, turns, body, replay_of)
    return await chatting.complete(db, who, fleet, turns, streams, body)


async def list_models(db: Db, who: Principal, fleet: Fleet) -> ModelCards:
    return await models.listing(db, who, fleet)
