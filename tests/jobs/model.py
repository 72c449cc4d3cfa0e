"""A random walk through the operations on jobs and quotas, compared with a plain Python model after every step.

    python -m tests.jobs.model --steps 20000 --seed 1 --database postgres

A walk consists of segments, each with its own database and repeatable by its seed. A failing segment is repeated with
steps left out, as long as it still fails, so that the report is short.
"""

import argparse
import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import msgspec

from teamspace import jobs, quota
from teamspace.core import clock
from teamspace.core.errors import StaleClaim
from teamspace.core.principal import system
from teamspace.executors.domain import presence
from teamspace.jobs import JobClaim
from teamspace.jobs.schemas import QuotaBlock
from teamspace.quota import Dimension, Level, Plan, QuotaDraft, Spend
from teamspace.quota.domain import windows
from teamspace.quota.schemas import SPENDING, Window
from teamspace.settings import load
from tests.executors.help import Worker, executor
from tests.identity.help import Hands
from tests.jobs import errand, help
from tests.jobs.reference import ENDED, Company, Reference, Task
from tests.support.moment import stop_clock
from tests.support.postgres import Postgres
from tests.support.world import Caller, World
from tests.support.world import world as open_world

SEGMENT = 400
CHAT, ERRAND = "ai.chat", errand.JOBS[0].kind
MAX_QUEUED, MAX_CLAIMS = 40, 40
# fmt: off
JUMPS = {
    1: 30, 2: 10, 5: 10, 14: 3, 15: 5, 16: 3, 59: 2, 60: 3, 61: 2, 119: 1, 121: 1, 1000: 2, 3600: 2, 90_000: 2,
    8 * clock.DAY: 1,
}
"""Seconds and weights: mostly small, sometimes around the length of a lease, a reservation or a window."""
WEIGHTS = {
    "create": 24, "claim_local": 12, "claim_remote": 16, "heartbeat": 8, "complete": 20, "complete_again": 4, "fail": 9,
    "jump": 16, "sweep": 12, "tidy": 3, "tidy_quota": 1, "cancel": 4, "retry": 3, "add_executor": 2, "retire_executor": 1,
    "suspend": 1, "resume": 3, "limit": 4, "plan": 2,
}
# fmt: on


class Row(msgspec.Struct, frozen=True):
    """A job in the database."""

    id: str
    state: str
    phase: str
    rank: int | None
    attempt: int
    max_attempts: int
    lease_expiries: int
    executor_id: str | None
    lease_until: str | None
    finished_at: str | None
    result: str | None
    run_at: str
    channel: str
    waits: QuotaBlock | None

    @property
    def comparable(self) -> tuple[object, ...]:
        phase = self.phase if self.state == "queued" else "ready"
        executor_id = self.executor_id if self.state == "running" else None
        return (
            self.state, phase, self.rank is not None, self.attempt, self.max_attempts, self.lease_expiries, executor_id,
            self.lease_until, self.finished_at, self.result,
        )  # fmt: skip


class Entry(msgspec.Struct, frozen=True):
    """A row of the quota ledger in the database."""

    org_id: str
    team_id: str
    user_id: str
    slots: int
    requests: int
    tokens: int
    began_at: str
    expires_at: str
    settled: bool


class Used(msgspec.Struct, frozen=True):
    level: str
    per: str
    starts_at: str
    subject: str
    requests: int
    tokens: int


@dataclass(eq=False)
class HeldClaim:
    """A claim whose worker can report at any time, in time or late."""

    task: Task
    attempt: int
    claim: JobClaim
    worker: Worker | None
    executor: str
    reported: Any = None


@dataclass
class RemoteExecutor:
    """A pull executor and its worker."""

    id: str
    org: str
    model: str | None
    worker: Worker

    def channels(self) -> list[str]:
        models = [self.model] if self.model else ["small"]
        return [
            channel
            for kind in (CHAT, ERRAND)
            for channel in (
                jobs.executor_channel(kind, self.id),
                jobs.any_channel(kind),
                *(jobs.model_channel(kind, model) for model in models),
            )
        ]


