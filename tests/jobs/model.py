"""A random walk through everything that happens to jobs and quotas, compared with plain Python after every step.

    python -m tests.jobs.model --steps 20000 --seed 1 --database postgres

A walk is made of stretches, each in a world of its own and repeatable by its seed. One that fails is walked again
with steps left out, until no more can be: what is printed is short.
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
from tests.jobs.reference import OVER, Company, Reference, Task
from tests.support.moment import stop_clock
from tests.support.postgres import Postgres
from tests.support.world import Caller, World
from tests.support.world import world as opened

STRETCH = 400
CHAT, ERRAND = "ai.chat", errand.JOBS[0].kind
MAX_WAITING, MAX_REMEMBERED = 40, 40
# fmt: off
JUMPS = {
    1: 30, 2: 10, 5: 10, 14: 3, 15: 5, 16: 3, 59: 2, 60: 3, 61: 2, 119: 1, 121: 1, 1000: 2, 3600: 2, 90_000: 2,
    8 * clock.DAY: 1,
}
"""Seconds, and how often: mostly few, now and then around a lease, a reservation, a window."""
WEIGHTS = {
    "ask": 24, "claim_here": 12, "claim_afar": 16, "beat": 8, "complete": 20, "complete_again": 4, "fail": 9, "jump": 16,
    "sweep": 12, "tidy": 3, "tidy_quota": 1, "cancel": 4, "retry": 3, "hire": 2, "retire": 1, "suspend": 1, "resume": 3,
    "limit": 4, "plan": 2,
}
# fmt: on


class Row(msgspec.Struct, frozen=True):
    """A job as the database has it."""

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
    """A row of the ledger as the database has it."""

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
class Hand:
    """Somebody who was handed a job, and may come back at any time."""

    task: Task
    attempt: int
    claim: JobClaim
    worker: Worker | None
    executor: str
    brought: Any = None


@dataclass
class Staff:
    """An executor and its worker."""

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


class Walk:
    def __init__(self, world: World, hands: Hands, seed: str) -> None:
        self.world, self.hands, self.seed = world, hands, seed
        self.happened: Counter[str] = Counter()
        self.lines: list[str] = []
        self.people: list[Caller] = []
        self.staff: list[Staff] = []
        self.held: list[Hand] = []
        self.rows: dict[str, Row] = {}
        self.model = Reference({}, self._rank)
        self.random = random.Random(seed)
        self._names = count(1)

    async def begin(self) -> None:
        random.seed(self.seed)  # the queue spreads its delays by chance
        await stop_clock(self.world, self.hands.at)
        kinds, faults = jobs.bind([errand], {})
        assert not faults
        self.world.app.queue.kinds.add(kinds)
        self.operator = await self.world.token(await self.world.bootstrap())
        self.orgs = {}
        for _ in range(2):
            org, team = await self.world.company()
            self.orgs[org.id] = org
            self.people += [await self.world.person(org, home) for home in (team, await self.world.team(org))]
        self.model = Reference({org: Company() for org in self.orgs}, self._rank)

    async def take(self, number: int) -> None:
        """One step. Each has dice of its own, so that the others stay as they are when one is left out."""
        self.random = random.Random(f"{self.seed}/{number}")
        said = None
        while said is None:
            verb = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            self.lines.append(f"{number:5} {verb}")
            said = await getattr(self, verb)()
            if said is None:  # there is nothing to do it with
                self.lines.pop()
        self.happened[f"{verb} {said[0]}"] += 1
        self.lines[-1] += f" {' '.join(map(str, said))}"
        await self.compare()

    # Asking

    async def ask(self) -> tuple[object, ...] | None:
        if sum(task.state == "queued" for task in self.model.tasks.values()) >= MAX_WAITING:
            return None
        dice = self.random
        person, kind = dice.choice(self.people), dice.choice((CHAT, CHAT, CHAT, ERRAND))
        input = {"prompt": "x" * dice.choice((1, 400, 4000))}
        if dice.random() < 0.5:
            input["model"] = "small"
        later = dice.choice((None, None, None, -100, 1, 20, 300))
        draft = {"kind": kind, "input": input, "priority": dice.choice((0, 1, 1, 2))}
        if later is not None:
            draft["run_at"] = clock.later(later)
        return await self._asked(person, kind, input, draft)

    async def retry(self) -> tuple[object, ...] | None:
        over = [task for task in self.model.tasks.values() if task.state in OVER]
        if not over:
            return None
        before = self.random.choice(over)
        person = next(person for person in self.people if person.user_id == before.user)
        kind = before.lane[2]
        return await self._asked(person, kind, await self._input(before.id), {"retry_of": before.id})

    async def _asked(
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
            return ("beyond", *full[0])
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

    async def claim_here(self) -> tuple[object, ...]:
        channels = [jobs.local_channel(kind) for kind in (CHAT, ERRAND)]
        most = self.random.choice((1, 1, 2, 5))
        taken = await help.claim(self.world, most, tuple(channels))
        hands = [self._hand(job.id, claim, None, jobs.LOCAL) for job, claim in taken]
        return await self._taken(hands, channels, "", most)

    async def claim_afar(self) -> tuple[object, ...] | None:
        if not self.staff:
            return None
        staff = self.random.choice(self.staff)
        answer = await staff.worker.claim(kinds=[CHAT, ERRAND], models=["small"])
        self.model.asked_at(staff.channels(), staff.org, (CHAT, ERRAND))
        assert answer.status_code in (200, 204), answer.text
        hands = []
        if answer.status_code == 200:
            claim = jobs.parse_claim_token(answer.json()["claim_token"], staff.id)
            hands.append(self._hand(claim.job_id, claim, staff.worker, staff.id))
        return await self._taken(hands, staff.channels(), staff.org, 1)

    def _hand(self, id: str, claim: JobClaim, worker: Worker | None, executor: str) -> Hand:
        return Hand(self.model.tasks[id], claim.attempt, claim, worker, executor)

    async def _taken(self, hands: list[Hand], channels: Collection[str], org: str, most: int) -> tuple[object, ...]:
        """What was handed out, or parked, is what was first in turn, and no more than asked for."""
        offered = self.model.claimable(channels, org)
        rows = await self._rows()
        handed = [hand.task for hand in hands]
        parked = [task for task in offered if rows[task.id].phase == "parked"]
        chosen = handed + parked
        assert all(task in offered for task in handed)
        assert len(chosen) == min(most, len(offered))
        ranks = {task.id: rows[task.id].rank or 0 for task in offered}
        left = [task for task in offered if task not in chosen]
        assert not left or not chosen or max(ranks[task.id] for task in chosen) <= min(ranks[task.id] for task in left)
        for hand in hands:
            assert not hand.task.cost or not self.model.full(hand.task.lane, hand.task.cost), (
                "handed out beyond a quota"
            )
            self.model.take(hand.task, hand.executor)
            assert hand.attempt == hand.task.attempt
            assert self.model.running(hand.task.lane) <= self.model.cap(hand.task.lane), "beyond the plan's cap"
        for task in parked:
            self._parked(task, rows[task.id])
        self.held = [*self.held, *hands][-MAX_REMEMBERED:]
        said = "both" if handed and parked else "parked" if parked else "handed" if handed else "nothing"
        return said, *map(_short, chosen)

    def _parked(self, task: Task, row: Row) -> None:
        assert task.cost
        assert row.waits
        bound = Level(row.waits.level), Dimension(row.waits.dimension)
        assert bound in self.model.full(task.lane, task.cost), "parked without need"
        resets_at = windows.end_of(self.model.window(bound, task.lane))
        again = clock.later(1 if bound[1] is Dimension.CONCURRENCY else 900)
        assert row.run_at == (resets_at or again)
        task.phase, task.run_at, task.waits = "parked", row.run_at, bound

    def _somebody(self) -> Hand:
        """Mostly one whose claim still holds."""
        fitting = [hand for hand in self.held if self._fits(hand)]
        return self.random.choice(fitting if fitting and self.random.random() < 0.6 else self.held)

    def _fits(self, hand: Hand) -> bool:
        task = hand.task
        held = task.state == "running" and task.attempt == hand.attempt and (task.lease or "") > clock.stamp()
        return held and task.id in self.model.tasks

    async def _tell(self, hand: Hand, verb: str, here: Callable[[], Awaitable[Any]], **more: Any) -> str:
        """`landed`, `stale`, or `nobody` when the executor is retired."""
        if hand.worker is None:
            try:
                await here()
            except StaleClaim:
                return "stale"
            return "landed"
        path = f"/api/workers/jobs/{hand.task.id}/{verb}"
        answer = await hand.worker.post(path, {"claim_token": str(hand.claim), **more})
        return _outcome(answer)

    def _expected(self, hand: Hand, *, lands: bool) -> str:
        if hand.worker and hand.executor not in {staff.id for staff in self.staff}:
            return "nobody"
        return "landed" if lands else "stale"

    async def beat(self) -> tuple[object, ...] | None:
        if not self.held:
            return None
        hand = self._somebody()
        expected = self._expected(hand, lands=self._fits(hand))
        told = await self._tell(hand, "heartbeat", lambda: help.queue(self.world).extend(self.world.db, hand.claim))
        assert told == expected
        if told == "landed":
            self.model.beat(hand.task)
        return told, _short(hand.task)

    async def complete(self) -> tuple[object, ...] | None:
        if not self.held:
            return None
        hand = self._somebody()
        tokens = self.random.choice((0, 7, 600, 5000))
        result = help.result(f"{self.random.random()}", tokens) if hand.task.cost else {"text": f"{tokens}"}
        expected = self._expected(hand, lands=self._fits(hand) or (result == hand.brought and self._kept(hand)))
        told = await self._completed(hand, result)
        assert told == expected
        if told == "landed" and hand.brought is None:
            hand.brought = result
            kind = self.world.app.queue.kinds[hand.task.lane[2]]
            kept = msgspec.json.encode(msgspec.convert(result, kind.result)).decode()
            self.model.land(hand.task, kept, Spend(1, tokens))
        return told, _short(hand.task)

    async def complete_again(self) -> tuple[object, ...] | None:
        """A worker that never heard the answer."""
        brought = [hand for hand in self.held if hand.brought is not None]
        if not brought:
            return None
        hand = self.random.choice(brought)
        expected = self._expected(hand, lands=self._kept(hand))
        assert await self._completed(hand, hand.brought) == expected
        return expected, _short(hand.task)

    async def _completed(self, hand: Hand, result: Any) -> str:
        return await self._tell(hand, "complete", lambda: help.complete(self.world, hand.claim, result), result=result)

    def _kept(self, hand: Hand) -> bool:
        return hand.task.id in self.model.tasks

    async def fail(self) -> tuple[object, ...] | None:
        if not self.held:
            return None
        hand, retryable = self._somebody(), self.random.random() < 0.8
        error = {"message": "It did not work.", "code": "broken", "retryable": retryable}
        expected = self._expected(hand, lands=self._fits(hand))
        told = await self._tell(
            hand, "fail", lambda: help.fail(self.world, hand.claim, retryable=retryable), error=error
        )
        assert told == expected
        if told == "landed":
            task, failures = hand.task, hand.task.attempt - hand.task.lease_expiries
            self.model.fail(task, retryable=retryable)
            if task.state == "queued":
                task.run_at = (await self._rows())[task.id].run_at
                assert clock.later(2**failures / 2 - 0.01) <= task.run_at <= clock.later(2**failures)
            told = "postponed" if task.state == "queued" else "final"
        return told, _short(hand.task)

    # Time

    async def jump(self) -> tuple[object, ...]:
        seconds = self.random.choices(list(JUMPS), list(JUMPS.values()))[0]
        self.hands.forward(seconds)
        await stop_clock(self.world, self.hands.at)
        return (seconds,)

    async def sweep(self) -> tuple[object, ...]:
        before = Counter(task.state for task in self.model.tasks.values())
        await jobs.sweep(self.world.db, self.world.app.queue)
        self.model.sweep()
        after = Counter(task.state for task in self.model.tasks.values())
        lost, lapsed = after["failed"] > before["failed"], after["running"] < before["running"]
        return ("lost" if lost else "lapsed" if lapsed else "swept",)

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

    async def hire(self) -> tuple[object, ...] | None:
        if len(self.staff) >= 3:
            return None
        org, model = self.random.choice((None, *self.orgs)), self.random.choice((None, None, "small"))
        made, worker = await executor(
            self.world, self.operator, f"Executor {next(self._names)}", org_id=org, model=model
        )
        self.staff.append(Staff(made["id"], org or "", model, worker))
        return ("common" if org is None else "own", made["id"][-6:])

    async def retire(self) -> tuple[object, ...] | None:
        if not self.staff:
            return None
        staff = self.random.choice(self.staff)
        held = any(task.state == "running" and task.executor == staff.id for task in self.model.tasks.values())
        answer = await self.operator.delete(f"/api/executors/{staff.id}")
        assert answer.status_code == 204, answer.text
        self.staff.remove(staff)
        self.model.give_back(staff.id)
        self.model.strand(self._is_stranded)
        return ("at work" if held else "idle", staff.id[-6:])

    def _is_stranded(self, task: Task) -> bool:
        """Whether a job waits where nobody of the staff works for its company any more."""
        how, which = jobs.served_by(task.channel)
        return how != "local" and not any(
            which == (staff.id if how == "on" else staff.model or "") and staff.org in ("", task.lane[0])
            for staff in self.staff
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
        dice = self.random
        person, dimension = dice.choice(self.people), dice.choice(list(SPENDING))
        level, subject, org = dice.choice((
            (Level.TENANT, "", ""), (Level.ORG, person.org.id, person.org.id), (Level.TEAM, person.team.id, person.org.id)
        ))  # fmt: skip
        window = None if dimension is Dimension.CONCURRENCY else dice.choice(list(Window))
        most = {
            Dimension.CONCURRENCY: (None, 1, 2, 4, 8), Dimension.REQUESTS: (None, None, 3, 20),
            Dimension.TOKENS: (None, None, 3000, 20_000),
        }[dimension]  # fmt: skip
        draft = QuotaDraft(dimension, dice.choice(most), window)
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
        await self.world.app.queue.promote(self.world.db)  # what the model does at once, the server does a moment later
        self.rows = await self._rows()
        found = {id: row.comparable for id, row in self.rows.items()}
        assert found == {id: task.row for id, task in self.model.tasks.items()}
        assert await self.world.db.all(str, "SELECT id FROM job_archive ORDER BY id") == sorted(self.model.archive)
        await self._compare_books()
        assert await help.unsound(self.world) == []

    async def _compare_books(self) -> None:
        """The ledger, the counters of all windows, and that what is reserved is what runs."""
        model, db = self.model, self.world.db
        entries = await db.all(
            Entry,
            "SELECT org_id, team_id, user_id, slots, requests, tokens, began_at, expires_at, settled_at IS NOT NULL"
            " FROM quota_ledger",
        )
        assert sorted(map(msgspec.structs.astuple, entries)) == sorted(hold.row for hold in model.ledger)
        counters = await db.all(Used, "SELECT level, per, starts_at, subject, requests, tokens FROM quota_used")
        assert {key: number for key, number in _flat(counters).items() if number} == +model.used
        metered = [task.hold for task in model.tasks.values() if task.state == "running" and task.cost]
        assert sum(hold.live for hold in model.ledger) == sum(hold is not None and hold.live for hold in metered)

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
        return "landed"
    return {"stale_claim": "stale", "unauthenticated": "nobody"}.get(answer.json()["code"], answer.text)


def _short(task: Task) -> str:
    return f"{task.id[-6:]}#{task.attempt}"


# Stretches


@contextmanager
def stopped_time() -> Iterator[Hands]:
    """A clock that is moved by hand, and workers whose every request counts as a sign of them."""
    hands = Hands()
    with (
        patch.object(clock, "now", hands),
        patch.object(presence, "_RECORD_EVERY", 0),
    ):
        yield hands


async def stretch(world: World, seed: str, steps: Collection[int]) -> Walk:
    with stopped_time() as hands:
        walk = Walk(world, hands, seed)
        await walk.begin()
        try:
            for number in steps:
                await walk.take(number)
        except Exception as fault:
            fault.add_note("\n".join([f"seed {seed}, the last steps:", *walk.lines[-20:]]))
            raise
        return walk


Fresh = Callable[[], AbstractAsyncContextManager[World]]


async def shortest(fresh: Fresh, seed: str, steps: list[int]) -> list[int]:
    """Of steps that fail, as few as still do."""
    size = len(steps) // 2
    while size:
        for start in range(len(steps) - size, -1, -size):
            fewer = steps[:start] + steps[start + size :]
            if await _fault(fresh, seed, fewer):
                steps = fewer
        size //= 2
    return steps


async def _fault(fresh: Fresh, seed: str, steps: list[int]) -> Exception | None:
    async with fresh() as world:
        try:
            await stretch(world, seed, steps)
        except Exception as fault:
            return fault
    return None


async def walk(fresh: Fresh, seed: str, steps: int) -> None:
    happened: Counter[str] = Counter()
    for number in range(-(-steps // STRETCH)):
        numbers = list(range(min(STRETCH, steps - number * STRETCH)))
        name = f"{seed}/{number}"
        try:
            async with fresh() as world:
                happened += (await stretch(world, name, numbers)).happened
        except Exception:
            few = await shortest(fresh, name, numbers)
            raise await _fault(fresh, name, few) or RuntimeError(f"{name} fails only now and then") from None
        print(f"stretch {name}: {sum(happened.values())} steps", flush=True)
    for name, times in sorted(happened.items()):
        print(f"{times:7} {name}")


@asynccontextmanager
async def fresh(database: str) -> AsyncIterator[World]:
    """A world with a database of its own, without pytest."""
    with _server(database) as postgres:
        async with _made(postgres, "walk") as world:
            yield world


def _server(database: str) -> AbstractContextManager[Postgres | None]:
    return Postgres.start() if database == "postgres" else nullcontext()


@asynccontextmanager
async def _made(postgres: Postgres | None, name: str) -> AsyncIterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        given = {
            "SERVICE_DATA": f"{folder}/data", "SERVICE_SQLITE_SYNC": "normal", "SERVICE_RATE_TOKEN": "0",
            "SERVICE_RATE_ANONYMOUS": "0", "SERVICE_DATABASE_URL": postgres.create_database(name) if postgres else "",
        }  # fmt: skip
        async with opened(load(given, file=Path(folder) / "no.env")) as world:
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
        asyncio.run(walk(partial(_made, postgres, "walk"), options.seed, options.steps))


if __name__ == "__main__":
    main()
