"""Chat turns: a person asks, a model answers. A turn is a job that this server runs at once.

A turn has one id: that of its job, of its stream, and of the answer in its conversation. The transaction that begins it
reserves its quota; the transaction that ends its job settles that, ends the stream and stores the answer. So however a
turn ends, it is charged and told once.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from teamspace import conversations, jobs
from teamspace.ai.domain import gateway as gateways
from teamspace.ai.domain import resolving
from teamspace.ai.domain.attaching import Library
from teamspace.ai.domain.gateway import Gateway
from teamspace.ai.domain.output import CITATION, DELTA, START, Output
from teamspace.ai.domain.resolving import InConversation
from teamspace.ai.schemas import (
    ChatAnswer,
    ChatBody,
    ChatInput,
    Citation,
    DryRun,
    IndexConversation,
    SchemaFault,
    TurnInput,
)
from teamspace.completions import ModelAnswer, ModelRequest, structured
from teamspace.conversations import TurnState
from teamspace.core.db import Db, Tx
from teamspace.core.decoding import convert
from teamspace.core.errors import BadRequest, Conflict, ExecutorFailed, InternalError, NotFound, Overloaded, Refusal
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.events import StreamRow, Streams
from teamspace.executors import Mode
from teamspace.jobs import (
    Authority,
    Cancelled,
    EndedJob,
    Failed,
    JobAttempt,
    JobAttempts,
    JobContext,
    JobFault,
    JobSubject,
    JobTitle,
    Outcome,
    Queue,
    Succeeded,
)
from teamspace.quota import Spend

KIND = "ai.turn"
INDEX = "conversation.index"
STOPPED = "stopped"
"""The finish reason of an answer that a person has stopped."""
MAX_TURNS = 2_000
"""Turns at a time in this process. Quotas limit those of each team and company."""


BeforeStart = Callable[[Tx, str], Awaitable[None]]
"""Called in the transaction that starts a turn, with its id."""
ReadSteps = Callable[[Tx, EndedJob], Awaitable[Sequence[object]]]
"""Returns the steps of an agent's run that has ended."""


