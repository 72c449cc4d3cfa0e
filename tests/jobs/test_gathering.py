"""Workers that ask at the same time share a claim: each gets one job, and none is lost with a worker that leaves."""

import asyncio
from collections.abc import Sequence

import msgspec
import pytest

from teamspace.core.db import Tx
from teamspace.jobs import JobClaim, Queue, Succeeded
from teamspace.jobs.domain.gathering import Claimed, GatheredClaims
from tests.executors.help import create_job, executor
from tests.jobs.help import broken_invariants
from tests.support.world import World

KEY = "executor"


class Source:
    """A queue of numbered jobs, whose claims wait until they are let through."""

    def __init__(self, jobs: int) -> None:
        self.claims = [JobClaim(str(number), 1, "secret", KEY) for number in range(jobs)]
        self.counts: list[int] = []
        self.returned: list[str] = []
        self.open, self.claimed = asyncio.Event(), asyncio.Event()
        self.fault: Exception | None = None

    async def claim(self, count: int) -> Sequence[Claimed]:
        self.counts.append(count)
        await self.open.wait()
        if self.fault:
            raise self.fault
        taken, self.claims = self.claims[:count], self.claims[count:]
        self.claimed.set()
        return [(None, claim) for claim in taken]  # type: ignore[misc]

    async def give_back(self, claim: JobClaim) -> None:
        self.returned.append(claim.job_id)


def ask(gathered: GatheredClaims, source: Source, count: int) -> list[asyncio.Task[Claimed | None]]:
    return [asyncio.create_task(gathered.take(KEY, source.claim, source.give_back)) for _ in range(count)]


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_those_who_ask_during_a_claim_share_the_next() -> None:
    gathered, source = GatheredClaims(), Source(4)
    first = ask(gathered, source, 2)
    await settle()
    second = ask(gathered, source, 3)
    await settle()
    source.open.set()
    taken = await asyncio.gather(*first, *second)
    assert source.counts == [2, 3]
    assert [claim and claim[1].job_id for claim in taken] == ["0", "1", "2", "3", None]
    assert gathered._gathering._waiting == {}


async def test_a_job_whose_worker_has_left_is_given_back() -> None:
    gathered, source = GatheredClaims(), Source(3)
    one, two, three = ask(gathered, source, 3)
    await settle()
    two.cancel()
    await settle()
    source.open.set()
    left = [await one, await three]
    assert [claim and claim[1].job_id for claim in left] == ["0", "1"]
    await settle()
    assert source.returned == ["2"]


async def test_a_worker_that_leaves_just_when_it_gets_a_job_gives_it_back() -> None:
    gathered, source = GatheredClaims(), Source(1)
    (one,) = ask(gathered, source, 1)
    await settle()
    source.open.set()
    await source.claimed.wait()
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    await settle()
    assert source.returned == ["0"]


async def test_the_one_who_asked_first_can_leave_without_the_others() -> None:
    gathered, source = GatheredClaims(), Source(2)
    one, two = ask(gathered, source, 2)
    await settle()
    one.cancel()
    source.open.set()
    taken = await two
    assert taken and taken[1].job_id == "0"


async def test_a_fault_reaches_all_who_share_the_claim_and_no_one_later() -> None:
    gathered, source = GatheredClaims(), Source(1)
    asked = ask(gathered, source, 2)
    source.fault = RuntimeError("no connection")
    source.open.set()
    assert [type(end) for end in await asyncio.gather(*asked, return_exceptions=True)] == [RuntimeError] * 2
    source.fault = None
    (again,) = ask(gathered, source, 1)
    assert await again


async def test_remote_workers_that_ask_together_get_one_job_each(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    ids = {(await create_job(ann))["id"] for _ in range(6)}
    counts, claim = list[int](), Queue.claim

    async def counted(*args: object, count: int, **options: object) -> object:
        counts.append(count)
        return await claim(*args, count=count, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Queue, "claim", counted)
    taken = await asyncio.gather(*(worker.claim_job(max_wait=5) for _ in range(6)))
    assert {assigned["job"]["id"] for assigned in taken} == ids
    assert len({assigned["claim_token"] for assigned in taken}) == 6
    assert max(counts) > 1, "most shared a transaction"
    for assigned in taken:
        answer = await worker.report("complete", assigned, result=RESULT)
        assert answer.status_code == 204, answer.text
    assert await broken_invariants(world) == []


RESULT = {"text": "Done", "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


async def test_results_that_arrive_together_are_one_write_with_an_audit_row_each(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    ids = {(await create_job(ann))["id"] for _ in range(6)}
    taken = [await worker.claim_job(max_wait=5) for _ in range(6)]
    batches, finish_each = list[int](), Queue.finish_each

    async def counted(queue: Queue, tx: Tx, ended: Sequence[tuple[JobClaim, Succeeded]]) -> object:
        batches.append(len(ended))
        return await finish_each(queue, tx, ended)

    monkeypatch.setattr(Queue, "finish_each", counted)
    other = {**RESULT, "text": "Another"}
    answers = await asyncio.gather(*(worker.report("complete", assigned, result=RESULT) for assigned in taken))
    assert [answer.status_code for answer in answers] == [204] * 6
    assert max(batches) > 1
    forged = {**taken[1], "claim_token": f"{taken[1]['job']['id']}.1.wrong"}
    assert (await worker.report("complete", forged, result=RESULT)).status_code == 409
    again = await asyncio.gather(*(worker.report("complete", taken[0], result=sent) for sent in (RESULT, other)))
    assert [answer.status_code for answer in again] == [204, 409], "a repeated result, and another one"
    rows = await world.db.all(AuditLine, "SELECT target, request_id, team_id FROM audit WHERE action = 'job.complete'")
    assert {row.target for row in rows} == ids and len(rows) == 7
    assert len({row.request_id for row in rows}) == 7 and {row.team_id for row in rows} == {ann.team.id}
    assert await world.db.all(str, "SELECT DISTINCT state FROM jobs") == ["succeeded"]
    assert await broken_invariants(world) == []


class AuditLine(msgspec.Struct, frozen=True):
    target: str
    request_id: str
    team_id: str
