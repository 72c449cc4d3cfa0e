"""Routes of the instance: health, configuration, status, metrics, sample data and the API description."""

from teamspace.blobs import BlobStore
from teamspace.core.accept import JSON
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

_TEXT = ("text/plain", "application/openmetrics-text")

# fmt: off
ROUTES = (
    Route("GET",  "/health",                 PUBLIC,     None,              None, "health",       "Check liveness: returns ok and multitenant, nothing else.", unlimited=True),
    Route("GET",  "/ready",                  PUBLIC,     None,              None, "ready",        "Check readiness: database and blob store respond, and the server is not stopping.", unlimited=True, refuses=(NotReady,)),
    Route("GET",  "/api/config",             PUBLIC,     None,              None, "config",       "Return what a client needs to know before sign-in.", unlimited=True),
    Route("GET",  "/api/admin/status",       BEARER,     P.INSTANCE_MANAGE, None, "status",       "Return the instance's version, configuration, row counts and warnings."),
    Route("POST", "/api/admin/seed-tenants", SUPERADMIN, P.INSTANCE_MANAGE, None, "seed_tenants", "Create two demo companies whose people have known passwords.",
          refuses=(SingleTenant, Conflict)),
    Route("GET",  "/api/metrics",            BEARER,     P.INSTANCE_MANAGE, None, "metrics",      "Return operational metrics as JSON or, by Accept, as Prometheus text.", offers=(JSON, *_TEXT)),
    Route("POST", "/api/admin/seed",         BEARER,     P.SETTINGS_MANAGE, None, "seed",         "Add sample content to the team; existing content stays."),
    Route("GET",  "/api/openapi.json",       PUBLIC,     None,              None, "openapi",      "Return the OpenAPI 3.1 description of this API."),
    Route("GET",  "/api/docs",               PUBLIC,     None,              None, "docs",         "Return the API description as an HTML page."),
)
# fmt: on


async def health(settings: Settings) -> Liveness:
    return Liveness(ok=True, multitenant=settings.multitenant)


async def ready(db: Db, files: BlobStore, readiness: Readiness) -> Ready:
    return await readiness.check(db, files)


async def config(db: Db, settings: Settings) -> Config:
    return await facts.config(db, settings)


async def status(db: Db, settings: Settings, measured: Metrics, row_counts: facts.RowCounts) -> Status:
    return await facts.status(db, settings, measured, row_counts)


async def seed_tenants(db: Db, who: Principal, settings: Settings, files: BlobStore) -> Created[DemoCompanies]:
    return Created(await demo.seed(db, who, settings, files))


async def metrics(db: Db, settings: Settings, measured: Metrics, accept: str) -> Figures | Content:
    if accept in _TEXT:
        return Content(await facts.figures_as_text(db, settings, measured), CONTENT_TYPE)
    return await facts.figures(db, settings, measured)


async def seed(db: Db, files: BlobStore, queue: Queue, who: Principal) -> Created[Seeded]:
    return Created(await samples.seed(db, files, queue, who))


async def openapi(description: Description) -> Content:
    return await description.json()


async def docs(description: Description) -> Content:
    return await description.page()
