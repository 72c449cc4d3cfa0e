"""Sends segments to the model in batches, judges what comes back, and asks once more where something is wrong."""

import asyncio
from collections import deque
from collections.abc import Sequence

import msgspec

from teamspace.ai import Gateway
from teamspace.completions import ModelRequest, TokenUsage, estimate_prompt
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.disconnect import Disconnected, DisconnectWatch
from teamspace.core.errors import QuotaExceeded, Refusal, ResponseRefused
from teamspace.core.principal import Principal
from teamspace.executors import ModelRole
from teamspace.quota import Dimension
from teamspace.translation.domain import batches, checks, parts
from teamspace.translation.domain.batches import BatchResult, Item
from teamspace.translation.schemas import Check, SegmentProblem

MAX_IN_FLIGHT = 4
PURPOSE = "translation"


class SegmentAttempt(msgspec.Struct, frozen=True):
    """A translation of a segment, as text and with tokens, and what is wrong with it."""

    text: str
    masked: str
    problems: tuple[SegmentProblem, ...] = ()


class ModelRun:
    """One request: its calls to the model, and what they cost."""

    def __init__(
        self, gateway: Gateway, db: Db, who: Principal, role: ModelRole, source: str | None, target: str,
        disconnect: DisconnectWatch | None = None,
    ) -> None:  # fmt: skip
        self._gateway, self._db, self._who, self._role = gateway, db, who, role
        self.target, self.source = target, source
        self._gone = None if disconnect is None else disconnect.watch()
        self.usage, self.model = TokenUsage.of(0, 0), ""
        self.salvaged: dict[int, SegmentAttempt] = {}
        """What was translated, and paid for, before a failure."""

    async def translate(self, items: Sequence[Item]) -> dict[int, SegmentAttempt]:
        if not items:
            return {}
        first = await self._ask(items)
        self.salvaged = dict(first)
        failing = [_again(item, first.get(item.number)) for item in items if _fails(first.get(item.number))]
        try:
            second = await self._ask(failing) if failing else {}
        except Refusal:
            second = self.salvaged  # everything is translated and paid for: what still fails is reported
        return {item.number: _better(item, first.get(item.number), second.get(item.number)) for item in items}

    async def _ask(self, items: Sequence[Item]) -> dict[int, SegmentAttempt]:
        """Send items in batches; return the translations that came back, with their problems."""
        results: list[BatchResult] = []
        try:
            await self._send_all(list(batches.pack(items)), results)
        except Exception:
            self.salvaged |= await pools.TEXT.run(self._judge, items, results)
            raise
        if not any(result.translations for result in results):
            raise ResponseRefused("translation.no_answer")
        self.source = self.source or next((result.source for result in results if result.source), None)
        return await pools.TEXT.run(self._judge, items, results)

    async def _send_all(self, packed: Sequence[Sequence[Item]], results: list[BatchResult]) -> None:
        """Send batches, some at a time, and add their results.

        After a failure, or if the client has disconnected, none is started, those in flight end, and that is raised.
        """
        waiting, failures = deque(packed), list[Exception]()
        in_flight = 0

        async def send_next() -> None:
            nonlocal in_flight
            while waiting and not failures:
                if self._gone is not None and self._gone.done():
                    failures.append(Disconnected())
                    return
                batch, in_flight = waiting.popleft(), in_flight + 1
                try:
                    results.append(await self._send(batch))
                except Exception as failure:
                    if in_flight > 1 and _is_concurrency(failure):
                        waiting.append(batch)  # fewer at a time are allowed: the others go on
                        return
                    failures.append(failure)
                finally:
                    in_flight -= 1

        await asyncio.gather(*(send_next() for _ in range(min(MAX_IN_FLIGHT, len(packed)))))
        if failures:
            raise failures[0]

    async def _send(self, batch: Sequence[Item]) -> BatchResult:
        request = batches.to_request(batch, self.source, self.target)
        try:
            given = await self._gateway.call(self._db, self._who, request, purpose=PURPOSE, role=self._role)
        except ResponseRefused as refused:
            self.usage += _split(refused.tokens or 0, request)
            return BatchResult({}, None)
        answer = given.answer
        self.usage += answer.usage
        self.model = answer.model or self.model
        return batches.read_answer(batch, answer)

    def _judge(self, items: Sequence[Item], results: Sequence[BatchResult]) -> dict[int, SegmentAttempt]:
        masked = {number: text for result in results for number, text in result.translations.items()}
        return {item.number: self._judge_one(item, masked[item.number]) for item in items if item.number in masked}

    def _judge_one(self, item: Item, masked: str) -> SegmentAttempt:
        text = parts.unmask(masked, item.segment.kept)
        return SegmentAttempt(text, masked, tuple(checks.find_problems(item.segment, text, self.target, item.terms)))


def _split(tokens: int, request: ModelRequest) -> TokenUsage:
    """Return the usage of a refused answer, of which only the total is known."""
    prompt = min(tokens, estimate_prompt(request))
    return TokenUsage.of(prompt, tokens - prompt)


def _is_concurrency(failure: Exception) -> bool:
    return isinstance(failure, QuotaExceeded) and failure.extra.get("dimension") == Dimension.CONCURRENCY


def _fails(candidate: SegmentAttempt | None) -> bool:
    return candidate is None or bool(candidate.problems)


def _again(item: Item, first: SegmentAttempt | None) -> Item:
    if first is None:
        return item
    return msgspec.structs.replace(item, translation=first.masked, problems=first.problems)


def _better(item: Item, first: SegmentAttempt | None, second: SegmentAttempt | None) -> SegmentAttempt:
    """Return the translation with fewer problems; the source if there is none."""
    given = [candidate for candidate in (first, second) if candidate]
    if not given:
        source = item.segment.source
        return SegmentAttempt(source, source, (checks.problem(Check.MISSING),))
    return min(given, key=lambda candidate: (not candidate.text, len(candidate.problems)))
