"""Spending: reservations respect every level, spending is counted once, and no reservation leaks."""

import asyncio
from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from teamspace import quota
from teamspace.core.db import Tx
from teamspace.core.errors import QuotaExceeded
from teamspace.core.principal import system
from teamspace.quota import Level, QuotaAccount, QuotaDraft, Settlement, Spend
from teamspace.quota.domain import spending, windows
from teamspace.quota.schemas import Dimension, Window
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Org, Role, Team
from tests.identity.help import Hands, broken
from tests.support.moment import move_clock
from tests.support.world import World
from tests.support.world import world as open_world

ONE = Spend(1, 10)


async def account(world: World, org: Org | None = None) -> QuotaAccount:
    team: Team
    if org is None:
        org, team = await world.company()
    else:
        team = await world.team(org)
    person = await world.person(org, team)
    return QuotaAccount(org.id, team.id, person.user_id)


async def set_limit(
    world: World, level: Level, subject: str, org_id: str, dimension: Dimension, limit: int | None, per: Window | None
) -> None:
    async with world.db.maintenance(system()) as tx:
        await quota.set_limit(tx, level, subject, org_id, QuotaDraft(dimension, limit, per))


async def reserve(world: World, who: QuotaAccount, spend: Spend = ONE, **more: Any) -> str:
    async with world.db.maintenance(system()) as tx:
        return await quota.reserve(tx, who, spend, purpose="test", **more)


async def settle(world: World, who: QuotaAccount, *ids: str, spend: Spend | None = ONE) -> None:
    async with world.db.maintenance(system()) as tx:
        await quota.settle(tx, [Settlement(id, who.org_id, spend) for id in ids])


async def remaining(world: World, who: QuotaAccount) -> dict[tuple[str, str], int | None]:
    async def read(tx: Tx) -> list[Any]:
        rows = []
        for level, subject in ((Level.ORG, who.org_id), (Level.TEAM, who.team_id)):
            rows += await quota.limits_of(tx, level, subject, who.org_id)
        return rows

    async with world.db.maintenance(system()) as tx:
        return {(row.level.value, row.dimension.value): row.remaining for row in await read(tx)}


async def broken_quota_invariants(world: World) -> list[str]:
    """Return the broken quota invariants; others need owners, which these tests do not create."""
    return [name for name in await broken(world) if name.startswith("quota.")]


async def test_a_reservation_lowers_what_remains_and_settling_counts_as_used(world: World) -> None:
    who = await account(world)
    reservation = await reserve(world, who)
    assert (await remaining(world, who))["org", "ai.requests"] == 99
    assert (await remaining(world, who))["org", "ai.tokens.total"] == 199_990
    assert (await remaining(world, who))["org", "ai.concurrency"] == 1
    await settle(world, who, reservation, spend=Spend(1, 25))
    assert (await remaining(world, who))["org", "ai.tokens.total"] == 199_975
    assert (await remaining(world, who))["org", "ai.concurrency"] == 2
    assert await broken_quota_invariants(world) == []


async def test_settling_twice_counts_once(world: World) -> None:
    who = await account(world)
    reservation = await reserve(world, who)
    for _ in range(3):
        await settle(world, who, reservation, spend=Spend(1, 25))
    await asyncio.gather(*(settle(world, who, reservation, spend=Spend(9, 9)) for _ in range(5)))
    assert (await remaining(world, who))["org", "ai.requests"] == 99
    assert await broken_quota_invariants(world) == []


async def test_settlements_of_one_transaction_count_each_reservation_once(world: World) -> None:
    who, other = await account(world), await account(world)
    mine = [await reserve(world, who, Spend(1, 10), slot=False) for _ in range(3)]
    theirs = await reserve(world, other, Spend(2, 30), slot=False)
    await settle(world, who, mine[0], spend=Spend(1, 5))
    async with world.db.maintenance(system()) as tx:
        full = [Settlement(id, who.org_id) for id in mine]
        await quota.settle(
            tx, [*full, Settlement(theirs, other.org_id, Spend(1, 7)), Settlement("unknown", who.org_id)]
        )
    assert (await remaining(world, who))["org", "ai.tokens.total"] == 200_000 - 5 - 10 - 10
    assert (await remaining(world, who))["org", "ai.requests"] == 97
    assert (await remaining(world, other))["org", "ai.tokens.total"] == 200_000 - 7
    assert await broken_quota_invariants(world) == []


async def test_a_released_reservation_is_not_counted(world: World) -> None:
    who = await account(world)
    reservation = await reserve(world, who)
    await settle(world, who, reservation, spend=Spend(0, 0))
    assert (await remaining(world, who))["org", "ai.requests"] == 100
    assert (await remaining(world, who))["org", "ai.concurrency"] == 2


