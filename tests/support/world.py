"""A complete instance in the test process, on either database, with helpers to add people and companies."""

import asyncio
import itertools
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from typing import Any

import httpx2
import msgspec

from teamspace import fulltext, identity
from teamspace.app import App, open_database
from teamspace.core import clock, crypto
from teamspace.core.counts import SharedCounts
from teamspace.core.db import Tx
from teamspace.core.egress import NetworkReach
from teamspace.core.ids import new_id
from teamspace.core.loader import Tables
from teamspace.core.principal import system
from teamspace.executors import store as executor_store
from teamspace.executors.schemas import ExecutorRow, Mode
from teamspace.identity import store as identity_store
from teamspace.quota import Plan
from teamspace.settings import Settings
from teamspace.tenancy import store as tenancy_store
from teamspace.tenancy.domain import founding
from teamspace.tenancy.schemas import Org, OrgRole, Role, Team
from tests.support.plain_request import is_plain, send_plain
from tests.support.writes import TABLES

PASSWORD = "correct horse battery"

# httpx2 tries to import it for every request; searching for a missing package takes a third of the request's time.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]


class Caller:
    """An HTTP client with one credential; every call passes the gate."""

    def __init__(self, world: "World", token: str | None, **facts: Any) -> None:
        self.world = world
        self.token = token
        self.user_id: str = facts.get("user_id", "")
        self.username: str = facts.get("username", "")
        self.team: Team = facts.get("team")  # type: ignore[assignment]
        self.org: Org = facts.get("org")  # type: ignore[assignment]

    async def __call__(self, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        headers = dict(options.pop("headers", {}))
        if self.token is not None:
            headers.setdefault("authorization", f"Bearer {self.token}")
        if is_plain(path, headers, options):
            return await send_plain(self.world.client, method, path, body, headers)
        return await self.world.client.request(method, path, json=body, headers=headers, **options)

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        return await self("GET", path, **options)

    async def post(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return await self("POST", path, {} if body is None else body, **options)

    async def put(self, path: str, body: Any, **options: Any) -> httpx2.Response:
        return await self("PUT", path, body, **options)

    async def delete(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return await self("DELETE", path, body, **options)

    async def delete_for_good(self, path: str) -> httpx2.Response:
        """Delete something, and then what is left of it in the trash; return the first response."""
        answer = await self.delete(path)
        assert (await self.delete(f"/api/trash/{path.rpartition('/')[2]}")).status_code == 204
        return answer


class World:
    """One instance. Further people and companies are inserted directly, for speed."""

    def __init__(self, apps: Sequence[App], client: httpx2.AsyncClient) -> None:
        self.apps = apps
        """One for each process."""
        self.app = apps[0]
        self.db = self.app.db
        self.client = client
        self.anonymous = Caller(self, None)
        self._numbers = itertools.count(1)

    async def bootstrap(self, username: str = "ann") -> Caller:
        """Set up the instance over HTTP; return its operator."""
        answer = await self.anonymous.post("/api/bootstrap", {"username": username, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        created = answer.json()
        return Caller(
            self, created["token"], user_id=created["user"]["id"], username=username,
            org=msgspec.convert(created["org"], Org), team=msgspec.convert(created["team"], Team),
        )  # fmt: skip

    async def company(self, name: str | None = None) -> tuple[Org, Team]:
        async with self._setup() as tx:
            org = await founding.create_org(tx, name or f"Company {next(self._numbers)}", plan=Plan.FREE)
            tx.org_id = org.id
            return org, await founding.add_team(tx, org.id, "First")

    async def team(self, org: Org, name: str | None = None) -> Team:
        async with self._setup(org) as tx:
            return await founding.add_team(tx, org.id, name or f"Team {next(self._numbers)}")

    async def person(
        self, org: Org, team: Team | None, role: Role = Role.MEMBER, *, username: str | None = None,
        org_role: OrgRole | None = None, operator: bool = False, password: str | None = None,
    ) -> Caller:  # fmt: skip
        """A person with an unscoped API token; without a team, no credential."""
        name = username or f"person{next(self._numbers)}"
        password_hash = await identity.hash_password(password) if password else None
        async with self._setup(org) as tx:
            person = await identity.register(
                tx, org_id=org.id, username=name, display_name=None, password_hash=password_hash, operator=operator
            )
            if org_role:
                await tenancy_store.put_org_role(tx, org.id, person.id, org_role, clock.stamp())
            token = await self._join(tx, org, team, person.id, role) if team else None
        return Caller(self, token, user_id=person.id, username=name, org=org, team=team)

    async def join(self, caller: Caller, team: Team, role: Role = Role.MEMBER) -> Caller:
        """The same person in another team, with a token for it."""
        async with self._setup(caller.org) as tx:
            token = await self._join(tx, caller.org, team, caller.user_id, role)
        return Caller(self, token, user_id=caller.user_id, username=caller.username, org=caller.org, team=team)

    async def token(self, caller: Caller, *, scope: list[str] | None = None, ttl: float | None = None) -> Caller:
        """Another API token of the same person: scoped, or already expired with a negative `ttl`."""
        async with self._setup(caller.org) as tx:
            issued = await identity.issue_token(
                tx,
                user_id=caller.user_id,
                org_id=caller.org.id,
                team_id=caller.team.id,
                name="test",
                scope=scope,
                ttl=ttl,
            )
        return self._with_token(caller, issued.token)

    async def session(self, caller: Caller) -> Caller:
        """The same person with a new session."""
        async with self._setup(caller.org) as tx:
            _, token, _ = await identity.open_session(
                tx, user_id=caller.user_id, org_id=caller.org.id, team_id=caller.team.id
            )
        return self._with_token(caller, token)

    async def worker(self, org: Org, team: Team) -> Caller:
        """A worker of the company's own executor."""
        token, token_id = crypto.new_token("w"), new_id()
        async with self._setup(org) as tx:
            await identity_store.insert_token(
                tx, id=token_id, kind="worker", org_id=org.id, team_id=team.id, user_id=None, name="worker",
                digest=crypto.digest(token), hint=token[:9], scope=None, created_at=clock.stamp(), expires_at=None,
                last_used_at=None, address="", agent="",
            )  # fmt: skip
            executor = ExecutorRow(
                new_id(), org.id, new_id(), Mode.PULL, None, ["ai.chat"], token_id, None, None, NetworkReach.PUBLIC,
                clock.stamp(), None,
            )  # fmt: skip
            await executor_store.insert(tx, executor, executor.name, "", None)
        return Caller(self, token, org=org, team=team)

    async def revoke(self, caller: Caller) -> None:
        async with self._setup(caller.org) as tx:
            await tx.run(
                "UPDATE tokens SET revoked_at = :now WHERE digest = :digest",
                now=clock.stamp(), digest=crypto.digest(caller.token or ""),
            )  # fmt: skip

    async def suspend(self, org: Org) -> None:
        async with self._setup(org) as tx:
            await tx.run("UPDATE orgs SET suspended_at = :now WHERE id = :id", now=clock.stamp(), id=org.id)

    async def counts(self) -> dict[str, int]:
        """The number of rows in every table, to check that nothing was inserted or deleted."""
        return {table: await self.db.one(int, f"SELECT COUNT(*) FROM {table}") or 0 for table in TABLES}

    def _with_token(self, caller: Caller, token: str) -> Caller:
        return Caller(self, token, user_id=caller.user_id, username=caller.username, org=caller.org, team=caller.team)

    async def _join(self, tx: Tx, org: Org, team: Team, user_id: str, role: Role) -> str:
        await tenancy_store.insert_membership(tx, team, user_id, role, clock.stamp())
        issued = await identity.issue_token(
            tx, user_id=user_id, org_id=org.id, team_id=team.id, name="test", scope=None, ttl=None
        )
        return issued.token

    @asynccontextmanager
    async def _setup(self, org: Org | None = None) -> AsyncIterator[Tx]:
        async with self.db.maintenance(system(org_id=org.id if org else "")) as tx:
            yield tx


def _taking_turns(gates: Sequence[Any]) -> Any:
    """Each request goes to the next process, as if every one came over a connection of its own."""
    turns = itertools.cycle(gates)

    async def call(scope: Any, receive: Any, send: Any) -> None:
        await next(turns)(scope, receive, send)

    return call


def _hanging_up(gate: Any) -> Any:
    """The in-process client does not stream: it disconnects from the endless stream of events after the first bytes."""

    async def call(scope: Any, receive: Any, send: Any) -> None:
        heard, is_stream, is_over = asyncio.Event(), False, False

        async def receive_or_end() -> Any:
            if not is_stream:
                return await receive()
            await heard.wait()
            return {"type": "http.disconnect"}

        async def watch(message: Any) -> None:
            nonlocal is_stream, is_over
            if message["type"] == "http.response.start":
                is_stream = scope["method"] == "GET" and (b"content-type", b"text/event-stream") in message["headers"]
            else:
                is_over = not message.get("more_body", False)
                heard.set()
            await send(message)

        await gate(scope, receive_or_end, watch)
        if is_stream and not is_over:
            await send({"type": "http.response.body", "body": b""})

    return call


def _counts(settings: Settings, position: int, processes: int) -> SharedCounts | None:
    return SharedCounts(settings.data / "counts.memory", position, processes) if processes > 1 else None


@asynccontextmanager
async def world(settings: Settings, tables: Tables | None = None, *, processes: int = 1) -> AsyncIterator[World]:
    """Open an instance. With several `processes`, as many servers share its database like processes do, and requests take
    turns between them; the world's own `app` and `db` are those of the first."""
    fulltext.load()
    async with AsyncExitStack() as stack:
        databases = [await stack.enter_async_context(open_database(settings)) for _ in range(processes)]
        counts = [_counts(settings, position, processes) for position in range(processes)]
        apps = [App(settings, db, None, tables, taken) for db, taken in zip(databases, counts, strict=True)]
        gate = _hanging_up(_taking_turns([app.gate for app in apps]) if len(apps) > 1 else apps[0].gate)
        transport = httpx2.ASGITransport(app=gate, client=("127.0.0.1", 50000))
        async with httpx2.AsyncClient(transport=transport, base_url="http://teamspace.test") as client:
            yield World(apps, client)
        for app in apps:
            await app.readers.end()
            await app.fleet.egress.aclose()
