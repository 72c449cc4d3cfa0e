"""The access rule of the repository in plain Python, checked against SQL with random data.

`python -m tests.repository.model --pairs 100000 --seed N --database sqlite` runs a longer check.
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
from teamspace.repository.schemas import AccessLevel, ObjectQuery, ObjectRow, VersionRow
from teamspace.search.domain import search
from teamspace.search.schemas import SearchQuery
from teamspace.settings import load
from teamspace.sharing import GrantsQuery
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import OrgRole, Role
from tests.support.world import World
from tests.support.world import world as open_world

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
EXPIRIES = (None, 3600.0, -3600.0)
"""Expiry of a grant, in seconds from now."""


class Person(NamedTuple):
    team: int
    role: str
    org_role: str | None
    scope: tuple[tuple[str, str], ...] | None
    """Permissions with key prefixes."""

    @property
    def org(self) -> int:
        return self.team // 2

    def in_scope(self, permission: str, key: str | None = None) -> bool:
        return self.scope is None or any(
            name == permission and (key is None or key.startswith(prefix)) for name, prefix in self.scope
        )


class Grant(NamedTuple):
    to_team: bool
    to: int
    capability: str
    expires: float | None


class ObjectSpec(NamedTuple):
    owner: int
    team: int
    key: str
    visibility: Any
    grants: tuple[Grant, ...]


class Model:
    """Random people and objects. Teams 0 and 1 belong to one company, 2 and 3 to another."""

    def __init__(self, rng: random.Random, people: int = 8, objects: int = 24) -> None:
        self.people = [self._person(rng) for _ in range(people)]
        self.objects = [self._object(rng, number) for number in range(objects)]

    def _person(self, rng: random.Random) -> Person:
        scopes = [*FILES, "org:read", "notes:read"]
        scope = None
        if rng.random() < 0.4:
            scope = tuple((rng.choice(scopes), rng.choice(PREFIXES)) for _ in range(rng.randint(0, 4)))
        org_role = rng.choice([None, None, None, "org_reader", "org_admin", "org_owner"])
        return Person(rng.randrange(4), rng.choice(sorted(BY_ROLE)), org_role, scope)

    def _object(self, rng: random.Random, number: int) -> ObjectSpec:
        owner = rng.randrange(len(self.people))
        org = self.people[owner].org
        colleagues = [index for index, person in enumerate(self.people) if person.org == org and index != owner]
        grants: dict[tuple[bool, int], Grant] = {}
        for _ in range(rng.choice([0, 0, 1, 2, 3])):
            to_team = rng.random() < 0.4
            to = org * 2 + rng.randrange(2) if to_team else (rng.choice(colleagues) if colleagues else None)
            if to is not None:
                grants[to_team, to] = Grant(to_team, to, rng.choice(sorted(BY_CAPABILITY)), rng.choice(EXPIRIES))
        return ObjectSpec(
            owner, org * 2 + rng.randrange(2), f"{rng.choice(KEYS)}{number}",
            rng.choice(["private", "team", "shared"]), tuple(grants.values()),
        )  # fmt: skip

    # The rule

    def may(self, reader: int, spec: ObjectSpec, permission: str, *, across_org: bool) -> bool:
        person = self.people[reader]
        if not person.in_scope(permission, spec.key):
            return False
        if person.org != self.people[spec.owner].org:
            return False
        if (spec.owner == reader and spec.team == person.team) or self.granted(reader, spec, permission):
            return True
        if spec.visibility != "team":
            return False
        if spec.team == person.team and permission in BY_ROLE[person.role]:
            return True
        reads_company = person.org_role is not None and person.in_scope("org:read")
        return across_org and reads_company and permission == "files:read"

    def granted(self, reader: int, spec: ObjectSpec, permission: str) -> bool:
        return any(
            permission in BY_CAPABILITY[grant.capability]
            and (grant.expires is None or grant.expires > 0)
            and grant.to == (self.people[reader].team if grant.to_team else reader)
            for grant in spec.grants
        )

    def sees_unscoped(self, reader: int, spec: ObjectSpec) -> bool:
        """Whether the person could see it with an unscoped credential."""
        person = self.people[reader]
        unscoped = Model.__new__(Model)
        unscoped.people = [*self.people]
        unscoped.people[reader] = person._replace(scope=None)
        return unscoped.may(reader, spec, "files:read", across_org=True)


class Inserted(NamedTuple):
    callers: list[Principal]
    ids: list[str]


async def insert(world: World, model: Model) -> Inserted:
    """Insert the people and objects into the database."""
    orgs = [await world.company() for _ in range(2)]
    teams = [team for org, first in orgs for team in (first, await world.team(org))]
    callers = []
    for person in model.people:
        org_role = OrgRole(person.org_role) if person.org_role else None
        caller = await world.person(orgs[person.org][0], teams[person.team], Role(person.role), org_role=org_role)
        scope = None
        if person.scope is not None:
            scope = tuple(ScopeEntry(P(name), prefix) for name, prefix in person.scope)
        callers.append(
            Principal(
                "api", Call(), user_id=caller.user_id, team_id=caller.team.id, org_id=caller.org.id, scope=scope,
                permissions=roles.get_permissions(Role(person.role), org_role, operator=False),
            )
        )  # fmt: skip
    ids = []
    async with world.db.maintenance(system()) as tx:
        for spec in model.objects:
            owner, now, id = callers[spec.owner], clock.stamp(), new_id()
            common: dict[str, Any] = {"org_id": owner.org_id, "size": 0, "sha256": "", "etag": "", "title": None,
                "filename": "x", "content_type": "text/plain", "created_at": now}  # fmt: skip
            await store.insert(tx, ObjectRow(
                id=id, team_id=teams[spec.team].id, owner_id=owner.user_id, key=spec.key, written_at=now,
                updated_at=now, visibility=spec.visibility, version=1, numbered=1, removed=False, text_state="none",
                text_fault=None, **common,
            ))  # fmt: skip
            await store.insert_version(tx, VersionRow(
                id=new_id(), object_id=id, number=1, removal=False, blob="", carried=None, tags=None,
                author_id=owner.user_id, actor_kind="human", run_id=None, **common,
            ))  # fmt: skip
            await fulltext.put(tx, "object", id, owner.org_id, title="common", body=await fulltext.prepare(spec.key))
            for grant in spec.grants:
                to = teams[grant.to].id if grant.to_team else callers[grant.to].user_id
                await store.put_grant(
                    tx, id, owner.org_id, "team" if grant.to_team else "user", to, AccessLevel(grant.capability),
                    by=owner.user_id, expires_at=None if grant.expires is None else clock.later(grant.expires), now=now,
                )  # fmt: skip
            ids.append(id)
    return Inserted(callers, ids)


async def disagreements(world: World, model: Model, inserted: Inserted) -> tuple[int, list[str]]:
    """The number of checks, and where the database and the model differ."""
    tried, found = 0, []
    for reader, caller in enumerate(inserted.callers):
        for spec, id in zip(model.objects, inserted.ids, strict=True):
            for permission in FILES:
                for across in (False, True):
                    tried += 1
                    expected = model.may(reader, spec, permission, across_org=across)
                    fence = access.fence(caller, P(permission), across_org=across)
                    if await store.admits(world.db, fence, id) is not expected:
                        found.append(f"{model.people[reader]} {permission} {across=} on {spec}: not {expected}")
        found += [difference async for difference in _check_lists(world, model, inserted, reader)]
    for spec, id in zip(model.objects, inserted.ids, strict=True):
        found += [difference async for difference in _check_effective(world, model, inserted, spec, id)]
    return tried, found


async def _check_lists(world: World, model: Model, inserted: Inserted, reader: int) -> Any:
    caller = inserted.callers[reader]
    pairs = list(zip(model.objects, inserted.ids, strict=True))
    for across in (False, *([True] if caller.has_permission(P.ORG_READ) else [])):
        seen = {id for spec, id in pairs if model.may(reader, spec, "files:read", across_org=across)}
        scope: Any = "org" if across else None
        newest = [item async for item in _pages(world, caller, ObjectQuery(limit=5, scope=scope))]
        if newest != sorted(seen, reverse=True):
            yield f"{model.people[reader]} {across=}: the list by age differs"
        query = SearchQuery(q="common", types=("object",), limit=7, scope=scope)
        if {item async for item in _pages(world, caller, query)} != seen:
            yield f"{model.people[reader]} {across=}: the search results differ"
        for prefix in PREFIXES:
            expected = sorted(
                (spec.key, id) for spec, id in pairs
                if id in seen and spec.key.startswith(prefix) and (across or spec.team == model.people[reader].team)
            )  # fmt: skip
            by_key = ObjectQuery(limit=3, prefix=prefix, scope=scope)
            if [item async for item in _pages(world, caller, by_key)] != [id for _, id in expected]:
                yield f"{model.people[reader]} {across=} {prefix=}: the list by keys differs"
    shared = sorted(
        (
            id for spec, id in pairs
            if spec.owner != reader and model.granted(reader, spec, "files:read")
            and model.may(reader, spec, "files:read", across_org=False)
        ),
        reverse=True,
    )  # fmt: skip
    if [item async for item in _pages(world, caller, ObjectQuery(limit=2, shared="1"))] != shared:
        yield f"{model.people[reader]}: the list of shared objects differs"


async def _pages(world: World, caller: Principal, query: ObjectQuery | SearchQuery) -> Any:
    cursor = None
    while True:
        list_page = search if isinstance(query, SearchQuery) else finding.list_objects
        page = await list_page(world.db, caller, _with(query, cursor))
        for item in page.items:
            yield item.id
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


def _with(query: Any, cursor: str | None) -> Any:
    return type(query)(**{**{name: getattr(query, name) for name in query.__struct_fields__}, "cursor": cursor})


async def _check_effective(world: World, model: Model, inserted: Inserted, spec: ObjectSpec, id: str) -> Any:
    row = await store.get(world.db, Fence("objects", (Clause("TRUE"),)), id)  # its owner may have left the team
    grants = await store.select_grants(world.db, id)
    assert row
    listed: set[str] = set()
    cursor = None
    while True:
        query = GrantsQuery(effective="1", limit=2, cursor=cursor)
        readers, cursor = await sharing._list_readers(world.db, row, grants, query)
        listed |= {reader.user_id for reader in readers}
        if cursor is None:
            break
    expected = {
        caller.user_id
        for reader, caller in enumerate(inserted.callers)
        if model.sees_unscoped(reader, spec)
    }  # fmt: skip
    if listed != expected:
        yield f"{spec}: the effective readers differ"


# Command line


def _seeds(seed: str) -> Iterator[random.Random]:
    number = 0
    while True:
        number += 1
        yield random.Random(f"{seed}-{number}")


async def check_random_models(world: World, seed: str, pairs: int) -> int:
    tried = 0
    for rng in _seeds(seed):
        model = Model(rng)
        count, found = await disagreements(world, model, await insert(world, model))
        assert not found, "\n".join([f"seed {seed}:", *found[:20]])
        tried += count
        if tried >= pairs:
            return tried
    return tried


async def _main(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = {"SERVICE_DATA": folder, "SERVICE_SQLITE_SYNC": "normal", "SERVICE_WORKERS": "1"}
        if arguments.database != "sqlite":
            settings["SERVICE_DATABASE_URL"] = arguments.database
        async with open_world(load(settings, file=Path(folder) / "no.env")) as world:
            print(await check_random_models(world, arguments.seed, arguments.pairs), "pairs, no disagreement")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Check the repository's access rule in SQL against the one in Python.")
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--database", default="sqlite", help="sqlite, or the URL of an empty PostgreSQL database")
    asyncio.run(_main(parser.parse_args()))