class Turns:
    """Begins, runs and stops turns."""

    def __init__(
        self, gateway: Gateway, queue: Queue, attempts: JobAttempts, streams: Streams, library: Library
    ) -> None:  # fmt: skip
        self._gateway, self._queue, self._attempts, self._streams, self._library = (
            gateway, queue, attempts, streams, library,
        )  # fmt: skip
        self._running = 0

    async def preview(self, db: Db, who: Principal, body: ChatBody) -> DryRun:
        """Return what a turn would cost, as a read."""
        await self._check(body)
        context = await resolving.measure(db, self._library, who, body)
        request = resolving.without_references(body)
        return await self._gateway.preview(db, who, request, more_tokens=context)

    async def answer(self, db: Db, who: Principal, body: ChatBody) -> ChatAnswer:
        """Have a prompt answered. If the caller leaves, the turn goes on, and its job has the answer."""
        attempt = await self.begin(db, who, body, stream=False)
        await attempt.wait()
        answer = get_outcome(attempt)
        assert isinstance(answer, ChatAnswer)
        return answer

    async def begin(self, db: Db, who: Principal, body: ChatBody, *, stream: bool) -> JobAttempt:
        """Begin a turn, or raise QuotaExceeded before anything is sent to a model. With `stream`, it can be read."""
        await self._check(body)
        target = await self._gateway.choose(db, who, name=body.executor, model=body.model)
        is_remote = target.mode is Mode.PULL
        input = TurnInput(
            **resolving.to_fields(body), executor_name=target.name, is_simulated=target.simulated,
            conversation_id=body.conversation_id, worker=target.executor_id if is_remote else None,
            context_tokens=await resolving.measure(db, self._library, who, body), is_streamed=stream,
        )  # fmt: skip
        return await self.launch(
            db, who, KIND, input, body, stream=stream, model=target.model,
            executor_id=jobs.LOCAL if is_remote else target.executor_id,
            # Until the turn ends, which is durable, its author learns nothing of it.
            durable=stream or body.conversation_id is not None,
        )  # fmt: skip

    async def launch(
        self, db: Db, who: Principal, kind: str, input: msgspec.Struct, body: InConversation, *, stream: bool,
        executor_id: str, model: str | None = None, metered: bool = True, before: BeforeStart | None = None,
        durable: bool = True,
    ) -> JobAttempt:  # fmt: skip
        """Start a job for someone who waits, with its turn in a conversation and its stream. `before` runs first."""
        if self._running >= MAX_TURNS:
            raise Overloaded("ai.busy", 2)
        turn_id, encoded = new_id(), self._queue.encode(kind, input)
        prompt = conversations.encode_prompt(body.prompt) if body.conversation_id is not None else None
        async with db.write(who, kind, durable=durable) as tx:
            tx.target, tx.detail = turn_id, {"executor": executor_id, "model": model}
            if before is not None:
                await before(tx, turn_id)
            if stream:
                tx.opens_stream = True
                await self._streams.open(db, tx, who, turn_id)
            job, claim = await self._queue.start(
                tx, Authority.of(who), kind, encoded, id=turn_id, executor_id=executor_id, model=model,
                title=_title(body), metered=metered, lease=jobs.ATTEMPT_LEASE,
            )  # fmt: skip
            # After the quota: the end of a turn takes both locks in this order too.
            if body.conversation_id is not None and prompt is not None:
                await conversations.begin_turn(
                    tx, who, body.conversation_id, turn_id=turn_id, prompt=prompt,
                    parent_id=body.parent_id, regenerate=body.regenerate,
                )  # fmt: skip
        attempt = self._attempts.start(db, job, claim, who=who, input=input)
        self._running += 1
        attempt.task.add_done_callback(self._count_end)
        return attempt

    def _count_end(self, _: object) -> None:
        self._running -= 1

    async def _check(self, body: ChatBody) -> None:
        if not (body.prompt or body.messages or body.regenerate):
            raise BadRequest.at("/prompt", "value.empty")
        if body.conversation_id is not None and body.messages:
            raise BadRequest.at("/messages", "ai.messages_or_conversation")
        resolving.check_conversation(body)
        await structured.check_format(body.response_format)

    # Streams

    async def resume(
        self, db: Db, who: Principal, turn_id: str, after: int
    ) -> AsyncGenerator[Sequence[StreamRow], None]:
        """Return the rest of a turn's stream; NotFound for everyone but its author."""
        self._streams.check_room(who)
        await self._streams.check_readable(db, who, turn_id)
        return self._streams.read(db, who, turn_id, after)

    async def replay(self, db: Db, who: Principal, turn_id: str) -> AsyncGenerator[Sequence[StreamRow], None]:
        """Return a turn's stream from its beginning, for a repeat of the request that began it."""
        try:
            return await self.resume(db, who, turn_id, 0)
        except NotFound:
            raise Conflict("ai.stream_gone", id=turn_id) from None

    async def stop(self, db: Db, who: Principal, turn_id: str) -> None:
        """Ask a turn of the caller's to stop. It ends with what it has produced; one that has ended stays as it is."""
        async with db.write(who, "ai.stop") as tx:
            tx.target = turn_id
            if await jobs.request_stop(tx, who, self._queue, turn_id):
                tx.after_commit(lambda: self._attempts.stop(turn_id))

    # The job

    async def run(self, db: Db, who: Principal, input: TurnInput, work: JobContext) -> ChatAnswer:
        """Answer a turn: the handler of its job."""
        resolved = await resolving.resolve(db, self._library, who, input, work.job_id)
        output = Output(self._streams.writer(work.job_id), db, self._library.files, who, resolved.sources)
        output.begin(
            work.job_id,
            input.conversation_id,
            model=work.model,
            executor=input.executor_name,
            simulated=input.is_simulated,
        )
        answer = await self._ask(db, who, input, work, resolved.request, output)
        return await self._to_answer(work.job_id, input, resolved.request, answer, output)

    async def _ask(
        self, db: Db, who: Principal, input: TurnInput, work: JobContext, request: ModelRequest, output: Output
    ) -> ModelAnswer:
        if input.worker is not None:
            answer = await self._gateway.ask_worker(db, who, input.worker, request, work.job_id, work.stop)
        else:
            on_delta = output.add if output.is_streamed else None
            asked = msgspec.structs.replace(request, model=request.model or work.model)
            answer = await self._gateway.ask(db, who, work.executor_id, asked, on_delta=on_delta, stop=work.stop)
        if not output.has_added:
            await output.add(answer.text)
        await output.end_block()
        return answer

    async def _to_answer(
        self, turn_id: str, input: TurnInput, request: ModelRequest, answer: ModelAnswer, output: Output
    ) -> ChatAnswer:
        parsed, fault = answer.parsed, None
        if parsed is UNSET and answer.finish_reason != STOPPED:
            try:
                parsed = (await structured.judge(request, answer)).parsed
            except structured.SchemaMismatch as mismatch:
                if not output.is_streamed:
                    raise gateways.refused(mismatch) from mismatch
                fault = SchemaFault(mismatch.message, mismatch.path, mismatch.raw)
        return ChatAnswer(
            id=turn_id, text=output.text, parsed=parsed, schema_error=UNSET if fault is None else fault,
            model=answer.model, executor=input.executor_name, simulated=input.is_simulated, usage=answer.usage,
            finish_reason=answer.finish_reason, tool_calls=answer.tool_calls or UNSET, citations=output.citations,
        )  # fmt: skip


async def verify(db: Db, library: Library, who: Principal, input: ChatInput) -> None:
    """Raise if a model cannot be asked this: there is nothing to answer, a bad response format, a hidden reference."""
    if not (input.prompt or input.messages):
        raise BadRequest.at("/input/prompt", "value.empty")
    convert(ChatBody, msgspec.to_builtins(input), within="/input")
    await structured.check_format(input.response_format, "/input/response_format")
    await resolving.measure(db, library, who, input, within="/input")


