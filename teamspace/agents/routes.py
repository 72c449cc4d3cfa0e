"""HTTP route of the agent."""

from teamspace.agents.domain.runs import Agents
from teamspace.agents.schemas import AgentAnswer, AgentBody
from teamspace.ai import MAX_BODY, DryRun, Turns
from teamspace.core.accept import EVENT_STREAM, JSON
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, ExecutorFailed, NoExecutor, QuotaExceeded, ToolDisabled
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import EventStream
from teamspace.core.routing import BEARER, Route
from teamspace.events import Streams, parse_position, to_event_stream

# fmt: off
ROUTES = (
    Route("POST", "/api/agent", BEARER, P.CHAT_USE, F.AGENT, "agent", "Have a model work with the team's tools until it has an answer; every call has the caller's rights and is metered. With `Accept: text/event-stream`, its steps as server-sent events, which can be resumed like a chat.",
          refuses=(QuotaExceeded, ExecutorFailed, NoExecutor, ToolDisabled, Conflict), limit=MAX_BODY, dry_run=True, offers=(JSON, EVENT_STREAM)),
)
# fmt: on


async def agent(
    db: Db, who: Principal, body: AgentBody, accept: str, last_event_id: str, replay_of: str, agents: Agents,
    turns: Turns, streams: Streams,
) -> AgentAnswer | DryRun | EventStream:  # fmt: skip
    if last_event_id:
        run_id, seen = parse_position(last_event_id)
        return to_event_stream(await turns.resume(db, who, run_id, seen), run_id)
    if replay_of:
        return to_event_stream(await turns.replay(db, who, replay_of), replay_of)
    if body.dry_run:
        return await agents.preview(db, who, body)
    if accept != EVENT_STREAM:
        return await agents.answer(db, who, body)
    streams.check_room(who)
    run_id = (await agents.begin(db, who, body, stream=True)).job.id
    return to_event_stream(streams.read(db, who, run_id), run_id)