class RandomWalk:
    def __init__(self, world: World, now: Hands, seed: str) -> None:
        self.world, self.now, self.seed = world, now, seed
        self.outcomes: Counter[str] = Counter()
        self.lines: list[str] = []
        self.people: list[Caller] = []
        self.executors: list[RemoteExecutor] = []
        self.claims: list[HeldClaim] = []
        self.rows: dict[str, Row] = {}
        self.model = Reference({}, self._rank)
        self.random = random.Random(seed)
        self._names = count(1)

    async def set_up(self) -> None:
        random.seed(self.seed)  # the queue randomizes its delays
        await stop_clock(self.world, self.now.at)
        kinds, faults = jobs.bind([errand], {})
        assert not faults
        for app in self.world.apps:
            app.queue.kinds.add([*kinds, msgspec.structs.replace(app.queue.kinds[CHAT], ended=errand.ended)])
        errand.ENDED.clear()
        self.operator = await self.world.token(await self.world.bootstrap())
        self.orgs = {}
        for _ in range(2):
            org, team = await self.world.company()
            self.orgs[org.id] = org
            self.people += [await self.world.person(org, home) for home in (team, await self.world.team(org))]
        self.model = Reference({org: Company() for org in self.orgs}, self._rank)

    async def step(self, number: int) -> None:
        """Run one step. Each has its own random generator, so leaving a step out does not change the others."""
        self.random = random.Random(f"{self.seed}/{number}")
        outcome = None
        while outcome is None:
            operation = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            self.lines.append(f"{number:5} {operation}")
            outcome = await getattr(self, operation)()
            if outcome is None:  # not possible now
                self.lines.pop()
        self.outcomes[f"{operation} {outcome[0]}"] += 1
        self.lines[-1] += f" {' '.join(map(str, outcome))}"
        await self.compare()

    # Creating

    async def create(self) -> tuple[object, ...] | None:
        if sum(task.state == "queued" for task in self.model.tasks.values()) >= MAX_QUEUED:
            return None
        rng = self.random
        person, kind = rng.choice(self.people), rng.choice((CHAT, CHAT, CHAT, ERRAND))
        input = {"prompt": "x" * rng.choice((1, 400, 4000))}
        if rng.random() < 0.5:
            input["model"] = "small"
        later = rng.choice((None, None, None, -100, 1, 20, 300))
        draft = {"kind": kind, "input": input, "priority": rng.choice((0, 1, 1, 2))}
        if later is not None:
            draft["run_at"] = clock.later(later)
        return await self._create(person, kind, input, draft)

    async def retry(self) -> tuple[object, ...] | None:
        ended = [task for task in self.model.tasks.values() if task.state in ENDED]
        if not ended:
            return None
        earlier = self.random.choice(ended)
        person = next(person for person in self.people if person.user_id == earlier.user)
        kind = earlier.lane[2]
        return await self._create(person, kind, await self._input(earlier.id), {"retry_of": earlier.id})

    async def _create(
        self, person: Caller, kind: str, input: dict[str, Any], draft: dict[str, Any]
    ) -> tuple[object, ...] | None:
        lane = (person.org.id, person.team.id, kind)
        cost = Spend(1, -(-len(input["prompt"]) // 4) + 512) if kind == CHAT else None
        answer = await person.post("/api/jobs", draft)
        if answer.status_code == 400 and "/input/model" in answer.text:
            return None
        if self.model.companies[person.org.id].suspended:
            assert answer.status_code == 403, answer.text
            return ("suspended",)
        if cost and (full := self.model.full(lane, cost, slot=False)):
            assert answer.status_code == 429, answer.text
            assert (answer.json()["level"], answer.json()["dimension"]) == full[0]
            return ("over quota", *full[0])
        assert answer.status_code == 202, answer.text
        shown = answer.json()
        channel = await self.world.db.one(str, "SELECT channel FROM jobs WHERE id = :id", id=shown["id"]) or ""
        task = Task(shown["id"], lane, person.user_id, channel, draft.get("priority", 1), cost, shown["run_at"])
        self.model.enqueue(task)
        return task.phase, _short(task), channel

    async def _input(self, id: str) -> dict[str, Any]:
        text = await self.world.db.one(str, "SELECT input FROM jobs WHERE id = :id", id=id)
        return msgspec.json.decode(text or "{}")

    async def cancel(self) -> tuple[object, ...] | None:
        if not self.model.tasks:
            return None
        task = self.random.choice(list(self.model.tasks.values()))
        person = next(person for person in self.people if person.user_id == task.user)
        answer = await person.post(f"/api/jobs/{task.id}/cancel")
        if self.model.companies[person.org.id].suspended:
            assert answer.status_code == 403, answer.text
            return ("suspended",)
        assert answer.status_code == (200 if task.state == "queued" else 409), answer.text
        if task.state == "queued":
            self.model.cancel(task)
        return answer.status_code, _short(task)

    # Working

    async def claim_local(self) -> tuple[object, ...]:
        channels = [jobs.local_channel(kind) for kind in (CHAT, ERRAND)]
        most = self.random.choice((1, 1, 2, 5))
        taken = await help.claim(self.world, most, tuple(channels))
        claims = [self._held_claim(job.id, claim, None, jobs.LOCAL) for job, claim in taken]
        return await self._check_claims(claims, channels, "", most)

    async def claim_remote(self) -> tuple[object, ...] | None:
        if not self.executors:
            return None
        remote = self.random.choice(self.executors)
        answer = await remote.worker.claim(kinds=[CHAT, ERRAND], models=["small"])
        self.model.register_channels(remote.channels(), remote.org, (CHAT, ERRAND))
        assert answer.status_code in (200, 204), answer.text
        claims = []
        if answer.status_code == 200:
            claim = jobs.parse_claim_token(answer.json()["claim_token"], remote.id)
            claims.append(self._held_claim(claim.job_id, claim, remote.worker, remote.id))
        return await self._check_claims(claims, remote.channels(), remote.org, 1)

    def _held_claim(self, id: str, claim: JobClaim, worker: Worker | None, executor: str) -> HeldClaim:
        return HeldClaim(self.model.tasks[id], claim.attempt, claim, worker, executor)

    async def _check_claims(
        self, claims: list[HeldClaim], channels: Collection[str], org: str, most: int
    ) -> tuple[object, ...]:
        """Check that the claimed and parked jobs were the first by rank, and no more than `most`."""
        offered = self.model.claimable(channels, org)
        rows = await self._rows()
        claimed = [held.task for held in claims]
        parked = [task for task in offered if rows[task.id].phase == "parked"]
        chosen = claimed + parked
        assert all(task in offered for task in claimed)
        assert len(chosen) == min(most, len(offered))
        ranks = {task.id: rows[task.id].rank or 0 for task in offered}
        left = [task for task in offered if task not in chosen]
        assert not left or not chosen or max(ranks[task.id] for task in chosen) <= min(ranks[task.id] for task in left)
        for held in claims:
            assert not held.task.cost or not self.model.full(held.task.lane, held.task.cost), "claimed beyond a quota"
            self.model.claim(held.task, held.executor)
            assert held.attempt == held.task.attempt
            assert self.model.running(held.task.lane) <= self.model.cap(held.task.lane), "beyond the plan's cap"
        for task in parked:
            self._check_parked(task, rows[task.id])
        self.claims = [*self.claims, *claims][-MAX_CLAIMS:]
        outcome = "both" if claimed and parked else "parked" if parked else "claimed" if claimed else "nothing"
        return outcome, *map(_short, chosen)

    def _check_parked(self, task: Task, row: Row) -> None:
        assert task.cost
        assert row.waits
        bound = Level(row.waits.level), Dimension(row.waits.dimension)
        assert bound in self.model.full(task.lane, task.cost), "parked although no limit is full"
        resets_at = windows.end_of(self.model.window(bound, task.lane))
        again = clock.later(1 if bound[1] is Dimension.CONCURRENCY else 900)
        assert row.run_at == (resets_at or again)
        task.phase, task.run_at, task.waits = "parked", row.run_at, bound

    def _pick_claim(self) -> HeldClaim:
        """Pick a claim, more often one that is still valid."""
        valid = [held for held in self.claims if self._is_valid(held)]
        return self.random.choice(valid if valid and self.random.random() < 0.6 else self.claims)

    def _is_valid(self, held: HeldClaim) -> bool:
        task = held.task
        valid = task.state == "running" and task.attempt == held.attempt and (task.lease or "") > clock.stamp()
        return valid and task.id in self.model.tasks

    async def _report(self, held: HeldClaim, operation: str, local: Callable[[], Awaitable[Any]], **more: Any) -> str:
        """Return `accepted`, `stale`, or `unauthenticated` when the executor is retired."""
        if held.worker is None:
            try:
                await local()
            except StaleClaim:
                return "stale"
            return "accepted"
        path = f"/api/workers/jobs/{held.task.id}/{operation}"
        answer = await held.worker.post(path, {"claim_token": str(held.claim), **more})
        return _outcome(answer)

    def _expected(self, held: HeldClaim, *, accepted: bool) -> str:
        if held.worker and held.executor not in {remote.id for remote in self.executors}:
            return "unauthenticated"
        return "accepted" if accepted else "stale"

    async def heartbeat(self) -> tuple[object, ...] | None:
        if not self.claims:
            return None
        held = self._pick_claim()
        expected = self._expected(held, accepted=self._is_valid(held))
        answer = await self._report(held, "heartbeat", lambda: help.queue(self.world).extend(self.world.db, held.claim))
        assert answer == expected
        if answer == "accepted":
            self.model.heartbeat(held.task)
        return answer, _short(held.task)

    async def complete(self) -> tuple[object, ...] | None:
        if not self.claims:
            return None
        held = self._pick_claim()
        tokens = self.random.choice((0, 7, 600, 5000))
        result = help.result(f"{self.random.random()}", tokens) if held.task.cost else {"text": f"{tokens}"}
        expected = self._expected(
            held, accepted=self._is_valid(held) or (result == held.reported and self._is_unarchived(held))
        )
        answer = await self._complete(held, result)
        assert answer == expected
        if answer == "accepted" and held.reported is None:
            held.reported = result
            kind = self.world.app.queue.kinds[held.task.lane[2]]
            stored = msgspec.json.encode(msgspec.convert(result, kind.result)).decode()
            self.model.complete(held.task, stored, Spend(1, tokens))
        return answer, _short(held.task)

    async def complete_again(self) -> tuple[object, ...] | None:
        """A worker that did not get the answer reports again."""
        reported = [held for held in self.claims if held.reported is not None]
        if not reported:
            return None
        held = self.random.choice(reported)
        expected = self._expected(held, accepted=self._is_unarchived(held))
        assert await self._complete(held, held.reported) == expected
        return expected, _short(held.task)

    async def _complete(self, held: HeldClaim, result: Any) -> str:
        return await self._report(
            held, "complete", lambda: help.complete(self.world, held.claim, result), result=result
        )

    def _is_unarchived(self, held: HeldClaim) -> bool:
        return held.task.id in self.model.tasks

    async def fail(self) -> tuple[object, ...] | None:
        if not self.claims:
            return None
        held, retryable = self._pick_claim(), self.random.random() < 0.8
        error = {"message": "It did not work.", "code": "broken", "retryable": retryable}
        expected = self._expected(held, accepted=self._is_valid(held))
        answer = await self._report(
            held, "fail", lambda: help.fail(self.world, held.claim, retryable=retryable), error=error
        )
        assert answer == expected
        if answer == "accepted":
            task, failures = held.task, held.task.attempt - held.task.lease_expiries
            self.model.fail(task, retryable=retryable)
            if task.state == "queued":
                task.run_at = (await self._rows())[task.id].run_at
                assert clock.later(2**failures / 2 - 0.01) <= task.run_at <= clock.later(2**failures)
            answer = "postponed" if task.state == "queued" else "final"
        return answer, _short(held.task)

    # Time

    async def jump(self) -> tuple[object, ...]:
        seconds = self.random.choices(list(JUMPS), list(JUMPS.values()))[0]
        self.now.forward(seconds)
        await stop_clock(self.world, self.now.at)
        return (seconds,)

    async def sweep(self) -> tuple[object, ...]:
        before = Counter(task.state for task in self.model.tasks.values())
        await jobs.sweep(self.world.db, self.world.app.queue)
        self.model.sweep()
        after = Counter(task.state for task in self.model.tasks.values())
        lost, expired = after["failed"] > before["failed"], after["running"] < before["running"]
        return ("lost" if lost else "expired" if expired else "swept",)

    async def tidy(self) -> tuple[object, ...]:
        archived = len(self.model.archive)
        await jobs.tidy(self.world.db, self.world.app.queue)
        self.model.tidy()
        return ("archived" if len(self.model.archive) > archived else "nothing",)

    async def tidy_quota(self) -> tuple[object, ...]:
        await quota.tidy(self.world.db)
        self.model.tidy_quota()
        return ("done",)

    # Executors and companies

    async def add_executor(self) -> tuple[object, ...] | None:
        if len(self.executors) >= 3:
            return None
        org, model = self.random.choice((None, *self.orgs)), self.random.choice((None, None, "small"))
        created, worker = await executor(
            self.world, self.operator, f"Executor {next(self._names)}", org_id=org, model=model
        )
        self.executors.append(RemoteExecutor(created["id"], org or "", model, worker))
        return ("common" if org is None else "own", created["id"][-6:])

    async def retire_executor(self) -> tuple[object, ...] | None:
        if not self.executors:
            return None
        remote = self.random.choice(self.executors)
        busy = any(task.state == "running" and task.executor == remote.id for task in self.model.tasks.values())
        answer = await self.operator.delete(f"/api/executors/{remote.id}")
        assert answer.status_code == 204, answer.text
        self.executors.remove(remote)
        self.model.release(remote.id)
        self.model.reroute(self._is_stranded)
        return ("busy" if busy else "idle", remote.id[-6:])

    def _is_stranded(self, task: Task) -> bool:
        """Return whether a job waits for executors of which none serves its company any more."""
        how, which = jobs.served_by(task.channel)
        return how != "local" and not any(
            which == (remote.id if how == "on" else remote.model or "") and remote.org in ("", task.lane[0])
            for remote in self.executors
        )

    async def suspend(self) -> tuple[object, ...]:
        org = self.random.choice(list(self.orgs.values()))
        answer = await self.operator.post(f"/api/orgs/{org.slug}/suspend")
        assert answer.status_code == 200, answer.text
        self.model.suspend(org.id)
        return ("done", org.slug)

    async def resume(self) -> tuple[object, ...] | None:
        suspended = [org for id, org in self.orgs.items() if self.model.companies[id].suspended]
        if not suspended:
            return None
        org = self.random.choice(suspended)
        answer = await self.operator.post(f"/api/orgs/{org.slug}/resume")
        assert answer.status_code == 200, answer.text
        self.model.resume(org.id)
        return ("done", org.slug)

    async def limit(self) -> tuple[object, ...]:
        rng = self.random
        person, dimension = rng.choice(self.people), rng.choice(list(SPENDING))
        level, subject, org = rng.choice((
            (Level.TENANT, "", ""), (Level.ORG, person.org.id, person.org.id), (Level.TEAM, person.team.id, person.org.id)
        ))  # fmt: skip
        window = None if dimension is Dimension.CONCURRENCY else rng.choice(list(Window))
        most = {
            Dimension.CONCURRENCY: (None, 1, 2, 4, 8), Dimension.REQUESTS: (None, None, 3, 20),
            Dimension.TOKENS: (None, None, 3000, 20_000),
        }[dimension]  # fmt: skip
        draft = QuotaDraft(dimension, rng.choice(most), window)
        async with self.world.db.maintenance(system()) as tx:
            await quota.set_limit(tx, level, subject, org, draft)
        self.model.limits[level, subject, dimension] = draft.limit, window
        self.model.unpark(org)
        return level, dimension, draft.limit, window

    async def plan(self) -> tuple[object, ...]:
        org, plan = self.random.choice(list(self.orgs.values())), self.random.choice(list(Plan))
        answer = await self.operator("PATCH", f"/api/orgs/{org.slug}", {"plan": plan})
        assert answer.status_code == 200, answer.text
        self.model.plan(org.id, plan)
        return plan, org.slug

    def _rank(self, task: Task) -> int:
        return self.rows[task.id].rank or 0

    # Comparing

    async def compare(self) -> None:
        for app in self.world.apps:
            await app.queue.promote(app.db)  # the model promotes at once, the server a moment later
        self.rows = await self._rows()
        found = {id: row.comparable for id, row in self.rows.items()}
        assert found == {id: task.row for id, task in self.model.tasks.items()}
        assert await self.world.db.all(str, "SELECT id FROM job_archive ORDER BY id") == sorted(self.model.archive)
        self._compare_ends()
        await self._compare_ledger()
        assert await help.broken_invariants(self.world) == []

    def _compare_ends(self) -> None:
        """Check that the kind of every job that ended was told so once, and how."""
        tasks = {**self.model.tasks, **self.model.archive}
        states = {"Succeeded": "succeeded", "Failed": "failed", "Lost": "failed", "Cancelled": "cancelled"}
        told = sorted((id, states[outcome]) for id, outcome in errand.ENDED)
        assert told == sorted((task.id, task.state) for task in tasks.values() if task.finished)

    async def _compare_ledger(self) -> None:
        """Compare the ledger and the counters of all windows; active reservations must be those of running jobs."""
        model, db = self.model, self.world.db
        entries = await db.all(
            Entry,
            "SELECT org_id, team_id, user_id, slots, requests, tokens, began_at, expires_at, settled_at IS NOT NULL"
            " FROM quota_ledger",
        )
        assert sorted(map(msgspec.structs.astuple, entries)) == sorted(reservation.row for reservation in model.ledger)
        counters = await db.all(
            Used, "SELECT level, per, starts_at, subject, requests, tokens FROM quota_used WHERE level <> 'tenant'"
        )
        assert {key: number for key, number in _flat(counters).items() if number} == +model.used
        metered = [task.reservation for task in model.tasks.values() if task.state == "running" and task.cost]
        assert sum(each.active for each in model.ledger) == sum(each is not None and each.active for each in metered)

    async def _rows(self) -> dict[str, Row]:
        names = ", ".join(Row.__struct_fields__)
        return {row.id: row for row in await self.world.db.all(Row, f"SELECT {names} FROM jobs")}


def _flat(counters: list[Used]) -> dict[tuple[str, str, str, str, str], int]:
    return {
        (row.level, row.per, row.starts_at, row.subject, dimension): number
        for row in counters
        for dimension, number in (("ai.requests", row.requests), ("ai.tokens.total", row.tokens))
    }


def _outcome(answer: httpx2.Response) -> str:
    if answer.status_code in (200, 204):
        return "accepted"
    return {"stale_claim": "stale", "unauthenticated": "unauthenticated"}.get(answer.json()["code"], answer.text)


def _short(task: Task) -> str:
    return f"{task.id[-6:]}#{task.attempt}"


# Segments


@contextmanager
def manual_clock() -> Iterator[Hands]:
    """Stop the clock; it is moved by the steps. Every request of a worker updates its presence."""
    now = Hands()
    with (
        patch.object(clock, "now", now),
        patch.object(presence, "_RECORD_EVERY", 0),
    ):
        yield now


async def run_segment(world: World, seed: str, steps: Collection[int]) -> RandomWalk:
    with manual_clock() as now:
        walk = RandomWalk(world, now, seed)
        await walk.set_up()
        try:
            for number in steps:
                await walk.step(number)
        except Exception as fault:
            fault.add_note("\n".join([f"seed {seed}, the last steps:", *walk.lines[-20:]]))
            raise
        return walk


NewWorld = Callable[[], AbstractAsyncContextManager[World]]


async def minimize(new_world: NewWorld, seed: str, steps: list[int]) -> list[int]:
    """Return as few of the failing steps as still fail."""
    size = len(steps) // 2
    while size:
        for start in range(len(steps) - size, -1, -size):
            fewer = steps[:start] + steps[start + size :]
            if await _find_fault(new_world, seed, fewer):
                steps = fewer
        size //= 2
    return steps


async def _find_fault(new_world: NewWorld, seed: str, steps: list[int]) -> Exception | None:
    async with new_world() as world:
        try:
            await run_segment(world, seed, steps)
        except Exception as fault:
            return fault
    return None


async def walk(new_world: NewWorld, seed: str, steps: int) -> None:
    outcomes: Counter[str] = Counter()
    for number in range(-(-steps // SEGMENT)):
        numbers = list(range(min(SEGMENT, steps - number * SEGMENT)))
        name = f"{seed}/{number}"
        try:
            async with new_world() as world:
                outcomes += (await run_segment(world, name, numbers)).outcomes
        except Exception:
            minimal = await minimize(new_world, name, numbers)
            raise await _find_fault(new_world, name, minimal) or RuntimeError(
                f"{name} fails only now and then"
            ) from None
        print(f"segment {name}: {sum(outcomes.values())} steps", flush=True)
    for name, times in sorted(outcomes.items()):
        print(f"{times:7} {name}")


@asynccontextmanager
async def new_world(database: str) -> AsyncIterator[World]:
    """Open a world with its own database, without pytest."""
    with _server(database) as postgres:
        async with _temporary_world(postgres, "walk") as world:
            yield world


def _server(database: str) -> AbstractContextManager[Postgres | None]:
    return Postgres.start() if database == "postgres" else nullcontext()


@asynccontextmanager
async def _temporary_world(postgres: Postgres | None, name: str) -> AsyncIterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        values = {
            "SERVICE_DATA": f"{folder}/data", "SERVICE_WORKERS": "1", "SERVICE_SQLITE_SYNC": "normal", "SERVICE_RATE_TOKEN": "0",
            "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_DATABASE_URL": postgres.create_database(name) if postgres else "",
        }  # fmt: skip
        async with open_world(load(values, file=Path(folder) / "no.env")) as world:
            yield world
    if postgres:
        postgres.drop_database(name)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.jobs.model", description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", default=str(random.randrange(2**32)))
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args()
    with _server(options.database) as postgres:
        asyncio.run(walk(partial(_temporary_world, postgres, "walk"), options.seed, options.steps))


if __name__ == "__main__":
    main()
