"""Jobs over HTTP: asked for, looked at, cancelled."""

from teamspace.core.db import Db
from teamspace.core.errors import FeatureDisabled, Forbidden, NotCancellable, QuotaExceeded
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted
from teamspace.core.routing import BEARER, Route
from teamspace.jobs.domain import desk
from teamspace.jobs.domain.placing import Placing
from teamspace.jobs.domain.queue import Queue
from teamspace.jobs.schemas import Job, JobDraft, JobOutline, JobPage, JobQuery

# fmt: off
ROUTES = (
    Route("POST", "/api/jobs",            BEARER, P.CHAT_USE, None, "ask",    "Ask for a job of a kind that people may ask for, or try one again; it may be given a time and a priority.",
          refuses=(FeatureDisabled, QuotaExceeded)),
    Route("GET",  "/api/jobs",            BEARER, None,       None, "index",  "The team's jobs, newest first. Those of others are outlines, but for those who run the team."),
    Route("POST", "/api/jobs/:id/cancel", BEARER, None,       None, "cancel", "Cancel a job that waits; one that runs is not stopped.", refuses=(Forbidden, NotCancellable)),
    Route("GET",  "/api/jobs/:id",        BEARER, None,       None, "show",   "One job: its state, why it waits, its result or its error; an outline where somebody else asked for it."),
)
# fmt: on


async def ask(db: Db, who: Principal, queue: Queue, placing: Placing, body: JobDraft) -> Accepted[Job]:
    return Accepted(await desk.ask(db, who, queue, placing, body))


async def index(db: Db, who: Principal, query: JobQuery) -> JobPage:
    return await desk.listing(db, who, query)


async def cancel(db: Db, who: Principal, queue: Queue, id: str) -> Job:
    return await desk.cancel(db, who, queue, id)


async def show(db: Db, who: Principal, id: str) -> Job | JobOutline:
    return await desk.find(db, who, id)
