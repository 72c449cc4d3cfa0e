"""Concurrency around companies: unique owners and names, and no writes after a suspension."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace import identity
from teamspace.core.db import postgres
from teamspace.core.permissions import Feature
from teamspace.core.principal import system
from teamspace.identity.domain import passwords
from teamspace.quota import Plan
from teamspace.quota.domain.limits import CAPS
from teamspace.quota.schemas import Dimension
from teamspace.settings import Settings
from teamspace.tenancy.domain import founding
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import CLIENTS, Pause, broken, race, refusal, run_sql, trail
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as open_world
from tests.tenancy.test_races import delete_everything

PROVISION_TOKEN = "whoever-hosts-this-provisions-it"
PAIRS, FEW = 4, 5
pytestmark = pytest.mark.usefixtures("patient")

Answers = list[httpx2.Response]


class RolledBack(Exception):
    """What a writer raises so that nothing of it is kept."""


@pytest.fixture
async def hosted(settings: Settings) -> AsyncIterator[World]:
    async with open_world(msgspec.structs.replace(settings, provision_token=PROVISION_TOKEN)) as instance:
        yield instance


@pytest.fixture
def fast_password_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strength check of passwords is slow and would serialise the requests."""
    monkeypatch.setattr(passwords, "_guesses", lambda *_: 1e12)


async def gather(requests: list[Coroutine[Any, Any, httpx2.Response]]) -> Answers:
    return list(await asyncio.gather(*requests))


def start(request: Coroutine[Any, Any, httpx2.Response]) -> asyncio.Task[httpx2.Response]:
    return asyncio.get_running_loop().create_task(request)


def statuses(answers: Answers) -> list[int]:
    return sorted(answer.status_code for answer in answers)


# Uniqueness


@pytest.mark.processes
@pytest.mark.both_databases
@pytest.mark.usefixtures("fast_password_check")
async def test_an_activation_link_used_concurrently_sets_one_password(world: World, rounds: int) -> None:
    ann = await world.bootstrap()
    choices = [f"{PASSWORD} {number}" for number in range(CLIENTS)]
    for number in range(rounds):
        bob = await world.person(ann.org, ann.team, username=f"bob{number}")
        token = await create_link(world, bob)
        bodies = ({"token": token, "password": choice} for choice in choices)
        answers = await gather([world.anonymous.post("/api/activate", body) for body in bodies])
        assert statuses(answers) == [200] + [401] * (CLIENTS - 1)

        winner = next(choice for choice, answer in zip(choices, answers, strict=True) if answer.status_code == 200)
        stored = await world.db.one(str, "SELECT password FROM users WHERE id = :id", id=bob.user_id)
        assert [choice for choice in choices if await passwords.matches(stored, choice)] == [winner]
        sessions = "SELECT COUNT(*) FROM tokens WHERE user_id = :id AND kind = 'session'"
        assert await world.db.one(int, sessions, id=bob.user_id) == 1


async def create_link(world: World, person: Caller) -> str:
    async with world.db.maintenance(system(org_id=person.org.id)) as tx:
        found = await identity.find_person(tx, person.username)
        assert found
        return (await identity.create_activation_link(tx, found, "")).partition("#")[2]


