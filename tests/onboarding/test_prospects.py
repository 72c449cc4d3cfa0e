"""What a team does with its prospects: list, decide, export, delete."""

import asyncio
import csv
import io
from typing import Any

import pytest

from teamspace.tenancy.schemas import Role
from tests.events.help import process
from tests.onboarding.signing_up import PROSE, easy, prospects, publish, sign_up
from tests.support.world import PASSWORD, Caller, World

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("easy")]
assert easy


@pytest.fixture
async def ann(world: World) -> Caller:
    ann = await world.bootstrap()
    await publish(world, ann)
    return ann


async def decide(caller: Caller, prospect: dict[str, Any], decision: str = "accept", **more: Any) -> Any:
    return await caller.post(f"/api/beta/prospects/{prospect['id']}/decide", {"decision": decision, **more})


async def test_an_accepted_prospect_becomes_a_member_by_an_activation_link(world: World, ann: Caller) -> None:
    await sign_up(world, "eva@example.org")
    (prospect,) = await prospects(ann)
    accepted = (await decide(ann, prospect, note="Welcome")).json()
    assert (accepted["state"], accepted["note"], accepted["decided_by"]) == ("accepted", "Welcome", ann.user_id)
    token = accepted["activation_url"].partition("#")[2]
    session = await world.anonymous.post("/api/activate", {"token": token, "password": PASSWORD})
    assert session.status_code == 200, session.text
    members = {member["username"]: member for member in (await ann.get("/api/members")).json()["items"]}
    assert (
        members["eva@example.org"]["role"] == "member" and accepted["user_id"] == members["eva@example.org"]["user_id"]
    )
    await world.app.sign_ups.counts.save(world.db)
    (day,) = (await ann.get("/api/beta/prospects", params={"numbers": "1"})).json()["numbers"]
    steps = {step: day[step] for step in ("views", "starts", "solved", "signed_up", "accepted", "activated")}
    assert steps == {"views": 0, "starts": 1, "solved": 1, "signed_up": 1, "accepted": 1, "activated": 1}


async def test_of_twenty_decisions_one_counts(world: World, ann: Caller) -> None:
    await sign_up(world)
    (prospect,) = await prospects(ann)
    choices = ("accept", "decline")
    answers = await asyncio.gather(*(decide(ann, prospect, choices[number % 2]) for number in range(20)))
    statuses = [answer.status_code for answer in answers]
    assert (statuses.count(200), statuses.count(409)) == (1, 19)
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"already_decided"}


async def test_a_declined_prospect_gets_no_account(world: World, ann: Caller) -> None:
    await sign_up(world)
    (prospect,) = await prospects(ann)
    declined = (await decide(ann, prospect, "decline")).json()
    assert (declined["state"], declined["user_id"], declined["activation_url"]) == ("declined", None, None)
    assert len((await ann.get("/api/members")).json()["items"]) == 1


async def test_an_address_of_another_company_is_refused_and_a_colleague_joins(world: World, ann: Caller) -> None:
    org, team = await world.company()
    await world.person(org, team, username="zoe@example.org")
    colleague = await world.person(ann.org, await world.team(ann.org), username="bob@example.org")
    await sign_up(world, "Zoe@example.org")
    await sign_up(world, "bob@example.org")
    bob, zoe = await prospects(ann)
    refused = await decide(ann, zoe)
    assert (refused.status_code, refused.json()["key"]) == (409, "onboarding.address_unavailable")
    assert (await prospects(ann))[1]["state"] == "captured"
    joined = (await decide(ann, bob)).json()
    assert (joined["user_id"], joined["activation_url"]) == (colleague.user_id, None)