@pytest.mark.parametrize("dimension", [Dimension.REQUESTS, Dimension.TOKENS, Dimension.CONCURRENCY])
@pytest.mark.parametrize("level", [Level.ORG, Level.TEAM])
async def test_of_fifty_concurrent_requests_for_the_last_unit_one_is_admitted(
    world: World, level: Level, dimension: Dimension
) -> None:
    who = await account(world)
    subject = who.org_id if level is Level.ORG else who.team_id
    per = None if dimension is Dimension.CONCURRENCY else Window.DAY
    await set_limit(world, Level.ORG, who.org_id, who.org_id, Dimension.CONCURRENCY, None, None)
    await set_limit(world, level, subject, who.org_id, dimension, 10 if dimension is Dimension.TOKENS else 1, per)

    async def attempt() -> str:
        try:
            await reserve(world, who)
        except QuotaExceeded as refused:
            assert refused.extra["dimension"] == dimension
            assert refused.extra["level"] == level
            return "refused"
        return "admitted"

    assert Counter(await asyncio.gather(*(attempt() for _ in range(50)))) == {"admitted": 1, "refused": 49}
    assert await broken_quota_invariants(world) == []


async def test_team_limits_and_company_limits_hold_together_under_load(world: World) -> None:
    org, _ = await world.company()
    teams = [await account(world, org) for _ in range(3)]
    await set_limit(world, Level.ORG, org.id, org.id, Dimension.CONCURRENCY, None, None)
    await set_limit(world, Level.ORG, org.id, org.id, Dimension.REQUESTS, 25, Window.DAY)
    for team in teams:
        await set_limit(world, Level.TEAM, team.team_id, org.id, Dimension.REQUESTS, 10, Window.DAY)
    accepted: Counter[str] = Counter()

    async def spend(who: QuotaAccount) -> None:
        try:
            reservation = await reserve(world, who)
        except QuotaExceeded:
            return
        accepted[who.team_id] += 1
        await settle(world, who, reservation)

    await asyncio.gather(*(spend(team) for _ in range(20) for team in teams))
    assert sum(accepted.values()) == 25
    assert max(accepted.values()) <= 10
    assert await broken_quota_invariants(world) == []


async def test_a_tenant_limit_applies_to_all_companies_together(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, provision_token="the-token-of-the-host")) as world:
        accounts = [await account(world) for _ in range(4)]
        await set_limit(world, Level.TENANT, "", "", Dimension.REQUESTS, 10, Window.DAY)
        accepted = 0

        async def spend(who: QuotaAccount) -> None:
            nonlocal accepted
            try:
                reservation = await reserve(world, who, slot=False)
            except QuotaExceeded as refused:
                assert refused.extra["level"] == "tenant"
                return
            accepted += 1
            await settle(world, who, reservation)

        await asyncio.gather(*(spend(who) for _ in range(5) for who in accounts))
        assert accepted == 10


async def test_transactions_that_settle_for_many_companies_do_not_block_each_other(world: World) -> None:
    accounts = [await account(world) for _ in range(12)]
    random, batches = Random(1), list[list[Settlement]]()
    for _ in range(12):
        some = random.sample(accounts, 6)
        batches.append([Settlement(await reserve(world, who, slot=False), who.org_id, ONE) for who in some])

    async def settle_all(batch: list[Settlement]) -> None:
        async with world.db.maintenance(system()) as tx:
            await quota.settle(tx, batch)

    await asyncio.gather(*map(settle_all, batches))
    used = await world.db.one(
        int, "SELECT CAST(SUM(requests) AS BIGINT) FROM quota_used WHERE level = 'tenant' AND per = 'day'"
    )
    assert used == 72
    assert await broken_quota_invariants(world) == []


async def test_an_expired_reservation_is_freed_and_can_still_be_settled(world: World, hands: Hands) -> None:
    who = await account(world)
    reservation, other = await reserve(world, who), await reserve(world, who)
    with pytest.raises(QuotaExceeded):
        await reserve(world, who)
    for offset in (100, 200):  # the other one is renewed in time
        hands.forward(100)
        await move_clock(world, offset)
        async with world.db.maintenance(system()) as tx:
            await quota.renew(tx, other)
    assert (await remaining(world, who))["org", "ai.concurrency"] == 1
    await settle(world, who, reservation, spend=Spend(1, 7))
    assert (await remaining(world, who))["org", "ai.tokens.total"] == 200_000 - 7 - 10
    assert await broken_quota_invariants(world) == []


