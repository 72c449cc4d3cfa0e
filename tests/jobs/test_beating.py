"""Heartbeats of jobs that run in the server itself."""

import asyncio

import pytest

from teamspace.core.errors import StaleClaim
from teamspace.jobs.domain import runner
from teamspace.jobs.domain.runner import HeartbeatLoop


class Beats:
    """Counts heartbeats; the second raises the fault, if there is one."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.count, self.fault = 0, fault
        self.third = asyncio.Event()

    async def __call__(self) -> None:
        self.count += 1
        if self.count == 3:
            self.third.set()
        if self.fault and self.count == 2:
            raise self.fault


@pytest.fixture(autouse=True)
def short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_LEASE", 0.03)


async def test_long_work_sends_heartbeats_until_it_ends() -> None:
    beats = Beats()
    with HeartbeatLoop(beats, "job"):
        await asyncio.wait_for(beats.third.wait(), 5)
    seen = beats.count
    await asyncio.sleep(0.05)
    assert beats.count == seen


async def test_a_stale_claim_ends_the_work() -> None:
    with pytest.raises(StaleClaim), HeartbeatLoop(Beats(StaleClaim("jobs.stale_claim")), "job"):
        await asyncio.sleep(10)
    await asyncio.sleep(0)  # the task itself is not cancelled


async def test_heartbeats_continue_after_one_fails() -> None:
    beats = Beats(RuntimeError("no connection"))
    with HeartbeatLoop(beats, "job"):
        await asyncio.wait_for(beats.third.wait(), 5)


async def test_work_can_be_cancelled_after_its_claim_went_stale() -> None:
    async def work() -> None:
        with HeartbeatLoop(Beats(StaleClaim("jobs.stale_claim")), "job"):
            try:
                await asyncio.sleep(10)
            except asyncio.CancelledError:
                task.cancel()
                raise

    task = asyncio.create_task(work())
    with pytest.raises(asyncio.CancelledError):
        await task
