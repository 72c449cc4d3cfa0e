"""Which experience the visitors of a host see."""

import pytest

from teamspace import onboarding
from teamspace.core.errors import NotFound, OrgSuspended, TenantSuspended
from teamspace.core.principal import system
from teamspace.onboarding import ExperienceSource
from teamspace.tenancy.schemas import Role
from tests.branding.help import set_hostname
from tests.onboarding.help import parsed, store_published
from tests.support.world import World

pytestmark = pytest.mark.both_databases


async def seen(world: World, host: str, funnel: onboarding.Funnel | None = None) -> tuple[str, str, str]:
    """Title, company and team of what a host shows."""
    found = await (funnel or onboarding.Funnel()).effective(world.db, host)
    return found.document.copy["en"].title, found.org_id, found.team_id


async def test_a_host_shows_what_its_company_published_last_and_others_the_first_company(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team, Role.OWNER)
    await set_hostname(world, org, "zoe.test")
    second = await world.join(ann, await world.team(ann.org))
    await store_published(world, ann, "First", "2026-01-01T00:00:00.000Z")
    await store_published(world, second, "Second", "2026-01-02T00:00:00.000Z")
    await store_published(world, zoe, "Zoe's", "2026-01-03T00:00:00.000Z")
    assert await seen(world, "zoe.test") == ("Zoe's", org.id, team.id)
    for host in ("teamspace.test", "", "unknown.test"):
        assert await seen(world, host) == ("Second", ann.org.id, second.team.id)


async def test_before_anything_is_published_the_setting_counts_then_the_plugin(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    await set_hostname(world, org, "zoe.test")
    with pytest.raises(NotFound):
        await onboarding.Funnel().effective(world.db, "")
    by_plugin = onboarding.Funnel()
    by_plugin.add(parsed("Shipped plugin"))
    by_plugin.add(parsed("Plugin"))
    assert await seen(world, "", by_plugin) == ("Plugin", ann.org.id, ann.team.id)
    by_setting = onboarding.Funnel(parsed("Setting"))
    by_setting.add(parsed("Plugin"))
    assert await seen(world, "zoe.test", by_setting) == ("Setting", org.id, team.id)
    found = await by_setting.effective(world.db, "")
    assert (found.source, found.version) == (ExperienceSource.SETTING, 0)
    assert found.id == (await by_setting.effective(world.db, "zoe.test")).id
    assert found.id != (await by_plugin.effective(world.db, "")).id


async def test_nobody_signs_up_with_a_suspended_company_and_before_there_is_one(world: World) -> None:
    funnel = onboarding.Funnel(parsed())
    with pytest.raises(NotFound):
        await funnel.effective(world.db, "")
    ann = await world.bootstrap()
    await world.suspend(ann.org)
    with pytest.raises(OrgSuspended):
        await funnel.effective(world.db, "")
    assert (await funnel.of_company(world.db, ann.org.id)).org_id == ann.org.id


async def test_nobody_signs_up_with_a_suspended_tenant(world: World) -> None:
    await world.bootstrap()
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE instance SET value = '2026-01-01T00:00:00.000Z' WHERE name = 'suspended_at'")
    with pytest.raises(TenantSuspended):
        await onboarding.Funnel(parsed(), hosted=True).effective(world.db, "")
    assert await seen(world, "", onboarding.Funnel(parsed())) is not None
