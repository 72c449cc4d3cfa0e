"""A chat turn for a client of the OpenAI protocol."""

import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

import msgspec
from msgspec import UNSET

from teamspace.ai import ChatAnswer, Turns
from teamspace.completions import ToolCall
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import EventStream, ServerSentEvent
from teamspace.events import StreamRow, Streams
from teamspace.executors import Fleet
from teamspace.openai_api.domain import answers, models, requests
from teamspace.openai_api.domain.stops import StopFilter
from teamspace.openai_api.schemas import Chunk, Completion, CompletionRequest, ErrorBody, ErrorDetail

_DONE = msgspec.Raw(b"[DONE]")


class _Delta(msgspec.Struct, frozen=True, gc=False):
    text: msgspec.Raw


_DELTA = msgspec.json.Decoder(_Delta)


async def complete(
    db: Db, who: Principal, fleet: Fleet, turns: Turns, streams: Streams, request: CompletionRequest
) -> Completion | EventStream:
    """Have a request answered: as a whole, or as chunks if it asks for a stream."""
    stops = _stops(request)
    body = requests.to_chat_body(request)
    await models.check(db, who, fleet, body.model)
    if request.stream:
        streams.check_room(who)
        turn_id = (await turns.begin(db, who, body, stream=True)).job.id
        rows = streams.read(db, who, turn_id)
        return EventStream(_stream(db, who, turns, request, rows, turn_id, goes_on=who.call.claim is not None))
    answer = await turns.answer(db, who, body)
    return answers.completion(
        answer.id, int(time.time()), answer.model or request.model, text=stops.feed(answer.text) + stops.flush(),
        tool_calls=_tool_calls(request, answer), finish_reason=answer.finish_reason, usage=answer.usage,
    )  # fmt: skip


async def replay(
    db: Db, who: Principal, turns: Turns, request: CompletionRequest, turn_id: str
) -> EventStream:  # fmt: skip
    """Return the chunks of the turn that the same request has begun."""
    rows = await turns.replay(db, who, turn_id)
    return EventStream(_stream(db, who, turns, request, rows, turn_id, goes_on=True))


def _stops(request: CompletionRequest) -> StopFilter:
    return StopFilter(requests.stop_sequences(request))


def _tool_calls(request: CompletionRequest, answer: ChatAnswer) -> list[ToolCall]:
    calls = [] if answer.tool_calls is UNSET else answer.tool_calls
    return calls[:1] if request.parallel_tool_calls is False else calls


async def _stream(
    db: Db, who: Principal, turns: Turns, request: CompletionRequest,
    batches: AsyncGenerator[Sequence[StreamRow], None], turn_id: str, *, goes_on: bool,
) -> AsyncGenerator[Sequence[ServerSentEvent], None]:  # fmt: skip
    """Yield the turn's stream as chunks. Unless it goes on for a reader to come, it is stopped if the reader leaves."""
    chunks, stops = _chunks(request, turn_id), _stops(request)
    is_running = True
    try:
        async with aclosing(batches):
            async for rows in batches:
                is_running = is_running and not (rows and rows[-1].is_last)
                yield [ServerSentEvent("", piece) for row in rows for piece in _to_chunks(row, chunks, request, stops)]
                if stops.stopped and is_running:
                    is_running = False
                    await turns.stop(db, who, turn_id)
    finally:
        if is_running and not goes_on:
            await turns.stop(db, who, turn_id)


def _chunks(request: CompletionRequest, turn_id: str) -> answers.Chunks:
    options = request.stream_options
    include_usage = options is not None and bool(options.include_usage)
    return answers.Chunks(turn_id, int(time.time()), request.model, include_usage=include_usage)


def _to_chunks(
    row: StreamRow, chunks: answers.Chunks, request: CompletionRequest, stops: StopFilter
) -> Iterator[Chunk | ErrorBody | msgspec.Raw]:
    """Yield what a row of the turn's stream is in this protocol."""
    match row.name:
        case "start":
            yield chunks.start(msgspec.json.decode(row.data)["model"])
        case "delta":
            encoded = _DELTA.decode(row.data).text
            if not stops.watches:
                yield chunks.text(encoded)
            elif text := stops.feed(msgspec.json.decode(encoded, type=str)):
                yield chunks.text(msgspec.json.encode(text))
        case "done":
            answer = msgspec.json.decode(row.data, type=ChatAnswer)
            if text := stops.flush():
                yield chunks.text(msgspec.json.encode(text))
            yield from chunks.end(_tool_calls(request, answer), answer.finish_reason, answer.usage)
            yield _DONE
        case "error":
            error = msgspec.json.decode(row.data)
            yield ErrorBody(ErrorDetail(error["message"], "server_error", None, error["code"]))
