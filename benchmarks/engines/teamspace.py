"""Teamspace's workflows, with everything a server runs besides: sweeps, promotion, notifications, upkeep."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.engines import nothing, side
from benchmarks.engines.side import CONCURRENT, Execute
from benchmarks.queues import filling
from benchmarks.queues.side import Tally
from teamspace import tools
from teamspace.core.db import Db, postgres, sqlite
from teamspace.core.loader import Package
from tests.support.rows import NUMBERS, analyze, insert_in_batches
from tests.support.world import Caller, World

POLL = 0.005
_SENT = Tally()
_BATCH = 5000
_RUN, _JOB = "'r' || CAST(10000000 + n AS TEXT)", "'j' || CAST(10000000 + n AS TEXT)"
HISTORY = (
    "INSERT INTO runs (id, org_id, team_id, owner_id, slug, version, digest, max_steps, state, step, steps_used, counts,"
    f" locale, objects, requests, tokens, created_at, finished_at) {NUMBERS} SELECT {_RUN}, :org, :team, :owner,"
    " 'linear', 1, (SELECT MAX(digest) FROM workflow_specs), 1000, 'succeeded', NULL, 1, '{}', 'en', 0, 0, 0, :now, :now"
    " FROM numbers",
    f"INSERT INTO run_inputs (run_id, org_id, team_id, input) {NUMBERS} SELECT {_RUN}, :org, :team, '{{}}' FROM numbers",
    f"INSERT INTO run_steps (run_id, step_id, org_id, team_id, number, state, total, started_at, finished_at) {NUMBERS}"
    f" SELECT {_RUN}, 's0', :org, :team, 1, 'succeeded', 1, :now, :now FROM numbers",
    f"INSERT INTO run_items (run_id, step_id, item, org_id, team_id, job_id, size, requests, tokens) {NUMBERS}"
    f" SELECT {_RUN}, 's0', 0, :org, :team, {_JOB}, 1, 0, 0 FROM numbers",
    "INSERT INTO jobs (id, org_id, team_id, user_id, kind, channel, run_id, step, item, state, phase, priority, run_at,"
    f" attempt, max_attempts, lease_expiries, input, result, created_at, started_at, finished_at) {NUMBERS} SELECT"
    f" {_JOB}, :org, :team, :owner, 'workflow.step', 'workflow.step@local', {_RUN}, 's0', 0, 'succeeded', 'ready', 1,"
    " :now, 1, 1, 0, '{}', '{}', :now, :now, :now FROM numbers",
)
"""Runs that have ended, with one step each."""


def spec_of(verb: str, size: int) -> dict[str, Any]:
    def call(id: str, number: Any) -> dict[str, Any]:
        return {"id": id, "kind": "tool", "tool": "benchmark_nothing", "with": {"number": number}}

    if verb == "linear":
        steps = [call(f"s{number}", number) for number in range(size)]
        return {"slug": verb, "start": "s0", "max_steps": size, "steps": steps}
    each = call("each", {"$ref": "item"}) | {"kind": "map", "over": {"$ref": "input.items"}}
    last = call("last", {"$ref": f"steps.each.output.results.{size - 1}.result"})
    inputs = {"items": {"type": "array"}}
    return {"slug": verb, "start": "each", "max_steps": size + 1, "inputs": inputs, "steps": [each, last]}


class Teamspace:
    @asynccontextmanager
    async def opened(self, verb: str, size: int, history: int) -> AsyncIterator[Execute]:
        folder, url = Path(os.environ["BENCHMARK_FOLDER"]), os.environ["BENCHMARK_URL"]
        settings = filling.settings(folder, url, SERVICE_JOB_SLOTS=str(CONCURRENT))
        async with filling.opened(settings, Tally()) as made:
            bound, faults = tools.bind([nothing], {}, Package("benchmarks.engines.nothing"))
            assert not faults, faults
            made.app.toolbox.add(bound)
            owner = await made.bootstrap()
            published = await owner.post("/api/workflows", spec_of(verb, size))
            assert published.status_code == 201, published.text
            await fill(made, owner, history)
            watch = Watch(made.db)
            tasks = [asyncio.create_task(work()) for work in (made.app.upkeep, made.app.runner.run, watch.run)]
            input = {"items": list(range(size))} if verb == "map" else {}
            yield lambda: _execute(owner, watch, verb, input)
            for task in tasks:
                task.cancel()

    def servers(self) -> list[int]:
        return []

    def statements(self) -> int:
        return _SENT.done


async def fill(made: World, owner: Caller, history: int) -> None:
    facts = {"org": owner.org.id, "team": owner.team.id, "owner": owner.user_id, "now": "2026-01-01T00:00:00.000Z"}
    await insert_in_batches(made, HISTORY, facts, 0, history, _BATCH)
    await analyze(made)


class _EndedRun(msgspec.Struct, frozen=True):
    id: str
    state: str


class Watch:
    """Tells when runs end. One statement asks for all of them: a poll of each would be most of what is measured."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._waiting: dict[str, asyncio.Future[str]] = {}

    async def wait(self, run_id: str) -> str:
        """Return the state in which a run ended."""
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[run_id] = ended
        return await ended

    async def run(self) -> None:
        while True:
            await asyncio.sleep(POLL)
            if self._waiting:
                ids = {f"id{number}": id for number, id in enumerate(self._waiting)}
                listed = ", ".join(f":{name}" for name in ids)
                sql = f"SELECT id, state FROM runs WHERE id IN ({listed}) AND state <> 'running'"
                for run in await self._db.all(_EndedRun, sql, **ids):
                    self._waiting.pop(run.id).set_result(run.state)


async def _execute(owner: Caller, watch: Watch, slug: str, input: dict[str, Any]) -> None:
    answer = await owner.post(f"/api/workflows/{slug}/run", {"input": input})
    assert answer.status_code == 202, answer.text
    assert await watch.wait(answer.json()["id"]) == "succeeded"


def _counted(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Any:
        _SENT()
        return function(*arguments, **named)

    return run


def count_statements() -> None:
    """Count the statements of this process, on both databases."""
    targets: list[tuple[Any, str]] = [(sqlite, "_run"), (postgres.PostgresTransaction, "fetch")]
    for owner, name in [*targets, (postgres.Postgres, "fetch_offloaded")]:
        setattr(owner, name, _counted(getattr(owner, name)))


if __name__ == "__main__":
    count_statements()
    side.main(Teamspace())
