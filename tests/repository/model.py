"""The rule of the repository in plain Python, and worlds drawn at random to hold it against the one in SQL.

`python -m tests.repository.model --pairs 100000 --seed N --database sqlite` tries it for as long as one likes.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from teamspace import fulltext
from teamspace.core import clock
from teamspace.core.db import Clause, Fence
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal, ScopeEntry, system
from teamspace.repository import access, store
from teamspace.repository.domain import finding, sharing
from teamspace.repository.schemas import AccessLevel, GrantsQuery, ObjectQuery, ObjectRow, VersionRow
from teamspace.search.domain import search
from teamspace.search.schemas import SearchQuery
from teamspace.settings import load
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import OrgRole, Role
from tests.support.world import World
from tests.support.world import world as opened

FILES = ("files:read", "files:write", "files:delete", "files:manage")
BY_ROLE = {
    "owner": set(FILES),
    "admin": set(FILES),
    "member": {"files:read", "files:write"},
    "viewer": {"files:read"},
    "guest": set(),
    "translator": set(),
    "reviewer": set(),
}
BY_CAPABILITY = {"view": {"files:read"}, "edit": {"files:read", "files:write"}, "manage": set(FILES)}
PREFIXES = ("", "a/", "a/b", "é/")
KEYS = ("a/1", "a/b/2", "a/é", "b", "é/1", "c/a/")
ENDS = (None, 3600.0, -3600.0)
"""When a grant ends, in seconds from now."""


class Person(NamedTuple):
    team: int
    role: str
    org_role: str | None
    scope: tuple[tuple[str, str], ...] | None
    """Permissions, each with a prefix."""

    @property
    def org(self) -> int:
        return self.team // 2

    def in_scope(self, permission: str, key: str | None = None) -> bool:
        return self.scope is None or any(
            name == permission and (key is None or key.startswith(prefix)) for name, prefix in self.scope
        )


class Given(NamedTuple):
    to_team: bool
    to: int
    capability: str
    ends: float | None


class Thing(NamedTuple):
    owner: int
    team: int
    key: str
    visibility: Any
    grants: tuple[Given, ...]


class Picture:
    """Teams 0 and 1 are of one company, 2 and 3 of another."""

    def __init__(self, dice: random.Random, people: int = 8, things: int = 24) -> None:
        self.people = [self._person(dice) for _ in range(people)]
        self.things = [self._thing(dice, number) for number in range(things)]

    def _person(self, dice: random.Random) -> Person:
        scopes = [*FILES, "org:read", "notes:read"]
        scope = None
        if dice.random() < 0.4:
            scope = tuple((dice.choice(scopes), dice.choice(PREFIXES)) for _ in range(dice.randint(0, 4)))
        org_role = dice.choice([None, None, None, "org_reader", "org_admin", "org_owner"])
        return Person(dice.randrange(4), dice.choice(sorted(BY_ROLE)), org_role, scope)

    def _thing(self, dice: random.Random, number: int) -> Thing:
        owner = dice.randrange(len(self.people))
        org = self.people[owner].org
        colleagues = [at for at, person in enumerate(self.people) if person.org == org and at != owner]
        grants: dict[tuple[bool, int], Given] = {}
        for _ in range(dice.choice([0, 0, 1, 2, 3])):
            to_team = dice.random() < 0.4
            to = org * 2 + dice.randrange(2) if to_team else (dice.choice(colleagues) if colleagues else None)
            if to is not None:
                grants[to_team, to] = Given(to_team, to, dice.choice(sorted(BY_CAPABILITY)), dice.choice(ENDS))
        return Thing(
            owner, org * 2 + dice.randrange(2), f"{dice.choice(KEYS)}{number}",
            dice.choice(["private", "team", "shared"]), tuple(grants.values()),
        )  # fmt: skip

    # The rule in plain words

    def may(self, reader: int, thing: Thing, permission: str, *, across_org: bool) -> bool:
        person = self.people[reader]
        if not person.in_scope(permission, thing.key):
            return False
        if person.org != self.people[thing.owner].org:
            return False
        if (thing.owner == reader and thing.team == person.team) or self.granted(reader, thing, permission):
            return True
        if thing.visibility != "team":
            return False
        if thing.team == person.team and permission in BY_ROLE[person.role]:
            return True
        reads_company = person.org_role is not None and person.in_scope("org:read")
        return across_org and reads_company and permission == "files:read"

    def granted(self, reader: int, thing: Thing, permission: str) -> bool:
        return any(
            permission in BY_CAPABILITY[given.capability]
            and (given.ends is None or given.ends > 0)
            and given.to == (self.people[reader].team if given.to_team else reader)
            for given in thing.grants
        )

    def sees_unscoped(self, reader: int, thing: Thing) -> bool:
        """Whether the person could see it with a credential that nothing limits."""
        person = self.people[reader]
        whole = Picture.__new__(Picture)
        whole.people = [*self.people]
        whole.people[reader] = person._replace(scope=None)
        return whole.may(reader, thing, "files:read", across_org=True)


class Painted(NamedTuple):
    callers: list[Principal]
    ids: list[str]


async def paint(world: World, picture: Picture) -> Painted:
    """Puts the picture into the database."""
    orgs = [await world.company() for _ in range(2)]
    teams = [team for org, first in orgs for team in (first, await world.team(org))]
    callers = []
    for person in picture.people:
        org_role = OrgRole(person.org_role) if person.org_role else None
        made = await world.person(orgs[person.org][0], teams[person.team], Role(person.role), org_role=org_role)
        scope = None
        if person.scope is not None:
            scope = tuple(ScopeEntry(P(name), prefix) for name, prefix in person.scope)
        callers.append(
            Principal(
                "api", Call(), user_id=made.user_id, team_id=made.team.id, org_id=made.org.id, scope=scope,
                permissions=roles.get_permissions(Role(person.role), org_role, operator=False),
            )
        )  # fmt: skip
    ids = []
    async with world.db.maintenance(system()) as tx:
        for thing in picture.things:
            owner, now, id = callers[thing.owner], clock.stamp(), new_id()
            common: dict[str, Any] = {"org_id": owner.org_id, "size": 0, "sha256": "", "etag": "", "title": None,
                "filename": "x", "content_type": "text/plain", "created_at": now}  # fmt: skip
            await store.insert(tx, ObjectRow(
                id=id, team_id=teams[thing.team].id, owner_id=owner.user_id, key=thing.key, written_at=now,
                updated_at=now, visibility=thing.visibility, version=1, numbered=1, removed=False, text_state="none",
                text_fault=None, **common,
            ))  # fmt: skip
            await store.insert_version(tx, VersionRow(
                id=new_id(), object_id=id, number=1, removal=False, blob="", carried=None, tags=None,
                author_id=owner.user_id, actor_kind="human", run_id=None, **common,
            ))  # fmt: skip
            await fulltext.put(tx, "object", id, owner.org_id, title="common", body=await fulltext.prepare(thing.key))
            for given in thing.grants:
                to = teams[given.to].id if given.to_team else callers[given.to].user_id
                await store.put_grant(
                    tx, id, owner.org_id, "team" if given.to_team else "user", to, AccessLevel(given.capability),
                    by=owner.user_id, expires_at=None if given.ends is None else clock.later(given.ends), now=now,
                )  # fmt: skip
            ids.append(id)
    return Painted(callers, ids)


async def disagreements(world: World, picture: Picture, painted: Painted) -> tuple[int, list[str]]:
    """How many pairs were tried, and where the database and the plain words differ."""
    tried, found = 0, []
    for reader, caller in enumerate(painted.callers):
        for thing, id in zip(picture.things, painted.ids, strict=True):
            for permission in FILES:
                for across in (False, True):
                    tried += 1
                    expected = picture.may(reader, thing, permission, across_org=across)
                    fence = access.fence(caller, P(permission), across_org=across)
                    if await store.admits(world.db, fence, id) is not expected:
                        found.append(f"{picture.people[reader]} {permission} {across=} on {thing}: not {expected}")
        found += [fault async for fault in _in_lists(world, picture, painted, reader)]
    for thing, id in zip(picture.things, painted.ids, strict=True):
        found += [fault async for fault in _in_effect(world, picture, painted, thing, id)]
    return tried, found


async def _in_lists(world: World, picture: Picture, painted: Painted, reader: int) -> Any:
    caller = painted.callers[reader]
    pairs = list(zip(picture.things, painted.ids, strict=True))
    for across in (False, *([True] if caller.has_permission(P.ORG_READ) else [])):
        seen = {id for thing, id in pairs if picture.may(reader, thing, "files:read", across_org=across)}
        scope: Any = "org" if across else None
        newest = [item async for item in _pages(world, caller, ObjectQuery(limit=5, scope=scope))]
        if newest != sorted(seen, reverse=True):
            yield f"{picture.people[reader]} {across=}: the list of the newest differs"
        asked = SearchQuery(q="common", types=("object",), limit=7, scope=scope)
        if {item async for item in _pages(world, caller, asked)} != seen:
            yield f"{picture.people[reader]} {across=}: what is found differs"
        for prefix in PREFIXES:
            wanted = sorted(
                (thing.key, id) for thing, id in pairs
                if id in seen and thing.key.startswith(prefix) and (across or thing.team == picture.people[reader].team)
            )  # fmt: skip
            query = ObjectQuery(limit=3, prefix=prefix, scope=scope)
            if [item async for item in _pages(world, caller, query)] != [id for _, id in wanted]:
                yield f"{picture.people[reader]} {across=} {prefix=}: the list by keys differs"
    lent = sorted(
        (
            id for thing, id in pairs
            if thing.owner != reader and picture.granted(reader, thing, "files:read")
            and picture.may(reader, thing, "files:read", across_org=False)
        ),
        reverse=True,
    )  # fmt: skip
    if [item async for item in _pages(world, caller, ObjectQuery(limit=2, shared="1"))] != lent:
        yield f"{picture.people[reader]}: the list of what was shared differs"


async def _pages(world: World, caller: Principal, query: ObjectQuery | SearchQuery) -> Any:
    cursor = None
    while True:
        ask = search if isinstance(query, SearchQuery) else finding.list_objects
        page = await ask(world.db, caller, _with(query, cursor))
        for item in page.items:
            yield item.id
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


def _with(query: Any, cursor: str | None) -> Any:
    return type(query)(**{**{name: getattr(query, name) for name in query.__struct_fields__}, "cursor": cursor})


async def _in_effect(world: World, picture: Picture, painted: Painted, thing: Thing, id: str) -> Any:
    row = await store.get(world.db, Fence("objects", (Clause("TRUE"),)), id)  # its owner may have left the team
    given = await store.select_grants(world.db, id)
    assert row
    told: set[str] = set()
    cursor = None
    while True:
        query = GrantsQuery(effective="1", limit=2, cursor=cursor)
        readers, cursor = await sharing._list_readers(world.db, row, given, query)
        told |= {reader.user_id for reader in readers}
        if cursor is None:
            break
    expected = {
        caller.user_id
        for reader, caller in enumerate(painted.callers)
        if picture.sees_unscoped(reader, thing)
    }  # fmt: skip
    if told != expected:
        yield f"{thing}: who is told to see it differs from who does"


# As a command


def _seeds(seed: str) -> Iterator[random.Random]:
    number = 0
    while True:
        number += 1
        yield random.Random(f"{seed}-{number}")


async def walk(world: World, seed: str, pairs: int) -> int:
    tried = 0
    for dice in _seeds(seed):
        picture = Picture(dice)
        some, found = await disagreements(world, picture, await paint(world, picture))
        assert not found, "\n".join([f"seed {seed}:", *found[:20]])
        tried += some
        if tried >= pairs:
            return tried
    return tried


async def _main(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given = {"SERVICE_DATA": folder, "SERVICE_SQLITE_SYNC": "normal"}
        if arguments.database != "sqlite":
            given["SERVICE_DATABASE_URL"] = arguments.database
        async with opened(load(given, file=Path(folder) / "no.env")) as world:
            print(await walk(world, arguments.seed, arguments.pairs), "pairs, no disagreement")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Hold the repository's rule in SQL against the one in plain Python.")
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--database", default="sqlite", help="sqlite, or the address of an empty PostgreSQL database")
    asyncio.run(_main(parser.parse_args()))
