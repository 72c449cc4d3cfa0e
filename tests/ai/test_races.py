"""Many clients at once under one limit, at every level and by every way to a model: none gets past it.

The model's answers cost more or less than was estimated. The settled tokens exceed a limit at most by what was in flight
when it was reached, and after a refusal nothing is sent.
"""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from teamspace import jobs, quota
from teamspace.core import clock
from teamspace.core.principal import system
from teamspace.quota import Dimension, Level, QuotaDraft
from teamspace.quota.schemas import Window
from teamspace.settings import Settings
from tests.ai.help import model_world, parse_events
from tests.jobs.help import broken_invariants, running
from tests.support.upstream import ReceivedRequest, completion
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
COSTS = (30, 1500, 90, 700)
"""The tokens of the answers, in turn; about 515 are estimated."""
LIMIT = 12_000
WAYS: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "chat": ("/api/ai/chat", {"prompt": "Hello"}, {}),
    "stream": ("/api/ai/chat/stream", {"prompt": "Hello"}, {"accept": "text/event-stream"}),
    "agent": ("/api/agent", {"prompt": "Hello", "tools": ["search"]}, {}),
    "agent stream": ("/api/agent", {"prompt": "Hello", "tools": ["search"]}, {"accept": "text/event-stream"}),
    "translate": ("/api/translate", {"text": "Hello", "target": "de"}, {}),
    "openai": ("/v1/chat/completions", {"model": "default", "messages": [{"role": "user", "content": "Hello"}]}, {}),
    "job": ("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello"}}, {}),
}


class Meter:
    """A model that counts: what was asked, how many at a time, and what the answers have cost."""

    def __init__(self) -> None:
        self.asked = self.active = self.peak = self.spent = 0
        self._costs = itertools.cycle(COSTS)

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            return await completion()(request, writer)
        cost = next(self._costs)
        self.asked, self.spent = self.asked + 1, self.spent + cost
        self.active += 1
        self.peak = max(self.peak, self.active)
        try:
            await asyncio.sleep(0.05)
        finally:
            self.active -= 1
        usage = {"prompt_tokens": cost - 1, "completion_tokens": 1, "total_tokens": cost}
        await completion(_answer(json.loads(request.body)), usage=usage)(request, writer)


def _answer(asked: dict[str, Any]) -> str:
    if "response_format" not in asked:
        return "Hi"
    task = json.loads(asked["messages"][-1]["content"])
    return json.dumps(
        {"segments": [{**each, "text": each["text"].replace("Hello", "Hallo")} for each in task["segments"]]}
    )


class Refused(Exception):
    """A limit has refused a call; it says which."""

    def __init__(self, dimension: str, level: str, resets_at: str | None) -> None:
        self.dimension, self.level, self.resets_at = dimension, level, resets_at


async def ask(caller: Caller, way: str) -> str:
    """Ask the model; return the id of a job. A refusal must be complete."""
    path, body, headers = WAYS[way]
    if way == "translate":  # repeated texts come from the memory
        body = {**body, "text": f"Hello {next(_numbers)}"}
    answer = await caller("POST", path, body, headers=headers)
    if answer.status_code == 429:
        raise _refusal(answer, way)
    assert answer.status_code in (200, 202), (way, answer.text)
    if way.endswith("stream"):
        last = parse_events(answer.text)[-1]
        if last["type"] == "error":  # an agent's budget can end between the check and its first call
            assert last["code"] == "quota_exceeded", last
            raise Refused(last["params"]["dimension"], last["params"]["level"], last["params"].get("resets_at"))
    return str(answer.json()["id"]) if way == "job" else ""


_numbers = itertools.count()


def _refusal(answer: httpx2.Response, way: str) -> Refused:
    assert int(answer.headers["retry-after"]) >= 1, (way, answer.headers)
    shown = answer.json()
    if way == "openai":
        assert shown["error"]["code"] == "insufficient_quota"
        found = next((one for one in Dimension if one in shown["error"]["message"]), "")
        level = next((one for one in Level if f"({one})" in shown["error"]["message"]), "")
        return Refused(found, level, shown["error"]["message"])
    return Refused(shown["dimension"], shown["level"], shown.get("resets_at"))


class Race:
    """Callers under one limit."""

    def __init__(self, world: World, meter: Meter, callers: Sequence[Caller], level: Level) -> None:
        self.world, self.meter, self.callers, self.level = world, meter, callers, level
        self.jobs: list[tuple[Caller, str]] = []
        self.refused: list[Refused] = []
        self.answered = 0

    async def set_limit(self, dimension: Dimension, limit: int | None, per: Window | None) -> None:
        first = self.callers[0]
        subject = {Level.TENANT: "", Level.ORG: first.org.id, Level.TEAM: first.team.id}[self.level]
        org_id = "" if self.level is Level.TENANT else first.org.id
        async with self.world.db.maintenance(system()) as tx:
            await quota.set_limit(tx, self.level, subject, org_id, QuotaDraft(dimension, limit, per))

    async def run(self, ways: Sequence[str], times: int) -> None:
        """Have all callers ask in all ways at once, each several times."""
        pairs = [(caller, way) for caller in self.callers for way in ways]
        await asyncio.gather(*(self._repeat(caller, way, times) for caller, way in pairs))

    async def _repeat(self, caller: Caller, way: str, times: int) -> None:
        for _ in range(times):
            try:
                job = await ask(caller, way)
            except Refused as refused:
                self.refused.append(refused)
            else:
                self.answered += way != "job"
                self.jobs += [(caller, job)] if job else []

    async def ended(self, seconds: float = 30) -> int:
        """Return how many of the jobs have ended, after those that can run have run."""
        until = asyncio.get_running_loop().time() + seconds
        while True:
            shown = [(await caller.get(f"/api/jobs/{id}")).json() for caller, id in self.jobs]
            waiting = [job for job in shown if job["state"] in ("queued", "running")]
            if all(job["state"] == "queued" and job.get("waiting") for job in waiting):
                assert all(job["state"] == "succeeded" for job in shown if job not in waiting)
                return len(shown) - len(waiting)
            assert asyncio.get_running_loop().time() < until, waiting
            await asyncio.sleep(0.1)

    async def ledger(self) -> tuple[int, int, int]:
        """Return the number of calls, their settled tokens, and the calls that are not settled."""
        one, where = self.world.db.one, "FROM quota_ledger WHERE settled_at IS"
        return (
            await one(int, f"SELECT COUNT(*) {where} NOT NULL") or 0,
            await one(int, f"SELECT CAST(COALESCE(SUM(tokens), 0) AS BIGINT) {where} NOT NULL") or 0,
            await one(int, f"SELECT COUNT(*) {where} NULL") or 0,
        )