async def test_spending_counts_in_the_window_in_which_it_started(world: World, hands: Hands) -> None:
    hands.at = 1_709_164_790.0  # ten seconds before 29 February 2024
    who = await account(world)
    reservation = await reserve(world, who, ttl=10_000)
    hands.forward(20)
    await settle(world, who, reservation)
    assert (await remaining(world, who))["org", "ai.requests"] == 100
    counted = await world.db.all(str, "SELECT starts_at FROM quota_used WHERE level = 'org' AND per = 'day'")
    assert counted == [windows.start_of(Window.DAY, hands.at - 20)]


async def test_old_reservations_and_counters_are_deleted(world: World, hands: Hands) -> None:
    who = await account(world)
    await reserve(world, who)
    spent = await reserve(world, who)
    await settle(world, who, spent)
    hands.forward(70 * 24 * 3600)
    await move_clock(world, 70 * 24 * 3600)
    await quota.tidy(world.db)
    assert await world.db.all(str, "SELECT id FROM quota_ledger") == [spent]
    periods = await world.db.all(str, "SELECT DISTINCT per FROM quota_used ORDER BY per")
    assert periods == ["day", "lifetime", "month", "week"]
    assert await broken_quota_invariants(world) == []


async def test_old_settled_rows_leave_the_ledger_and_the_totals_stay_correct(
    world: World, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spending, "_BATCH", 2)
    who, other = await account(world), await account(world)
    for spender in (who, who, other, who, other):
        await settle(world, spender, await reserve(world, spender))
    hands.forward(91 * 24 * 3600)
    await quota.tidy(world.db)
    assert await world.db.all(str, "SELECT id FROM quota_ledger") == []
    assert await broken_quota_invariants(world) == []
    (lifetime,) = await world.db.all(
        int, "SELECT requests FROM quota_used WHERE per = 'lifetime' AND subject = :id", id=who.team_id
    )
    assert lifetime == 3
    await settle(world, who, await reserve(world, who))
    assert await broken_quota_invariants(world) == []


async def test_a_refusal_names_the_limit_and_its_reset(world: World, hands: Hands) -> None:
    hands.at = 1_709_208_030.0
    who = await account(world)
    await set_limit(world, Level.TEAM, who.team_id, who.org_id, Dimension.REQUESTS, 0, Window.HOUR)
    with pytest.raises(QuotaExceeded) as caught:
        await reserve(world, who)
    problem = caught.value.problem("request")
    assert (problem.status, problem.code) == (429, "quota_exceeded")
    assert (problem.dimension, problem.level) == ("ai.requests", "team")
    assert (problem.resets_at, problem.retry_after) == ("2024-02-29T13:00:00.000Z", 3570)
    assert caught.value.headers == {"retry-after": "3570"}


async def test_the_usage_report_shows_history_and_spenders(world: World, hands: Hands) -> None:
    hands.at = 1_709_208_030.0
    org, team = await world.company()
    admin, member = await world.person(org, team, Role.ADMIN), await world.person(org, team)
    for caller, spend in ((admin, Spend(1, 100)), (member, Spend(2, 700)), (member, Spend(1, 50))):
        who = QuotaAccount(org.id, team.id, caller.user_id)
        await settle(world, who, await reserve(world, who, spend), spend=spend)
        hands.forward(3600)
    shown = (await admin.get("/api/usage?history=hour&spenders=true")).json()
    assert [(row["requests"], row["tokens"]) for row in shown["history"]] == [(1, 100), (2, 700), (1, 50)]
    assert [(row["user_id"], row["requests"], row["tokens"]) for row in shown["spenders"]] == [
        (member.user_id, 3, 750), (admin.user_id, 1, 100)
    ]  # fmt: skip
    own = (await member.get("/api/usage?spenders=true")).json()["spenders"]
    assert [row["user_id"] for row in own] == [member.user_id]
    assert (await admin.get("/api/usage?history=minute")).status_code == 400
    requests = next(row for row in shown["items"] if row["dimension"] == "ai.requests")
    assert (requests["used"], requests["forecast"]) == (4, 6)


async def test_an_exceeded_limit_stops_only_requests_that_need_it(world: World) -> None:
    who = await account(world)
    for _ in range(2):
        await reserve(world, who)
    await set_limit(world, Level.ORG, who.org_id, who.org_id, Dimension.CONCURRENCY, 1, None)
    await settle(world, who, await reserve(world, who, slot=False))
    with pytest.raises(QuotaExceeded):
        await reserve(world, who)
    assert await broken_quota_invariants(world) == []
