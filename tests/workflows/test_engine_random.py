"""Random specs on the real engine, many runs at once: with failures, cancelled on the way, and resumed.

Each run ends as a plain interpreter says, no item is called twice, no step begins before the one before it is done, and
maps keep the order of their items.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from teamspace import tools
from teamspace.core.limits import Notifier
from teamspace.core.loader import Package
from teamspace.jobs.domain import ending
from teamspace.settings import Settings
from tests.identity.help import run_sql
from tests.jobs.help import running
from tests.support.notices import relaying
from tests.support.world import Caller, World
from tests.support.world import world as open_world
from tests.workflows import generated_tools, interpreter, specs
from tests.workflows.generated_tools import Item, Plan
from tests.workflows.help import broken_invariants, ended, get_run, publish, start, workflow_world
from tests.workflows.interpreter import Outcome
from tests.workflows.specs import Case

RUNS = 24
"""At once, for each seed."""
SHARE = 10
"""How many calls each of two servers makes at least."""
SECONDS = 120
"""Until a run must have ended; the others share the processor."""


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "retry_delay", lambda failures: 0.01)
    generated_tools.PLANS.clear()


def add_tools(world: World) -> None:
    bound, faults = tools.bind([generated_tools], {}, Package("tests.workflows.generated_tools"))
    assert not faults
    world.app.toolbox.add(bound)


class Trial:
    """One random spec, its run, and what it must come to."""

    def __init__(self, ann: Caller, seed: int) -> None:
        self.ann, self.rng = ann, random.Random(seed)
        self.case: Case = specs.valid(seed)
        self.raw = self.case.raw
        self.raw["slug"] = f"random-{seed}"
        self.kinds = {step["id"]: step["kind"] for step in self.raw["steps"]}
        self.plan = Plan(pauses={item: self.rng.random() * 0.02 for item in self.items()})
        self.broken = set[Item]()
        self.cancelled_at = 0
        """How many calls had begun or ended by then."""

    def items(self) -> Iterable[Item]:
        return ((step["id"], index) for step in self.raw["steps"] for index in range(6) if step["kind"] != "choice")

    def let_fail(self) -> None:
        """Plan failures that the retries of each step make up for."""
        for step in self.raw["steps"]:
            for index in range(6):
                count = self.rng.randint(0, step.get("retry", 0))
                self.plan.failures[step["id"], index] = [self.rng.choice(["failed", "crash"]) for _ in range(count)]

    def break_something(self) -> None:
        """Plan a failure that no retry helps."""
        item = self.rng.choice([item for item in self.items() if item[1] < 2] or [("s0", 0)])
        self.plan.failures[item] = ["missing"]
        self.broken = {item}

    async def begin(self, **more: Any) -> str:
        run = await start(self.ann, self.raw["slug"], self.case.input, **more)
        self.run_id: str = run["id"]
        generated_tools.PLANS[self.run_id] = self.plan
        return self.run_id

    async def begin_new(self) -> str:
        published = await publish(self.ann, self.raw)
        assert published["version"] == 1
        return await self.begin()

    def expected(self, run: dict[str, Any], done: dict[Item, Any] | None = None) -> Outcome:
        ids = {
            "run.id": run["id"], "team.id": self.ann.team.id, "user.id": self.ann.user_id, "locale": run["locale"],
            "principal.locale": run["locale"],
        }  # fmt: skip
        return interpreter.run(self.raw, self.case.input, specs.TOOLS, ids, self.broken, done)

    def check(self, run: dict[str, Any], done: dict[Item, Any] | None = None) -> None:
        """Compare a run that was not cancelled with what the interpreter says, and its calls with the plan."""
        self.check_calls(self.check_outcome(run, done), done or {})

    def check_outcome(self, run: dict[str, Any], done: dict[Item, Any] | None = None) -> Outcome:
        expected, steps = self.expected(run, done), {step["id"]: step for step in run["steps"]}
        assert (run["state"], run["steps_used"]) == (expected.state, expected.used), self.raw["slug"]
        failed = expected.failed_step
        trace = [(step["id"], step["total"]) for step in run["steps"] if step["state"] == "succeeded"]
        assert trace == [entry for entry in expected.trace if entry[0] != failed]
        others = {step["state"] for step in run["steps"] if step["id"] not in {*dict(trace), failed}}
        assert others <= {"skipped"}
        if failed is None:
            assert run["error"] is None
        else:
            assert (run["error"]["step"], steps[failed]["state"]) == (failed, "failed")
            if expected.reason != "tool":
                assert run["error"]["code"] == expected.reason
        for step_id, output in expected.outputs.items():
            if self.kinds[step_id] == "map":
                items = [{"index": item["index"], "result": item["result"]} for item in steps[step_id]["items"]]
                assert items == output["results"], "map results are in order"
            else:
                assert steps[step_id]["output"] == output
        return expected

    def check_calls(self, expected: Outcome, done: dict[Item, Any]) -> None:
        """Every item was called once, and once more for each planned failure."""
        calls = Counter(self.plan.calls())
        for step_id, count in expected.trace:
            if self.kinds[step_id] == "choice" or step_id == expected.failed_step:
                continue
            for index in range(count):
                item = step_id, index
                retries = 0 if item in done else sum(1 for event in self.planned.get(item, []) if event != "missing")
                assert calls[item] == (0 if item in done else 1 + retries), item
        assert {step for step, _ in calls} <= dict(expected.trace).keys()
        self.check_order([step_id for step_id, _ in expected.trace])

    def check_order(self, trace: list[str]) -> None:
        """No step began before every call of the steps before it had ended."""
        numbers = {step_id: number for number, step_id in enumerate(trace)}
        begun = [numbers[step] for event, (step, _) in self.plan.log if event == "begin"]
        assert begun == sorted(begun)
        open_calls = Counter[int]()
        for event, (step, _) in self.plan.log:
            open_calls[numbers[step]] += 1 if event == "begin" else -1
            if event == "begin":
                assert all(count == 0 for number, count in open_calls.items() if number < numbers[step])

    def remember_plan(self) -> None:
        self.planned = {item: list(events) for item, events in self.plan.failures.items()}


def results_of(run: dict[str, Any]) -> dict[Item, Any]:
    """Return what has succeeded in a run, by item."""
    return {
        (step["id"], item["index"]): item["result"]
        for step in run["steps"]
        for item in step["items"]
        if item["state"] == "succeeded"
    }


async def settled(ann: Caller, run_id: str) -> dict[str, Any]:
    """Wait until the run has ended and none of its jobs is running."""
    await ended(ann, run_id, SECONDS)
    async with asyncio.timeout(SECONDS):
        while True:
            run = await get_run(ann, run_id)
            if not any(step["running"] for step in run["steps"]):
                return run
            await asyncio.sleep(0.02)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.thorough), pytest.param(2, marks=pytest.mark.thorough)]
)
async def test_random_runs_end_as_the_interpreter_says(world: World, seed: int) -> None:
    async with workflow_world(world) as ann:
        add_tools(world)
        trials = [Trial(ann, seed * 1000 + number) for number in range(RUNS)]
        for number, trial in enumerate(trials):
            if number % 3:
                trial.let_fail()
            if number % 3 == 2:
                trial.break_something()
            trial.remember_plan()
            await trial.begin_new()
        for trial in trials:
            trial.check(await settled(ann, trial.run_id))
        assert await broken_invariants(world) == []


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "seed", [5, pytest.param(6, marks=pytest.mark.thorough), pytest.param(7, marks=pytest.mark.thorough)]
)
async def test_a_random_run_is_resumed_where_it_ended(world: World, seed: int) -> None:
    """Runs are cancelled at any moment or fail; resumed, they come to what they would have, and repeat nothing."""
    async with workflow_world(world) as ann:
        add_tools(world)
        trials = [Trial(ann, seed * 1000 + number) for number in range(RUNS)]
        for number, trial in enumerate(trials):
            trial.let_fail()
            if number % 2:
                trial.break_something()
            trial.remember_plan()
            await trial.begin_new()
        await asyncio.gather(*(cancel_soon(trial) for trial in trials[::2]))
        resumed = 0
        for trial in trials:
            run = await settled(ann, trial.run_id)
            if run["state"] == "cancelled":
                check_cancelled(trial, run)
            else:
                trial.check(run)
            if run["state"] != "succeeded":
                await resume(trial, run)
                resumed += 1
        assert resumed > 5
        assert await broken_invariants(world) == []


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", [10, pytest.param(11, marks=pytest.mark.thorough)])
async def test_a_random_run_ends_the_same_if_servers_die(world: World, seed: int) -> None:
    """Leases expire while jobs run: others do them again, and what the first attempts say is too late."""
    async with workflow_world(world) as ann:
        add_tools(world)
        trials = [Trial(ann, seed * 1000 + number) for number in range(RUNS)]
        for trial in trials:
            trial.let_fail()
            await trial.begin_new()
        over = asyncio.Event()
        dying = asyncio.create_task(let_leases_expire(world, random.Random(seed), over))
        runs = [await settled(ann, trial.run_id) for trial in trials]
        over.set()
        await dying
        for trial, run in zip(trials, runs, strict=True):
            trial.check_outcome(run)
        assert await broken_invariants(world) == []
        repeated = await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE lease_expiries > 0")
        assert repeated, "some jobs were lost"


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_two_servers_advance_each_run_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last two items of a map may end on both at the same time."""
    async with open_world(settings) as here, open_world(settings) as there, workflow_world(here) as ann:
        shares = {"here": Share(), "there": Share()}
        for server, own, others in ((here, "here", "there"), (there, "there", "here")):
            add_tools(server)
            call = sharing(server.app.toolbox.call, shares[own], shares[others])
            monkeypatch.setattr(server.app.toolbox, "call", call)
        async with running(there), told(here), told(there):
            trials = [Trial(ann, 20_000 + number) for number in range(RUNS)]
            for number, trial in enumerate(trials):
                trial.plan.pauses.clear()  # so that many end at once
                if number % 2:
                    trial.let_fail()
                trial.remember_plan()
                await trial.begin_new()
            for trial in trials:
                trial.check(await settled(ann, trial.run_id))
        assert await broken_invariants(here) == []
        assert all(share.complete.is_set() for share in shares.values())


