"""A world with three companies and one caller of every kind, and the things they reach for."""

import re
import time
from collections.abc import Mapping
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace import blobs, fulltext, identity
from teamspace.core import clock, crypto
from teamspace.core.db.migrate import bundled_migrations
from teamspace.core.egress import NetworkReach
from teamspace.core.ids import new_id
from teamspace.core.openapi import document
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Principal, system
from teamspace.executors import store as executor_store
from teamspace.executors.schemas import ExecutorRow, Mode
from teamspace.identity import store as identity_store
from teamspace.notes import store as note_store
from teamspace.notes.schemas import NoteRow, Visibility
from teamspace.repository import store as object_store
from teamspace.repository.schemas import AccessLevel, ObjectRow, VersionRow
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Org, OrgRole, Role, Team
from tests.isolation.contract import (
    COMPANIES,
    DISABLED,
    EXACT,
    EXPIRED,
    HOME,
    IDLE,
    KINDS,
    NARROW,
    NONE,
    PROVISION,
    REMOVED,
    REVOKED,
    SESSION,
    SUSPENDED,
    WORKER,
    Kind,
    Place,
    scope,
)
from tests.isolation.outcomes import REQUEST_ID
from tests.support.world import PASSWORD, Caller, World
from tests.support.writes import Writes

_DEFINITION = re.compile(r"CREATE TABLE (\w+) \((.*?)^\)", re.DOTALL | re.MULTILINE)
# The tables whose rows belong to companies, and by which column.
_OWNED = {"orgs": "id"} | {
    table: "org_id"
    for migration in bundled_migrations()
    for table, columns in _DEFINITION.findall(migration.sql)
    if "org_id TEXT" in columns
}
_JUST_TOO_LONG = clock.DAY + 1
_BYTES = b"# Things\n"
PROVISION_TOKEN = "whoever-hosts-this-provisions-it"


class Ask(msgspec.Struct, frozen=True):
    """A request, whoever makes it."""

    method: str
    path: str
    query: dict[str, str] = {}
    body: dict[str, Any] | None = None


class Spot(msgspec.Struct, frozen=True):
    """A team of the world, with a guest in it who owns things there."""

    org: Org
    team: Team
    author: Caller