async def test_prospects_are_filtered_and_paged(world: World, ann: Caller) -> None:
    for name in ("anna", "anton", "berta", "carl"):
        await sign_up(world, f"{name}@example.org", homepage="spam" if name == "carl" else "")
    carl, berta, anton, anna = await prospects(ann)
    await decide(ann, berta, "decline")
    for query, expected in [
        ({"state": "captured"}, [carl, anton, anna]), ({"state": "declined"}, [berta]),
        ({"level": "blocked"}, [carl]), ({"q": "AN"}, [anton, anna]), ({"q": "an", "level": "blocked"}, []),
        ({"verdict": "none", "state": "captured"}, [carl, anton, anna]), ({"verdict": "accept"}, []),
    ]:  # fmt: skip
        found = [each["id"] for each in await prospects(ann, **query)]
        assert found == [each["id"] for each in expected], query
    first = (await ann.get("/api/beta/prospects", params={"state": "captured", "limit": 2})).json()
    rest = await prospects(ann, state="captured", limit=2, cursor=first["next_cursor"])
    assert [each["id"] for each in (*first["items"], *rest)] == [carl["id"], anton["id"], anna["id"]]


async def test_only_those_who_manage_the_team_see_its_prospects(world: World, ann: Caller) -> None:
    await sign_up(world)
    (prospect,) = await prospects(ann)
    member = await world.person(ann.org, ann.team)
    org, team = await world.company()
    stranger = await world.person(org, team, Role.OWNER)
    other_team = await world.person(ann.org, await world.team(ann.org), Role.OWNER)
    assert (await member.get("/api/beta/prospects")).status_code == 403
    for caller in (stranger, other_team):
        assert await prospects(caller) == []
        assert (await decide(caller, prospect)).status_code == 404
        assert (await caller.delete(f"/api/beta/prospects/{prospect['id']}")).status_code == 404


async def test_a_deleted_prospect_leaves_nothing_behind(world: World, ann: Caller) -> None:
    await sign_up(world, why=PROSE)
    (prospect,) = await prospects(ann)
    assert (await ann.delete(f"/api/beta/prospects/{prospect['id']}")).status_code == 204
    assert await prospects(ann) == [] and (await world.counts())["prospect_bands"] == 0
    assert await world.db.one(str, "SELECT detail FROM audit WHERE action = 'prospect.delete'") == "{}"


@pytest.mark.parametrize("by", [{"params": {"format": "csv"}}, {"headers": {"accept": "text/csv"}}])
async def test_an_export_has_no_formulas(world: World, ann: Caller, by: dict[str, Any]) -> None:
    await sign_up(world, "+1@example.org", why='=HYPERLINK("https://evil.example")')
    await sign_up(world, "eva@example.org", why='plain, "quoted"')
    answer = await ann.get("/api/beta/prospects", **by)
    assert (
        answer.headers["content-type"].startswith("text/csv") and "attachment" in answer.headers["content-disposition"]
    )
    plain, formula = csv.DictReader(io.StringIO(answer.text))
    assert (plain["email"], plain["why"]) == ("eva@example.org", 'plain, "quoted"')
    assert (formula["email"], formula["why"]) == ("'+1@example.org", '\'=HYPERLINK("https://evil.example")')


async def test_those_who_manage_the_team_are_told_of_changes(world: World, ann: Caller) -> None:
    org, team = await world.company()
    people = {
        "owner": ann,
        "member": await world.person(ann.org, ann.team),
        "neighbour": await world.person(ann.org, await world.team(ann.org), Role.OWNER),
        "stranger": await world.person(org, team, Role.OWNER),
        "token": await world.token(ann, scope=["notes:read"]),
    }
    async with process(world) as server:
        streams = {name: await server.listen(caller) for name, caller in people.items()}
        await sign_up(world)
        (prospect,) = await prospects(ann)
        await decide(ann, prospect, "decline")
        await ann.delete(f"/api/beta/prospects/{prospect['id']}")
        await server.settle()
        told = {name: [each for each in stream.changes if each[0] == "prospect"] for name, stream in streams.items()}
    assert {name for name, changes in told.items() if changes} == {"owner"}
    assert {id for _, id, _ in told["owner"]} == {prospect["id"]} and told["owner"][-1][2] == "deleted"
