"""The gateway to all models: choose who answers, reserve quota, call, settle.

Agents, translation and tools call models through it. A chat turn is a job, which holds its own reservation, and uses
the gateway's parts.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial
from typing import Protocol

import msgspec

from teamspace import completions, executors, jobs, quota
from teamspace.ai.domain import renewing
from teamspace.ai.domain.models import Model
from teamspace.ai.domain.renewing import Renewals
from teamspace.ai.schemas import BlockingLimit, ChatInput, DryRun, Estimate
from teamspace.completions import Delta, ModelAnswer, ModelRequest, TokenUsage, structured
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import ExecutorFailed, NoExecutor, Refusal, ResponseRefused
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal, system
from teamspace.core.signals import Signal
from teamspace.executors import Mode, ModelRole, Target
from teamspace.jobs import Authority, EncodedInput, JobFault, JobOrigin
from teamspace.quota import QuotaAccount, Settlement, Spend

CHAT = "ai.chat"
"""The kind of a model call that a remote worker can run."""
_MAX_SECONDS = 290.0
_CLAIM_SECONDS = 60.0
"""How long a request waits for a remote worker to take it."""
_TTL = _MAX_SECONDS + 30
"""Seconds. The reservation of a remote worker's call outlasts it."""
REMEMBERED = "answer"
"""The step of an origin whose job's answer is kept."""

OnDelta = Callable[[str], Awaitable[None]]


class AnswerMemory(Protocol):
    """Where an answer is kept, so that the same request is not paid for again."""

    digest: str
    """Of the request. Only one call of a team with this digest is made at a time, by all servers."""

    @property
    def run_id(self) -> str:
        """The run of the jobs with which remote workers answer it."""
        ...

    async def find(self, tx: Tx) -> ModelAnswer | None:
        """Called in the transaction that reserves quota, after every earlier settlement of the company."""
        ...

    async def keep(self, tx: Tx, answer: ModelAnswer) -> None:
        """Called in the transaction that settles what the answer cost."""
        ...


class _Settle(Protocol):
    async def __call__(self, spent: Spend, keep: Callable[[Tx], Awaitable[None]] | None = None, /) -> None: ...


class Models(Protocol):
    def of(self, db: Db, executor_id: str, *, attempt: int, org_id: str) -> Model:
        """Return the model of an executor that this server works for, to be called with a company's data."""
        ...


class GatewayAnswer(msgspec.Struct, frozen=True):
    answer: ModelAnswer
    executor: str
    """The name of the executor that answered."""
    simulated: bool
    reused: bool = False
    """Whether it was given before, and so costs nothing."""


class AlreadyAnswered(Exception):
    def __init__(self, answer: ModelAnswer) -> None:
        super().__init__("the answer is already known")
        self.answer = answer


class BeingAnswered(Exception):
    """Another server waits for the answer to the same request."""


