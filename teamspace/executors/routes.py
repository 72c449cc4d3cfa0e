"""HTTP routes for executors and workers."""

from functools import partial

from teamspace import jobs
from teamspace.core.db import Db
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.egress import NetworkReach
from teamspace.core.errors import Conflict, ResponseRefused, StaleClaim
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page, Reply
from teamspace.core.routing import BEARER, ORGADMIN, Route
from teamspace.executors.domain import registry, roles, workers
from teamspace.executors.domain.completing import Completions
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.presence import Presence
from teamspace.executors.domain.tokens import TokenExecutors
from teamspace.executors.schemas import (
    ClaimRequest,
    Executor,
    ExecutorDraft,
    FailureReport,
    Heartbeat,
    InstanceExecutorDraft,
    JobAssignment,
    JobCompletion,
    Lease,
    ModelReport,
    ModelRoles,
    ModelRolesChange,
    NewExecutor,
)

# fmt: off
ROUTES = (
    Route("GET",    "/api/executors",                  BEARER,   None,              None, "index",      "List the executors of the caller's company and the shared ones, with their health; operators see all."),
    Route("POST",   "/api/executors",                  BEARER,   P.INSTANCE_MANAGE, None, "create",     "Create an executor, for all companies or for one: pull (workers claim jobs; the token is shown only once) or push (a model server to call).",
          refuses=(Conflict,)),
    Route("DELETE", "/api/executors/:id",              BEARER,   P.INSTANCE_MANAGE, None, "retire",     "Retire an executor: its token is revoked and its running jobs are requeued.", while_suspended=True,
          refuses=(Conflict,)),
    Route("POST",   "/api/org/executors",              ORGADMIN, P.ORG_MANAGE,      None, "create_own", "Create an executor for the caller's company only. A push executor must have a public address.",
          refuses=(Conflict,)),
    Route("POST",   "/api/workers/claim",              BEARER,   P.JOBS_EXECUTE,    None, "claim",      "Claim a job, waiting up to max_wait seconds; 204 if there is none.", while_suspended=True),
    Route("POST",   "/api/workers/jobs/:id/heartbeat", BEARER,   P.JOBS_EXECUTE,    None, "heartbeat",  "Extend the lease of a job by a minute, and optionally report its progress.", while_suspended=True,
          refuses=(StaleClaim,)),
    Route("POST",   "/api/workers/jobs/:id/complete",  BEARER,   P.JOBS_EXECUTE,    None, "complete",   "Complete a job with its result. An invalid result is refused, and the worker keeps the job.",
          while_suspended=True, refuses=(ResponseRefused, StaleClaim)),
    Route("POST",   "/api/workers/jobs/:id/fail",      BEARER,   P.JOBS_EXECUTE,    None, "fail",       "Report that a job failed; if the error is retryable, it is tried again while it has attempts left. `usage` is what the attempt has used of a model all the same, and is charged.", while_suspended=True,
          refuses=(StaleClaim,)),
    Route("GET",    "/api/model-roles",                BEARER,   None,              None, "get_roles",  "Return the executor that the team has chosen for each role of models, and the instance's defaults."),
    Route("PUT",    "/api/model-roles",                BEARER,   P.SETTINGS_MANAGE, None, "put_roles",  "Choose the executor of roles for the team; null returns to the instance's default."),
    Route("GET",    "/api/ai/model",                   BEARER,   None,              None, "get_model",  "Return which model would answer the caller now, for each role, and why."),
)
# fmt: on


async def index(db: Db, who: Principal, fleet: Fleet) -> Page[Executor]:
    return Page(await registry.listing(db, who, fleet), None)


async def create(db: Db, who: Principal, fleet: Fleet, body: InstanceExecutorDraft) -> Created[NewExecutor]:
    return Created(await registry.create(db, who, fleet, body, body.org_id, NetworkReach.LISTED))


async def retire(db: Db, who: Principal, fleet: Fleet, id: str) -> None:
    await registry.retire(db, who, fleet, id)


async def create_own(db: Db, who: Principal, fleet: Fleet, body: ExecutorDraft) -> Created[NewExecutor]:
    return Created(await registry.create(db, who, fleet, body, who.org_id, NetworkReach.PUBLIC))


async def claim(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, presence: Presence, body: ClaimRequest,
    disconnect: DisconnectWatch,
) -> Reply[JobAssignment] | None:  # fmt: skip
    taken = await workers.claim(db, who, queue, tokens, presence, body, disconnect)
    if taken is None:
        return None
    assignment, claimed = taken
    return Reply(assignment, on_undelivered=partial(workers.requeue, db, queue, claimed))


async def heartbeat(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, id: str, body: Heartbeat
) -> Lease:  # fmt: skip
    return await workers.heartbeat(db, who, queue, tokens, id, body)


async def complete(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, completions: Completions, id: str,
    body: JobCompletion,
) -> None:  # fmt: skip
    await workers.complete(db, who, queue, tokens, completions, id, body)


async def fail(
    db: Db, who: Principal, queue: jobs.Queue, tokens: TokenExecutors, id: str, body: FailureReport
) -> None:  # fmt: skip
    await workers.fail(db, who, queue, tokens, id, body)


async def get_roles(db: Db, who: Principal, fleet: Fleet) -> ModelRoles:
    return await roles.get(db, who, fleet)


async def put_roles(db: Db, who: Principal, fleet: Fleet, body: ModelRolesChange) -> ModelRoles:
    return await roles.change(db, who, fleet, body.roles)


async def get_model(db: Db, who: Principal, fleet: Fleet) -> ModelReport:
    return await roles.report(db, who, fleet)
