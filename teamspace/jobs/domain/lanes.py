"""Lanes: who is let in when. Fair between teams, whatever each of them has piled up.

A lane holds at most so many admitted jobs as its plan allows. Ranks are a virtual clock: a busy lane's next job is
placed one step beyond what the queue has come to, an idle lane's first job right at it. So a team with a
million jobs waiting is one step away from its next turn, like everybody else. How full a lane is, is counted from
the jobs themselves: there is no counter that could be wrong.
"""

from collections.abc import Iterable

from teamspace import quota
from teamspace.core.db import Db, Tx
from teamspace.core.principal import system
from teamspace.jobs import store
from teamspace.jobs.domain.places import local_place
from teamspace.jobs.schemas import Lane

STEP = 1000
_FIRST = Lane("", "", "")


async def promote(tx: Tx, lane: Lane) -> set[str]:
    """Let in as many as there is room for; the places where they can now be claimed.

    The lock closes the gap in which one who enqueues and one who finishes would each leave it to the other.
    """
    await tx.lock("lane", f"{lane.team_id}:{lane.kind}")
    state = await store.get_lane(tx, lane)
    if state is None or state.suspended:
        return set()
    room = quota.JOB_CAPS[state.plan] - state.taken
    if room <= 0:
        return set()
    clock = state.clock or 0
    after = clock - STEP if state.taken == 0 else max(clock, state.top or 0)
    places = [local_place(lane.kind), *await store.select_places(tx, lane.kind, lane.org_id)]
    return set(await store.admit(tx, lane, places, room=room, after=after, step=STEP))


async def promote_all(tx: Tx, lanes: Iterable[Lane]) -> set[str]:
    """In one order for everybody, so that two never wait for each other."""
    admitted: set[str] = set()
    for lane in sorted(set(lanes), key=lambda lane: (lane.org_id, lane.team_id, lane.kind)):
        admitted |= await promote(tx, lane)
    return admitted


async def promote_waiting(db: Db, org_id: str | None = None, kinds: frozenset[str] | None = None) -> set[str]:
    """Every lane in which somebody waits; of one company, or of some kinds."""
    admitted: set[str] = set()
    lane = _FIRST
    while found := await store.next_lane(db, lane, org_id):
        lane = found
        if kinds is None or lane.kind in kinds:
            async with db.upkeep(system()) as tx:
                admitted |= await promote(tx, lane)
    return admitted
