"""Helpers for tests of people and teams: a manual clock, signing in, TOTP codes, races, and the audit log."""

import asyncio
import base64
import hmac
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from argon2 import PasswordHasher

from teamspace import wiring
from teamspace.core import clock
from teamspace.core.db import Tx, audit, columns, connections, postgres
from teamspace.core.db.statements import written_table
from teamspace.core.principal import Principal, system
from teamspace.identity.domain import passwords, sign_in
from tests.support.tampering import tamper
from tests.support.world import PASSWORD, Caller, World

OTHER_PASSWORD = "staple lantern orbit"
CLIENTS = 20


class Hands:
    """A manual clock for the server."""

    def __init__(self) -> None:
        self.at = float(int(time.time()))

    def __call__(self) -> float:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += seconds


class Hasher:
    """Counts password verifications."""

    def __init__(self, real: PasswordHasher) -> None:
        self.real = real
        self.verified = 0

    def verify(self, stored: str, password: str) -> bool:
        self.verified += 1
        return self.real.verify(stored, password)

    def hash(self, password: str) -> str:
        return self.real.hash(password)


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    hands = Hands()
    monkeypatch.setattr(clock, "now", hands)
    return hands


@pytest.fixture
def hasher(monkeypatch: pytest.MonkeyPatch) -> Hasher:
    counting = Hasher(passwords.hasher)
    monkeypatch.setattr(passwords, "hasher", counting)
    return counting


@pytest.fixture
def no_attempt_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lift the attempt limit, which would stop races after five sign-ins."""
    for limit in ("PER_PAIR", "PER_ADDRESS", "PER_USERNAME"):
        monkeypatch.setattr(sign_in, limit, 1_000_000)


# Signing in


async def login(world: World, username: str, password: str = PASSWORD, **more: Any) -> httpx2.Response:
    return await world.anonymous.post("/api/login", {"username": username, "password": password, **more})


async def signed_in(world: World, username: str, password: str = PASSWORD, **more: Any) -> Caller:
    """Sign in and return the person with their new session."""
    answer = await login(world, username, password, **more)
    assert answer.status_code == 200, answer.text
    return Caller(world, answer.json()["token"], user_id=answer.json()["user"]["id"], username=username)


async def is_alive(caller: Caller) -> bool:
    answer = await caller.get("/api/whoami")
    assert answer.status_code in (200, 401), answer.text
    return answer.status_code == 200


@asynccontextmanager
async def reached_from(world: World, address: str) -> AsyncIterator[World]:
    """The same instance, called from another address."""
    transport = httpx2.ASGITransport(app=world.app.gate, client=(address, 50000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://teamspace.test") as client:
        yield World(world.apps, client)


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    """Return status and code of a refusal; fails for a success."""
    return answer.status_code, answer.json()["code"]


def conflict(answer: httpx2.Response) -> str:
    """Return the pointer of a conflict, whose only error has the message of the refusal."""
    assert refusal(answer) == (409, "conflict"), answer.text
    [fault] = answer.json()["errors"]
    assert fault["message"] == answer.json()["detail"]
    pointer: str = fault["pointer"]
    return pointer


# The second factor


def code(secret: str, at: float) -> str:
    """Compute a TOTP code by RFC 6238, independently of the server's library."""
    step = (int(at) // 30).to_bytes(8, "big")
    digest = hmac.digest(base64.b32decode(secret), step, "sha1")
    start = digest[-1] & 0xF
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFF_FFFF
    return f"{number % 1_000_000:06d}"


async def enrolled(caller: Caller) -> dict[str, Any]:
    """Enable the caller's second factor and return its secret and recovery codes."""
    answer = await caller.post("/api/2fa/enable")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


# Races


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have losers wait for the winner however long it takes on a busy machine: by default PostgreSQL gives up after 3 s."""
    for limit in ("lock_timeout", "statement_timeout"):
        monkeypatch.setitem(postgres._LIMITS, limit, "60s")
    monkeypatch.setattr(postgres, "COMMAND_SECONDS", 70.0)
    monkeypatch.setattr(connections, "WAIT_SECONDS", 60.0)


async def race(requests: Iterable[Awaitable[httpx2.Response]]) -> Counter[int]:
    """Send all requests at once and count the statuses."""
    return Counter(answer.status_code for answer in await asyncio.gather(*requests))


class Pause:
    """Pauses the next request just before the transaction of `action`, so that others can run in between.

    With `guarded` the pause is in the transaction, after its guard.
    """

    def __init__(self, world: World, action: str, *, guarded: bool = False) -> None:
        self.reached, self.over = asyncio.Event(), asyncio.Event()
        self._write: Callable[..., AbstractAsyncContextManager[Tx]] = world.db.write
        self._action, self._guarded = action, guarded
        world.db.write = self._paused_write  # type: ignore[method-assign]

    @asynccontextmanager
    async def _paused_write(self, who: Principal, action: str | None, **options: Any) -> AsyncIterator[Tx]:
        chosen = action == self._action and not self.reached.is_set()
        if chosen and not self._guarded:
            await self._wait()
        async with self._write(who, action, **options) as tx:
            if chosen and self._guarded:
                await tx._session.flush()  # on PostgreSQL the guard waits for the rows
                await self._wait()
            yield tx

    async def _wait(self) -> None:
        self.reached.set()
        await self.over.wait()

    async def during(self, slow: Awaitable[httpx2.Response], between: Awaitable[Any]) -> httpx2.Response:
        """Run `between` while `slow` is paused, and return the answer to `slow`."""
        answer = asyncio.ensure_future(slow)
        await self.reached.wait()
        await between
        self.over.set()
        return await answer


# Database


async def trail(world: World) -> list[audit.AuditRow]:
    """Return the audit rows, oldest first."""
    return await world.db.all(audit.AuditRow, f"SELECT {columns(audit.AuditRow)} FROM audit ORDER BY id")


async def broken(world: World) -> list[str]:
    """Return the names of the broken invariants."""
    return [row.name for row in wiring.INVARIANTS if await world.db.exists(row.sql)]


async def run_sql(world: World, sql: str, **params: Any) -> None:
    async with world.db.maintenance(system()) as tx:
        await (tamper if written_table(sql) == "audit" else Tx.run)(tx, sql, **params)
