"""The instance over HTTP: health, public configuration, and the description of the API."""

from teamspace.core.db import Db
from teamspace.core.openapi import Description
from teamspace.core.replies import Content
from teamspace.core.routing import PUBLIC, Route
from teamspace.instance import domain
from teamspace.instance.schemas import Config, Health
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("GET", "/health",           PUBLIC, None, None, "health",  "Liveness: ok and multitenant, nothing else."),
    Route("GET", "/api/config",       PUBLIC, None, None, "config",  "What a client must know before anybody signs in."),
    Route("GET", "/api/openapi.json", PUBLIC, None, None, "openapi", "This API, described in OpenAPI 3.1."),
    Route("GET", "/api/docs",         PUBLIC, None, None, "docs",    "This API, described for people."),
)
# fmt: on


async def health(settings: Settings) -> Health:
    return Health(ok=True, multitenant=settings.multitenant)


async def config(db: Db, settings: Settings) -> Config:
    return await domain.config(db, multitenant=settings.multitenant)


async def openapi(description: Description) -> Content:
    return description.json()


async def docs(description: Description) -> Content:
    return description.page()
