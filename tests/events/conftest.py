"""Fixtures for tests of events."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import uvloop

from tests.events.help import Process, process
from tests.support.world import Caller, World


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """These tests run on the server's event loop, whose timers differ from those of asyncio's own."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def server(world: World) -> AsyncIterator[Process]:
    async with process(world) as running:
        yield running
