"""HTTP routes that use models."""

from teamspace.ai.domain import echo as echoing
from teamspace.ai.domain.turns import Turns
from teamspace.ai.schemas import MAX_BODY, ChatAnswer, ChatBody, DryRun, Echo, EchoAnswer
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, ExecutorFailed, NoExecutor, QuotaExceeded, ResponseRefused
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import EventStream
from teamspace.core.routing import BEARER, Route
from teamspace.events import Streams, parse_position, to_event_stream

# fmt: off
ROUTES = (
    Route("POST",   "/api/ai/echo",            BEARER, P.CHAT_USE, None,   "echo",   "Return the prompt without a model, metered as one request and one token per four characters.",
          refuses=(QuotaExceeded,)),
    Route("POST",   "/api/ai/chat",            BEARER, P.CHAT_USE, F.CHAT, "chat",   "Have a prompt answered by a model. `response_format` asks for JSON, which is checked; `conversation_id` stores the turn; `dry_run` only says what it would cost.",
          refuses=(QuotaExceeded, ExecutorFailed, NoExecutor, ResponseRefused, Conflict), limit=MAX_BODY, dry_run=True),
    Route("POST",   "/api/ai/chat/stream",     BEARER, P.CHAT_USE, F.CHAT, "stream", "The same as server-sent events: `start`, `delta`, `citation`, then `done` or `error`. Send `Last-Event-ID` to resume for ten minutes, or repeat the `Idempotency-Key` to read from the beginning, without being charged again.",
          refuses=(QuotaExceeded, NoExecutor, Conflict), limit=MAX_BODY, dry_run=True),
    Route("DELETE", "/api/ai/chat/stream/:id", BEARER, P.CHAT_USE, None,   "stop",   "Stop a turn or an agent's run of the caller's, streamed or not. It ends with what it has produced, and is charged for that.",
          while_suspended=True),
)
# fmt: on


async def echo(db: Db, who: Principal, body: Echo) -> EchoAnswer:
    return await echoing.echo(db, who, body)


async def chat(db: Db, who: Principal, body: ChatBody, turns: Turns) -> ChatAnswer | DryRun:
    return await (turns.preview if body.dry_run else turns.answer)(db, who, body)


async def stream(
    db: Db, who: Principal, body: ChatBody, last_event_id: str, replay_of: str, turns: Turns, streams: Streams
) -> EventStream | DryRun:  # fmt: skip
    if last_event_id:
        turn_id, seen = parse_position(last_event_id)
        return to_event_stream(await turns.resume(db, who, turn_id, seen), turn_id)
    if replay_of:
        return to_event_stream(await turns.replay(db, who, replay_of), replay_of)
    if body.dry_run:
        return await turns.preview(db, who, body)
    streams.check_room(who)
    turn_id = (await turns.begin(db, who, body, stream=True)).job.id
    return to_event_stream(streams.read(db, who, turn_id), turn_id)


async def stop(db: Db, who: Principal, id: str, turns: Turns) -> None:
    await turns.stop(db, who, id)
