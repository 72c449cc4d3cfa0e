"""Concurrency: one operator, one account per username, and always an owner per team."""

import asyncio
import itertools

import httpx2
import pytest

from teamspace.core.principal import system
from teamspace.identity.domain import passwords
from teamspace.tenancy.schemas import Role
from tests.identity.help import CLIENTS, Pause, broken, is_alive, login, race, refusal
from tests.support.tampering import tamper
from tests.support.world import PASSWORD, Caller, World

PAIRS, FEW = 4, 5
pytestmark = pytest.mark.usefixtures("patient")


@pytest.mark.both_databases
async def test_concurrent_bootstraps_create_one_operator(
    world: World, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    # The strength check of passwords is slow and would serialise the requests.
    monkeypatch.setattr(passwords, "_guesses", lambda *_: 1e12)
    body = {"username": "ann", "password": PASSWORD}
    for _ in range(rounds):
        requests = (world.anonymous.post("/api/bootstrap", body) for _ in range(CLIENTS))
        assert await race(requests) == {201: 1, 409: CLIENTS - 1}
        counts = await world.counts()
        assert (counts["users"], counts["orgs"], counts["teams"], counts["tokens"]) == (1, 1, 1, 1)
        await delete_everything(world)


async def delete_everything(world: World) -> None:
    """Reset the instance to before the bootstrap."""
    async with world.db.maintenance(system()) as tx:
        for table in ("tokens", "org_roles", "memberships", "users", "teams", "orgs"):
            await tx.run(f"DELETE FROM {table}")
        await tamper(tx, "DELETE FROM audit")
        await tx.run("DELETE FROM instance WHERE name = 'bootstrapped'")


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_username_is_added_to_a_team_once(world: World, rounds: int) -> None:
    ann = await world.bootstrap()
    for number in range(rounds):
        body = {"username": f"bob{number}", "role": "member"}
        requests = (ann.post("/api/members", body) for _ in range(CLIENTS))
        assert await race(requests) == {201: 1, 409: CLIENTS - 1}
        assert (await world.counts())["users"] == number + 2


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_username_is_given_to_one_company_without_leaking_to_the_other(world: World, rounds: int) -> None:
    owners = [await world.person(*await world.company(), Role.OWNER) for _ in range(2)]
    same_request = {"x-request-id": "the-same-request"}

    async def add(owner: Caller, body: dict[str, str]) -> httpx2.Response:
        return await owner.post("/api/members", body, headers=same_request)

    for number in range(rounds):
        body = {"username": f"bob{number}", "role": "member"}
        callers = list(itertools.islice(itertools.cycle(owners), CLIENTS))
        answers = await asyncio.gather(*(add(caller, body) for caller in callers))
        assert sorted(answer.status_code for answer in answers) == [201] + [409] * (CLIENTS - 1)

        winner = next(caller for caller, answer in zip(callers, answers, strict=True) if answer.status_code == 201)
        (loser,) = (owner for owner in owners if owner is not winner)
        refusals = {answer.content for caller, answer in zip(callers, answers, strict=True) if caller is loser}
        assert refusals == {(await add(loser, body)).content}


async def owner_pair(world: World) -> tuple[Caller, Caller]:
    org, team = await world.company()
    return await world.person(org, team, Role.OWNER), await world.person(org, team, Role.OWNER)


async def restore_owners(world: World, owners: list[Caller]) -> None:
    """Make everyone an owner again, with their old tokens."""
    async with world.db.maintenance(system()) as tx:
        for owner in owners:
            await tx.run(
                "INSERT INTO memberships (team_id, user_id, org_id, role, created_at)"
                " VALUES (:team_id, :user_id, :org_id, 'owner', '') ON CONFLICT DO NOTHING",
                team_id=owner.team.id, user_id=owner.user_id, org_id=owner.org.id,
            )  # fmt: skip
        await tx.run("UPDATE memberships SET role = 'owner'")
        await tx.run("UPDATE tokens SET revoked_at = NULL")


@pytest.mark.processes
@pytest.mark.both_databases
async def test_one_of_two_owners_who_demote_or_remove_each_other_stays(world: World, rounds: int) -> None:
    pairs = [await owner_pair(world) for _ in range(PAIRS)]
    owners = [owner for pair in pairs for owner in pair]

    async def demote(actor: Caller, other: Caller) -> httpx2.Response:
        return await actor("PATCH", f"/api/members/{other.user_id}", {"role": "member"})

    async def remove(actor: Caller, other: Caller) -> httpx2.Response:
        return await actor.delete(f"/api/members/{other.user_id}")

    actions = itertools.cycle([(demote, demote), (remove, remove), (demote, remove)])
    for (first, second), _ in zip(actions, range(rounds), strict=False):
        requests = [[first(one, other), second(other, one)] for one, other in pairs]
        answers = await asyncio.gather(*(asyncio.gather(*pair) for pair in requests))
        for pair in answers:
            statuses = sorted(answer.status_code for answer in pair)
            # The second is refused as the last owner, or because it is no longer an owner.
            assert statuses[0] in (200, 204) and statuses[1] in (401, 403, 409), statuses
        assert await broken_owner_invariants(world) == []
        await restore_owners(world, owners)


async def broken_owner_invariants(world: World) -> list[str]:
    # The companies of these tests have no company owner.
    expected = ("tenancy.bootstrap", "tenancy.company_owners")
    return [name for name in await broken(world) if name.startswith("tenancy.") and name not in expected]


@pytest.mark.processes
@pytest.mark.both_databases
async def test_one_of_many_owners_who_leave_concurrently_stays(world: World) -> None:
    org, team = await world.company()
    owners = [await world.person(org, team, Role.OWNER) for _ in range(CLIENTS)]
    for _ in range(FEW):
        requests = (owner.delete(f"/api/members/{owner.user_id}") for owner in owners)
        assert await race(requests) == {204: CLIENTS - 1, 409: 1}
        await restore_owners(world, owners)


# Changes during a slow request


@pytest.mark.both_databases
async def test_a_person_removed_during_sign_in_gets_no_session(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    answer = await Pause(world, "session.open").during(login(world, "bob"), ann.delete(f"/api/members/{bob.user_id}"))
    assert answer.status_code in (401, 403, 404)
    assert await broken(world) == []


@pytest.mark.both_databases
async def test_a_person_removed_while_creating_a_token_cannot_use_it_later(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.ADMIN, username="bob")
    answer = await Pause(world, "token.create").during(
        bob.post("/api/tokens", {"name": "for later", "ttl": "never"}), ann.delete(f"/api/members/{bob.user_id}")
    )
    assert await broken(world) == []
    await ann.post("/api/members", {"username": "bob", "role": "guest"})
    assert answer.is_error or not await is_alive(Caller(world, answer.json()["token"]))


@pytest.mark.both_databases
async def test_a_person_removed_while_switching_to_the_team_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, await world.team(ann.org), Role.OWNER, username="bob", password=PASSWORD)
    await world.join(bob, ann.team)
    session = await world.session(bob)
    answer = await Pause(world, "profile.update").during(
        session.post("/api/profile", {"team_id": ann.team.id}), ann.delete(f"/api/members/{bob.user_id}")
    )
    assert refusal(answer) == (404, "not_found")
    assert await broken(world) == []
