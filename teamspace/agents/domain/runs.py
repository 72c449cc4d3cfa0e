"""Runs of an agent: begin, run, end. A run is a job that starts at once, like a chat turn."""

from functools import partial

import msgspec

from teamspace import jobs
from teamspace.agents import access, store
from teamspace.agents.domain.loop import Loop
from teamspace.agents.domain.transcript import INSTRUCTION, count_complete, decode, to_functions, tool_steps
from teamspace.agents.schemas import AgentAnswer, AgentBody, AgentInput, Step
from teamspace.ai import (
    DryRun,
    Gateway,
    Library,
    Output,
    TurnInput,
    Turns,
    end_in_conversation,
    end_with_fault,
    fault_of,
    get_outcome,
    resolving,
    state_of,
)
from teamspace.completions import ModelRequest
from teamspace.core import clock, ids
from teamspace.core.db import Db, Reads, Tx, in_batches
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.principal import Principal
from teamspace.events import Streams, StreamWriter
from teamspace.jobs import EndedJob, JobAttempt, JobContext, Outcome, Queue, Succeeded
from teamspace.tools import BoundTool, Toolbox

KIND = "ai.agent"
_KEEP_STEPS = 7 * clock.DAY


class Agents:
    """Begins and runs agents."""

    def __init__(
        self, gateway: Gateway, turns: Turns, queue: Queue, toolbox: Toolbox, streams: Streams, library: Library
    ) -> None:  # fmt: skip
        self._gateway, self._turns, self._queue, self._toolbox = gateway, turns, queue, toolbox
        self._streams, self._library = streams, library

    async def preview(self, db: Db, who: Principal, body: AgentBody) -> DryRun:
        """Return what one round would cost at least, as a read."""
        body = await self._complete(db, who, body)
        tools = await self._check(db, who, body)
        context = await resolving.measure(db, self._library, who, _to_turn(body))
        request = _to_request(body, tools)
        return await self._gateway.preview(db, who, request, more_tokens=context)

    async def answer(self, db: Db, who: Principal, body: AgentBody) -> AgentAnswer:
        """Run an agent to its end. If the caller leaves, the run goes on, and its job has the answer."""
        attempt = await self.begin(db, who, body, stream=False)
        await attempt.wait()
        result = get_outcome(attempt)
        assert isinstance(result, AgentAnswer)
        return result

    async def begin(self, db: Db, who: Principal, body: AgentBody, *, stream: bool) -> JobAttempt:
        """Begin a run, or raise QuotaExceeded if not even its first round can be paid."""
        body = await self._complete(db, who, body)
        tools = await self._check(db, who, body)
        await self._gateway.choose(db, who, name=body.executor, model=body.model)
        context = await resolving.measure(db, self._library, who, _to_turn(body))
        await self._gateway.check_quota(db, who, _to_request(body, tools), more_tokens=context)

        complete = await self._count_complete(db, who, body.resume_from)

        async def continue_run(tx: Tx, run_id: str) -> None:
            if body.resume_from is not None:
                await store.copy(tx, access.fence(who), body.resume_from, run_id, complete)

        input = AgentInput(
            body.prompt, body.system, body.tools, body.max_rounds, body.model, body.executor, body.conversation_id
        )  # fmt: skip
        return await self._turns.launch(
            db, who, KIND, input, body, stream=stream, executor_id=jobs.LOCAL, metered=False, before=continue_run
        )

    async def _count_complete(self, db: Db, who: Principal, run_id: str | None) -> int:
        """Return how many steps of the run to continue are complete. It has ended, so it gets no more."""
        if run_id is None:
            return 0
        if not await self._queue.has_ended(db, run_id):
            raise Conflict("agents.not_ended")
        return count_complete(await store.select(db, access.fence(who), run_id))

    async def _complete(self, db: Db, who: Principal, body: AgentBody) -> AgentBody:
        """Return the request with what it takes over from the run that it continues."""
        if body.resume_from is None:
            return body
        if not await store.has_steps(db, access.fence(who), body.resume_from):
            raise NotFound("agents.no_run")
        if body.prompt or body.regenerate:
            return body
        before = await self._queue.get_input(db, KIND, body.resume_from)
        if not isinstance(before, AgentInput):
            raise NotFound("agents.no_run")
        return _continued(body, before)

    async def _check(self, db: Db, who: Principal, body: AgentBody) -> list[BoundTool]:
        """Check the request; return the tools that the agent may use."""
        if not (body.prompt or body.regenerate):
            raise BadRequest.at("/prompt", "value.empty")
        resolving.check_conversation(body)
        return await self._toolbox.list_offered(db, who, body.tools)

    # The job

    async def run(self, db: Db, who: Principal, input: AgentInput, work: JobContext) -> AgentAnswer:
        """Run or continue an agent: the handler of its job."""
        turn = _to_turn(input)
        resolved = await resolving.resolve(db, self._library, who, turn, work.job_id)
        output = Output(
            await self._open_stream(db, who, work), db, self._library.files, who, resolved.sources, grows=True
        )
        request = msgspec.structs.replace(resolved.request, system=_instruct(resolved.request.system))
        loop = Loop(db, self._gateway, self._toolbox, input, work, output, request, resolved.sources)
        await loop.restore(who)
        target = await self._gateway.choose(db, who, name=input.executor, model=input.model)
        output.begin(
            work.job_id,
            input.conversation_id,
            model=target.model,
            executor=target.name,
            simulated=target.simulated,
        )
        return await loop.run(await self._toolbox.list_offered(db, who, input.tools))

    async def _open_stream(self, db: Db, who: Principal, work: JobContext) -> StreamWriter | None:
        """Return the run's stream, if it has one; a run that another server had begun continues its stream."""
        if (writer := self._streams.writer(work.job_id)) is not None or work.attempt == 1:
            return writer
        try:
            await self._streams.check_readable(db, who, work.job_id)
        except NotFound:
            return None
        async with db.maintenance(who) as tx:
            return await self._streams.open(db, tx, who, work.job_id)