@pytest.mark.both_databases
async def test_concurrent_provisioning_creates_one_owner(hosted: World, rounds: int) -> None:
    host = Caller(hosted, PROVISION_TOKEN)
    for _ in range(rounds):
        bodies = ({"username": f"owner{number}"} for number in range(CLIENTS))
        assert await race(host.post("/api/provision", body) for body in bodies) == {201: 1, 409: CLIENTS - 1}
        counts = await hosted.counts()
        assert [counts[table] for table in ("users", "orgs", "teams", "org_roles", "activations")] == [1] * 5
        assert await broken(hosted) == []
        for table in ("activations", "quota_limits"):
            await run_sql(hosted, f"DELETE FROM {table}")
        await delete_everything(hosted)
        await run_sql(hosted, "DELETE FROM instance WHERE name = 'provisioned'")


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_slug_is_given_to_one_company(world: World, rounds: int) -> None:
    ann = await world.bootstrap()
    for number in range(1, rounds + 1):
        bodies = [company(f"owner{number}.{client}", slug=f"acme-{number}") for client in range(CLIENTS)]
        assert await race(ann.post("/api/orgs", body) for body in bodies) == {201: 1, 409: CLIENTS - 1}
        counts = await world.counts()
        assert [counts[table] for table in ("orgs", "teams", "users", "org_roles")] == [number + 1] * 4


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_a_loser_that_waited_too_long_is_told_to_come_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(postgres._LIMITS, "lock_timeout", "100ms")
    async with open_world(settings) as world:
        ann = await world.bootstrap()
        for rolled_back, then in ((True, 201), (False, 409)):
            body = company(f"owner.{then}", slug=f"acme-{then}")
            before = await world.counts()
            with suppress(RolledBack):
                async with world.db.maintenance(system()) as winner:
                    await founding.create_org(winner, "Acme", plan=Plan.FREE, slug=body["slug"])
                    answer = await start(ann.post("/api/orgs", body))
                    assert refusal(answer) == (503, "overloaded")
                    assert (answer.json()["key"], answer.headers["retry-after"]) == ("database.busy", "1")
                    assert await world.counts() == before, "nothing was written"
                    if rolled_back:
                        raise RolledBack
            assert (await ann.post("/api/orgs", body)).status_code == then