class Gateway:
    def __init__(self, fleet: executors.Fleet, models: Models) -> None:
        self._fleet, self._queue, self._models = fleet, fleet.queue, models
        self._renewals = Renewals()

    async def call(
        self, db: Db, who: Principal, request: ModelRequest, *, purpose: str, role: ModelRole = ModelRole.CHAT,
        on_delta: OnDelta | None = None, stop: Signal | None = None, origin: JobOrigin | None = None,
        memory: AnswerMemory | None = None,
    ) -> GatewayAnswer:  # fmt: skip
        """Have a request answered, under the caller's quotas and with an audit row.

        Raises QuotaExceeded before anything is sent, ExecutorFailed, NoExecutor, or ResponseRefused if the answer does
        not match its response format, also after one repair. With `stop`, the answer can be cut short. With a `memory`
        that has the answer by now, raises AlreadyAnswered; if another server has asked for it, BeingAnswered. Then nothing
        is reserved or recorded.
        """
        target = await self.choose(db, who, name=request.executor, model=request.model, role=role)
        if target.mode is Mode.PULL:
            input = self._queue.encode(CHAT, to_input(request))
            async with self._audited(db, who, target, purpose) as tx:
                if memory is not None:
                    origin = await self._remembered(tx, who, memory)
                job_id, is_new = await self._enqueue(
                    tx, who, target.executor_id, input, request.model, origin or _asked_by(who)
                )
                if not is_new:  # a run that is continued waits for the call that it has made
                    tx.entries = ()
            answer = await self.wait_for_worker(db, job_id, stop)
        else:
            estimated = estimate(request)
            async with self._audited(db, who, target, purpose) as tx:
                if memory is not None:
                    await quota.lock_companies(tx, [who.org_id])
                    await _check_unanswered(tx, who, memory)
                reserved = await quota.reserve(
                    tx, QuotaAccount.of(who), estimated, purpose=purpose, charged=True, ttl=renewing.TTL,
                    job_id=who.call.job_id, digest=memory.digest if memory else None,
                )  # fmt: skip
            async with self._settling(db, who.org_id, reserved, memory) as settle:
                asked = msgspec.structs.replace(request, model=request.model or target.model)
                answer = await self.ask(db, who, target.executor_id, asked, on_delta=on_delta, stop=stop)
                keep = None if memory is None else partial(_keep, memory, answer)
                await settle(Spend(1, answer.usage.total_tokens), keep)
        if who.call.meter:
            who.call.meter.add(1, answer.usage.total_tokens)
        return GatewayAnswer(answer, target.name, target.simulated)

    async def preview(
        self, db: Db, who: Principal, request: ModelRequest, *, role: ModelRole = ModelRole.CHAT, calls: int = 1,
        more_tokens: int = 0,
    ) -> DryRun:  # fmt: skip
        """Return what this many such calls would cost, who would answer them, and which limit would refuse them."""
        target = await self.choose(db, who, name=request.executor, model=request.model, role=role)
        one = estimate(request)
        spend = Spend(calls * one.requests, calls * one.tokens + more_tokens)
        limit = await quota.preview(db, QuotaAccount.of(who), spend)
        blocked = None if limit is None else BlockingLimit(limit.dimension, limit.level, quota.resets_at(limit))
        return DryRun(
            executor=target.name, model=target.model, estimate=Estimate(spend.requests, spend.tokens),
            admitted=limit is None, blocked_by=blocked,
        )  # fmt: skip

    async def check_quota(self, db: Db, who: Principal, request: ModelRequest, *, more_tokens: int = 0) -> None:
        """Raise QuotaExceeded if not even one such call can be paid now."""
        one = estimate(request)
        if limit := await quota.preview(db, QuotaAccount.of(who), Spend(one.requests, one.tokens + more_tokens)):
            raise quota.refusal(limit)

    async def choose(
        self, db: Reads, who: Principal, *, name: str | None, model: str | None, role: ModelRole = ModelRole.CHAT
    ) -> Target:
        return await executors.choose(db, who, self._fleet, name=name, model=model, role=role)

    # Models that this server calls

    async def ask(
        self, db: Db, who: Principal, executor_id: str, request: ModelRequest, *, on_delta: OnDelta | None = None,
        stop: Signal | None = None,
    ) -> ModelAnswer:  # fmt: skip
        """Call the model of an executor, unmetered. An answer that is not streamed matches its response format."""
        model = self._models.of(db, executor_id, attempt=1, org_id=who.org_id)
        if on_delta is not None:
            return await _stream(model, request, on_delta, stop)
        calls = _Calls(model)
        return await _stoppable(_answer(calls, request), request, stop, lambda: calls.usage)

    async def run_job(self, db: Db, who: Principal, request: ModelRequest, work: jobs.JobContext) -> ModelAnswer:
        """Answer a queued job, which has its own reservation, with the model of the executor that claimed it."""
        model = self._models.of(db, work.executor_id, attempt=work.attempt, org_id=who.org_id)
        return await _answer(_Calls(model), request)

    @asynccontextmanager
    async def _settling(
        self, db: Db, org_id: str, reservation_id: str, memory: AnswerMemory | None = None
    ) -> AsyncIterator[_Settle]:
        """Settle a reservation in the block, or with what a failure has cost.

        If the block is cancelled, the reservation is charged when it expires: the model may have done its work.
        """

        async def settle(spent: Spend, keep: Callable[[Tx], Awaitable[None]] | None = None) -> None:
            async with db.maintenance(system()) as tx:
                await quota.settle(tx, [Settlement(reservation_id, org_id, spent)])
                if memory is not None:
                    tell_asked(tx, memory.digest)
                if keep is not None:
                    await keep(tx)

        try:
            with self._renewals.renew(db, reservation_id):
                yield settle
        except (ExecutorFailed, ResponseRefused) as failure:
            await settle(Spend(0, 0) if failure.tokens is None else Spend(1, failure.tokens))
            raise

    @asynccontextmanager
    async def _audited(self, db: Db, who: Principal, target: Target, purpose: str) -> AsyncIterator[Tx]:
        # Without the request's idempotency key, which belongs to what the caller does with the answer.
        actor = msgspec.structs.replace(who, call=msgspec.structs.replace(who.call, claim=None))
        async with db.write(actor, "ai.call") as tx:
            tx.target = target.name
            tx.detail = {"purpose": purpose, "model": target.model}
            yield tx

    # Remote workers

    async def ask_worker(
        self, db: Db, who: Principal, executor_id: str, request: ModelRequest, turn_id: str, stop: Signal
    ) -> ModelAnswer:
        """Have a worker of an executor do the work of a turn, with the turn's reservation."""
        input, origin = self._queue.encode(CHAT, to_input(request)), JobOrigin(turn_id, "model")
        async with db.maintenance(who) as tx:
            job_id, _ = await self._enqueue(tx, who, executor_id, input, request.model, origin, instead_of=turn_id)
        return await self.wait_for_worker(db, job_id, stop)

    async def _enqueue(
        self, tx: Tx, who: Principal, executor_id: str, input: EncodedInput, model: str | None,
        origin: JobOrigin | None, instead_of: str | None = None,
    ) -> tuple[str, bool]:  # fmt: skip
        """Enqueue a model call for the workers of an executor, ahead of other jobs; raises QuotaExceeded.

        Returns the id of its job, and whether it is new.
        """
        return await self._queue.enqueue_next(
            tx, Authority.of(who), CHAT, input, channel=jobs.executor_channel(CHAT, executor_id),
            model=model, origin=origin, ttl=_TTL, instead_of=instead_of,
        )  # fmt: skip

    async def _remembered(self, tx: Tx, who: Principal, memory: AnswerMemory) -> JobOrigin:
        """Return the origin of a call whose answer is kept when its job ends; raise if it has been asked already."""
        await quota.lock_companies(tx, [who.org_id])
        await _check_unanswered(tx, who, memory)
        origin = await self._queue.next_of(tx, memory.run_id, REMEMBERED)
        if origin is None:
            raise BeingAnswered
        return origin

    def subscribe(self, digest: str) -> AbstractContextManager[asyncio.Event]:
        """Return an event that is set when a call with this digest, or a few others, has ended."""
        return self._queue.wake.subscribe([_topic_of(digest)])

    async def wait_for_worker(self, db: Db, job_id: str, stop: Signal | None = None) -> ModelAnswer:
        """Return the answer of a remote worker."""
        waiting = asyncio.ensure_future(self._wait_for_worker(db, job_id))
        stopping = asyncio.ensure_future((stop or asyncio.Event()).wait())
        try:
            await asyncio.wait((waiting, stopping), return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                return waiting.result()
            await self._cancel(db, job_id)
            return ModelAnswer("", TokenUsage.of(0, 0), finish_reason="stopped")
        finally:
            waiting.cancel()
            stopping.cancel()

    async def _wait_for_worker(self, db: Db, job_id: str) -> ModelAnswer:
        if not await self._queue.wait_for_end(db, job_id, _CLAIM_SECONDS):
            if await self._cancel(db, job_id):
                raise NoExecutor("ai.no_worker")
            await self._queue.wait_for_end(db, job_id, _MAX_SECONDS - _CLAIM_SECONDS)
        end = await self._queue.get_end(db, job_id)
        if end is None:
            raise ExecutorFailed("ai.worker_timeout")
        if isinstance(end, JobFault):
            raise ExecutorFailed("ai.worker_failed", reason=end.message)
        assert isinstance(end, ModelAnswer)
        return end

    async def _cancel(self, db: Db, job_id: str) -> bool:
        """Cancel a job that no worker has taken; return whether it was cancelled."""
        async with db.maintenance(system()) as tx:
            return await self._queue.cancel(tx, job_id)


def _asked_by(who: Principal) -> JobOrigin | None:
    """Return the origin of a call that is made only once: the job whose handler makes it, if one does."""
    return None if who.call.job_id is None else JobOrigin(jobs.made_for(who.call.job_id, new_id()), "call")


async def _check_unanswered(tx: Tx, who: Principal, memory: AnswerMemory) -> None:
    """Raise if the answer is there, or awaited. The quota of the company is locked: nobody else reserves or settles."""
    if known := await memory.find(tx):
        raise AlreadyAnswered(known)
    if await quota.is_asked(tx, who.team_id, memory.digest):
        raise BeingAnswered


def tell_asked(tx: Tx, digest: str) -> None:
    """Tell all servers, after the commit, that a call that is asked once has ended."""
    tx.notify(_topic_of(digest))


def _topic_of(digest: str) -> str:
    """One of a few, since servers tell each other of all topics."""
    return f"answer-{digest[:2]}"


async def _keep(memory: AnswerMemory, answer: ModelAnswer, tx: Tx) -> None:
    await memory.keep(tx, answer)


class _Calls:
    """The calls of a model for one answer, and what they use: a repair is a call of its own."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._ended = TokenUsage.of(0, 0)
        self._running: ModelRequest | None = None

    async def make(self, request: ModelRequest) -> ModelAnswer:
        self._running = request
        answer = await self._model.answer(request)
        self._running, self._ended = None, self._ended + answer.usage
        return answer

    @property
    def usage(self) -> TokenUsage:
        """What calls that have ended have used, and an estimate of the one that runs."""
        return self._ended if self._running is None else self._ended + _estimate_spent(self._running, ())


async def _answer(calls: _Calls, request: ModelRequest) -> ModelAnswer:
    """Return an answer that matches its response format, after one repair if need be."""
    try:
        return await structured.complete(calls.make, request)
    except structured.SchemaMismatch as mismatch:
        raise refused(mismatch) from mismatch


def refused(mismatch: structured.SchemaMismatch) -> ResponseRefused:
    """Return the refusal of an answer that does not match its response format."""
    refusal = ResponseRefused("ai.response_format", problem=mismatch.message, path=mismatch.path or "/")
    refusal.tokens = mismatch.usage.total_tokens if mismatch.usage else None
    return refusal


async def _stream(model: Model, request: ModelRequest, on_delta: OnDelta, stop: Signal | None) -> ModelAnswer:
    produced: list[Delta] = []

    async def read() -> ModelAnswer:
        async with model.stream(request) as pieces:
            async for piece in pieces:
                if isinstance(piece, ModelAnswer):
                    return piece
                produced.append(piece)
                try:
                    await on_delta(piece.text)
                except Refusal as refusal:  # the stream is full, or cannot be saved
                    spent = _estimate_spent(request, produced)
                    raise ExecutorFailed(
                        "ai.not_shown", reason=refusal.detail, retryable=False, tokens=spent.total_tokens
                    ) from refusal
        raise AssertionError("a stream ends with its answer")

    return await _stoppable(read(), request, stop, lambda: _estimate_spent(request, produced), produced)


async def _stoppable(
    work: Awaitable[ModelAnswer], request: ModelRequest, stop: Signal | None, usage: Callable[[], TokenUsage],
    produced: Sequence[Delta] = (),
) -> ModelAnswer:  # fmt: skip
    """Return the answer, or what was produced when `stop` was set."""
    if stop is None:
        return await work
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(None) as scope:
            with stop.calling(lambda: scope.reschedule(loop.time())):
                return await work
    except TimeoutError:
        if not scope.expired():
            raise
        return ModelAnswer(_join(produced), usage(), request.model or "", "stopped")


def _estimate_spent(request: ModelRequest, produced: Sequence[Delta]) -> TokenUsage:
    return completions.estimate_usage(request, _join(produced), sum(delta.parts for delta in produced))


def _join(produced: Sequence[Delta]) -> str:
    return "".join(delta.text for delta in produced)


def estimate(request: ModelRequest) -> Spend:
    return Spend(1, completions.estimate_call(request).total_tokens)


def to_input(request: ModelRequest) -> ChatInput:
    return ChatInput(**{name: getattr(request, name) for name in request.__struct_fields__})
