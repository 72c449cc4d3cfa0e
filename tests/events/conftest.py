"""Fixtures for tests of events."""

from collections.abc import AsyncIterator

import pytest

from tests.events.help import Process, process
from tests.support.world import Caller, World


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def server(world: World) -> AsyncIterator[Process]:
    async with process(world) as running:
        yield running