@asynccontextmanager
async def racing(settings: Settings, level: Level) -> AsyncIterator[Race]:
    async with model_world(settings) as (world, ann, server):
        meter = server.behaviour = Meter()
        callers = [ann, await _neighbour(world, ann, level)]
        async with running(world):
            yield Race(world, meter, callers, level)


async def _neighbour(world: World, ann: Caller, level: Level) -> Caller:
    """Someone who shares the limit of that level with Ann, and none below it."""
    if level is Level.TEAM:
        return await world.person(ann.org, ann.team)
    if level is Level.ORG:
        return await world.person(ann.org, await world.team(ann.org))
    org, team = await world.company()
    await _lift_plan(world, org.id)
    return await world.person(org, team)


async def _lift_plan(world: World, org_id: str) -> None:
    async with world.db.maintenance(system()) as tx:
        for dimension, per in ((Dimension.TOKENS, Window.MONTH), (Dimension.REQUESTS, Window.DAY)):
            await quota.set_limit(tx, Level.ORG, org_id, org_id, QuotaDraft(dimension, None, per))
        await quota.set_limit(tx, Level.ORG, org_id, org_id, QuotaDraft(Dimension.CONCURRENCY, 32, None))


@pytest.mark.parametrize("level", Level)
async def test_settled_tokens_exceed_a_limit_only_by_what_was_in_flight(settings: Settings, level: Level) -> None:
    async with racing(settings, level) as race:
        await race.set_limit(Dimension.TOKENS, LIMIT, Window.HOUR)
        await race.run(list(WAYS), times=4)
        done = await race.ended()
        calls, tokens, open = await race.ledger()
        meter = race.meter
        assert (calls, tokens, open) == (meter.asked, meter.spent, 0), "every call is charged once, as reported"
        assert calls == race.answered + done
        assert LIMIT - max(COSTS) <= tokens <= LIMIT + meter.peak * max(COSTS)
        assert race.refused
        for refused in race.refused:
            assert (refused.dimension, refused.level) == ("ai.tokens.total", level)
            assert refused.resets_at
        await race.set_limit(Dimension.TOKENS, None, Window.HOUR)
        await _until(lambda: _all_ended(race))
        assert meter.asked == calls - done + len(race.jobs), "jobs that waited for the limit go on"
        assert await broken_invariants(race.world) == []


@pytest.mark.parametrize("level", Level)
async def test_a_used_up_limit_sends_nothing_until_it_is_raised_or_its_window_ends(
    settings: Settings, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with racing(settings, level) as race:
        await race.set_limit(Dimension.REQUESTS, 1, Window.HOUR)
        await ask(race.callers[0], "chat")
        await race.run(list(WAYS), times=1)
        assert race.meter.asked == 1
        assert len(race.refused) == 2 * len(WAYS)
        await race.set_limit(Dimension.REQUESTS, 2, Window.HOUR)
        await ask(race.callers[1], "chat")
        assert race.meter.asked == 2
        with pytest.raises(Refused):
            await ask(race.callers[1], "agent")
        monkeypatch.setattr(clock, "now", lambda: time.time() + clock.HOUR)
        await ask(race.callers[1], "agent")
        assert race.meter.asked == 3
        assert await broken_invariants(race.world) == []


async def _all_ended(race: Race) -> bool:
    await jobs.sweep(race.world.db, race.world.app.queue)
    return await race.ended() == len(race.jobs)


@pytest.mark.parametrize("level", Level)
async def test_no_more_calls_than_slots_reach_the_model_at_a_time(settings: Settings, level: Level) -> None:
    async with racing(settings, level) as race:
        await race.set_limit(Dimension.CONCURRENCY, 3, None)
        await race.run(list(WAYS), times=3)
        await _until(lambda: _all_ended(race))
        assert 1 < race.meter.peak <= 3
        assert race.refused
        for refused in race.refused:
            assert (refused.dimension, refused.level) == ("ai.concurrency", level)
        calls, tokens, open = await race.ledger()
        assert (calls, tokens, open) == (race.meter.asked, race.meter.spent, 0)
        assert await broken_invariants(race.world) == []


async def _until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while True:
            if await condition():
                return
            await asyncio.sleep(0.1)
