"""A request is paid once, also if two servers ask it at the same time, and if the server that asked is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest

from teamspace import ai
from teamspace.completions import ModelRequest
from teamspace.core.errors import ExecutorFailed
from teamspace.core.principal import system
from teamspace.settings import Settings
from tests.executors.help import MODEL, executor, push
from tests.mcp.help import loop_watched
from tests.pipeline.help import count, principal
from tests.support.model_server import ModelServer, says
from tests.support.upstream import Behaviour, ReceivedRequest, status
from tests.support.world import Caller, World
from tests.support.world import world as open_world

pytestmark = pytest.mark.both_databases
PAID = {"text": "Paid", "model": "tiny", "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}}


async def ask(ann: Caller, server: int, model: str | None = None) -> tuple[str, bool]:
    """Ask one of the servers; return the answer, and whether it was a kept one."""
    app = ann.world.apps[server]
    who = await principal(ann)
    request = ModelRequest("What?", model=model)
    given = await ai.ask_once(app.dependencies[ai.Gateway], app.db, who, request, purpose="test")
    return given.answer.text, given.reused


def held(gate: asyncio.Event, then: Behaviour) -> Behaviour:
    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        await then(request, writer)

    return behave


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - the other server has no event
            await asyncio.sleep(0.02)


@pytest.fixture
async def calling(settings: Settings) -> AsyncIterator[tuple[World, Caller, ModelServer]]:
    """Two servers that call one model server."""
    async with ModelServer() as server:
        allowed = msgspec.structs.replace(settings, egress_allow=frozenset([server.address]), workers=2)
        async with open_world(allowed, processes=2) as world:
            ann = await world.bootstrap()
            await push(ann, server)
            yield world, ann, server


async def test_the_second_server_waits_for_the_answer_of_the_first(
    calling: tuple[World, Caller, ModelServer],
) -> None:
    _, ann, server = calling
    gate = asyncio.Event()
    server.script([held(gate, says("Paid")), says("Twice")])
    first = asyncio.create_task(ask(ann, 0))
    await until(lambda: server.bodies)
    second = asyncio.create_task(ask(ann, 1))
    await asyncio.wait([second], timeout=0.5)
    assert not second.done()
    gate.set()
    assert await first == ("Paid", False)
    assert await second == ("Paid", True)
    assert len(server.bodies) == 1
    assert await count(ann, "quota_ledger") == 1
    assert await count(ann, "audit WHERE action = 'ai.call'") == 1


async def test_many_wait_for_one_without_holding_the_event_loop(calling: tuple[World, Caller, ModelServer]) -> None:
    """The reservation that the others find may not be committed yet."""
    _, ann, server = calling
    server.script([says("Paid", pause=0.3), says("Twice")])
    async with loop_watched():
        answers = await asyncio.gather(*(ask(ann, number % 2) for number in range(10)))
    assert sorted(answers) == [("Paid", False), *[("Paid", True)] * 9]
    assert len(server.bodies) == 1


async def test_if_the_first_fails_the_second_asks(calling: tuple[World, Caller, ModelServer]) -> None:
    _, ann, server = calling
    gate = asyncio.Event()
    server.script([held(gate, status(400)), says("Second")])
    first = asyncio.create_task(ask(ann, 0))
    await until(lambda: server.bodies)
    second = asyncio.create_task(ask(ann, 1))
    await asyncio.wait([second], timeout=0.2)
    gate.set()
    with pytest.raises(ExecutorFailed):
        await first
    assert await second == ("Second", False)


async def test_a_server_that_was_killed_is_waited_for_until_its_reservation_expires(
    calling: tuple[World, Caller, ModelServer],
) -> None:
    world, ann, server = calling
    server.script([held(asyncio.Event(), says("Never")), says("Second")])
    first = asyncio.create_task(ask(ann, 0))
    await until(lambda: server.bodies)
    first.cancel()
    await asyncio.wait([first])
    second = asyncio.create_task(ask(ann, 1))
    await asyncio.wait([second], timeout=0.5)
    assert not second.done()
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE quota_ledger SET expires_at = moment(-1)")
    assert await second == ("Second", False)


async def test_the_answer_of_a_worker_is_kept_when_its_job_ends_whoever_waits(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, workers=2), processes=2) as world:
        ann = await world.bootstrap()
        _, worker = await executor(world, ann, model=MODEL)
        await worker.claim()  # from now on it counts as present
        first = asyncio.create_task(ask(ann, 0, MODEL))
        claimed = await worker.claim_job(max_wait=10)
        second = asyncio.create_task(ask(ann, 1, MODEL))
        await asyncio.wait([second], timeout=0.5)
        first.cancel()  # its server is killed
        await asyncio.wait([first])
        answer = await worker.report("complete", claimed, result=PAID)
        assert answer.status_code == 204, answer.text
        assert await second == ("Paid", True)
        assert await ask(ann, 0, MODEL) == ("Paid", True)
        assert await count(ann, "jobs WHERE kind = 'ai.chat'") == 1
        assert await count(ann, "quota_ledger") == 1
