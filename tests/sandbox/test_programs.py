"""The end of a program in the sandbox, when whoever ends it is cancelled at that moment."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from teamspace.sandbox.programs import SandboxedProgram


def process(ended: asyncio.Event) -> Any:
    """A process that ends when it is killed."""
    stdout, stderr = asyncio.StreamReader(), asyncio.StreamReader()
    stdout.feed_eof()
    stderr.feed_eof()
    return SimpleNamespace(
        stdin=SimpleNamespace(close=lambda: None), stdout=stdout, stderr=stderr, returncode=None, wait=ended.wait,
        kill=ended.set,
    )  # fmt: skip


@pytest.mark.parametrize("steps", range(6))
async def test_a_cancellation_is_not_lost_when_the_program_ends(steps: int) -> None:
    """`steps` of the event loop lie between the end of the process and the cancellation."""
    killed, was_cancelled = asyncio.Event(), False

    async def end() -> None:
        await SandboxedProgram(process(killed)).end()
        await asyncio.sleep(60)

    ending = asyncio.create_task(end())
    await killed.wait()
    for _ in range(steps):
        await asyncio.sleep(0)
    ending.cancel()
    try:
        async with asyncio.timeout(5):
            await ending
    except asyncio.CancelledError:
        was_cancelled = True
    assert was_cancelled
