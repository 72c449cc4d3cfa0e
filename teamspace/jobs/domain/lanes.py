"""Lanes: fair scheduling between teams, however many jobs each has queued.

At most as many jobs of a lane are admitted as the company's plan allows. Ranks are a virtual clock: the next job of a
busy lane gets a rank one step after the clock, the first job of an idle lane the rank of the clock itself. So a team
with a million queued jobs is one step away from its next turn, like every other team. The admitted jobs are counted
from the rows: there is no counter that could be wrong.
"""

import asyncio
from collections.abc import Collection, Iterable

from teamspace import quota
from teamspace.core.db import Reads, Tx
from teamspace.jobs import store
from teamspace.jobs.domain.channels import local_channel
from teamspace.jobs.schemas import Lane, LaneCapacity, LaneState

STEP = 1000
_FIRST = Lane("", "", "")


async def promote(tx: Tx, lanes: Collection[Lane]) -> tuple[set[str], set[Lane]]:
    """Admit as many jobs as the caps allow; return the channels where they can now be claimed, and the lanes that another
    transaction is promoting.

    Without the lock, a transaction that enqueues and one that finishes a job could each rely on the other to promote. The
    lanes that are left have to be promoted later, since the other may not see what this server has committed.
    """
    by_name = {f"{lane.team_id}:{lane.kind}": lane for lane in lanes}
    locked = await tx.try_lock("lane", *by_name) if lanes else set[str]()
    left = {lane for name, lane in by_name.items() if name not in locked}
    if not locked:
        return set(), left
    states = await store.select_lanes(tx, [by_name[name] for name in sorted(locked)])
    capacities = [_capacity(state) for state in states if not state.suspended and _free_places(state) > 0]
    return set(await store.admit(tx, capacities, STEP)) if capacities else set(), left


async def find_waiting(db: Reads, org_id: str | None = None, kinds: Iterable[str] | None = None) -> list[Lane]:
    """Return every lane with waiting jobs, optionally only of one company or some kinds."""
    lanes, lane, only = [], _FIRST, None if kinds is None else set(kinds)
    while found := await store.next_lane(db, lane, org_id):
        lane = found
        if only is None or lane.kind in only:
            lanes.append(lane)
        await asyncio.sleep(0)  # there can be thousands of lanes, and requests must not wait for them
    return lanes


def _free_places(state: LaneState) -> int:
    return quota.JOB_CAPS[state.plan] - state.taken


def _capacity(state: LaneState) -> LaneCapacity:
    after = state.clock - STEP if state.taken == 0 else max(state.clock, state.highest_rank or 0)
    return LaneCapacity(state.org_id, state.team_id, state.kind, local_channel(state.kind), _free_places(state), after)
