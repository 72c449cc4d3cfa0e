"""HTTP routes of the OpenAI protocol."""

from teamspace.core.db import Db
from teamspace.core.permissions import Feature
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route
from teamspace.executors import Fleet
from teamspace.openai_api.domain import models
from teamspace.openai_api.domain.errors import FORMAT
from teamspace.openai_api.schemas import ModelCards

# fmt: off
ROUTES = (
    Route("GET",  "/v1/models", BEARER, P.CHAT_USE, Feature.CHAT, "list_models", "List the models for OpenAI clients: default, and those of the executors.", errors=FORMAT),
)
# fmt: on


async def list_models(db: Db, who: Principal, fleet: Fleet) -> ModelCards:
    return await models.listing(db, who, fleet)
