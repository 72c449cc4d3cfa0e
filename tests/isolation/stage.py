"""A world with three companies, one caller of every type, and the rows they try to reach."""

import re
import secrets
import time
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

import httpx2
import msgspec
import pytest

from teamspace import blobs, fulltext, identity, localization, workflows
from teamspace.app import list_endpoints
from teamspace.completions import TokenUsage
from teamspace.conversations import store as conversation_store
from teamspace.conversations.schemas import CONVERSATIONS, ConversationRow
from teamspace.core import clock, crypto
from teamspace.core.db import Clause, Fence, as_json
from teamspace.core.db.migrate import bundled_migrations
from teamspace.core.egress import NetworkReach
from teamspace.core.ids import new_id
from teamspace.core.openapi import document
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Principal, system
from teamspace.executors import store as executor_store
from teamspace.executors.schemas import ExecutorRow, Mode
from teamspace.identity import store as identity_store
from teamspace.jobs import Authority
from teamspace.knowledge import store as knowledge_store
from teamspace.knowledge.domain import extracting, listing
from teamspace.knowledge.schemas import EntityName, NewDocumentName, NewMention
from teamspace.links import store as link_store
from teamspace.links.schemas import LinkRow
from teamspace.localization.domain import reviewing
from teamspace.localization.schemas import MessageDraft
from teamspace.notes import store as note_store
from teamspace.notes.schemas import NOTES, NoteRow, Visibility
from teamspace.repository import store as object_store
from teamspace.repository.schemas import AccessLevel, ObjectRow, UploadRow, VersionDraft, VersionRow
from teamspace.settings import Settings
from teamspace.sharing import PrincipalType
from teamspace.sharing import store as sharing
from teamspace.tenancy.schemas import Org, OrgRole, Role, Team
from teamspace.translation import store as translation_store
from teamspace.translation.schemas import GlossaryTerm, TranslationKind, TranslationRecord
from teamspace.triggers import store as trigger_store
from teamspace.triggers.schemas import TriggerRow
from teamspace.workflows.domain import definitions
from tests.branding.help import picture
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
    TeamName,
    scope,
)
from tests.isolation.outcomes import REQUEST_ID, code_of
from tests.support.world import PASSWORD, Caller, World
from tests.support.writes import Writes

_DEFINITION = re.compile(r"CREATE TABLE (\w+) \((.*?)^\)", re.DOTALL | re.MULTILINE)
# The tables whose rows belong to companies, with the column that says to which.
_OWNED = {"orgs": "id"} | {
    table: "org_id"
    for migration in bundled_migrations()
    for table, columns in _DEFINITION.findall(migration.sql)
    if "org_id TEXT" in columns
}
_JUST_EXPIRED = clock.DAY + 1
_BYTES = b"# Things\n"
_ALL_NOTES = Fence("notes", (Clause("TRUE"),))
_ALL_CONVERSATIONS = Fence("conversations", (Clause("TRUE"),))
PROVISION_TOKEN = "whoever-hosts-this-provisions-it"


@cache
def _openapi() -> dict[str, Any]:
    return document(list_endpoints())


@cache
def _documented_responses(route: str) -> dict[str, Any]:
    """Return the responses of a route by status, from the OpenAPI document."""
    method, _, path = re.sub(r"[:*](\w+)", r"{\1}", route).partition(" ")
    responses: dict[str, Any] = _openapi()["paths"][path][method.lower()]["responses"]
    return responses


class Request(msgspec.Struct, frozen=True):
    """A request, without its caller."""

    method: str
    path: str
    query: dict[str, str] = {}
    body: dict[str, Any] | None = None


class TeamSetup(msgspec.Struct, frozen=True):
    """A team, its company, and a guest who owns rows there."""

    org: Org
    team: Team
    author: Caller