def told(world: World) -> AbstractAsyncContextManager[None]:
    """Let a server hear of the jobs of the other."""
    return relaying(world.db.engine, world.app.dependencies[Notifier])


class Share:
    """The calls that one of two servers makes."""

    def __init__(self) -> None:
        self.calls = 0
        self.complete = asyncio.Event()


def sharing(call: Any, own: Share, others: Share) -> Any:
    """Let a server that has had its share wait until the other has, too. It holds 8 of the 24 runs at most."""

    async def wait_and_call(*args: Any) -> Any:
        own.calls += 1
        if own.calls > SHARE:
            own.complete.set()
            await others.complete.wait()
        return await call(*args)

    return wait_and_call


async def let_leases_expire(world: World, rng: random.Random, over: asyncio.Event) -> None:
    while not over.is_set():
        await asyncio.sleep(rng.random() * 0.01)
        await run_sql(
            world,
            "UPDATE jobs SET lease_until = moment(-1) WHERE kind = 'workflow.step' AND state = 'running'"
            " AND lease_expiries < :limit AND item % 2 = :some",
            limit=ending.MAX_LEASE_EXPIRIES - 1, some=rng.randrange(2),
        )  # fmt: skip


async def cancel_soon(trial: Trial) -> None:
    await asyncio.sleep(trial.rng.random() * 0.5)
    answer = await trial.ann.post(f"/api/runs/{trial.run_id}/cancel")
    assert answer.status_code in (200, 409)
    trial.cancelled_at = len(trial.plan.log)


