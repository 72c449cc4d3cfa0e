"""A change of rights by another process, such as the command line, is in force for the next write."""

from collections.abc import AsyncIterator

import pytest

from teamspace.app import open_database
from teamspace.core import clock, crypto
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Role
from tests.support.world import Caller, World

NOTE = {"title": "A note"}


@pytest.fixture
async def elsewhere(world: World, settings: Settings) -> AsyncIterator[Db]:
    """The same database with connections of its own, and without anything that the server has remembered."""
    async with open_database(settings) as db:
        yield db


@pytest.fixture
async def bob(world: World) -> Caller:
    ann = await world.bootstrap()
    return await world.person(ann.org, ann.team, Role.MEMBER)


async def change(db: Db, sql: str, **params: object) -> None:
    async with db.maintenance(system()) as tx:
        await tx.run(sql, **params)


async def create(caller: Caller) -> int:
    return (await caller.post("/api/notes", NOTE)).status_code


async def test_a_token_revoked_elsewhere_writes_nothing_more(elsewhere: Db, bob: Caller) -> None:
    assert [await create(bob) for _ in range(2)] == [201, 201]
    digest = crypto.digest(bob.token or "")
    await change(
        elsewhere, "UPDATE tokens SET revoked_at = :now WHERE digest = :digest", now=clock.stamp(), digest=digest
    )
    assert await create(bob) == 401


async def test_a_role_changed_elsewhere_applies_to_the_next_write(elsewhere: Db, bob: Caller) -> None:
    for role, status in ((Role.MEMBER, 201), (Role.VIEWER, 403), (Role.ADMIN, 201), (Role.VIEWER, 403)):
        await change(elsewhere, "UPDATE memberships SET role = :role WHERE user_id = :id", role=role, id=bob.user_id)
        assert [await create(bob) for _ in range(2)] == [status, status]


async def test_a_company_suspended_elsewhere_writes_nothing_until_it_is_not(elsewhere: Db, bob: Caller) -> None:
    for suspended_at, status in ((None, 201), (clock.stamp(), 403), (None, 201)):
        await change(elsewhere, "UPDATE orgs SET suspended_at = :at WHERE id = :id", at=suspended_at, id=bob.org.id)
        assert [await create(bob) for _ in range(2)] == [status, status]


async def test_a_change_of_rights_that_is_rolled_back_is_not_remembered(world: World, bob: Caller) -> None:
    await world.suspend(bob.org)
    with pytest.raises(ZeroDivisionError):
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE orgs SET suspended_at = NULL WHERE id = :id", id=bob.org.id)
            raise ZeroDivisionError
    assert await create(bob) == 403
