"""Those who can read a conversation are told of its changes, and those who lose it that it is gone."""

from collections.abc import AsyncIterator

import pytest

from teamspace.tenancy.schemas import Role
from tests.conversations.help import begin, create, end
from tests.events.help import Process, Stream
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


class Company:
    def __init__(self, world: World) -> None:
        self.world, self.server = world, Process(world.db)
        self.streams: dict[str, Stream] = {}

    async def told(self) -> dict[str, list[str]]:
        """Who was told what since the last call."""
        await self.server.settle()
        told = {
            name: [change for kind, _, change in stream.changes if kind == "conversation"]
            for name, stream in self.streams.items()
        }
        for stream in self.streams.values():
            stream.events.clear()
        return {name: changes for name, changes in told.items() if changes}


@pytest.fixture
async def company(world: World) -> AsyncIterator[Company]:
    company = Company(world)
    yield company
    await company.server.close()


async def test_readers_are_told_of_every_change(world: World, company: Company) -> None:
    ann = await world.bootstrap()
    people: dict[str, Caller] = {
        "owner": await world.person(ann.org, ann.team),
        "friend": await world.person(ann.org, await world.team(ann.org)),
        "manager": await world.person(ann.org, ann.team, Role.OWNER),
    }
    people["no chat"] = await world.token(people["owner"], scope=["notes:read"])
    for name, caller in people.items():
        company.streams[name] = await company.server.listen(caller)
    owner, friend = people["owner"], people["friend"]
    id = await create(world, owner)
    path = f"/api/conversations/{id}"
    assert await company.told() == {"owner": ["created"]}
    begun = await begin(world, owner, id, "x")
    assert await company.told() == {"owner": ["updated"]}
    await owner.post(f"{path}/share", {"user_id": friend.user_id, "permission": "notes:read"})
    assert await company.told() == {"owner": ["updated"], "friend": ["updated"]}
    await end(world, owner, begun.id)
    await end(world, owner, begun.id)
    assert await company.told() == {"owner": ["updated"], "friend": ["updated"]}, "a turn ends once"
    await owner.post(f"{path}/share", {"user_id": friend.user_id, "permission": None})
    assert await company.told() == {"owner": ["updated"], "friend": ["deleted"]}
    await owner("PATCH", path, {"title": "y"})
    assert await company.told() == {"owner": ["updated"]}
    await owner.post(f"{path}/share", {"user_id": friend.user_id, "permission": "notes:write"})
    await company.told()
    await owner.delete(path)
    assert await company.told() == {"owner": ["deleted"], "friend": ["deleted"]}


async def test_a_transfer_tells_both_owners(world: World, company: Company) -> None:
    ann = await world.bootstrap()
    bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
    company.streams = {"bob": await company.server.listen(bob), "eve": await company.server.listen(eve)}
    await create(world, bob)
    await company.told()
    await ann.post(f"/api/members/{bob.user_id}/transfer", {"to": eve.user_id})
    assert await company.told() == {"bob": ["deleted"], "eve": ["updated"]}
