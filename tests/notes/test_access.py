"""The fence of notes agrees with a model in plain Python, for random data."""

from typing import NamedTuple

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from teamspace import fulltext
from teamspace.core import clock
from teamspace.core.db import Clause, Fence
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal, ScopeEntry, system
from teamspace.notes import access, domain, store
from teamspace.notes.schemas import NOTES, NoteQuery, NoteRow
from teamspace.sharing import PrincipalType
from teamspace.sharing import store as sharing
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import OrgRole, Role
from tests.support.world import World

ALL = Fence("notes", (Clause("TRUE"),))
PEOPLE, TEAMS = 5, 4  # teams 0 and 1 belong to one company, 2 and 3 to another
PERMISSIONS = ["notes:read", "notes:write", "notes:delete", "notes:manage"]
BY_ROLE = {
    "owner": set(PERMISSIONS),
    "admin": set(PERMISSIONS),
    "member": {"notes:read", "notes:write"},
    "viewer": {"notes:read"},
    "guest": set(),
    "translator": {"notes:read"},
    "reviewer": {"notes:read"},
}


class Person(NamedTuple):
    team: int
    role: str
    org_role: str | None
    scope: frozenset[str] | None

    @property
    def org(self) -> int:
        return self.team // 2


class Granted(NamedTuple):
    permission: str
    ended: bool


class Note(NamedTuple):
    owner: int
    team_of_owner: bool
    visibility: str
    grants: dict[int, Granted]
    """By person."""
    team_grants: dict[int, Granted]


people = st.builds(
    Person,
    team=st.integers(0, TEAMS - 1),
    role=st.sampled_from(sorted(BY_ROLE)),
    org_role=st.sampled_from([None, None, "org_reader", "org_admin", "org_owner"]),
    scope=st.none() | st.frozensets(st.sampled_from([*PERMISSIONS, "org:read", "files:read"])),
)
granted = st.builds(Granted, permission=st.sampled_from(PERMISSIONS), ended=st.booleans())
notes = st.builds(
    Note,
    owner=st.integers(0, PEOPLE - 1),
    team_of_owner=st.booleans(),
    visibility=st.sampled_from(["private", "team", "shared"]),
    grants=st.dictionaries(st.integers(0, PEOPLE - 1), granted, max_size=3),
    team_grants=st.dictionaries(st.integers(0, TEAMS - 1), granted, max_size=2),
)


class Model:
    """Random people and notes, and the access rule."""

    def __init__(self, people: list[Person], notes: list[Note]) -> None:
        self.people = people
        self.notes = notes

    def team_of(self, note: Note) -> int:
        team = self.people[note.owner].team
        return team if note.team_of_owner else team ^ 1

    def may(self, reader: int, note: Note, permission: str, *, across_org: bool) -> bool:
        """The access rule."""
        person = self.people[reader]
        if person.scope is not None and permission not in person.scope:
            return False
        if person.org != self.people[note.owner].org:
            return False
        if note.owner == reader and self.team_of(note) == person.team:
            return True
        granted = None if note.owner == reader else note.grants.get(reader)
        for grant in (granted, note.team_grants.get(person.team)):
            if grant and not grant.ended and PERMISSIONS.index(grant.permission) >= PERMISSIONS.index(permission):
                return True
        if note.visibility != "team":
            return False
        if self.team_of(note) == person.team and permission in BY_ROLE[person.role]:
            return True
        reads_company = person.org_role is not None and (person.scope is None or "org:read" in person.scope)
        return across_org and reads_company and permission == "notes:read"


async def insert_model(world: World, model: Model) -> tuple[list[Principal], list[str]]:
    """Insert the model into the database; return the callers and the notes' ids."""
    orgs = [await world.company() for _ in range(2)]
    teams = [team for org, first in orgs for team in (first, await world.team(org))]
    callers = []
    for person in model.people:
        org_role = OrgRole(person.org_role) if person.org_role else None
        caller = await world.person(orgs[person.org][0], teams[person.team], Role(person.role), org_role=org_role)
        scope = None if person.scope is None else tuple(ScopeEntry(P(name)) for name in sorted(person.scope))
        callers.append(
            Principal(
                "api",
                Call(),
                user_id=caller.user_id,
                team_id=caller.team.id,
                org_id=caller.org.id,
                scope=scope,
                permissions=roles.get_permissions(Role(person.role), org_role, operator=False),
            )
        )
    ids = []
    for note in model.notes:
        ids.append(await _insert_note(world, model, callers, note, [team.id for team in teams]))
    return callers, ids


async def _insert_note(world: World, model: Model, callers: list[Principal], note: Note, teams: list[str]) -> str:
    owner, now, team_id = callers[note.owner], clock.stamp(), teams[model.team_of(note)]
    org = model.people[note.owner].org
    principals: list[tuple[PrincipalType, str, Granted]] = [
        *(
            ("user", callers[reader].user_id, grant) for reader, grant in note.grants.items()
            if model.people[reader].org == org and reader != note.owner
        ),
        *(("team", teams[team], grant) for team, grant in note.team_grants.items() if team // 2 == org),
    ]  # fmt: skip
    row = NoteRow(new_id(), owner.org_id, team_id, owner.user_id, "title", "", note.visibility, [], 1, now, now)  # type: ignore[arg-type]
    async with world.db.maintenance(system()) as tx:
        await store.insert(tx, row)
        await fulltext.put(tx, NOTES.name, row.id, owner.org_id, title=row.title, body=await fulltext.prepare(row.body))
        for principal_type, principal_id, grant in principals:
            await sharing.put_grant(
                tx, NOTES, ALL, row.id, principal_type, principal_id, P(grant.permission), by=owner.user_id,
                expires_at=clock.later(-1 if grant.ended else 3600), now=now,
            )  # fmt: skip
    return row.id


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(people, min_size=PEOPLE, max_size=PEOPLE), st.lists(notes, min_size=1, max_size=6))
async def test_the_fence_equals_the_model(world: World, persons: list[Person], drawn: list[Note]) -> None:
    model = Model(persons, drawn)
    callers, ids = await insert_model(world, model)
    for reader, caller in enumerate(callers):
        for note, note_id in zip(drawn, ids, strict=True):
            for permission in PERMISSIONS:
                for across in (False, True):
                    fence = access.fence(caller, P(permission), across_org=across)
                    expected = model.may(reader, note, permission, across_org=across)
                    assert await store.admits(world.db, fence, note_id) is expected, (reader, note, permission, across)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(people, min_size=PEOPLE, max_size=PEOPLE), st.lists(notes, min_size=1, max_size=8), st.integers(1, 3))
async def test_the_pages_of_a_list_equal_the_model(
    world: World, persons: list[Person], drawn: list[Note], size: int
) -> None:
    model = Model(persons, drawn)
    callers, ids = await insert_model(world, model)
    for reader, caller in enumerate(callers):
        for across in (False, caller.has_permission(P.ORG_READ)):
            expected = [
                note_id
                for note, note_id in zip(drawn, ids, strict=True)
                if model.may(reader, note, "notes:read", across_org=across)
            ]
            query = NoteQuery(limit=size, scope="org" if across else None)
            assert await _all_pages(world, caller, query) == sorted(expected, reverse=True)


async def _all_pages(world: World, caller: Principal, query: NoteQuery) -> list[str]:
    seen: list[str] = []
    while True:
        page = await domain.listing(world.db, caller, query)
        assert len(page.items) <= query.limit
        seen += [item.id for item in page.items]
        if page.next_cursor is None:
            return seen
        query = msgspec.structs.replace(query, cursor=page.next_cursor)
