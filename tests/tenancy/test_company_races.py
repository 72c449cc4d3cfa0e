"""Many at once, around companies: one owner to a tenant, one name to a company, and no write behind a suspension."""

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace import identity
from teamspace.core.permissions import Feature
from teamspace.core.principal import system
from teamspace.identity.domain import passwords
from teamspace.quota import Plan
from teamspace.quota.domain.limits import CAPS
from teamspace.quota.schemas import Dimension
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Org, OrgRole, Role
from tests.identity.help import CLIENTS, ROUNDS, Pause, broken, race, refusal, run_sql, trail
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as made
from tests.tenancy.test_races import empty

PROVISION_TOKEN = "whoever-hosts-this-provisions-it"
PAIRS, WRITERS, FEW = 4, 100, 5

Answers = list[httpx2.Response]


@pytest.fixture
async def hosted(settings: Settings) -> AsyncIterator[World]:
    async with made(msgspec.structs.replace(settings, provision_token=PROVISION_TOKEN)) as instance:
        yield instance


@pytest.fixture
def quick_judgement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judging a password takes longer than the rest, and would let one request pass at a time."""
    monkeypatch.setattr(passwords, "_guesses", lambda *_: 1e12)


async def all_at_once(requests: list[Coroutine[Any, Any, httpx2.Response]]) -> Answers:
    return list(await asyncio.gather(*requests))


def begin(request: Coroutine[Any, Any, httpx2.Response]) -> asyncio.Task[httpx2.Response]:
    return asyncio.get_running_loop().create_task(request)


def statuses(answers: Answers) -> list[int]:
    return sorted(answer.status_code for answer in answers)


# What there is one of


@pytest.mark.both_databases
@pytest.mark.usefixtures("quick_judgement")
async def test_an_activation_link_sets_one_password_and_opens_one_session(world: World) -> None:
    ann = await world.bootstrap()
    choices = [f"{PASSWORD} {number}" for number in range(CLIENTS)]
    for number in range(ROUNDS):
        bob = await world.person(ann.org, ann.team, username=f"bob{number}")
        token = await invitation(world, bob)
        wishes = ({"token": token, "password": choice} for choice in choices)
        answers = await all_at_once([world.anonymous.post("/api/activate", wish) for wish in wishes])
        assert statuses(answers) == [200] + [401] * (CLIENTS - 1)

        won = next(choice for choice, answer in zip(choices, answers, strict=True) if answer.status_code == 200)
        stored = await world.db.one(str, "SELECT password FROM users WHERE id = :id", id=bob.user_id)
        assert [choice for choice in choices if await passwords.matches(stored, choice)] == [won]
        sessions = "SELECT COUNT(*) FROM tokens WHERE user_id = :id AND kind = 'session'"
        assert await world.db.one(int, sessions, id=bob.user_id) == 1


async def invitation(world: World, person: Caller) -> str:
    async with world.db.maintenance(system(org_id=person.org.id)) as tx:
        known = await identity.find_person(tx, person.username)
        assert known
        return (await identity.create_activation_link(tx, known, "")).partition("#")[2]


@pytest.mark.both_databases
async def test_there_is_one_provisioned_owner(hosted: World) -> None:
    host = Caller(hosted, PROVISION_TOKEN)
    for _ in range(ROUNDS):
        wishes = ({"username": f"owner{number}"} for number in range(CLIENTS))
        assert await race(host.post("/api/provision", wish) for wish in wishes) == {201: 1, 409: CLIENTS - 1}
        counts = await hosted.counts()
        assert [counts[table] for table in ("users", "orgs", "teams", "org_roles", "activations")] == [1] * 5
        assert await broken(hosted) == []
        for table in ("activations", "quota_limits"):
            await run_sql(hosted, f"DELETE FROM {table}")
        await empty(hosted)
        await run_sql(hosted, "DELETE FROM instance WHERE name = 'provisioned'")


@pytest.mark.both_databases
async def test_a_slug_goes_to_one_company(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(1, ROUNDS + 1):
        wishes = [company(f"owner{number}.{client}", slug=f"acme-{number}") for client in range(CLIENTS)]
        assert await race(ann.post("/api/orgs", wish) for wish in wishes) == {201: 1, 409: CLIENTS - 1}
        counts = await world.counts()
        assert [counts[table] for table in ("orgs", "teams", "users", "org_roles")] == [number + 1] * 4


@pytest.mark.both_databases
async def test_companies_of_one_name_have_slugs_of_their_own(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(FEW):
        wishes = [company(f"owner{number}.{client}") for client in range(CLIENTS)]
        answers = await all_at_once([ann.post("/api/orgs", wish) for wish in wishes])
        assert set(statuses(answers)) <= {201, 503}
        founded = [answer.json()["org"]["slug"] for answer in answers if answer.status_code == 201]
        assert len(founded) == len(set(founded)) > 0


@pytest.mark.both_databases
async def test_a_hostname_goes_to_one_company_whether_new_or_renamed(world: World) -> None:
    ann = await world.bootstrap()
    there = [(await world.company())[0] for _ in range(CLIENTS // 2)]
    for number in range(ROUNDS):
        domain = f"work{number}.example.com"
        new = [company(f"owner{number}.{client}", domain=domain) for client in range(CLIENTS // 2)]
        requests = [ann.post("/api/orgs", wish) for wish in new]
        requests += [ann("PATCH", f"/api/orgs/{org.slug}", {"domain": domain}) for org in there]
        answers = await all_at_once([each for pair in zip(requests[::2], requests[1::2], strict=True) for each in pair])
        assert statuses(answers)[0] in (200, 201)
        assert statuses(answers)[1:] == [409] * (CLIENTS - 1)
        assert await world.db.one(int, "SELECT COUNT(*) FROM orgs WHERE domain = :domain", domain=domain) == 1


def company(owner: str, **more: str) -> dict[str, Any]:
    return {"name": "Acme", "owner": {"username": owner}, **more}


# Roles in the company


async def demote(actor: Caller, other: Caller) -> httpx2.Response:
    return await actor("PATCH", f"/api/org/members/{other.user_id}", {"org_role": None})


async def remove(actor: Caller, other: Caller) -> httpx2.Response:
    """From the only team they are in, and so from the company."""
    return await actor.delete(f"/api/members/{other.user_id}")


async def company_owners(world: World, *, number: int) -> list[Caller]:
    org, team = await world.company()
    return [await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER) for _ in range(number)]


async def as_it_was(world: World, owners: list[Caller]) -> None:
    """Everybody an owner again of team and company, with the token they had."""
    async with world.db.maintenance(system()) as tx:
        for owner in owners:
            known = {"org_id": owner.org.id, "user_id": owner.user_id}
            await tx.run(
                "INSERT INTO memberships (team_id, user_id, org_id, role, created_at)"
                " VALUES (:team_id, :user_id, :org_id, 'owner', '') ON CONFLICT DO NOTHING",
                team_id=owner.team.id, **known,
            )  # fmt: skip
            await tx.run(
                "INSERT INTO org_roles (org_id, user_id, role, created_at)"
                " VALUES (:org_id, :user_id, 'org_owner', '') ON CONFLICT DO NOTHING",
                **known,
            )
        await tx.run("UPDATE tokens SET revoked_at = NULL")


@pytest.mark.both_databases
@pytest.mark.parametrize("number", [2, 3])
async def test_of_two_company_owners_who_turn_on_each_other_one_stays(world: World, number: int) -> None:
    companies = [await company_owners(world, number=number) for _ in range(PAIRS)]
    everybody = [owner for owners in companies for owner in owners]
    # Nobody with a role in the company is removed from their last team: the removal never wins.
    ways = [(demote, demote), (demote, remove)]
    for (first, second), _ in zip(itertools.cycle(ways), range(ROUNDS), strict=False):
        duels = [all_at_once([first(one, other), second(other, one)]) for one, other, *_ in companies]
        for answers in await asyncio.gather(*duels):
            # The second acts as somebody who has no role any more, or is not there at all.
            assert statuses(answers)[0] in (200, 204) and statuses(answers)[1] in (401, 403, 409), statuses(answers)
        left = "SELECT COUNT(*) FROM org_roles WHERE role = 'org_owner'"
        assert await world.db.one(int, left) == PAIRS * (number - 1)
        await as_it_was(world, everybody)


@pytest.mark.both_databases
async def test_company_owners_who_all_take_the_next_ones_role_leave_one_behind(world: World) -> None:
    owners = await company_owners(world, number=CLIENTS)
    for _ in range(FEW):
        await race(demote(one, other) for one, other in zip(owners, owners[1:] + owners[:1], strict=True))
        assert (await world.db.one(int, "SELECT COUNT(*) FROM org_roles WHERE role = 'org_owner'") or 0) >= 1
        await as_it_was(world, owners)


@pytest.mark.both_databases
async def test_roles_given_at_once_follow_one_upon_the_other(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(FEW):
        bob = await world.person(ann.org, ann.team)
        roles = list(itertools.islice(itertools.cycle([*OrgRole, None]), CLIENTS))
        path = f"/api/org/members/{bob.user_id}"
        assert await race(ann("PATCH", path, {"org_role": role}) for role in roles) == {200: CLIENTS}
        role = await world.db.one(str, "SELECT role FROM org_roles WHERE user_id = :id", id=bob.user_id)
        steps = [msgspec.json.decode(row.detail) for row in await trail(world) if row.target == bob.user_id]
        assert is_a_path([(step["from"], step["to"]) for step in steps], None, role)


def is_a_path(steps: list[tuple[Any, Any]], start: Any, end: Any) -> bool:
    """Whether the steps can be put in an order in which each begins where the one before it ended.

    There is one, for steps that hang together, if every place but the ends is left as often as it is reached.
    """
    places = {place for step in steps for place in step}
    surplus = {place: sum((one == place) - (other == place) for one, other in steps) for place in places}
    expected = dict.fromkeys(places, 0)
    if start != end:
        expected |= {start: 1, end: -1}
    return surplus == expected


@pytest.mark.both_databases
async def test_a_colleague_is_added_once_with_their_role(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(1, FEW + 1):
        wish = {"username": f"bob{number}", "team_id": ann.team.id, "org_role": "org_reader"}
        answers = await race(ann.post("/api/org/members", wish) for _ in range(CLIENTS))
        assert answers == {201: 1, 409: CLIENTS - 1}
        counts = await world.counts()
        assert [counts[table] for table in ("users", "memberships", "org_roles")] == [number + 1] * 3


# Plans and features


@pytest.mark.both_databases
async def test_a_plan_comes_with_all_of_its_caps_whatever_is_set_meanwhile(world: World) -> None:
    ann = await world.bootstrap()
    by_hand = {"dimension": "ai.requests", "limit": 7, "window": "day"}
    for _ in range(FEW * 2):
        org, _ = await world.company()
        path = f"/api/orgs/{org.id}"
        changes = [ann("PATCH", path, {"plan": plan}) for plan in (Plan.PRO, Plan.BUSINESS) * FEW]
        requests = changes + [ann.post(f"{path}/quota", by_hand) for _ in changes]
        answers = await all_at_once(requests[::2] + requests[1::2])
        assert statuses(answers) == [200] * len(requests)
        for shown in (*(each.json() for each in answers if "plan" in each.json()), (await ann.get(path)).json()):
            caps, limits = CAPS[Plan(shown["plan"])], {row["dimension"]: row["limit"] for row in shown["quotas"]}
            assert limits.pop(Dimension.REQUESTS) in (7, caps[Dimension.REQUESTS])
            assert limits == {name: cap for name, cap in caps.items() if name is not Dimension.REQUESTS}


@pytest.mark.both_databases
async def test_features_that_are_switched_at_once_are_all_switched(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(FEW * 2):
        wish = {feature: bool((number + place) % 3) for place, feature in enumerate(Feature)}
        requests = (ann.post(f"/api/features/{name}", {"enabled": wish[name]}) for name in list(Feature) * FEW)
        assert await race(requests) == {200: len(Feature) * FEW}
        flags = (await ann.get("/api/features")).json()["items"]
        assert {flag["name"]: flag["enabled"] for flag in flags} == wish


# Suspension


Suspend = Callable[[], Coroutine[Any, Any, httpx2.Response]]


async def written_around(world: World, writer: Caller, suspend: Suspend) -> Counter[int]:
    """How a hundred writes ended, half of them begun before the suspension; none is committed after it."""
    before = (await world.counts())["notes"]
    writes = [begin(writer.post("/api/notes", {"title": "Note"})) for _ in range(WRITERS // 2)]
    suspension = begin(suspend())
    writes += [begin(writer.post("/api/notes", {"title": "Note"})) for _ in range(WRITERS // 2)]
    assert (await suspension).status_code == 200
    acknowledged = (await world.counts())["notes"]
    ends = Counter(answer.status_code for answer in await asyncio.gather(*writes))
    assert (await world.counts())["notes"] == acknowledged == before + ends[201]
    return ends


def suspending(ann: Caller, org: Org) -> Suspend:
    return lambda: ann.post(f"/api/orgs/{org.id}/suspend")


@pytest.mark.both_databases
async def test_nothing_is_written_behind_the_suspension_of_a_company(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(FEW):
        bob = await world.person(*await world.company())
        assert (await written_around(world, bob, suspending(ann, bob.org))).keys() <= {201, 403}
        assert refusal(await bob.post("/api/notes", {"title": "Note"})) == (403, "org_suspended")


@pytest.mark.both_databases
async def test_nothing_is_written_behind_the_suspension_of_a_tenant(hosted: World) -> None:
    ann, host = await hosted.bootstrap(), Caller(hosted, PROVISION_TOKEN)
    for _ in range(FEW):
        assert (await written_around(hosted, ann, lambda: host.post("/api/instance/suspend"))).keys() <= {201, 402}
        assert refusal(await ann.post("/api/notes", {"title": "Note"})) == (402, "tenant_suspended")
        await host.post("/api/instance/resume")


@pytest.mark.both_databases
async def test_a_write_that_had_passed_the_gate_is_refused_once_the_company_is_suspended(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(*await world.company())
    pause = Pause(world, "note.create")
    answer = await pause.during(bob.post("/api/notes", {"title": "Late"}), suspending(ann, bob.org)())
    assert refusal(answer) == (403, "org_suspended")
    assert (await world.counts())["notes"] == 0


@pytest.mark.both_databases
async def test_a_write_that_had_passed_the_gate_is_refused_once_the_tenant_is_suspended(hosted: World) -> None:
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