def estimate(input: TurnInput) -> Spend:
    estimated = gateways.estimate(resolving.without_references(input))
    return Spend(estimated.requests, estimated.tokens + input.context_tokens)


async def end(tx: Tx, job: EndedJob, outcome: Outcome, streams: Streams, queue: Queue) -> None:
    """End the stream and the conversation's turn, in the transaction that ends the job."""
    if isinstance(outcome, Succeeded):
        answer = outcome.result
        assert isinstance(answer, ChatAnswer)
        if _placed(job).is_streamed:
            await streams.end(tx, job.id, "done", answer)
        await end_in_conversation(
            tx, queue, job, content=answer.text, state=state_of(answer.finish_reason), usage=answer.usage,
            citations=answer.citations, model=answer.model, executor=answer.executor, simulated=answer.simulated,
            finish_reason=answer.finish_reason,
        )  # fmt: skip
    else:
        await end_with_fault(tx, queue, streams, job, fault_of(outcome))


async def end_with_fault(
    tx: Tx, queue: Queue, streams: Streams, job: EndedJob, fault: JobFault, read_steps: ReadSteps | None = None
) -> None:
    """End a turn that has no answer. What it has shown is kept, and what an agent has done."""
    await streams.end(tx, job.id, "error", to_error(fault))
    if _placed(job).conversation_id is not None:
        text, citations = await _read_shown(tx, streams, job.id)
        error = conversations.TurnError(fault.code, fault.message, fault.key, fault.params)
        steps = None if read_steps is None else await read_steps(tx, job)
        await end_in_conversation(
            tx, queue, job, content=text, state=TurnState.FAILED, error=error, citations=citations, steps=steps
        )  # fmt: skip


async def end_in_conversation(tx: Tx, queue: Queue, job: EndedJob, **answer: Any) -> None:
    """Store the answer in the turn's conversation, if it has one, and have the conversation indexed."""
    conversation_id = _placed(job).conversation_id
    if conversation_id is None:
        return
    await conversations.end_turn(tx, job.id, **answer)
    # The server's own work: a token's scope limits its caller, and the person may have left.
    authority = Authority.of_company(job.account.org_id, job.account.team_id)
    await queue.enqueue(tx, authority, INDEX, IndexConversation(conversation_id))


class _Placed(msgspec.Struct, frozen=True):
    """Where a turn is: all that its end needs of an input with images."""

    conversation_id: str | None = None
    is_streamed: bool = False


_PLACED = msgspec.json.Decoder(_Placed)


def _placed(job: EndedJob) -> _Placed:
    return _PLACED.decode(job.input)


def state_of(finish_reason: str) -> TurnState:
    return TurnState.STOPPED if finish_reason == STOPPED else TurnState.DONE


def fault_of(outcome: Outcome) -> JobFault:
    """Return why a turn has no answer."""
    match outcome:
        case Failed(fault) | Cancelled(JobFault() as fault):
            return fault
        case _:
            return jobs.INTERRUPTED


def to_error(fault: JobFault) -> dict[str, Any]:
    """Return the fields of the event `error`."""
    return {"code": fault.code, "message": fault.message, "key": fault.key, "params": fault.params}


class _Shown(msgspec.Struct, frozen=True, gc=False):
    text: str = ""
    citations: list[Citation] = []


async def _read_shown(tx: Tx, streams: Streams, turn_id: str) -> tuple[str, list[Citation]]:
    """Return the text that a turn has shown before it failed, and the citations in it."""
    texts, citations = list[str](), list[Citation]()
    for name, row in await streams.read_saved(tx, turn_id, msgspec.Raw):
        if name == START:  # perhaps another server has continued the run
            shown = msgspec.json.decode(row, type=_Shown)
            texts, citations = [shown.text], list(shown.citations)
        elif name == DELTA:
            texts.append(msgspec.json.decode(row, type=_Shown).text)
        elif name == CITATION:
            citations.append(msgspec.json.decode(row, type=Citation))
    return "".join(texts), citations


def get_outcome(attempt: JobAttempt) -> msgspec.Struct:
    """Return the result of an attempt that has ended, or raise why it has none."""
    if isinstance(attempt.outcome, Succeeded):
        return attempt.outcome.result
    if isinstance(attempt.error, Refusal):
        raise attempt.error
    if isinstance(attempt.outcome, Failed) and attempt.outcome.fault.code == "internal_error":
        raise InternalError("request.internal_error")
    raise ExecutorFailed("ai.interrupted")


def _title(body: InConversation) -> JobTitle | None:
    if body.conversation_id is None:
        return None
    title = conversations.title_of(msgspec.to_builtins(body.prompt))
    return JobTitle(title, JobSubject(conversations.KIND, body.conversation_id))
