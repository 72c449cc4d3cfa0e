"""The instance over HTTP: health, configuration, status, metrics, samples, and the description of the API."""

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, NotReady, SingleTenant
from teamspace.core.metrics import CONTENT_TYPE, Metrics
from teamspace.core.openapi import Description
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Content, Created
from teamspace.core.routing import BEARER, PUBLIC, SUPERADMIN, Route
from teamspace.instance.domain import demo, facts, samples
from teamspace.instance.domain.readiness import Readiness
from teamspace.instance.schemas import Config, DemoCompanies, Figures, Liveness, Ready, Seeded, Status
from teamspace.jobs import Queue
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("GET",  "/health",                 PUBLIC,     None,              None, "health",       "Liveness: ok and multitenant, nothing else.", unlimited=True),
    Route("GET",  "/ready",                  PUBLIC,     None,              None, "ready",        "Readiness: whether database and blob store answer, and the server is not stopping.", unlimited=True, refuses=(NotReady,)),
    Route("GET",  "/api/config",             PUBLIC,     None,              None, "config",       "What a client must know before anybody signs in.", unlimited=True),
    Route("GET",  "/api/admin/status",       BEARER,     P.INSTANCE_MANAGE, None, "status",       "The instance: version, how it is set up, and how much there is of everything."),
    Route("POST", "/api/admin/seed-tenants", SUPERADMIN, P.INSTANCE_MANAGE, None, "seed_tenants", "For demonstrations: two companies whose people have known passwords.",
          refuses=(SingleTenant, Conflict)),
    Route("GET",  "/api/metrics",            BEARER,     P.INSTANCE_MANAGE, None, "metrics",      "Operational metrics, as JSON or, by Accept, as Prometheus text."),
    Route("POST", "/api/admin/seed",         BEARER,     P.SETTINGS_MANAGE, None, "seed",         "Add sample content to the team; what is there already is left alone."),
    Route("GET",  "/api/openapi.json",       PUBLIC,     None,              None, "openapi",      "This API, described in OpenAPI 3.1."),
    Route("GET",  "/api/docs",               PUBLIC,     None,              None, "docs",         "This API, described for people."),
)
# fmt: on


async def health(settings: Settings) -> Liveness:
    return Liveness(ok=True, multitenant=settings.multitenant)


async def ready(db: Db, files: BlobStore, readiness: Readiness) -> Ready:
    return await readiness.check(db, files)


async def config(db: Db, settings: Settings) -> Config:
    return await facts.config(db, settings)


async def status(db: Db, settings: Settings, measured: Metrics, counted: facts.Counted) -> Status:
    return await facts.status(db, settings, measured, counted)


async def seed_tenants(db: Db, who: Principal, settings: Settings, files: BlobStore) -> Created[DemoCompanies]:
    return Created(await demo.seed(db, who, settings, files))


async def metrics(db: Db, settings: Settings, measured: Metrics, accept: str) -> Figures | Content:
    if accept in ("text/plain", "application/openmetrics-text"):
        return Content(await facts.figures_as_text(db, settings, measured), CONTENT_TYPE)
    return await facts.figures(db, settings, measured)


async def seed(db: Db, files: BlobStore, queue: Queue, who: Principal) -> Created[Seeded]:
    return Created(await samples.seed(db, files, queue, who))


async def openapi(description: Description) -> Content:
    return await description.json()


async def docs(description: Description) -> Content:
    return await description.page()
