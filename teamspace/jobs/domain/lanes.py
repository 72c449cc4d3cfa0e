"""Lanes: who is let in when. Fair between teams, whatever each of them has piled up.

A lane holds at most so many admitted jobs as its plan allows. Ranks are a virtual clock: a busy lane's next job is
placed one step beyond what the queue has come to, an idle lane's first job right at it. So a team with a
million jobs waiting is one step away from its next turn, like everybody else. How full a lane is, is counted from
the jobs themselves: there is no counter that could be wrong.
"""

import asyncio
from collections.abc import Collection, Iterable

from teamspace import quota
from teamspace.core.db import Reads, Tx
from teamspace.jobs import store
from teamspace.jobs.domain.places import local_place
from teamspace.jobs.schemas import Lane, LaneState, Place, Room

STEP = 1000
_FIRST = Lane("", "", "")


async def promote(tx: Tx, lanes: Collection[Lane]) -> set[str]:
    """Let in as many as there is room for; the places where they can now be claimed.

    The lock closes the gap in which one who enqueues and one who finishes would each leave it to the other.
    """
    if not lanes:
        return set()
    await tx.lock("lane", *(f"{lane.team_id}:{lane.kind}" for lane in lanes))
    states = await store.select_lanes(tx, list(lanes))
    served = await store.select_places(tx)
    rooms = [_room(state, served) for state in states if not state.suspended and _left(state) > 0]
    return set(await store.admit(tx, rooms, STEP)) if rooms else set()


async def waiting(db: Reads, org_id: str | None = None, kinds: Iterable[str] | None = None) -> list[Lane]:
    """Every lane in which somebody waits; of one company, or of some kinds."""
    lanes, lane, only = [], _FIRST, None if kinds is None else set(kinds)
    while found := await store.next_lane(db, lane, org_id):
        lane = found
        if only is None or lane.kind in only:
            lanes.append(lane)
        await asyncio.sleep(0)  # let requests pass: there may be thousands of lanes
    return lanes


def _left(state: LaneState) -> int:
    return quota.JOB_CAPS[state.plan] - state.taken


def _room(state: LaneState, served: list[Place]) -> Room:
    after = state.clock - STEP if state.taken == 0 else max(state.clock, state.top or 0)
    places = {
        local_place(state.kind),
        *(place.place for place in served if place.kind == state.kind and place.org_id in ("", state.org_id)),
    }
    return Room(state.team_id, tuple(sorted(places)), _left(state), after)
