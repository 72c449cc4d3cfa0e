"""Who is told: those who can read the thing at that moment, those who no longer can, and no one else."""

import asyncio
from typing import Any

import pytest

from teamspace import events
from teamspace.core.principal import system
from teamspace.events import Change
from teamspace.tenancy.schemas import OrgRole, Role
from tests.events.help import Process, Stream
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


class Company:
    """A company with one listener in every position towards a team's things."""

    def __init__(self, world: World, server: Process) -> None:
        self.world, self.server = world, server
        self.people: dict[str, Caller] = {}
        self.streams: dict[str, Stream] = {}

    async def build(self) -> "Company":
        world = self.world
        await world.bootstrap()
        org, team = await world.company()
        other_team = await world.team(org)
        foreign, foreign_team = await world.company()
        self.people = {
            "owner": await world.person(org, team),
            "member": await world.person(org, team),
            "guest": await world.person(org, team, Role.GUEST),
            "viewer": await world.person(org, team, Role.VIEWER),
            "friend": await world.person(org, other_team),
            "neighbour": await world.person(org, other_team, Role.OWNER),
            "reader": await world.person(org, other_team, org_role=OrgRole.READER),
            "stranger": await world.person(foreign, foreign_team, Role.OWNER, org_role=OrgRole.OWNER),
        }
        self.people["notes only"] = await world.token(self.people["member"], scope=["notes:read"])
        self.people["no notes"] = await world.token(self.people["owner"], scope=["files:read"])
        self.people["below a/"] = await world.token(self.people["owner"], scope=["files:read:a/"])
        for name, caller in self.people.items():
            self.streams[name] = await self.server.listen(caller)
        return self

    async def told(self, *, of_jobs: bool = False) -> dict[str, list[str]]:
        """Who was told what of jobs, or of everything else, since the last call."""
        await self.server.settle()
        heard = {
            name: [change for type, _, change in stream.changes if (type == "job") == of_jobs]
            for name, stream in self.streams.items()
        }
        for stream in self.streams.values():
            assert set(stream.names) <= {"ready", "change"}
            stream.events.clear()
        return {name: changes for name, changes in heard.items() if changes}

    async def note(self, **fields: Any) -> str:
        answer = await self.people["owner"].post("/api/notes", {"title": "x", "body": "secret", **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    async def object(self, key: str = "a/b", **headers: str) -> str:
        owner = self.people["owner"]
        answer = await owner.world.client.put(
            f"/api/repo/{key}", content=b"secret", headers={"authorization": f"Bearer {owner.token}", **headers}
        )
        assert answer.status_code in (200, 201), answer.text
        return answer.json()["id"]


@pytest.fixture
async def company(world: World, server: Process) -> Company:
    return await Company(world, server).build()


def to(change: str, *names: str) -> dict[str, list[str]]:
    return {name: [change] for name in names}


TEAM_NOTE = ("owner", "member", "viewer", "notes only", "reader")
TEAM_FILE = ("owner", "member", "viewer", "reader", "no notes", "below a/")


async def test_a_private_note_is_between_its_owner_and_those_it_is_shared_with(company: Company) -> None:
    note, owner, friend = await company.note(visibility="private"), company.people["owner"], company.people["friend"]
    assert await company.told() == to("created", "owner")
    await owner.put(f"/api/notes/{note}", {"title": "y"})
    assert await company.told() == to("updated", "owner")
    await owner.post(f"/api/notes/{note}/share", {"user_id": friend.user_id, "permission": "notes:read"})
    assert await company.told() == to("updated", "owner", "friend")
    await owner.post(f"/api/notes/{note}/share", {"user_id": friend.user_id, "permission": None})
    assert await company.told() == to("updated", "owner") | to("deleted", "friend")
    await owner.put(f"/api/notes/{note}", {"title": "z"})
    assert await company.told() == to("updated", "owner")
    await owner.delete(f"/api/notes/{note}")
    assert await company.told() == to("deleted", "owner")


async def test_a_team_note_is_for_roles_that_read_notes_and_for_readers_of_the_company(company: Company) -> None:
    note, owner = await company.note(visibility="team"), company.people["owner"]
    assert await company.told() == to("created", *TEAM_NOTE)
    for withdrawn in ("private", "shared"):
        await owner.put(f"/api/notes/{note}", {"visibility": withdrawn})
        assert await company.told() == to("updated", "owner") | to("deleted", *set(TEAM_NOTE) - {"owner"})
        await owner.put(f"/api/notes/{note}", {"visibility": "team"})
        assert await company.told() == to("updated", *TEAM_NOTE)
    await owner.post(
        f"/api/notes/{note}/share", {"user_id": company.people["guest"].user_id, "permission": "notes:read"}
    )
    assert await company.told() == to("updated", *TEAM_NOTE, "guest")
    await owner.delete(f"/api/notes/{note}")
    assert await company.told() == to("deleted", *TEAM_NOTE, "guest")


async def test_an_object_is_told_by_role_grant_and_prefix(company: Company) -> None:
    inside = await company.object("a/b")
    assert await company.told() == to("created", "owner", "no notes", "below a/")
    owner, friend = company.people["owner"], company.people["friend"]
    await owner.post(f"/api/repo-obj/{inside}/visibility", {"visibility": "team"})
    assert await company.told() == to("updated", *TEAM_FILE)
    team = {"principal_type": "team", "principal_id": friend.team.id}
    await owner.post(f"/api/repo-obj/{inside}/share", {**team, "capability": "view"})
    assert await company.told() == to("updated", *TEAM_FILE, "friend", "neighbour")
    await owner.post(f"/api/repo-obj/{inside}/unshare", team)
    assert await company.told() == to("updated", *TEAM_FILE) | to("deleted", "friend", "neighbour")
    await owner.post(f"/api/repo-obj/{inside}/visibility", {"visibility": "private"})
    assert await company.told() == to("updated", "owner", "no notes", "below a/") | to(
        "deleted", "member", "viewer", "reader"
    )
    await owner.delete(f"/api/repo-obj/{inside}")
    assert await company.told() == to("deleted", "owner", "no notes", "below a/")


async def test_a_prefix_limits_what_a_token_learns_of_deletions(company: Company) -> None:
    outside = await company.object("b/c")
    assert await company.told() == to("created", "owner", "no notes")
    await company.people["owner"].delete(f"/api/repo-obj/{outside}")
    assert await company.told() == to("deleted", "owner", "no notes")


async def test_a_transfer_withdraws_the_former_owners_private_things(company: Company) -> None:
    await company.note(visibility="private")
    await company.object("a/b")
    await company.note(visibility="team")
    await company.told()
    manager = await company.world.person(company.people["owner"].org, company.people["owner"].team, Role.OWNER)
    answer = await manager.post(
        f"/api/members/{company.people['owner'].user_id}/transfer", {"to": company.people["member"].user_id}
    )
    assert answer.status_code == 200, answer.text
    told = await company.told()
    assert sorted(told.pop("owner")) == ["deleted", "deleted", "updated"]
    assert sorted(told.pop("member")) == ["updated", "updated", "updated"]
    assert told == {
        "notes only": ["updated", "updated"], "viewer": ["updated"], "reader": ["updated"], "no notes": ["deleted"],
    }  # fmt: skip


async def test_usage_is_told_to_the_team_once(company: Company) -> None:
    owner = company.people["owner"]
    for _ in range(3):
        answer = await owner.post("/api/ai/echo", {"prompt": "hello"})
        assert answer.status_code == 200, answer.text
    told = await company.told()
    assert told == to("updated", "owner", "member", "viewer", "guest", "notes only", "no notes", "below a/")


async def test_losing_a_role_ends_or_resets_the_stream_at_once(company: Company) -> None:
    world, member = company.world, company.people["member"]
    boss = await world.person(member.org, member.team, Role.OWNER)
    for stream in company.streams.values():
        stream.events.clear()
    assert (await boss("PATCH", f"/api/members/{member.user_id}", {"role": "guest"})).status_code == 200
    await company.note(visibility="team")
    await company.server.settle()
    changed = ("member", member.user_id, "updated")
    assert company.streams["member"].names[0] == "reset", "its rights changed"
    assert company.streams["member"].changes == [changed], "and it is not told of the note"
    assert company.streams["guest"].changes == [changed]
    assert [kind for kind, _, _ in company.streams["viewer"].changes] == ["member", "note"]
    assert (await boss("DELETE", f"/api/members/{member.user_id}")).status_code == 204
    await company.server.settle()
    assert company.streams["member"].ended and company.streams["notes only"].ended
    assert company.streams["viewer"].changes[-1] == ("member", member.user_id, "deleted")
    assert not company.streams["viewer"].ended


async def test_revoked_expired_and_suspended_callers_lose_their_streams(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, server = company.world, company.server
    await world.revoke(company.people["viewer"])
    await server.settle()
    assert company.streams["viewer"].ended and not company.streams["owner"].ended
    brief = await server.listen(await world.token(company.people["owner"], ttl=0.2))
    await asyncio.sleep(0.3)
    await server.settle()
    assert brief.ended and not company.streams["owner"].ended
    await world.suspend(company.people["owner"].org)
    await server.settle()
    assert company.streams["owner"].ended and not company.streams["stranger"].ended


async def test_a_job_is_told_to_its_team(company: Company) -> None:
    owner = company.people["owner"]
    answer = await owner.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello"}})
    assert answer.status_code == 202, answer.text
    await company.told()
    job, org_id, team_id = answer.json()["id"], owner.org.id, owner.team.id
    async with company.world.db.maintenance(system(org_id=org_id)) as tx:
        await events.record(tx, "job", job, change=Change.UPDATED, org_id=org_id, team_id=team_id)
        await events.record(tx, "unknown kind", job, change=Change.UPDATED, org_id=org_id, team_id=team_id)
    assert await company.told(of_jobs=True) == to(
        "updated", "owner", "member", "viewer", "guest", "notes only", "no notes", "below a/"
    )