class Stage:
    def __init__(self, world: World, superuser: Caller, writes: Writes) -> None:
        self.world = world
        self.writes = writes
        self.superuser = superuser
        """Operator, owner and org_owner in one, in the team HOME."""
        self.hosted: bool = world.app.dependencies[Settings].hosted
        """Whether the instance is in hosted mode; its tenant is then suspended."""
        self.host = Caller(world, PROVISION_TOKEN)
        self.teams: dict[TeamName, TeamSetup] = {}
        self.made_once: dict[str, str] = {}
        """Targets that are made once, by name."""
        self._people: dict[str, Caller] = {}
        self._scoped: dict[tuple[str, str], Caller] = {}

    @classmethod
    async def build(cls, world: World) -> "Stage":
        stage = cls(world, await world.bootstrap(), await Writes.install(world.db))
        for first, second in COMPANIES:
            await stage._create_company(first, second)
        for kind in KINDS:
            stage._people[kind.name] = await stage._person(kind)
        for setup in stage.teams.values():
            await stage._look_at_workflows(setup)
        await world.suspend(stage.teams[SUSPENDED].org)
        if stage.hosted:
            await stage._provision()
        return stage

    async def _look_at_workflows(self, setup: TeamSetup) -> None:
        """A team gets the workflows of plugins when someone first looks at them."""
        who = Principal("api", Call(), user_id=setup.author.user_id, org_id=setup.org.id, team_id=setup.team.id)
        await self.world.app.dependencies[workflows.Catalog].materialize(self.world.db, who)

    async def caller(self, kind: Kind, permission: str = "") -> Caller:
        """Return a caller of this type for a route that needs `permission`. Sessions are new each time."""
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

    def target_team(self, kind: Kind) -> TeamSetup:
        """Return the team with the targets for this caller: HOME, or for a suspended company its own."""
        return self.teams[SUSPENDED if kind.team is SUSPENDED else HOME]

    async def send(self, caller: Caller, ask: Request) -> httpx2.Response:
        path = f"{ask.path}?{urlencode(ask.query)}" if ask.query else ask.path
        return await caller(ask.method, path, ask.body, headers={"x-request-id": REQUEST_ID})

    def undocumented(self, route: str, answer: httpx2.Response) -> list[str]:
        """Return statuses and error codes that the OpenAPI document does not list for the route."""
        documented = _documented_responses(route.partition("?")[0]).get(str(answer.status_code))
        if documented is None:
            return [f"the status {answer.status_code} is not documented"]
        code = f"`{code_of(answer)}`" if answer.is_error else ""
        return [] if code in documented["description"] else [f"{answer.status_code} {code} is not documented"]

    async def rows_of(self, org: Org) -> dict[str, list[str]]:
        """Return every row of the company, by table."""
        return {
            table: sorted(repr(row) for row in await self.world.db.engine.fetch(
                f"SELECT * FROM {table} WHERE {column} = :org_id", {"org_id": org.id}
            ))
            for table, column in _OWNED.items()
        }  # fmt: skip

    # Rows, new on each call. They are made below HTTP, since a suspended company needs some too.

    async def note(
        self, setup: TeamSetup, visibility: Visibility, *, owner: Caller | None = None, granted: Mapping[str, str] | None = None,
        title: str = "Note",
    ) -> str:  # fmt: skip
        owner_id, now = (owner or setup.author).user_id, clock.stamp()
        row = NoteRow(
            id=new_id(), org_id=setup.org.id, team_id=setup.team.id, owner_id=owner_id, title=title, body="isolation",
            visibility=visibility, tags=[], version=1, created_at=now, updated_at=now,
        )  # fmt: skip
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await note_store.insert(tx, row)
            await fulltext.put(tx, NOTES.name, row.id, setup.org.id, title=title, body=await fulltext.prepare(row.body))
            for user_id, permission in (granted or {}).items():
                await sharing.put_grant(
                    tx, NOTES, _ALL_NOTES, row.id, "user", user_id, Permission(permission), by=owner_id, expires_at=None,
                    now=now,
                )  # fmt: skip
        return row.id

    async def grant(
        self, note_id: str, principal_type: PrincipalType, principal_id: str, expires_at: str | None
    ) -> None:
        """Let a person or a team read the note."""
        async with self.world.db.maintenance(system()) as tx:
            await sharing.put_grant(
                tx, NOTES, _ALL_NOTES, note_id, principal_type, principal_id, Permission.NOTES_READ, by="someone",
                expires_at=expires_at, now=clock.stamp(),
            )  # fmt: skip

    async def put_in_trash(self, note_id: str) -> str:
        async with self.world.db.maintenance(system()) as tx:
            await note_store.trash(tx, note_id, None, by="someone", grantee=None, now=clock.stamp())
            await fulltext.set_aside(tx, NOTES.name, note_id)
        return note_id

    async def conversation(
        self, setup: TeamSetup, *, owner: Caller | None = None, granted: Mapping[str, Any] | None = None
    ) -> str:
        owner_id, now = (owner or setup.author).user_id, clock.stamp()
        row = ConversationRow(
            id=new_id(), org_id=setup.org.id, team_id=setup.team.id, owner_id=owner_id, title="isolation", excerpt="",
            turns=0, ended=0, size=0, characters=0, created_at=now, updated_at=now,
        )  # fmt: skip
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await conversation_store.insert(tx, row)
            await fulltext.put(tx, CONVERSATIONS.name, row.id, setup.org.id, title=row.title)
            for user_id, permission in (granted or {}).items():
                await sharing.put_grant(
                    tx, CONVERSATIONS, _ALL_CONVERSATIONS, row.id, "user", user_id, permission, by=owner_id,
                    expires_at=None, now=now,
                )  # fmt: skip
        return row.id

    async def object(
        self, setup: TeamSetup, visibility: Visibility, *, owner: Caller | None = None, granted: Mapping[str, str] | None = None,
        content_type: str = "text/markdown",
    ) -> str:  # fmt: skip
        """`granted` maps user ids to access levels."""
        owner_id, now, id = (owner or setup.author).user_id, clock.stamp(), new_id()
        digest = await blobs.store_bytes(self.world.db, self.world.app.files, system(), setup.org.id, _BYTES)
        row = ObjectRow(
            id=id, org_id=setup.org.id, team_id=setup.team.id, owner_id=owner_id, key=f"things/{id}", filename=id,
            title=None, content_type=content_type, visibility=visibility, version=1, numbered=1, removed=False,
            size=len(_BYTES), sha256=digest, etag="", text_state="none", text_fault=None, written_at=now,
            created_at=now, updated_at=now,
        )  # fmt: skip
        version = VersionRow(
            id=new_id(), object_id=id, org_id=setup.org.id, number=1, removal=False, size=row.size, blob=digest,
            sha256=digest, etag="", content_type=content_type, filename=id, title=None, carried=None, tags=None,
            author_id=owner_id, actor_kind="human", run_id=None, created_at=now,
        )  # fmt: skip
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await object_store.insert(tx, row)
            await object_store.insert_version(tx, version)
            await fulltext.put(tx, "object", id, setup.org.id, title="isolation")
            for user_id, capability in (granted or {}).items():
                await object_store.put_grant(
                    tx,
                    id,
                    setup.org.id,
                    "user",
                    user_id,
                    AccessLevel(capability),
                    by=owner_id,
                    expires_at=None,
                    now=now,
                )
        return id

    async def upload(self, setup: TeamSetup, owner: Caller) -> str:
        """An upload by parts that has begun."""
        now, id = clock.stamp(), new_id()
        draft = VersionDraft(f"things/{id}", id, "text/plain")
        row = UploadRow(id, setup.org.id, setup.team.id, owner.user_id, draft.key, draft, None, now, now)
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await object_store.insert_upload(tx, row)
        return id

    async def entity(
        self, setup: TeamSetup, visibility: Visibility, *, owner: Caller | None = None, granted: Mapping[str, str] | None = None
    ) -> str:  # fmt: skip
        """Create an entity with a name of its own, which one document mentions."""
        object_id, now = await self.object(setup, visibility, owner=owner, granted=granted), clock.stamp()
        name = EntityName(new_id(), "person", f"isolation {object_id}", "", "")
        version_id = await self.world.db.one(str, "SELECT id FROM object_versions WHERE object_id = :id", id=object_id)
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await knowledge_store.insert_document(
                tx, object_id, version_id or "", setup.org.id, 1, dropped=0, unread=0, at=now, now=now
            )
            await extracting.put_names(tx, setup.org.id, [name], now)
            await knowledge_store.insert_document_names(
                tx, object_id, setup.org.id, [NewDocumentName(name.id, name.id, "Isolation", 1)]
            )
            await knowledge_store.insert_mentions(
                tx, object_id, setup.org.id, [NewMention(new_id(), name.id, 0, 0, 9, "Isolation", "Isolation")]
            )
        await listing.complete(self.world.db, [object_id])
        return name.id

    async def job(self, setup: TeamSetup, *, owner: Caller | None = None) -> str:
        """Create a queued job."""
        who = Principal(
            "api", Call(), user_id=(owner or setup.author).user_id, org_id=setup.org.id, team_id=setup.team.id
        )  # fmt: skip
        queue = self.world.app.queue
        async with self.world.db.maintenance(who) as tx:
            return await queue.enqueue(
                tx, Authority.of(who), "ai.chat", queue.kinds["ai.chat"].read_input({"prompt": "x"})
            )

    async def workflow(self, setup: TeamSetup) -> str:
        """Publish a workflow, if the team has it not yet, and return its slug."""
        slug = f"isolation-{setup.team.id}"
        raw = {"slug": slug, "start": "find", "max_steps": 5, "steps": [
            {"id": "find", "kind": "tool", "tool": "search", "with": {"q": "isolation"}}]}  # fmt: skip
        checked = definitions.check(raw, definitions.find_in(self.world.app.toolbox))
        if await workflows.get_definition(self.world.db, setup.team.id, slug) is None:
            async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
                await definitions.add_version(tx, setup.org.id, setup.team.id, checked, "team", setup.author.user_id)
        return slug

    async def run(self, setup: TeamSetup, *, owner: Caller | None = None) -> str:
        """Start a run, which no one executes."""
        definition = await workflows.get_definition(self.world.db, setup.team.id, await self.workflow(setup))
        assert definition is not None
        who = Principal(
            "api", Call(), user_id=(owner or setup.author).user_id, org_id=setup.org.id, team_id=setup.team.id
        )  # fmt: skip
        prepared = workflows.prepare(definition, {})
        async with self.world.db.maintenance(who) as tx:
            return await workflows.start(tx, self.world.app.queue, Authority.of(who), prepared, locale="en")

    async def term(self, setup: TeamSetup) -> None:
        """Add a term to the team's glossary."""
        term = GlossaryTerm(new_id(), "de", "x", None, [], clock.stamp())
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await translation_store.raise_revision(tx, setup.org.id, setup.team.id, "de")
            await translation_store.put_term(tx, setup.org.id, setup.team.id, term.term, term)

    async def translation(self, setup: TeamSetup, author: Caller) -> str:
        """Store a translation that its author alone can read."""
        row = TranslationRecord(
            new_id(), TranslationKind.TEXT, None, "de", [], False, [], [], 0, "", TokenUsage.of(0, 0), clock.stamp()
        )
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await translation_store.insert(tx, setup.org.id, setup.team.id, author.user_id, row)
        return row.id

    async def published(self, setup: TeamSetup) -> str:
        """Publish a workflow of the team and return its slug."""
        step = {"id": "note", "kind": "tool", "tool": "create_note", "with": {"title": "x"}}
        spec = {"format": 1, "slug": f"w-{new_id()}", "start": "note", "max_steps": 1, "inputs": {}, "steps": [step]}
        checked = definitions.check(spec, definitions.find_in(self.world.app.toolbox))
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await definitions.add_version(tx, setup.org.id, setup.team.id, checked, "team", setup.author.user_id)
        return checked.spec.slug

    async def prospect(self, setup: TeamSetup) -> str:
        """Add someone who signed up with the team."""
        id = new_id()
        signals = {
            "score": 0, "doubts": [], "difficulty": 1, "solving": None, "age": 9.0, "from_prefix": 0, "duplicates": 0,
            "similar": 0, "entropy": None, "origin": "", "agent": "",
        }  # fmt: skip
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await tx.run(
                "INSERT INTO prospects (id, org_id, team_id, experience_id, version, nonce, email, email_key, answers,"
                " signals, level, created_at) VALUES (:id, :org_id, :team_id, 'x', 1, :id, :email, :email, '{}',"
                " :signals, 'ok', '2026-01-01T00:00:00.000Z')",
                id=id, org_id=setup.org.id, team_id=setup.team.id, email=f"{id}@x.org", signals=as_json(signals),
            )  # fmt: skip
        return id

    async def trigger(self, setup: TeamSetup) -> str:
        """Create a trigger of the team."""
        row = TriggerRow(
            id=new_id(), workflow_slug="missing", match_prefix="nothing/", match_types=[], fire_on_derived=False,
            enabled=True, author_id=setup.author.user_id, scope=None, org_id=setup.org.id, team_id=setup.team.id,
            input={}, created_at=clock.stamp(), updated_at=clock.stamp(),
        )  # fmt: skip
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await trigger_store.insert(tx, row)
        return row.id

    async def console_text(self) -> str:
        """Return the id of a message in a locale that nobody has proposed a text for; messages belong to the instance."""
        sources = {f"text{number:03}": "Notes" for number in range(500)}
        await localization.synchronise(self.world.db, {"en": {"notes": sources}, "de": {}})
        unused = "SELECT id FROM l10n_entries WHERE locale = 'de' AND status = 'missing' AND review IS NULL LIMIT 1"
        return await self.world.db.one(str, unused) or ""

    async def proposed_text(self) -> str:
        """Return the id of a message with a proposal that none of the callers has made."""
        id, home = await self.console_text(), self.teams[HOME]
        who = Principal(
            "api", Call(new_id(), while_suspended=True), user_id=home.author.user_id, org_id=home.org.id,
            team_id=home.team.id,
        )  # fmt: skip
        await reviewing.submit(self.world.db, who, id, MessageDraft("Notizen"))
        return id

    async def link(self, setup: TeamSetup, object_id: str) -> tuple[str, str]:
        """Make a public link of the team's author; return its id and its token."""
        id, token = new_id(), secrets.token_urlsafe(18)
        row = LinkRow(
            id=id, object_id=object_id, org_id=setup.org.id, team_id=setup.team.id, creator_id=setup.author.user_id,
            creator_team_id=setup.team.id, name="", token_hash=crypto.digest(token),
            token=self.world.db.vault.encrypt(f"object_links|token|{id}", token.encode()), password=None,
            expires_at=None, views=0, downloads=0, last_used_at=None, created_at=clock.stamp(),
        )  # fmt: skip
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await link_store.insert(tx, row)
        return id, token

    async def asset(self, setup: TeamSetup) -> str:
        """Store a picture of the team's sign-up page."""
        id, data = new_id(), picture()
        digest = await blobs.store_bytes(self.world.db, self.world.app.files, system(), setup.org.id, data)
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            await blobs.add_reference(tx, setup.org.id, digest)
            await tx.run(
                "INSERT INTO onboarding_assets (id, org_id, team_id, filename, content_type, size, digest, created_at)"
                " VALUES (:id, :org_id, :team_id, 'a.png', 'image/png', :size, :digest, '')",
                id=id, org_id=setup.org.id, team_id=setup.team.id, size=len(data), digest=digest,
            )  # fmt: skip
        return id

    async def executor(self) -> str:
        """Create an executor that serves all companies."""
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

    async def event(self, setup: TeamSetup, *, actor: Caller | None = None, target: str = "") -> str:
        """Write an audit row of the team, by its author or `actor`, and return its id."""
        who = Principal(
            "api", Call(new_id(), while_suspended=True), user_id=(actor or setup.author).user_id, org_id=setup.org.id,
            team_id=setup.team.id,
        )  # fmt: skip
        async with self.world.db.write(who, "stage.event") as tx:
            tx.target = target or None
        sql = "SELECT id FROM audit WHERE request_id = :request_id"
        return await self.world.db.one(str, sql, request_id=who.call.request_id) or ""

    async def invitation(self, setup: TeamSetup) -> str:
        """Return the token of an activation link for a new person."""
        person = await self.world.person(setup.org, setup.team)
        async with self.world.db.maintenance(system(org_id=setup.org.id)) as tx:
            known = await identity.find_person(tx, person.username)
            assert known
            return (await identity.create_activation_link(tx, known, "")).partition("#")[2]

    async def token_id(self, caller: Caller) -> str:
        digest = crypto.digest(caller.token or "")
        found = await self.world.db.one(str, "SELECT id FROM tokens WHERE digest = :digest", digest=digest)
        assert found
        return found

    async def access_key(self, caller: Caller) -> str:
        """Create an S3 key and return its id."""
        id = new_id()
        async with self.world.db.maintenance(system(org_id=caller.org.id)) as tx:
            await identity_store.insert_token(
                tx, id=id, kind="s3", org_id=caller.org.id, team_id=caller.team.id, user_id=caller.user_id, name="Key",
                digest=crypto.digest(id), secret=tx.vault.encrypt(identity.access_keys.encryption_context(id), b"secret"), hint=id,
                scope=None, created_at=clock.stamp(), expires_at=None, last_used_at=None, address="", agent="",
            )  # fmt: skip
        return id

    async def change(self, sql: str, **params: Any) -> None:
        """Run SQL for changes that no route makes."""
        async with self.world.db.maintenance(system()) as tx:
            await tx.run(sql, **params)

    # Setup

    async def suspend_tenant(self) -> None:
        """Suspend the tenant. Called before each test, since one of the tested routes resumes it."""
        suspended = await self.host.post("/api/instance/suspend")
        assert suspended.status_code == 200, suspended.text

    async def _provision(self) -> None:
        provisioned = await self.host.post("/api/provision", {"username": "provisioned"})
        assert provisioned.status_code == 201, provisioned.text
        await self.suspend_tenant()

    async def _create_company(self, first: TeamName, second: TeamName) -> None:
        home = self.superuser.org, self.superuser.team
        org, team = home if first is HOME else await self.world.company()
        for name, team_row in ((first, team), (second, await self.world.team(org))):
            author = await self.world.person(org, team_row, Role.GUEST, password=PASSWORD)
            self.teams[name] = TeamSetup(org, team_row, author)

    async def _person(self, kind: Kind) -> Caller:
        setup = self.teams[kind.team]
        if kind.credential is NONE:
            return self.world.anonymous
        if kind.credential is PROVISION:
            return self.host
        if kind.credential is WORKER:
            return await self.world.worker(setup.org, setup.team)
        if kind.credential in (NARROW, EXACT):
            return self.superuser
        if kind.owns:
            return setup.author
        if kind.left_team:
            return await self._former_member(setup)
        org_role = next((OrgRole(role) for role in kind.roles if role.startswith("org_")), None)
        person = await self.world.person(
            setup.org, setup.team, Role(kind.roles[0]), org_role=org_role, operator="operator" in kind.roles,
            password=PASSWORD,
        )  # fmt: skip
        return await self._with_credential(kind, person)

    async def _former_member(self, setup: TeamSetup) -> Caller:
        """A person who is in this team now, and was in the one with the targets."""
        home = self.teams[HOME]
        person = await self.world.person(home.org, home.team, Role.MEMBER, password=PASSWORD)
        elsewhere = await self.world.join(person, setup.team)
        removed = await self.superuser.delete(f"/api/members/{person.user_id}")
        assert removed.status_code == 204, removed.text
        return elsewhere

    async def _with_credential(self, kind: Kind, person: Caller) -> Caller:
        """Return the person with the credential of their type, if that is one that must not work."""
        if kind.credential is EXPIRED:
            return await self.world.token(person, ttl=-1)
        if kind.credential is IDLE:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(clock, "now", lambda: time.time() - _JUST_EXPIRED)
                return await self.world.session(person)
        if kind.credential is REVOKED:
            await self.world.revoke(person)
        if kind.credential is REMOVED:
            removed = await self.superuser.delete(f"/api/members/{person.user_id}")
            assert removed.status_code == 204, removed.text
        if kind.credential is DISABLED:
            ended = await self.superuser("PATCH", f"/api/admin/users/{person.user_id}", {"disabled": True})
            assert ended.status_code == 200, ended.text
        return person
