"""Usage: one row per dimension, of the tightest limit, in the current window."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from teamspace.quota.domain import windows
from teamspace.quota.schemas import Window
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Role
from tests.identity.help import Hands, run_sql
from tests.support.world import Caller, World
from tests.support.world import world as open_world

DIMENSIONS = ["ai.requests", "ai.tokens.total", "ai.concurrency", "storage.bytes", "storage.objects"]
NOON = datetime(2024, 2, 29, 12, 30, 30, tzinfo=UTC).timestamp()
HOST_TOKEN = "the-token-of-whoever-hosts-this"


async def record_usage(
    world: World, level: str, subject: str, used: int, *, org_id: str = "", dimension: str = "ai.requests",
    per: str = "day", starts_at: str | None = None,
) -> None:  # fmt: skip
    """Store a usage figure, in the current window by default."""
    await run_sql(
        world,
        "INSERT INTO quota_used (level, per, starts_at, subject, org_id, requests, tokens)"
        " VALUES (:level, :per, :starts_at, :subject, :org_id, :requests, :tokens)"
        " ON CONFLICT (level, per, starts_at, subject) DO UPDATE SET requests = quota_used.requests + excluded.requests",
        level=level, subject=subject, org_id=org_id, per=per, starts_at=starts_at or windows.start_of(Window(per)),
        requests=used if dimension == "ai.requests" else 0, tokens=used if dimension == "ai.tokens.total" else 0,
    )  # fmt: skip


async def set_limit(caller: Caller, most: int | None, path: str = "/api/quota", **more: Any) -> None:
    draft = {"dimension": "ai.requests", "limit": most, "window": "day", **more}
    answer = await caller.post(path, draft)
    assert answer.status_code == 200, answer.text


async def usage(caller: Caller, dimension: str = "ai.requests") -> dict[str, Any]:
    answer = await caller.get("/api/usage")
    assert answer.status_code == 200, answer.text
    (row,) = [row for row in answer.json()["items"] if row["dimension"] == dimension]
    shown: dict[str, Any] = row
    return shown


async def test_every_member_sees_one_row_per_dimension(world: World, hands: Hands) -> None:
    hands.at = NOON
    org, team = await world.company()
    guest = await world.person(org, team, Role.GUEST)
    answer = await guest.get("/api/usage")
    assert answer.json() == {
        "items": [
            {
                "dimension": "ai.requests", "used": 0, "reserved": 0, "limit": 100, "remaining": 100, "window": "day",
                "resets_at": "2024-03-01T00:00:00.000Z", "level": "org", "forecast": 0,
            },
            {
                "dimension": "ai.tokens.total", "used": 0, "reserved": 0, "limit": 200_000, "remaining": 200_000,
                "window": "month", "resets_at": "2024-03-01T00:00:00.000Z", "level": "org", "forecast": 0,
            },
            {
                "dimension": "ai.concurrency", "used": 0, "reserved": 0, "limit": 2, "remaining": 2, "window": None,
                "resets_at": None, "level": "org", "forecast": None,
            },
            {
                "dimension": "storage.bytes", "used": 0, "reserved": 0, "limit": 5 * 1024**3, "remaining": 5 * 1024**3,
                "window": "lifetime", "resets_at": None, "level": "org", "forecast": None,
            },
            {
                "dimension": "storage.objects", "used": 0, "reserved": 0, "limit": 100_000, "remaining": 100_000,
                "window": "lifetime", "resets_at": None, "level": "org", "forecast": None,
            },
        ],
        "next_cursor": None, "history": None, "spenders": None,
    }  # fmt: skip


async def test_usage_needs_a_credential_and_refuses_unknown_parameters(world: World) -> None:
    ann = await world.bootstrap()
    assert (await world.anonymous.get("/api/usage")).status_code == 401
    assert (await ann.get("/api/usage?team=x")).status_code == 400


async def test_a_team_without_limits(world: World) -> None:
    org, team = await world.company()
    member = await world.person(org, team)
    await run_sql(world, "DELETE FROM quota_limits")
    rows = (await member.get("/api/usage")).json()["items"]
    assert [(row["dimension"], row["limit"], row["remaining"]) for row in rows] == [
        (dimension, None, None) for dimension in DIMENSIONS
    ]


async def test_the_tightest_level_is_shown_and_the_outermost_if_equal(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, provision_token=HOST_TOKEN)) as world:
        ann = await world.bootstrap()
        host = Caller(world, HOST_TOKEN)
        org_path = f"/api/orgs/{ann.org.id}/quota"
        for tenant, org, team, expected in (
            (None, None, None, ("tenant", None)),
            (30, 20, 10, ("team", 10)),
            (30, 10, 20, ("org", 10)),
            (10, 20, 30, ("tenant", 10)),
            (10, 10, 10, ("tenant", 10)),
            (20, 10, 10, ("org", 10)),
            (10, 20, 10, ("tenant", 10)),
            (None, None, 5, ("team", 5)),
            (None, 5, None, ("org", 5)),
            (None, 5, 5, ("org", 5)),
            (0, 1, 1, ("tenant", 0)),
            (1, 1, 0, ("team", 0)),
        ):
            await set_limit(host, tenant, "/api/instance/quota")
            await set_limit(ann, org, org_path)
            await set_limit(ann, team)
            row = await usage(ann)
            assert (row["level"], row["limit"]) == expected, (tenant, org, team)
            assert row["remaining"] == row["limit"]


async def test_the_tightest_limit_is_the_one_with_the_least_remaining(world: World) -> None:
    ann = await world.bootstrap()
    org_path = f"/api/orgs/{ann.org.id}/quota"
    await set_limit(ann, 100, org_path)
    await set_limit(ann, 50)
    await record_usage(world, "org", ann.org.id, 40, org_id=ann.org.id)
    assert (await usage(ann))["level"] == "team"
    await record_usage(world, "team", ann.team.id, 10, org_id=ann.org.id, starts_at="2000-01-01T00:00:00.000Z")
    await run_sql(world, "UPDATE quota_used SET requests = 60 WHERE level = 'org'")
    row = await usage(ann)
    assert (row["level"], row["used"], row["limit"], row["remaining"]) == ("org", 60, 100, 40)
    await run_sql(world, "UPDATE quota_used SET requests = 130 WHERE level = 'org'")
    row = await usage(ann)
    assert (row["level"], row["used"], row["remaining"]) == ("org", 130, 0), "remaining is never negative"


@pytest.mark.parametrize("window", [window for window in Window if window is not Window.LIFETIME])
async def test_only_the_current_window_counts(world: World, hands: Hands, window: Window) -> None:
    hands.at = NOON
    ann = await world.bootstrap()
    await set_limit(ann, 100, window=window)
    start, end = windows.start_of(window), windows.end_of(window)
    assert end is not None
    for when, starts_at, used in (("before", "2024-01-01T00:00:00.000Z", 7), ("now", start, 30), ("next", end, 9)):
        await record_usage(world, "team", ann.team.id, used, org_id=ann.org.id, per=window, starts_at=starts_at)
        row = await usage(ann)
        assert row["used"] == {"before": 0, "now": 30, "next": 30}[when]
    assert (row["remaining"], row["resets_at"], row["level"]) == (70, end, "team")
    hands.at = datetime.fromisoformat(end).timestamp()
    row = await usage(ann)
    assert (row["used"], row["remaining"]) == (9, 91)


async def test_the_lifetime_window_never_resets(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    await set_limit(ann, 100, window="lifetime")
    await record_usage(world, "team", ann.team.id, 60, org_id=ann.org.id, per="lifetime")
    for _ in range(3):
        row = await usage(ann)
        assert (row["used"], row["remaining"], row["resets_at"], row["window"]) == (60, 40, None, "lifetime")
        hands.forward(29 * 24 * 3600)  # within the lifetime of the first token


async def test_usage_of_others_does_not_count(world: World) -> None:
    ann = await world.bootstrap()
    await set_limit(ann, 100)
    org, team = await world.company()
    second = await world.team(ann.org)
    for level, subject, org_id, more in (
        ("team", team.id, org.id, {}),
        ("team", second.id, ann.org.id, {}),
        ("org", org.id, org.id, {}),
        ("org", ann.team.id, ann.org.id, {}),
        ("team", ann.team.id, ann.org.id, {"dimension": "ai.tokens.total"}),
        ("team", ann.team.id, ann.org.id, {"per": "hour"}),
    ):
        await record_usage(world, level, subject, 5, org_id=org_id, **more)
    row = await usage(ann)
    assert (row["level"], row["used"], row["remaining"]) == ("team", 0, 100)


async def test_usage_is_shown_without_a_limit(world: World) -> None:
    ann = await world.bootstrap()
    await record_usage(world, "org", ann.org.id, 41, org_id=ann.org.id)
    row = await usage(ann)
    assert (row["level"], row["used"], row["limit"], row["remaining"]) == ("org", 41, None, None)


async def test_a_company_shows_its_own_usage(world: World, hands: Hands) -> None:
    hands.at = NOON
    ann = await world.bootstrap()
    await set_limit(ann, 100, f"/api/orgs/{ann.org.id}/quota")
    await record_usage(world, "org", ann.org.id, 41, org_id=ann.org.id)
    await record_usage(world, "org", ann.org.id, 9, org_id=ann.org.id, starts_at="2024-02-28T00:00:00.000Z")
    for path in ("/api/org", f"/api/orgs/{ann.org.slug}"):
        quotas = (await ann.get(path)).json()["quotas"]
        assert [row["dimension"] for row in quotas] == DIMENSIONS
        assert (quotas[0]["used"], quotas[0]["remaining"], quotas[0]["resets_at"]) == (
            41, 59, "2024-03-01T00:00:00.000Z"
        )  # fmt: skip
