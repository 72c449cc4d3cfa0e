"""Setting limits of a team, a company or the tenant; a new limit replaces the old one of its dimension."""

from typing import Any

import pytest

from teamspace.quota.domain import windows
from teamspace.quota.schemas import Window
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import Hands, broken, refusal, trail
from tests.support.world import Caller, World

INVALID = (400, "invalid_request")
KEYS = {"dimension", "used", "reserved", "limit", "remaining", "window", "resets_at", "level", "forecast"}


async def set_limit(
    caller: Caller, dimension: str, limit: int | None, window: str | None, path: str = "/api/quota"
) -> dict[str, Any]:
    answer = await caller.post(path, {"dimension": dimension, "limit": limit, "window": window})
    assert answer.status_code == 200, answer.text
    row: dict[str, Any] = answer.json()
    return row


@pytest.mark.parametrize("path", ["/api/quota", "/api/orgs/workspace/quota"])
async def test_setting_a_limit_returns_a_usage_row(world: World, hands: Hands, path: str) -> None:
    ann = await world.bootstrap()
    level = "team" if path == "/api/quota" else "org"
    for window in Window:
        for dimension in ("ai.requests", "ai.tokens.total"):
            for limit in (0, 1, 10**15, None):
                row = await set_limit(ann, dimension, limit, window, path)
                assert row == {
                    "dimension": dimension, "used": 0, "reserved": 0, "limit": limit, "remaining": limit,
                    "window": window, "resets_at": windows.end_of(window), "level": level,
                    "forecast": None if window is Window.LIFETIME else 0,
                }  # fmt: skip
                assert set(row) == KEYS
    assert await set_limit(ann, "ai.concurrency", 3, None, path) == {
        "dimension": "ai.concurrency", "used": 0, "reserved": 0, "limit": 3, "remaining": 3, "window": None,
        "resets_at": None, "level": level, "forecast": None,
    }  # fmt: skip
    assert await broken(world) == []


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"dimension": "ai.images"}, "/dimension"),
    ({"dimension": ""}, "/dimension"),
    ({"dimension": None}, "/dimension"),
    ({"window": "year"}, "/window"),
    ({"window": "Day"}, "/window"),
    ({"window": ""}, "/window"),
    ({"window": None}, "/window"),
    ({"dimension": "ai.concurrency"}, "/window"),
    ({"limit": -1}, "/limit"),
    ({"limit": 10**15 + 1}, "/limit"),
    ({"limit": 10**30}, "/limit"),
    ({"limit": 1.5}, "/limit"),
    ({"limit": "5"}, "/limit"),
    ({"limit": True}, "/limit"),
)
"""Changes to a valid limit, and the field that each makes invalid."""


@pytest.mark.parametrize("path", ["/api/quota", "/api/orgs/workspace/quota"])
async def test_an_invalid_limit_is_refused_with_a_pointer_to_the_field(world: World, path: str) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    for change, pointer in WRONG:
        answer = await ann.post(path, {"dimension": "ai.requests", "limit": 5, "window": "day"} | change)
        assert refusal(answer) == INVALID, change
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    assert await world.counts() == before


async def test_a_limit_with_missing_or_extra_fields_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    valid = {"dimension": "ai.requests", "limit": 5, "window": "day"}
    for draft in (
        {},
        {"dimension": "ai.requests", "window": "day"},
        {"limit": 5, "window": "day"},
        {"dimension": "ai.requests", "limit": 5},
        valid | {"level": "tenant"},
        valid | {"team_id": "x"},
        valid | {"used": 0},
    ):
        assert refusal(await ann.post("/api/quota", draft)) == INVALID, draft
    assert await world.counts() == before


async def test_a_limit_replaces_only_that_of_its_dimension(world: World) -> None:
    ann = await world.bootstrap()
    await set_limit(ann, "ai.requests", 9, "minute")
    await set_limit(ann, "ai.tokens.total", 8, "day")
    await set_limit(ann, "ai.requests", 7, "hour")
    rows = {row["dimension"]: row for row in (await ann.get("/api/usage")).json()["items"]}
    assert (rows["ai.requests"]["limit"], rows["ai.requests"]["window"]) == (7, "hour")
    assert (rows["ai.tokens.total"]["limit"], rows["ai.tokens.total"]["window"]) == (8, "day")
    assert (rows["ai.concurrency"]["limit"], rows["ai.concurrency"]["level"]) == (32, "org")
    assert (await world.counts())["quota_limits"] == 7


async def test_a_limit_applies_only_to_its_team(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    org, team = await world.company()
    stranger = await world.person(org, team, Role.OWNER)
    await set_limit(ann, "ai.requests", 1, "day")
    await set_limit(ann, "ai.concurrency", 0, None, f"/api/orgs/{ann.org.slug}/quota")
    levels = {}
    for name, caller in (("first", ann), ("second", second), ("stranger", stranger)):
        rows = (await caller.get("/api/usage")).json()["items"]
        levels[name] = [(row["level"], row["limit"]) for row in rows if row["dimension"].startswith("ai.")]
    assert levels == {
        "first": [("team", 1), ("org", None), ("org", 0)],
        "second": [("org", None), ("org", None), ("org", 0)],
        "stranger": [("org", 100), ("org", 200_000), ("org", 2)],
    }


async def test_only_operators_set_limits(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    draft = {"dimension": "ai.requests", "limit": 5, "window": "day"}
    owner = await world.person(ann.org, ann.team, Role.OWNER, org_role=OrgRole.OWNER)
    assert refusal(await owner.post("/api/quota", draft)) == (403, "forbidden")
    assert refusal(await owner.post(f"/api/orgs/{ann.org.id}/quota", draft)) == (403, "forbidden")
    narrow = await world.token(ann, scope=["settings:manage"])
    assert refusal(await narrow.post("/api/quota", draft)) == (403, "out_of_scope")
    assert (await world.counts())["quota_limits"] == before["quota_limits"]


async def test_a_limit_is_in_the_audit_log_of_the_company_concerned(world: World) -> None:
    ann = await world.bootstrap()
    org, _ = await world.company("Aurora")
    await set_limit(ann, "ai.requests", 5, "day")
    await set_limit(ann, "ai.requests", None, "day", "/api/orgs/aurora/quota")
    team_row, org_row = (await trail(world))[-2:]
    assert (team_row.action, team_row.target, team_row.org_id) == ("quota.set", ann.team.id, ann.org.id)
    assert (org_row.action, org_row.target, org_row.org_id) == ("quota.set", org.id, org.id)
    assert '"limit":5' in team_row.detail and '"limit":null' in org_row.detail
