"""Demo companies: complete, with people who can sign in, and never where others could."""

import ipaddress
from typing import Any

import msgspec
import pytest

from teamspace.settings import Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import broken, login, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as opened

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


async def seeded(operator: Caller) -> list[dict[str, Any]]:
    answer = await operator.post(PATH)
    assert answer.status_code == 201, answer.text
    companies: list[dict[str, Any]] = answer.json()["items"]
    return companies


async def test_there_are_two_companies_whose_people_sign_in(world: World) -> None:
    ann = await world.bootstrap()
    companies = await seeded(ann)
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


async def test_asking_again_changes_nothing(world: World) -> None:
    ann = await world.bootstrap()
    first = await seeded(ann)
    before = await world.counts()
    assert await seeded(ann) == first
    assert await world.counts() == before


async def test_no_live_token_is_left_behind(world: World) -> None:
    ann = await world.bootstrap()
    await seeded(ann)
    live = await world.db.all(str, "SELECT org_id FROM tokens WHERE revoked_at IS NULL")
    assert live == [ann.org.id], "the operator's own"


async def test_each_company_has_its_own_look(world: World) -> None:
    ann = await world.bootstrap()
    instance = (await world.anonymous.get("/api/branding")).json()
    looks = []
    for company in await seeded(ann):
        looks.append((await world.anonymous.get("/api/branding", headers={"host": company["domain"]})).json())
        assert looks[-1]["title"] == company["name"]
    assert looks[0]["theme"] != looks[1]["theme"]
    assert instance["theme"] not in [look["theme"] for look in looks]
    assert (await world.anonymous.get("/api/branding")).json() == instance


async def test_each_company_has_notes_and_sees_no_other_ones(world: World) -> None:
    ann = await world.bootstrap()
    for company in await seeded(ann):
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


@pytest.mark.parametrize("why", REACHABLE)
async def test_others_could_use_the_known_passwords(settings: Settings, why: str) -> None:
    reachable = msgspec.structs.replace(settings, **REACHABLE[why])
    async with opened(reachable) as world:
        ann = await world.bootstrap()
        before = await world.counts()
        assert refusal(await ann.post(PATH)) == (403, "forbidden")
        assert await world.counts() == before
    async with opened(msgspec.structs.replace(reachable, demo=True)) as world:
        assert len(await seeded(Caller(world, ann.token))) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
async def test_this_machine_alone_is_safe(settings: Settings, host: str) -> None:
    async with opened(msgspec.structs.replace(settings, host=host)) as world:
        assert len(await seeded(await world.bootstrap())) == 2


async def test_an_instance_for_one_company_has_no_demo(settings: Settings) -> None:
    async with opened(msgspec.structs.replace(settings, multitenant=False)) as world:
        ann = await world.bootstrap()
        before = await world.counts()
        assert refusal(await ann.post(PATH)) == (409, "single_tenant")
        assert await world.counts() == before


async def test_only_an_operator_asks_for_it(world: World) -> None:
    ann = await world.bootstrap()
    before = (await world.counts())["orgs"]
    owner = await world.person(ann.org, ann.team, Role.OWNER, org_role=OrgRole.OWNER)
    assert refusal(await owner.post(PATH)) == (403, "forbidden")
    assert refusal(await world.anonymous.post(PATH)) == (401, "unauthenticated")
    assert (await world.counts())["orgs"] == before


async def test_a_company_that_somebody_left_is_left_as_it_is(world: World) -> None:
    ann = await world.bootstrap()
    first = (await seeded(ann))[0]["people"][0]
    owner = await signed_in(world, first["username"], first["password"])
    members = {row["username"]: row["user_id"] for row in (await owner.get("/api/members")).json()["items"]}
    assert (await owner.delete(f"/api/members/{members['aurora.mira']}")).status_code == 204
    before = await world.counts()
    assert (await ann.post(PATH)).status_code in (201, 409)
    assert await world.counts() == before


async def test_a_name_that_somebody_else_has_is_said(world: World) -> None:
    """The answer names passwords that work, so it must not name those of a stranger's account."""
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, username="aurora.jonas", password=PASSWORD)
    assert refusal(await ann.post(PATH)) == (409, "conflict")


async def test_an_owner_who_left_is_said(world: World) -> None:
    """And not as if the operator's own credential were wrong."""
    ann = await world.bootstrap()
    first = (await seeded(ann))[0]["people"][0]
    noor = await signed_in(world, first["username"], first["password"])
    team_id = (await noor.get("/api/whoami")).json()["team"]["id"]
    wish = {"username": "heir", "team_id": team_id, "role": "owner", "org_role": "org_owner"}
    heir = Caller(world, (await noor.post("/api/org/members", wish)).json()["token"])
    assert (await heir.delete(f"/api/members/{noor.user_id}")).status_code == 204
    assert refusal(await ann.post(PATH)) == (409, "conflict")
