"""Demo companies: complete, with people who can sign in, and refused on reachable instances."""

import ipaddress
from typing import Any

import msgspec
import pytest

from teamspace.settings import Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import broken, login, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as open_world

PATH = "/api/admin/seed-tenants"
REACHABLE: dict[str, dict[str, Any]] = {
    "listens to others": {"host": "0.0.0.0"},
    "listens on IPv6": {"host": "::"},
    "listens on a name": {"host": "work.example.com"},
    "has an address": {"base_url": "https://work.example.com"},
    "has an address that looks local": {"base_url": "http://localhost.example.com"},
    "has proxies": {"trusted_proxies": (ipaddress.ip_network("127.0.0.1/32"),)},
    "is hosted": {"provision_token": "the-token-of-whoever-hosts-this"},
    "listens to others at a local address": {"host": "0.0.0.0", "base_url": "http://localhost:8080"},
}


async def seed(operator: Caller) -> list[dict[str, Any]]:
    answer = await operator.post(PATH)
    assert answer.status_code == 201, answer.text
    companies: list[dict[str, Any]] = answer.json()["items"]
    return companies


async def test_the_people_of_both_companies_can_sign_in(world: World) -> None:
    ann = await world.bootstrap()
    companies = await seed(ann)
    assert [company["slug"] for company in companies] == ["aurora-books", "borealis-robotics"]
    for company in companies:
        assert len(company["people"]) >= 4
        for person in company["people"]:
            answer = await login(world, person["username"], person["password"])
            assert answer.status_code == 200, person
            me = (await Caller(world, answer.json()["token"]).get("/api/whoami")).json()
            assert (me["org"]["slug"], me["org"]["domain"]) == (company["slug"], company["domain"])
            assert (me["team"]["name"], me["role"], me["org_role"], me["operator"]) == (
                person["team"], person["role"], person["org_role"], False
            )  # fmt: skip
    assert await broken(world) == []


async def test_seeding_again_changes_nothing(world: World) -> None:
    ann = await world.bootstrap()
    first = await seed(ann)
    before = await world.counts()
    assert await seed(ann) == first
    assert await world.counts() == before


async def test_no_valid_token_is_left(world: World) -> None:
    ann = await world.bootstrap()
    await seed(ann)
    live = await world.db.all(str, "SELECT org_id FROM tokens WHERE revoked_at IS NULL")
    assert live == [ann.org.id], "the operator's own"


async def test_each_company_has_its_own_branding(world: World) -> None:
    ann = await world.bootstrap()
    instance = (await world.anonymous.get("/api/branding")).json()
    brandings = []
    for company in await seed(ann):
        brandings.append((await world.anonymous.get("/api/branding", headers={"host": company["domain"]})).json())
        assert brandings[-1]["title"] == company["name"]
    assert brandings[0]["theme"] != brandings[1]["theme"]
    assert instance["theme"] not in [branding["theme"] for branding in brandings]
    assert (await world.anonymous.get("/api/branding")).json() == instance


async def test_each_company_has_notes_and_sees_only_its_own(world: World) -> None:
    ann = await world.bootstrap()
    for company in await seed(ann):
        person = company["people"][0]
        owner = await signed_in(world, person["username"], person["password"])
        me = (await owner.get("/api/whoami")).json()
        teams = {team["id"] for team in (await owner.get("/api/org/teams")).json()["items"]}
        notes = (await owner.get("/api/notes?scope=org&limit=200")).json()["items"]
        assert len(notes) >= 5
        assert {note["team_id"] for note in notes} == teams and len(teams) == 2
        members = (await owner.get("/api/members?scope=org")).json()["items"]
        assert {row["username"] for row in members} == {each["username"] for each in company["people"]}
        assert me["org"]["id"] != ann.org.id
    assert (await ann.get("/api/notes?scope=org")).json()["items"] == []


@pytest.mark.parametrize("reason", REACHABLE)
async def test_a_reachable_instance_refuses_unless_demo_is_set(settings: Settings, reason: str) -> None:
    reachable = msgspec.structs.replace(settings, **REACHABLE[reason])
    async with open_world(reachable) as world:
        ann = await world.bootstrap()
        before = await world.counts()
        assert refusal(await ann.post(PATH)) == (403, "forbidden")
        assert await world.counts() == before
    async with open_world(msgspec.structs.replace(reachable, demo=True)) as world:
        assert len(await seed(Caller(world, ann.token))) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
async def test_an_instance_on_loopback_is_seeded(settings: Settings, host: str) -> None:
    async with open_world(msgspec.structs.replace(settings, host=host)) as world:
        assert len(await seed(await world.bootstrap())) == 2


async def test_an_instance_for_one_company_has_no_demo(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, multitenant=False)) as world:
        ann = await world.bootstrap()
        before = await world.counts()
        assert refusal(await ann.post(PATH)) == (409, "single_tenant")
        assert await world.counts() == before


async def test_only_operators_can_seed(world: World) -> None:
    ann = await world.bootstrap()
    before = (await world.counts())["orgs"]
    owner = await world.person(ann.org, ann.team, Role.OWNER, org_role=OrgRole.OWNER)
    assert refusal(await owner.post(PATH)) == (403, "forbidden")
    assert refusal(await world.anonymous.post(PATH)) == (401, "unauthenticated")
    assert (await world.counts())["orgs"] == before


async def test_a_company_with_removed_members_is_unchanged(world: World) -> None:
    ann = await world.bootstrap()
    first = (await seed(ann))[0]["people"][0]
    owner = await signed_in(world, first["username"], first["password"])
    members = {row["username"]: row["user_id"] for row in (await owner.get("/api/members")).json()["items"]}
    assert (await owner.delete(f"/api/members/{members['aurora.mira']}")).status_code == 204
    before = await world.counts()
    assert (await ann.post(PATH)).status_code in (201, 409)
    assert await world.counts() == before


async def test_a_username_taken_by_someone_else_is_a_conflict(world: World) -> None:
    """The response contains passwords, so it must not list accounts of other people."""
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, username="aurora.jonas", password=PASSWORD)
    assert refusal(await ann.post(PATH)) == (409, "conflict")


async def test_a_removed_owner_is_a_conflict(world: World) -> None:
    """It must not look as if the operator's own credential were wrong."""
    ann = await world.bootstrap()
    first = (await seed(ann))[0]["people"][0]
    noor = await signed_in(world, first["username"], first["password"])
    team_id = (await noor.get("/api/whoami")).json()["team"]["id"]
    draft = {"username": "heir", "team_id": team_id, "role": "owner", "org_role": "org_owner"}
    successor = Caller(world, (await noor.post("/api/org/members", draft)).json()["token"])
    assert (await successor.delete(f"/api/members/{noor.user_id}")).status_code == 204
    assert refusal(await ann.post(PATH)) == (409, "conflict")
