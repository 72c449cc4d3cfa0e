"""The gate in front of the routes of `lab`, with a real database and real callers."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx2
import pytest

from teamspace import tenancy
from teamspace.core.http import Gate
from teamspace.core.limits import Notifier, Rate, Stopping
from teamspace.core.routing import bind
from teamspace.core.wire import Server, WireLimits
from tests.core import lab
from tests.support.world import Caller, World

PROVISION = "provision-token-of-the-tests"


class Lab:
    """The gate with its settings; call it to send a request as a caller."""

    def __init__(self, world: World, *, token_rate: Rate | None = None, anonymous_rate: Rate | None = None) -> None:
        self.stopping = Stopping()
        self.counted, self.gifts = lab.Counted(), lab.Gifts()
        endpoints, faults = bind([lab], {
            Notifier: Notifier(self.stopping), lab.Tries: lab.Tries(), lab.Counted: self.counted, lab.Gifts: self.gifts,
        })  # fmt: skip
        assert not faults
        self.gate = Gate(
            endpoints, world.db, tenancy.CallerCache(world.app.last_use).identify, stopping=self.stopping,
            token_rate=token_rate or Rate(0, 0), anonymous_rate=anonymous_rate or Rate(0, 0), provision_token=PROVISION,
        )  # fmt: skip
        transport = httpx2.ASGITransport(app=self.gate, client=("127.0.0.1", 50000))
        self.client = httpx2.AsyncClient(transport=transport, base_url="http://teamspace.test")

    async def __call__(self, who: Caller | None, method: str, path: str, **options: object) -> httpx2.Response:
        headers = {"authorization": f"Bearer {who.token}"} if who else {}
        return await self.client.request(method, path, headers=headers, **options)  # type: ignore[arg-type]

    @asynccontextmanager
    async def served(self, limits: WireLimits | None = None) -> AsyncIterator[str]:
        """The same gate behind the real HTTP server: an in-process client does not stream."""
        server = Server(self.gate, limits=limits or WireLimits(sweep=0.05))
        port = await server.listen("127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            self.stopping.begin()
            await server.drain()
            await self.gate.wait_idle()
            server.abort()
            await server.wait_closed()


@pytest.fixture
def build_lab(world: World) -> Callable[..., Lab]:
    return lambda **options: Lab(world, **options)


@pytest.fixture
def bench(world: World) -> Lab:
    return Lab(world)