class Stage:
    def __init__(self, world: World, everything: Caller, writes: Writes) -> None:
        self.world = world
        self.writes = writes
        self.everything = everything
        """Operator, owner and org_owner in one, acting at home."""
        self.hosted: bool = world.app.dependencies[Settings].hosted
        """Whether there is a host, who has suspended the tenant: everything in it."""
        self.host = Caller(world, PROVISION_TOKEN)
        self.spots: dict[Place, Spot] = {}
        self.things: dict[str, str] = {}
        """What stands there for all to try, by name."""
        self._described = document(world.app.endpoints)
        self._people: dict[str, Caller] = {}
        self._scoped: dict[tuple[str, str], Caller] = {}

    @classmethod
    async def built(cls, world: World) -> "Stage":
        stage = cls(world, await world.bootstrap(), await Writes.watched(world.db))
        for first, second in COMPANIES:
            await stage._found(first, second)
        for kind in KINDS:
            stage._people[kind.name] = await stage._person(kind)
        await world.suspend(stage.spots[SUSPENDED].org)
        if stage.hosted:
            await stage._provision()
        return stage

    async def caller(self, kind: Kind, permission: str = "") -> Caller:
        """Somebody of this kind, about to ask a route for `permission`. A session is fresh each time."""
        person = self._people[kind.name]
        if kind.credential is SESSION:
            return await self.world.session(person)
        if kind.credential not in (NARROW, EXACT):
            return person
        key = kind.credential.value, permission
        if key not in self._scoped:
            self._scoped[key] = await self.world.token(person, scope=sorted(scope(kind, permission)))
        return self._scoped[key]

    def person(self, kind: Kind) -> Caller:
        return self._people[kind.name]

    def within_reach(self, kind: Kind) -> Spot:
        """Where the things stand that this kind reaches for: home, or, in a suspended company, its own."""
        return self.spots[SUSPENDED if kind.place is SUSPENDED else HOME]

    async def send(self, caller: Caller, ask: Ask) -> httpx2.Response:
        headers = {"x-request-id": REQUEST_ID}
        return await caller(ask.method, ask.path, ask.body, params=ask.query, headers=headers)

    def undescribed(self, route: str, answer: httpx2.Response) -> list[str]:
        """What the API's description fails to say: every status of a route is there, and every code of a refusal."""
        method, _, path = re.sub(r"[:*](\w+)", r"{\1}", route.partition("?")[0]).partition(" ")
        described = self._described["paths"][path][method.lower()]["responses"].get(str(answer.status_code))
        if described is None:
            return [f"the status {answer.status_code} is not described"]
        code = f"`{answer.json()['code']}`" if answer.is_error else ""
        return [] if code in described["description"] else [f"{answer.status_code} {code} is not described"]

    async def belongings(self, org: Org) -> dict[str, list[str]]:
        """Every row that is the company's."""
        return {
            table: sorted(repr(row) for row in await self.world.db.engine.fetch(
                f"SELECT * FROM {table} WHERE {column} = :org_id", {"org_id": org.id}
            ))
            for table, column in _OWNED.items()
        }  # fmt: skip

    # Things, each fresh, made below HTTP: a suspended company has some too.

    async def note(
        self, spot: Spot, visibility: Visibility, *, owner: Caller | None = None, lent: Mapping[str, str] | None = None,
        title: str = "Note",
    ) -> str:  # fmt: skip
        owner_id, now = (owner or spot.author).user_id, clock.stamp()
        row = NoteRow(
            id=new_id(), team_id=spot.team.id, owner_id=owner_id, title=title, body="isolation", visibility=visibility,
            tags=[], version=1, created_at=now, updated_at=now,
        )  # fmt: skip
        async with self.world.db.maintenance(system(org_id=spot.org.id)) as tx:
            await note_store.insert(tx, spot.org.id, row)
            await fulltext.put(
                tx, note_store.KIND, row.id, spot.org.id, title=title, body=await fulltext.prepare(row.body)
            )
            for user_id, permission in (lent or {}).items():
                await note_store.put_grant(tx, row.id, spot.org.id, user_id, Permission(permission), owner_id, now)
        return row.id

    async def object(
        self, spot: Spot, visibility: Visibility, *, owner: Caller | None = None, lent: Mapping[str, str] | None = None,
        content_type: str = "text/markdown",
    ) -> str:  # fmt: skip
        """`lent` is from people to capabilities."""
        owner_id, now, id = (owner or spot.author).user_id, clock.stamp(), new_id()
        digest = await blobs.store_bytes(self.world.db, self.world.app.files, system(), spot.org.id, _BYTES)
        row = ObjectRow(
            id=id, org_id=spot.org.id, team_id=spot.team.id, owner_id=owner_id, key=f"things/{id}", filename=id,
            title=None, content_type=content_type, visibility=visibility, version=1, numbered=1, removed=False,
            size=len(_BYTES), sha256=digest, etag="", text_state="none", text_fault=None, written_at=now,
            created_at=now, updated_at=now,
        )  # fmt: skip
        version = VersionRow(
            id=new_id(), object_id=id, org_id=spot.org.id, number=1, removal=False, size=row.size, blob=digest,
            sha256=digest, etag="", content_type=content_type, filename=id, title=None, carried=None, tags=None,
            author_id=owner_id, actor_kind="human", run_id=None, created_at=now,
        )  # fmt: skip
        async with self.world.db.maintenance(system(org_id=spot.org.id)) as tx:
            await object_store.insert(tx, row)
            await object_store.insert_version(tx, version)
            await fulltext.put(tx, "object", id, spot.org.id, title="isolation")
            for user_id, capability in (lent or {}).items():
                await object_store.put_grant(
                    tx, id, spot.org.id, "user", user_id, AccessLevel(capability), by=owner_id, expires_at=None, now=now
                )
        return id

    async def job(self, spot: Spot, *, owner: Caller | None = None) -> str:
        """One that waits."""
        who = Principal(
            "api", Call(), user_id=(owner or spot.author).user_id, org_id=spot.org.id, team_id=spot.team.id
        )  # fmt: skip
        queue = self.world.app.queue
        async with self.world.db.maintenance(who) as tx:
            return await queue.enqueue(tx, who, "ai.chat", queue.kinds["ai.chat"].read_input({"prompt": "x"}))

    async def executor(self) -> str:
        """One that works for all companies."""
        row = ExecutorRow(
            new_id(),
            "",
            new_id(),
            Mode.PULL,
            None,
            ["ai.chat"],
            None,
            None,
            None,
            NetworkReach.PUBLIC,
            clock.stamp(),
            None,
        )
        async with self.world.db.maintenance(system()) as tx:
            await executor_store.insert(tx, row, row.name, "", None)
        return row.id

    async def event(self, spot: Spot, *, actor: Caller | None = None, target: str = "") -> str:
        """The id of a row in the trail of the spot's team, by its author or somebody else there."""
        who = Principal(
            "api", Call(new_id(), while_suspended=True), user_id=(actor or spot.author).user_id, org_id=spot.org.id,
            team_id=spot.team.id,
        )  # fmt: skip
        async with self.world.db.write(who, "stage.event") as tx:
            tx.target = target or None
        sql = "SELECT id FROM audit WHERE request_id = :request_id"
        return await self.world.db.one(str, sql, request_id=who.call.request_id) or ""

    async def invitation(self, spot: Spot) -> str:
        """The token of an activation link for somebody new."""
        person = await self.world.person(spot.org, spot.team)
        async with self.world.db.maintenance(system(org_id=spot.org.id)) as tx:
            known = await identity.find_person(tx, person.username)
            assert known
            return (await identity.create_activation_link(tx, known, "")).partition("#")[2]

    async def token_id(self, caller: Caller) -> str:
        digest = crypto.digest(caller.token or "")
        found = await self.world.db.one(str, "SELECT id FROM tokens WHERE digest = :digest", digest=digest)
        assert found
        return found

    async def access_key(self, caller: Caller) -> str:
        """The id of a fresh S3 key."""
        id = new_id()
        async with self.world.db.maintenance(system(org_id=caller.org.id)) as tx:
            await identity_store.insert_token(
                tx, id=id, kind="s3", org_id=caller.org.id, team_id=caller.team.id, user_id=caller.user_id, name="Key",
                digest=crypto.digest(id), secret=tx.vault.encrypt(identity.access_keys.encryption_context(id), b"secret"), hint=id,
                scope=None, created_at=clock.stamp(), expires_at=None, last_used_at=None, address="", agent="",
            )  # fmt: skip
        return id

    async def change(self, sql: str, **params: Any) -> None:
        """What no route does yet."""
        async with self.world.db.maintenance(system()) as tx:
            await tx.run(sql, **params)

    # Building

    async def suspend_tenant(self) -> None:
        """Again and again: one of the routes on trial resumes it."""
        suspended = await self.host.post("/api/instance/suspend")
        assert suspended.status_code == 200, suspended.text

    async def _provision(self) -> None:
        provisioned = await self.host.post("/api/provision", {"username": "provisioned"})
        assert provisioned.status_code == 201, provisioned.text
        await self.suspend_tenant()

    async def _found(self, first: Place, second: Place) -> None:
        home = self.everything.org, self.everything.team
        org, team = home if first is HOME else await self.world.company()
        for place, room in ((first, team), (second, await self.world.team(org))):
            author = await self.world.person(org, room, Role.GUEST, password=PASSWORD)
            self.spots[place] = Spot(org, room, author)

    async def _person(self, kind: Kind) -> Caller:
        spot = self.spots[kind.place]
        if kind.credential is NONE:
            return self.world.anonymous
        if kind.credential is PROVISION:
            return self.host
        if kind.credential is WORKER:
            return await self.world.worker(spot.org, spot.team)
        if kind.credential in (NARROW, EXACT):
            return self.everything
        if kind.owns:
            return spot.author
        if kind.left:
            return await self._departed(spot)
        org_role = next((OrgRole(role) for role in kind.roles if role.startswith("org_")), None)
        person = await self.world.person(
            spot.org, spot.team, Role(kind.roles[0]), org_role=org_role, operator="operator" in kind.roles,
            password=PASSWORD,
        )  # fmt: skip
        return await self._spoiled(kind, person)

    async def _departed(self, spot: Spot) -> Caller:
        """Somebody who is in the spot's team now, and was in the one where the things are."""
        home = self.spots[HOME]
        person = await self.world.person(home.org, home.team, Role.MEMBER, password=PASSWORD)
        elsewhere = await self.world.join(person, spot.team)
        removed = await self.everything.delete(f"/api/members/{person.user_id}")
        assert removed.status_code == 204, removed.text
        return elsewhere

    async def _spoiled(self, kind: Kind, person: Caller) -> Caller:
        """The person with the credential of their kind, where it is one that must not work."""
        if kind.credential is EXPIRED:
            return await self.world.token(person, ttl=-1)
        if kind.credential is IDLE:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(clock, "now", lambda: time.time() - _JUST_TOO_LONG)
                return await self.world.session(person)
        if kind.credential is REVOKED:
            await self.world.revoke(person)
        if kind.credential is REMOVED:
            removed = await self.everything.delete(f"/api/members/{person.user_id}")
            assert removed.status_code == 204, removed.text
        if kind.credential is DISABLED:
            ended = await self.everything("PATCH", f"/api/admin/users/{person.user_id}", {"disabled": True})
            assert ended.status_code == 200, ended.text
        return person
