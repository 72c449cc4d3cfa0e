"""Feature flags: per team, visible to all members, switched by managers, effective immediately."""

from teamspace.core.permissions import Feature
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Role
from tests.identity.help import refusal, trail
from tests.support.world import Caller, World
from tests.support.world import world as open_world

NAMES = ["chat", "agent", "translate", "workflows"]


async def flags(caller: Caller) -> dict[str, bool]:
    answer = await caller.get("/api/features")
    assert answer.status_code == 200, answer.text
    return {row["name"]: row["enabled"] for row in answer.json()["items"]}


async def switch(caller: Caller, name: str, enabled: bool) -> None:
    answer = await caller.post(f"/api/features/{name}", {"enabled": enabled})
    assert (answer.status_code, answer.json()) == (200, {"name": name, "enabled": enabled}), answer.text


async def test_a_new_team_has_every_feature_on(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.get("/api/features")
    assert answer.json() == {"items": [{"name": name, "enabled": True} for name in NAMES], "next_cursor": None}
    assert list(Feature) == NAMES


async def test_all_members_see_the_flags_and_managers_switch_them(world: World) -> None:
    ann = await world.bootstrap()
    for role in (Role.OWNER, Role.ADMIN):
        await switch(await world.person(ann.org, ann.team, role), "agent", role is Role.ADMIN)
    before = await world.counts()
    for role in (Role.MEMBER, Role.VIEWER, Role.GUEST, Role.TRANSLATOR, Role.REVIEWER):
        caller = await world.person(ann.org, ann.team, role)
        assert await flags(caller) == dict.fromkeys(NAMES, True)
        assert refusal(await caller.post("/api/features/chat", {"enabled": False})) == (403, "forbidden")
    narrow, wide = [await world.token(ann, scope=[scope]) for scope in ("notes:read", "settings:manage")]
    assert refusal(await narrow.post("/api/features/chat", {"enabled": False})) == (403, "out_of_scope")
    await switch(wide, "chat", True)
    assert (await world.counts())["audit"] == before["audit"] + 1
    assert refusal(await world.anonymous.get("/api/features")) == (401, "unauthenticated")


async def test_a_switch_is_effective_from_the_next_request_on(world: World) -> None:
    ann = await world.bootstrap()
    guest = await world.person(ann.org, ann.team, Role.GUEST)
    on = set(NAMES)
    for name, enabled in (("chat", False), ("workflows", False), ("chat", False), ("chat", True), ("chat", True)):
        await switch(ann, name, enabled)
        on = on | {name} if enabled else on - {name}
        for caller in (ann, guest):
            assert {flag for flag, is_on in (await flags(caller)).items() if is_on} == on
            assert (await caller.get("/api/whoami")).json()["features"] == sorted(on)


async def test_all_features_can_be_off(world: World) -> None:
    ann = await world.bootstrap()
    for name in NAMES:
        await switch(ann, name, False)
    assert await flags(ann) == dict.fromkeys(NAMES, False)
    assert (await ann.get("/api/whoami")).json()["features"] == []


async def test_a_flag_affects_only_its_team(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    org, team = await world.company()
    stranger = await world.person(org, team, Role.OWNER)
    await switch(ann, "chat", False)
    for caller in (second, stranger):
        assert await flags(caller) == dict.fromkeys(NAMES, True)
    await switch(second, "agent", False)
    assert await flags(ann) == dict.fromkeys(NAMES, True) | {"chat": False}


async def test_an_unknown_feature_is_not_found(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    for name in ("Chat", "chats", "CHAT", "%20", "chat%20", "notes", "0"):
        assert refusal(await ann.post(f"/api/features/{name}", {"enabled": True})) == (404, "not_found"), name
    for body in ({}, {"enabled": 1}, {"enabled": "true"}, {"enabled": None}, {"enabled": True, "team_id": "x"}):
        assert refusal(await ann.post("/api/features/chat", body)) == (400, "invalid_request"), body
    assert await world.counts() == before
    assert await flags(ann) == dict.fromkeys(NAMES, True)


async def test_a_switch_is_audited(world: World) -> None:
    ann = await world.bootstrap()
    await switch(ann, "chat", False)
    last = (await trail(world))[-1]
    assert (last.action, last.target, last.team_id) == ("feature.switch", "chat", ann.team.id)
    assert last.detail == '{"enabled":false}'


async def test_a_switch_by_another_process_is_seen_after_the_next_write(settings: Settings) -> None:
    async with open_world(settings) as first, open_world(settings) as second:
        ann = await first.bootstrap()
        remote = Caller(second, ann.token)
        assert await flags(remote) == dict.fromkeys(NAMES, True)
        await switch(ann, "chat", False)
        await switch(remote, "agent", False)
        assert await flags(remote) == dict.fromkeys(NAMES, True) | {"chat": False, "agent": False}