async def end(tx: Tx, job: EndedJob, outcome: Outcome, streams: Streams, queue: Queue) -> None:
    """End the stream and the conversation's turn, in the transaction that ends the job."""
    if isinstance(outcome, Succeeded):
        answer = outcome.result
        assert isinstance(answer, AgentAnswer)
        await streams.end(tx, job.id, "done", answer)
        await end_in_conversation(
            tx, queue, job, content=answer.text, state=state_of(answer.finish_reason), usage=answer.usage,
            citations=answer.citations, steps=answer.steps, model=answer.model, executor=answer.executor,
            simulated=answer.simulated, finish_reason=answer.finish_reason,
        )  # fmt: skip
    else:
        await end_with_fault(tx, queue, streams, job, fault_of(outcome), _read_steps)


async def _read_steps(tx: Tx, job: EndedJob) -> list[Step]:
    account = job.account
    fence = access.own(user_id=account.user_id, team_id=account.team_id, org_id=account.org_id)
    return tool_steps(decode(row) for row in await store.select(tx, fence, job.id))


async def list_steps(db: Reads, who: Principal, run_id: str) -> list[Step]:
    """Return the tool calls of a run so far; none if it is another person's."""
    return tool_steps(decode(row) for row in await store.select(db, access.fence(who), run_id))


async def forget(tx: Tx, run_id: str) -> None:
    """Delete the steps of a run that has ended."""
    await store.delete(tx, run_id)


async def tidy(db: Db) -> None:
    """Delete the steps of old runs."""
    await in_batches(db, partial(store.delete_older, before=ids.lower_bound(clock.now() - _KEEP_STEPS)))


def _instruct(system_prompt: str | None) -> str:
    return f"{INSTRUCTION}\n\n{system_prompt}" if system_prompt else INSTRUCTION


def _continued(body: AgentBody, before: AgentInput) -> AgentBody:
    conversation_id = body.conversation_id or before.conversation_id
    is_answered_again = conversation_id is not None and conversation_id == before.conversation_id
    return msgspec.structs.replace(
        body, prompt="" if is_answered_again else before.prompt, system=body.system or before.system,
        tools=before.tools if body.tools is None else body.tools, executor=body.executor or before.executor,
        model=body.model or before.model,
        conversation_id=conversation_id,
        regenerate=body.resume_from if is_answered_again else None,
    )  # fmt: skip


def _to_turn(body: AgentBody | AgentInput) -> TurnInput:
    return TurnInput(
        prompt=body.prompt, system=body.system, model=body.model, executor=body.executor,
        conversation_id=body.conversation_id,
    )  # fmt: skip


def _to_request(body: AgentBody, tools: list[BoundTool]) -> ModelRequest:
    request = resolving.without_references(_to_turn(body))
    return msgspec.structs.replace(request, system=_instruct(request.system), tools=to_functions(tools))
