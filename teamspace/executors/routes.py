"""Executors and their workers over HTTP."""

from functools import partial

from teamspace import jobs
from teamspace.core.db import Db
from teamspace.core.departure import Departure
from teamspace.core.egress import Reach
from teamspace.core.errors import Conflict, ResponseRefused, StaleClaim
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page, Reply
from teamspace.core.routing import BEARER, ORGADMIN, Route
from teamspace.executors.domain import roster, workers
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.presence import Presence
from teamspace.executors.schemas import (
    Asking,
    Beat,
    Completion,
    Draft,
    Executor,
    Failure,
    Handed,
    InstanceDraft,
    Lease,
    NewExecutor,
)

# fmt: off
ROUTES = (
    Route("GET",    "/api/executors",                  BEARER,   None,              None, "index",      "The executors that work for the caller's company, with their health; an operator sees all."),
    Route("POST",   "/api/executors",                  BEARER,   P.INSTANCE_MANAGE, None, "create",     "Set up an executor, for all companies or for one: one whose workers claim (pull; the token is shown this once), or a model server to call (push).",
          refuses=(Conflict,)),
    Route("DELETE", "/api/executors/:id",              BEARER,   P.INSTANCE_MANAGE, None, "retire",     "Retire an executor: its token ends, and the jobs it holds go back into the queue.", while_suspended=True,
          refuses=(Conflict,)),
    Route("POST",   "/api/org/executors",              ORGADMIN, P.ORG_MANAGE,      None, "create_own", "Set up an executor for the caller's company alone, as above; a push executor must be a host of the internet.",
          refuses=(Conflict,)),
    Route("POST",   "/api/workers/claim",              BEARER,   P.JOBS_EXECUTE,    None, "claim",      "Ask for a job, and wait for one up to max_wait seconds; 204 when none comes.", while_suspended=True),
    Route("POST",   "/api/workers/jobs/:id/heartbeat", BEARER,   P.JOBS_EXECUTE,    None, "heartbeat",  "A sign of life: the lease goes on for a minute; it may tell the progress.", while_suspended=True,
          refuses=(StaleClaim,)),
    Route("POST",   "/api/workers/jobs/:id/complete",  BEARER,   P.JOBS_EXECUTE,    None, "complete",   "Bring the result of a job; one that breaks the kind's rules is refused, and the job stays in the worker's hands.",
          while_suspended=True, refuses=(ResponseRefused, StaleClaim)),
    Route("POST",   "/api/workers/jobs/:id/fail",      BEARER,   P.JOBS_EXECUTE,    None, "fail",       "Give up on a job: it is tried again while it has attempts left.", while_suspended=True,
          refuses=(StaleClaim,)),
)
# fmt: on


async def index(db: Db, who: Principal, fleet: Fleet) -> Page[Executor]:
    return Page(await roster.listing(db, who, fleet), None)


async def create(db: Db, who: Principal, fleet: Fleet, body: InstanceDraft) -> Created[NewExecutor]:
    return Created(await roster.create(db, who, fleet, body, body.org_id, Reach.LISTED))


async def retire(db: Db, who: Principal, fleet: Fleet, id: str) -> None:
    await roster.retire(db, who, fleet, id)


async def create_own(db: Db, who: Principal, fleet: Fleet, body: Draft) -> Created[NewExecutor]:
    return Created(await roster.create(db, who, fleet, body, who.org_id, Reach.PUBLIC))


async def claim(
    db: Db, who: Principal, queue: jobs.Queue, presence: Presence, body: Asking, departure: Departure
) -> Reply[Handed] | None:
    taken = await workers.claim(db, who, queue, presence, body, departure)
    if taken is None:
        return None
    handed, held = taken
    return Reply(handed, undelivered=partial(workers.put_back, db, queue, held))


async def heartbeat(db: Db, who: Principal, queue: jobs.Queue, id: str, body: Beat) -> Lease:
    return await workers.heartbeat(db, who, queue, id, body)


async def complete(db: Db, who: Principal, queue: jobs.Queue, id: str, body: Completion) -> None:
    await workers.complete(db, who, queue, id, body)


async def fail(db: Db, who: Principal, queue: jobs.Queue, id: str, body: Failure) -> None:
    await workers.fail(db, who, queue, id, body)
