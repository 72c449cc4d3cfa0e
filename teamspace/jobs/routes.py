"""HTTP routes for jobs: create, list, read, cancel."""

from teamspace.core.db import Db
from teamspace.core.errors import FeatureDisabled, Forbidden, NotCancellable, QuotaExceeded
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted
from teamspace.core.routing import BEARER, Route
from teamspace.events import ReadableSubjects
from teamspace.jobs.domain import actions, viewing
from teamspace.jobs.domain.queue import Queue
from teamspace.jobs.domain.routing import JobRouter
from teamspace.jobs.schemas import JobDetail, JobDraft, JobPage, JobQuery, JobSummary

# fmt: off
ROUTES = (
    Route("POST", "/api/jobs",            BEARER, P.CHAT_USE, None, "enqueue", "Create a job, or retry a finished one; optionally with a start time and a priority.",
          refuses=(FeatureDisabled, QuotaExceeded)),
    Route("GET",  "/api/jobs",            BEARER, None,       None, "index",   "List the team's jobs, newest first: in full if the caller can read the subject, or requested a job without one; otherwise as summaries."),
    Route("POST", "/api/jobs/:id/cancel", BEARER, None,       None, "cancel",  "Cancel a queued job; running jobs are not stopped.", refuses=(Forbidden, NotCancellable)),
    Route("GET",  "/api/jobs/:id",        BEARER, None,       None, "show",    "Return a job with its state, why it waits, what an agent has done so far, its result or error; or a summary, as in the list."),
)
# fmt: on


async def enqueue(
    db: Db, who: Principal, queue: Queue, router: JobRouter, readable: ReadableSubjects, body: JobDraft
) -> Accepted[JobDetail]:
    return Accepted(await actions.enqueue(db, who, queue, router, readable, body))


async def index(db: Db, who: Principal, readable: ReadableSubjects, query: JobQuery) -> JobPage:
    return await viewing.list_jobs(db, who, readable, query)


async def cancel(db: Db, who: Principal, queue: Queue, readable: ReadableSubjects, id: str) -> JobDetail | JobSummary:
    return await actions.cancel(db, who, queue, readable, id)


async def show(db: Db, who: Principal, queue: Queue, readable: ReadableSubjects, id: str) -> JobDetail | JobSummary:
    return await viewing.find(db, who, queue.kinds, readable, id)
