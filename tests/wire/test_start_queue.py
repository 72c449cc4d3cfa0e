"""The order in which requests begin: a few at a time, urgent ones at once, and none for a client that has left."""

import asyncio
import contextlib
from typing import Any

from teamspace.core.wire.start_queue import Start, StartQueue
from tests.wire.help import running, until

OTHER, URGENT = (b"GET %b HTTP/1.1\r\nHost: a\r\n\r\n" % path for path in (b"/ignore", b"/echo"))


def noting(begun: list[Any], name: Any) -> Start:
    """Return a request that only notes that it has begun."""
    return lambda waited: begun.append(name)


async def test_a_few_begin_in_each_iteration_in_the_order_they_came() -> None:
    queue, begun = StartQueue(3), list[int]()
    for number in range(8):
        queue.add(noting(begun, number), urgent=False)
    seen = []
    for _ in range(4):
        seen.append(list(begun))
        await asyncio.sleep(0)
    assert seen == [[0, 1, 2], [0, 1, 2, 3, 4, 5], [*range(8)], [*range(8)]]
    queue.add(noting(begun, 8), urgent=False)
    assert begun[-1] == 8, "nobody waits any more"


async def test_an_urgent_one_begins_at_once_and_no_other_overtakes() -> None:
    queue, begun = StartQueue(1), list[str]()
    for name in ("first", "second", "third"):
        queue.add(noting(begun, name), urgent=False)
    queue.add(noting(begun, "urgent"), urgent=True)
    assert begun == ["first", "urgent"]
    await asyncio.sleep(0)
    queue.add(noting(begun, "late"), urgent=False)
    assert begun == ["first", "urgent", "second"]
    for _ in range(2):
        await asyncio.sleep(0)
    assert begun == ["first", "urgent", "second", "third", "late"]


async def test_each_is_told_how_long_it_has_waited() -> None:
    queue, waits = StartQueue(1), list[float]()
    for _ in range(2):
        queue.add(waits.append, urgent=False)
    assert (waits, len(queue)) == ([0.0], 1)
    await asyncio.get_running_loop().run_in_executor(None, lambda: None)  # an iteration later
    assert waits[1] > 0 and not len(queue)


async def test_a_monitor_is_answered_before_a_burst_of_others() -> None:
    async with running(starts=4, urgent=frozenset({b"/echo"})) as server, contextlib.AsyncExitStack() as clients:
        others = [await clients.enter_async_context(server.connected()) for _ in range(60)]
        monitor = await clients.enter_async_context(server.connected())
        for client in others:
            client.send(OTHER)
        monitor.send(URGENT)
        for client in (*others, monitor):
            assert (await client.response())[0] == 200
        assert server.app.paths.index("/echo") < 30 and sorted(server.app.paths) == ["/echo"] + ["/ignore"] * 60


async def test_a_request_whose_client_has_left_does_not_begin() -> None:
    async with running(starts=0, urgent=frozenset({b"/echo"})) as server:
        async with server.connected() as client:
            client.send(OTHER)
            await until(lambda: len(server.server.starts) == 1)
        async with server.connected() as monitor:
            monitor.send(URGENT)
            assert (await monitor.response())[0] == 200
        await until(lambda: not server.connections)
        server.server.starts._limit = 1
        server.server.starts._continue()
        await asyncio.sleep(0)
        assert server.app.paths == ["/echo"]
