"""What a process remembers of jobs that remote workers have."""

import msgspec
import pytest

from teamspace.jobs.domain import handed_out
from teamspace.jobs.domain.handed_out import HandedOut
from tests.jobs.help import claim, create_job, queue
from tests.support.world import World


async def test_the_newest_jobs_are_remembered_up_to_a_total_size(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    await create_job(ann)
    await queue(world).promote(world.db)
    [(job, first)] = await claim(world)
    claims = [msgspec.structs.replace(first, job_id=str(number)) for number in range(5)]
    monkeypatch.setattr(handed_out, "_MAX_SIZE", 3 * handed_out._size(job))
    memory = HandedOut()
    for one in claims:
        memory.keep(job, one)
    assert [memory.get(one) is job for one in claims] == [False, False, True, True, True]
    assert memory.get(msgspec.structs.replace(claims[4], secret="another")) is None
    for one in claims:
        memory.forget(one)
    assert (memory._jobs, memory._size) == ({}, 0)