@pytest.mark.processes
@pytest.mark.both_databases
async def test_companies_with_the_same_name_have_different_slugs(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(FEW):
        bodies = [company(f"owner{number}.{client}") for client in range(CLIENTS)]
        answers = await gather([ann.post("/api/orgs", body) for body in bodies])
        assert set(statuses(answers)) <= {201, 503}
        slugs = [answer.json()["org"]["slug"] for answer in answers if answer.status_code == 201]
        assert len(slugs) == len(set(slugs)) > 0


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_hostname_is_given_to_one_new_or_existing_company(world: World, rounds: int) -> None:
    ann = await world.bootstrap()
    existing = [(await world.company())[0] for _ in range(CLIENTS // 2)]
    for number in range(rounds):
        domain = f"work{number}.example.com"
        new = [company(f"owner{number}.{client}", domain=domain) for client in range(CLIENTS // 2)]
        requests = [ann.post("/api/orgs", body) for body in new]
        requests += [ann("PATCH", f"/api/orgs/{org.slug}", {"domain": domain}) for org in existing]
        answers = await gather(
            [request for pair in zip(requests[::2], requests[1::2], strict=True) for request in pair]
        )
        assert statuses(answers)[0] in (200, 201)
        assert statuses(answers)[1:] == [409] * (CLIENTS - 1)
        assert await world.db.one(int, "SELECT COUNT(*) FROM orgs WHERE domain = :domain", domain=domain) == 1


def company(owner: str, **more: str) -> dict[str, Any]:
    return {"name": "Acme", "owner": {"username": owner}, **more}


# Roles in the company


async def demote(actor: Caller, other: Caller) -> httpx2.Response:
    return await actor("PATCH", f"/api/org/members/{other.user_id}", {"org_role": None})


async def remove(actor: Caller, other: Caller) -> httpx2.Response:
    """Remove a person from their only team, and so from the company."""
    return await actor.delete(f"/api/members/{other.user_id}")


async def company_owners(world: World, *, number: int) -> list[Caller]:
    org, team = await world.company()
    return [await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER) for _ in range(number)]


async def restore_owners(world: World, owners: list[Caller]) -> None:
    """Make everyone an owner of team and company again, with their old tokens."""
    async with world.db.maintenance(system()) as tx:
        for owner in owners:
            ids = {"org_id": owner.org.id, "user_id": owner.user_id}
            await tx.run(
                "INSERT INTO memberships (team_id, user_id, org_id, role, created_at)"
                " VALUES (:team_id, :user_id, :org_id, 'owner', '') ON CONFLICT DO NOTHING",
                team_id=owner.team.id, **ids,
            )  # fmt: skip
            await tx.run(
                "INSERT INTO org_roles (org_id, user_id, role, created_at)"
                " VALUES (:org_id, :user_id, 'org_owner', '') ON CONFLICT DO NOTHING",
                **ids,
            )
        await tx.run("UPDATE tokens SET revoked_at = NULL")


@pytest.mark.processes
@pytest.mark.both_databases
@pytest.mark.parametrize("number", [2, 3])
async def test_one_of_two_company_owners_who_demote_each_other_stays(world: World, number: int, rounds: int) -> None:
    companies = [await company_owners(world, number=number) for _ in range(PAIRS)]
    everybody = [owner for owners in companies for owner in owners]
    # A person with a company role is not removed from their last team, so `remove` never succeeds.
    actions = [(demote, demote), (demote, remove)]
    for (first, second), _ in zip(itertools.cycle(actions), range(rounds), strict=False):
        duels = [gather([first(one, other), second(other, one)]) for one, other, *_ in companies]
        for answers in await asyncio.gather(*duels):
            # The second caller has lost the role or the membership.
            assert statuses(answers)[0] in (200, 204) and statuses(answers)[1] in (401, 403, 409), statuses(answers)
        left = "SELECT COUNT(*) FROM org_roles WHERE role = 'org_owner'"
        assert await world.db.one(int, left) == PAIRS * (number - 1)
        await restore_owners(world, everybody)


@pytest.mark.processes
@pytest.mark.both_databases
async def test_company_owners_who_demote_each_other_in_a_ring_leave_one(world: World) -> None:
    owners = await company_owners(world, number=CLIENTS)
    for _ in range(FEW):
        await race(demote(one, other) for one, other in zip(owners, owners[1:] + owners[:1], strict=True))
        assert (await world.db.one(int, "SELECT COUNT(*) FROM org_roles WHERE role = 'org_owner'") or 0) >= 1
        await restore_owners(world, owners)


@pytest.mark.processes
@pytest.mark.both_databases
async def test_concurrent_role_changes_are_serialised(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(FEW):
        bob = await world.person(ann.org, ann.team)
        roles = list(itertools.islice(itertools.cycle([*OrgRole, None]), CLIENTS))
        path = f"/api/org/members/{bob.user_id}"
        assert await race(ann("PATCH", path, {"org_role": role}) for role in roles) == {200: CLIENTS}
        role = await world.db.one(str, "SELECT role FROM org_roles WHERE user_id = :id", id=bob.user_id)
        steps = [msgspec.json.decode(row.detail) for row in await trail(world) if row.target == bob.user_id]
        assert is_path([(step["from"], step["to"]) for step in steps], None, role)


def is_path(steps: list[tuple[Any, Any]], start: Any, end: Any) -> bool:
    """Whether the steps can be ordered so that each begins where the previous one ended.

    For connected steps: every node but the two ends is left as often as it is reached.
    """
    nodes = {node for step in steps for node in step}
    surplus = {node: sum((source == node) - (target == node) for source, target in steps) for node in nodes}
    expected = dict.fromkeys(nodes, 0)
    if start != end:
        expected |= {start: 1, end: -1}
    return surplus == expected


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_person_is_added_once_with_their_role(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(1, FEW + 1):
        body = {"username": f"bob{number}", "team_id": ann.team.id, "org_role": "org_reader"}
        answers = await race(ann.post("/api/org/members", body) for _ in range(CLIENTS))
        assert answers == {201: 1, 409: CLIENTS - 1}
        counts = await world.counts()
        assert [counts[table] for table in ("users", "memberships", "org_roles")] == [number + 1] * 3


# Plans and features


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_plan_change_sets_all_limits_despite_concurrent_changes(world: World) -> None:
    ann = await world.bootstrap()
    limit = {"dimension": "ai.requests", "limit": 7, "window": "day"}
    for _ in range(FEW * 2):
        org, _ = await world.company()
        path = f"/api/orgs/{org.id}"
        changes = [ann("PATCH", path, {"plan": plan}) for plan in (Plan.PRO, Plan.BUSINESS) * FEW]
        requests = changes + [ann.post(f"{path}/quota", limit) for _ in changes]
        answers = await gather(requests[::2] + requests[1::2])
        assert statuses(answers) == [200] * len(requests)
        for shown in (*(answer.json() for answer in answers if "plan" in answer.json()), (await ann.get(path)).json()):
            caps, limits = CAPS[Plan(shown["plan"])], {row["dimension"]: row["limit"] for row in shown["quotas"]}
            assert limits.pop(Dimension.REQUESTS) in (7, caps[Dimension.REQUESTS])
            assert limits == {name: cap for name, cap in caps.items() if name is not Dimension.REQUESTS}


@pytest.mark.processes
@pytest.mark.both_databases
async def test_concurrent_feature_switches_are_all_applied(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(FEW * 2):
        expected = {feature: bool((number + index) % 3) for index, feature in enumerate(Feature)}
        requests = (ann.post(f"/api/features/{name}", {"enabled": expected[name]}) for name in list(Feature) * FEW)
        assert await race(requests) == {200: len(Feature) * FEW}
        flags = (await ann.get("/api/features")).json()["items"]
        assert {flag["name"]: flag["enabled"] for flag in flags} == expected


# Suspension


@pytest.mark.both_databases
async def test_whatever_ends_a_right_to_write_waits_for_the_writes_that_were_admitted(hosted: World) -> None:
    ann, host = await hosted.bootstrap(), Caller(hosted, PROVISION_TOKEN)

    async def check(writer: Caller, ending: Coroutine[Any, Any, httpx2.Response]) -> None:
        pause = Pause(hosted, "note.create", guarded=True)
        write = start(writer.post("/api/notes", {"title": "Admitted"}))
        await pause.reached.wait()
        ended = start(ending)
        while not (ended.done() or await waits_for_a_lock(hosted)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert not ended.done(), "acknowledged while a write can still be committed"
        pause.over.set()
        assert (await write).status_code == 201
        assert (await ended).is_success

    bob, eve, fay = [await hosted.person(ann.org, ann.team) for _ in range(3)]
    zoe = await hosted.person(*await hosted.company())
    token_id = await hosted.db.one(str, "SELECT id FROM tokens WHERE user_id = :id", id=fay.user_id)
    await check(bob, ann.delete(f"/api/members/{bob.user_id}"))
    await check(eve, ann("PATCH", f"/api/members/{eve.user_id}", {"role": "viewer"}))
    await check(fay, ann.delete(f"/api/tokens/{token_id}"))
    await check(zoe, ann.post(f"/api/orgs/{zoe.org.id}/suspend"))
    await check(ann, host.post("/api/instance/suspend"))


async def waits_for_a_lock(world: World) -> bool:
    """On SQLite, every write waits for the one before it."""
    if world.db.dialect.name == "sqlite":
        return True
    return await world.db.exists(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )


@pytest.mark.both_databases
async def test_a_write_past_the_gate_is_refused_when_the_company_is_suspended(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(*await world.company())
    pause = Pause(world, "note.create")
    answer = await pause.during(bob.post("/api/notes", {"title": "Late"}), ann.post(f"/api/orgs/{bob.org.id}/suspend"))
    assert refusal(answer) == (403, "org_suspended")
    assert (await world.counts())["notes"] == 0


@pytest.mark.both_databases
async def test_a_write_past_the_gate_is_refused_when_the_tenant_is_suspended(hosted: World) -> None:
    ann, host = await hosted.bootstrap(), Caller(hosted, PROVISION_TOKEN)
    for action, request in (
        ("note.create", ann.post("/api/notes", {"title": "Late"})),
        ("org.create", ann.post("/api/orgs", company("late"))),
        ("team.create", ann.post("/api/org/teams", {"name": "Late"})),
    ):
        pause = Pause(hosted, action)
        answer = await pause.during(request, host.post("/api/instance/suspend"))
        assert refusal(answer) == (402, "tenant_suspended"), action
        await host.post("/api/instance/resume")
    counts = await hosted.counts()
    assert (counts["notes"], counts["orgs"], counts["teams"]) == (0, 1, 1)