def check_cancelled(trial: Trial, run: dict[str, Any]) -> None:
    """What a cancelled run has done is the beginning of what it would have, and after the cancel no step began."""
    expected = trial.expected(run)
    trial.check_order([step_id for step_id, _ in expected.trace])
    steps = {step["id"]: step for step in run["steps"]}
    reached = [
        step_id for step_id, _ in expected.trace if steps[step_id]["total"] or steps[step_id]["state"] == "succeeded"
    ]
    assert reached == [step_id for step_id, _ in expected.trace][: len(reached)]
    begun_after = {item[0] for event, item in trial.plan.log[trial.cancelled_at :] if event == "begin"}
    assert begun_after <= set(reached[-1:]), "only the step that was executing finishes"
    for (step_id, index), value in results_of(run).items():
        if trial.kinds[step_id] == "map" and step_id in expected.outputs:
            assert expected.outputs[step_id]["results"][index]["result"] == value


async def resume(trial: Trial, old: dict[str, Any]) -> None:
    done = results_of(old)
    trial.broken = set()
    trial.plan = Plan(pauses=trial.plan.pauses)
    trial.remember_plan()
    await trial.begin(resume_from=old["id"])
    run = await settled(trial.ann, trial.run_id)
    assert run["resumed_from"] == old["id"]
    trial.check(run, done)
