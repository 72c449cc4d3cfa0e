"""The models that clients of the OpenAI protocol can choose."""

from teamspace import executors
from teamspace.core.db import Reads
from teamspace.core.principal import Principal
from teamspace.executors import Fleet
from teamspace.openai_api.domain.errors import ModelNotFound
from teamspace.openai_api.domain.requests import DEFAULT_MODEL
from teamspace.openai_api.schemas import ModelCard, ModelCards


async def listing(db: Reads, who: Principal, fleet: Fleet) -> ModelCards:
    catalog = await executors.list_models(db, who, fleet)
    default = ModelCard(id=DEFAULT_MODEL, owned_by="teamspace")
    return ModelCards(data=[default, *(ModelCard(id=id, owned_by=name) for id, name in catalog.executors.items())])


async def check(db: Reads, who: Principal, fleet: Fleet, model: str | None) -> None:
    """Raise ModelNotFound unless an executor has the model, or may have it."""
    if model is not None:
        catalog = await executors.list_models(db, who, fleet)
        if model not in catalog.executors and not catalog.is_open:
            raise ModelNotFound()
