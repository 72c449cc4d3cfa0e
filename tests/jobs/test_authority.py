"""A job has the rights of its requester at the time it runs, within the limits it was created with."""

import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace import identity, jobs, tenancy
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Principal, Scope, ScopeEntry, intersect
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority
from teamspace.jobs.schemas import State
from teamspace.tenancy.schemas import Role
from tests.jobs.help import ended, queue, running
from tests.support.world import Caller, World

JOBS = (
    JobSpec("test.rights", "find_rights", "Reports what the job may do.", callable=True),
    JobSpec("test.write", "find_rights", "The same, for those who may write files.", permission=Permission.FILES_WRITE),
)
KEYS = ("", "a", "a/b", "a/b/c.txt", "b/x")
SCOPES = st.none() | st.lists(
    st.builds(ScopeEntry, st.sampled_from([Permission.FILES_READ, Permission.FILES_WRITE, Permission.NOTES_READ]),
              st.sampled_from(KEYS)),
    max_size=5,
).map(tuple)  # fmt: skip


class Question(msgspec.Struct, frozen=True):
    pass


class Rights(msgspec.Struct, frozen=True):
    allowed: list[str]


async def find_rights(input: Question, who: Principal) -> Rights:
    return Rights(_rights(who))


def _rights(who: Principal) -> list[str]:
    return sorted(f"{permission} {key}" for permission in Permission for key in KEYS if _may(who, permission, key))


def _may(who: Principal, permission: Permission, key: str) -> bool:
    return who.has_permission(permission, key)


@pytest.fixture
async def ann(world: World) -> Caller:
    kinds, faults = jobs.bind([sys.modules[__name__]], {})
    assert not faults
    queue(world).kinds.add(kinds)
    return await world.bootstrap()


async def enqueue(world: World, authority: Authority, kind: str = "test.rights") -> str:
    who = Principal("system", Call())
    async with world.db.maintenance(who) as tx:
        return await queue(world).enqueue(tx, authority, kind, Question())


async def wait(world: World, job_id: str) -> dict[str, Any]:
    async with running(world):
        assert await queue(world).wait_for_end(world.db, job_id, 15)
    row = await world.db.one(Ended, "SELECT state, result, error FROM jobs WHERE id = :id", id=job_id)
    assert row
    return {"state": row.state, "result": row.result and msgspec.json.decode(row.result), "error": row.error}


class Ended(msgspec.Struct, frozen=True):
    state: State
    result: str | None
    error: str | None


@given(SCOPES, SCOPES)
def test_an_intersection_allows_what_both_scopes_allow(one: Scope | None, other: Scope | None) -> None:
    def may(scope: Scope | None, permission: Permission, key: str) -> bool:
        return Principal("api", Call(), permissions=frozenset(Permission), scope=scope).has_permission(permission, key)

    for permission in Permission:
        for key in KEYS:
            both = may(one, permission, key) and may(other, permission, key)
            assert may(intersect(one, other), permission, key) == both


async def test_a_job_of_a_scoped_token_may_only_do_what_the_token_may(world: World, ann: Caller) -> None:
    scope = ["chat:use", "files:read:a/", "notes:read"]
    token = await world.token(ann, scope=scope)
    created = await token.post("/api/jobs", {"kind": "test.rights", "input": {}})
    assert created.status_code == 202, created.text
    async with running(world):
        done = await ended(ann, created.json()["id"])
    assert done["result"]["allowed"] == sorted(
        f"{permission} {key}" for permission, prefix in (("chat:use", ""), ("files:read", "a/"), ("notes:read", ""))
        for key in KEYS if key.startswith(prefix)
    )  # fmt: skip


async def test_a_job_of_a_scoped_token_needs_the_kind_s_permission_when_it_runs(world: World, ann: Caller) -> None:
    scoped = Authority(Authority.of(_principal(ann)).account, (ScopeEntry(Permission.FILES_READ),))
    done = await wait(world, await enqueue(world, scoped, "test.write"))
    assert done["state"] is State.FAILED
    assert "forbidden" in done["error"]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER, Role.ADMIN])
async def test_a_shared_authority_has_the_rights_that_both_people_have(world: World, ann: Caller, role: Role) -> None:
    uploader, author = await world.person(ann.org, ann.team, Role.MEMBER), await world.person(ann.org, ann.team, role)
    scope = (ScopeEntry(Permission.FILES_READ, "a/"), ScopeEntry(Permission.FILES_WRITE))
    shared = Authority(Authority.of(_principal(uploader)).account, scope).shared_with(Authority.of(_principal(author)))
    allowed = (await wait(world, await enqueue(world, shared)))["result"]["allowed"]
    alone = [(await wait_rights(world, Authority.of(_principal(person)))) for person in (uploader, author)]
    limited = await wait_rights(world, Authority(shared.account, scope))
    assert set(allowed) == set(alone[0]) & set(alone[1]) & set(limited)


async def wait_rights(world: World, authority: Authority) -> list[str]:
    who = authority.account
    principal = await tenancy.act_for(
        world.db, Call(), who.user_id, who.team_id, scope=authority.scope, limited_by=authority.limited_by
    )
    return _rights(principal)


async def test_a_job_that_is_just_started_runs_as_one_that_is_claimed(world: World, ann: Caller) -> None:
    callers = tenancy.CallerCache(identity.LastUse())
    who = await callers.identify(world.db, ann.token or "", Call("request"), fresh=True)
    claimed = await tenancy.act_for(world.db, Call("job"), who.user_id, who.team_id, scope=who.scope)
    assert tenancy.without_credential(who, Call("job")) == claimed


async def test_a_job_ends_when_the_person_who_limits_it_leaves(world: World, ann: Caller) -> None:
    uploader, author = [await world.person(ann.org, ann.team) for _ in range(2)]
    shared = Authority.of(_principal(uploader)).shared_with(Authority.of(_principal(author)))
    job_id = await enqueue(world, shared)
    assert (await ann.delete(f"/api/members/{author.user_id}")).status_code == 204
    done = await wait(world, job_id)
    assert done["state"] is State.FAILED
    assert "unauthenticated" in done["error"]


async def test_work_without_a_person_has_no_permission(world: World, ann: Caller) -> None:
    company = Authority.of_company(ann.org.id, ann.team.id)
    assert (await wait(world, await enqueue(world, company)))["result"] == {"allowed": []}


async def test_work_without_a_person_is_refused_where_the_kind_needs_a_permission(world: World, ann: Caller) -> None:
    company = Authority.of_company(ann.org.id, ann.team.id)
    assert (await wait(world, await enqueue(world, company, "test.write")))["state"] is State.FAILED


def _principal(person: Caller) -> Principal:
    return Principal("api", Call(), user_id=person.user_id, org_id=person.org.id, team_id=person.team.id)
