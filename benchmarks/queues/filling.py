"""Open a Teamspace with a company of many teams, and fill its queue at once."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.queues.side import Tally
from teamspace import jobs
from teamspace.core import clock
from teamspace.core.db import Db, as_json
from teamspace.core.ids import new_id
from teamspace.core.principal import Call, Principal, system
from teamspace.core.tables import JobSpec
from teamspace.jobs.schemas import EncodedInput
from teamspace.settings import Settings, load
from teamspace.tenancy import Role
from teamspace.tenancy import store as tenancy_store
from teamspace.tenancy.domain import founding
from tests.support.world import Caller, World, world

JOBS = (JobSpec("benchmark.nothing", "nothing", "A job that does nothing."),)
KIND = JOBS[0].kind
_COLUMNS = (
    "id", "org_id", "team_id", "user_id", "kind", "channel", "state", "phase", "priority", "run_at", "attempt",
    "max_attempts", "lease_expiries", "estimate", "input", "created_at",
)  # fmt: skip
_EMPTY = EncodedInput("{}", None)


class Nothing(msgspec.Struct, frozen=True):
    pass


async def nothing(input: Nothing, tally: Tally) -> Nothing:
    tally()
    return input


def settings(folder: Path, url: str, **more: str) -> Settings:
    given = {
        "SERVICE_DATA": str(folder / "data"),
        "SERVICE_DATABASE_URL": url,
        "SERVICE_RATE_TOKEN": "0",
        "SERVICE_WORKERS": "1",
        **more,
    }
    return load(given, file=folder / "none")


@asynccontextmanager
async def opened(chosen: Settings, tally: Tally) -> AsyncIterator[World]:
    """Open a whole Teamspace in this process, with an additional job kind that does nothing."""
    async with world(chosen) as made:
        kinds, faults = jobs.bind([sys.modules[__name__]], {Tally: tally})
        assert not faults, faults
        made.app.queue.kinds.add(kinds)
        yield made


async def founded(made: World, teams: int) -> Caller:
    """Bootstrap a company with `teams` teams, on a plan that only limits concurrency.

    The operator is a member of each team: workers only get jobs whose requester is still in the team.
    """
    operator = await made.bootstrap()
    async with made.db.maintenance(system(org_id=operator.org.id)) as tx:
        for number in range(1, teams):
            team = await founding.add_team(tx, operator.org.id, f"Team {number}")
            await tenancy_store.insert_membership(tx, team, operator.user_id, Role.OWNER, clock.stamp())
    return operator


class _Member(msgspec.Struct, frozen=True):
    org_id: str
    team_id: str
    user_id: str


async def members(db: Db) -> list[Principal]:
    """Return a member of each team, the oldest team first."""
    rows = await db.all(_Member, "SELECT org_id, team_id, user_id FROM memberships ORDER BY team_id")
    return [Principal("api", Call(), user_id=row.user_id, org_id=row.org_id, team_id=row.team_id) for row in rows]


async def fill(
    db: Db, count: int, owner: Callable[[int], Principal], *, kind: str = KIND, channel: str = "",
    input: EncodedInput = _EMPTY,
) -> None:  # fmt: skip
    """Bulk-insert `count` jobs without promoting them."""
    estimate = None if input.estimate is None else as_json(input.estimate)

    def rows() -> Iterator[tuple[Any, ...]]:
        now, where = clock.stamp(), channel or jobs.local_channel(kind)
        for number in range(count):
            who = owner(number)
            yield (
                new_id(), who.org_id, who.team_id, who.user_id, kind, where, "queued", "ready", 1, now, 0, 3, 0, estimate,
                input.json, now,
            )  # fmt: skip

    async with db.engine.bulk_load() as loading:
        await loading.load("jobs", _COLUMNS, rows())
