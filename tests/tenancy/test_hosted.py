"""Hosted mode: one tenant, provisioned once by whoever hosts it, activated by a link, suspended and limited."""

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import msgspec
import pytest

from teamspace import tenancy
from teamspace.core import clock, crypto
from teamspace.core.routing import PROVISION, PUBLIC
from teamspace.settings import Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import OTHER_PASSWORD, Hands, broken, enrolled, is_alive, login, refusal, signed_in, trail
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as opened

HOST_TOKEN = "the-token-of-whoever-hosts-this"
BASE = "https://acme.example"
CONFLICT = (409, "conflict")
DEAD = (401, "invalid_credentials")
INVALID = (400, "invalid_request")
SUSPENDED = (402, "tenant_suspended")
PV_PATHS = ("/api/provision", "/api/instance/suspend", "/api/instance/resume", "/api/instance/quota")
WISH: dict[str, Any] = {
    "username": "noor",
    "email": "noor@acme.example",
    "org": "Acme",
    "team": "Office",
    "plan": "pro",
}
LIMIT = {"dimension": "ai.requests", "limit": 5, "window": "day"}


@pytest.fixture
def hosted_settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, provision_token=HOST_TOKEN, base_url=BASE)


@pytest.fixture
async def hosted(hosted_settings: Settings) -> AsyncIterator[World]:
    async with opened(hosted_settings) as world:
        yield world


def host_of(world: World) -> Caller:
    return Caller(world, HOST_TOKEN)


async def provisioned(world: World, **more: Any) -> str:
    """The token of the owner's link."""
    answer = await host_of(world).post("/api/provision", WISH | more)
    assert answer.status_code == 201, answer.text
    url: str = answer.json()["activation_url"]
    return url.partition("#")[2]


async def activate(world: World, token: str, password: str = PASSWORD, **more: Any) -> httpx2.Response:
    return await world.anonymous.post("/api/activate", {"token": token, "password": password, **more})


async def activated(world: World) -> Caller:
    """The provisioned owner, signed in by their link."""
    answer = await activate(world, await provisioned(world))
    assert answer.status_code == 200, answer.text
    return Caller(world, answer.json()["token"], user_id=answer.json()["user"]["id"], username="noor")


# Who hosts


async def test_there_is_no_hosted_mode_without_its_setting(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    nowhere = (await ann.post("/api/nowhere")).json() | {"request_id": ""}
    for path in PV_PATHS:
        for caller in (ann, world.anonymous, host_of(world), Caller(world, "")):
            answer = await caller.post(path, WISH)
            assert (answer.status_code, answer.json() | {"request_id": ""}) == (404, nowhere)
    assert await world.counts() == before


async def test_only_the_hosts_own_token_opens_it(hosted: World) -> None:
    ann = await hosted.bootstrap()
    before = await hosted.counts()
    wrong = (ann.token, "", HOST_TOKEN[:-1], HOST_TOKEN + "x", HOST_TOKEN.upper(), f"{HOST_TOKEN},x", "x" * 31, None)
    for path in PV_PATHS:
        for token in wrong:
            assert refusal(await Caller(hosted, token).post(path, WISH)) == (401, "unauthenticated"), (path, token)
        basic = await hosted.anonymous.post(path, WISH, headers={"authorization": f"Basic {HOST_TOKEN}"})
        assert basic.status_code == 401
    assert await hosted.counts() == before


async def test_the_hosts_token_opens_nothing_else(hosted: World) -> None:
    await provisioned(hosted)
    for path in ("/api/whoami", "/api/orgs", "/api/admin/status", "/api/notes", "/api/members"):
        assert refusal(await host_of(hosted).get(path)) == (401, "unauthenticated")


# Provisioning


async def test_provisioning_makes_the_one_owner_and_their_link(hosted: World, hands: Hands) -> None:
    answer = await host_of(hosted).post("/api/provision", WISH)
    assert (answer.status_code, set(answer.json())) == (201, {"owner", "activation_url"})
    owner = answer.json()["owner"]
    assert owner == {
        "id": owner["id"], "username": "noor", "display_name": "noor", "email": "noor@acme.example", "locale": None,
        "operator": False, "created_at": clock.stamp(),
    }  # fmt: skip
    assert re.fullmatch(re.escape(BASE) + r"/activate#ts_v_[0-9A-Za-z]{36}", answer.json()["activation_url"])
    counts = await hosted.counts()
    assert [counts[table] for table in ("users", "orgs", "teams", "tokens", "activations")] == [1, 1, 1, 0, 1]
    assert refusal(await login(hosted, "noor", "")) == DEAD


async def test_the_owner_owns_company_and_team_and_operates_nothing(hosted: World) -> None:
    noor = await activated(hosted)
    me = (await noor.get("/api/whoami")).json()
    assert (me["role"], me["org_role"], me["operator"]) == ("owner", "org_owner", False)
    assert (me["org"]["name"], me["org"]["slug"], me["org"]["plan"], me["team"]["name"]) == (
        "Acme", "acme", "pro", "Office"
    )  # fmt: skip
    assert [row["limit"] for row in (await noor.get("/api/org")).json()["quotas"]][:3] == [2_000, 5_000_000, 4]
    for path in ("/api/orgs", "/api/admin/status", "/api/metrics"):
        assert refusal(await noor.get(path)) == (403, "forbidden")
    assert (await noor.post("/api/org/members", {"username": "mira", "team_id": me["team"]["id"]})).status_code == 201
    assert await broken(hosted) == []


async def test_a_name_alone_is_enough(hosted: World) -> None:
    answer = await host_of(hosted).post("/api/provision", {"username": "noor"})
    assert (answer.status_code, answer.json()["owner"]["email"]) == (201, None)
    link = answer.json()["activation_url"].partition("#")[2]
    shown = (await activate(hosted, link)).json()
    assert (shown["org"]["name"], shown["org"]["plan"], shown["team"]["name"]) == ("Workspace", "enterprise", "General")


async def test_there_is_no_second_provisioning_and_no_bootstrap_after_it(hosted: World) -> None:
    await provisioned(hosted)
    before = await hosted.counts()
    for wish in (WISH, {"username": "somebody.else"}):
        assert refusal(await host_of(hosted).post("/api/provision", wish)) == CONFLICT
    first_run = {"username": "eve", "password": PASSWORD}
    assert refusal(await hosted.anonymous.post("/api/bootstrap", first_run)) == (409, "already_bootstrapped")
    assert await hosted.counts() == before
    assert (await hosted.anonymous.get("/api/config")).json()["bootstrapped"] is True


async def test_a_bad_wish_is_told_where_it_is_wrong_and_leaves_the_instance_empty(hosted: World) -> None:
    before = await hosted.counts()
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"username": "a"}, "/username"),
        ({"username": "noor haddad"}, "/username"),
        ({"email": "noor"}, "/email"),
        ({"email": "noor@acme"}, "/email"),
        ({"email": "noor@acme.example\nbcc: eve@evil.example"}, "/email"),
        ({"email": "x" * 260 + "@acme.example"}, "/email"),
        ({"org": " "}, "/org"),
        ({"org": "x" * 81}, "/org"),
        ({"team": "a\u202eb"}, "/team"),
        ({"plan": "gold"}, "/plan"),
    )
    for change, pointer in wrong:
        answer = await host_of(hosted).post("/api/provision", WISH | change)
        assert refusal(answer) == INVALID
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer], change
    for wish in ({}, {"email": "noor@acme.example"}, WISH | {"password": PASSWORD}, WISH | {"operator": True}):
        assert refusal(await host_of(hosted).post("/api/provision", wish)) == INVALID
    assert await hosted.counts() == before
    await provisioned(hosted)


async def test_a_repeated_request_with_one_key_is_answered_the_same(hosted: World) -> None:
    key = {"idempotency-key": "first-tenant"}
    first, second = [await host_of(hosted).post("/api/provision", WISH, headers=key) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second.headers["idempotency-replayed"] == "true"
    other = await host_of(hosted).post("/api/provision", WISH | {"org": "Other"}, headers=key)
    assert refusal(other) == (409, "idempotency_conflict")
    assert refusal(await host_of(hosted).post("/api/provision", WISH)) == CONFLICT
    counts = await hosted.counts()
    assert (counts["users"], counts["activations"]) == (1, 1)
    assert (await activate(hosted, second.json()["activation_url"].partition("#")[2])).status_code == 200


async def test_an_instance_with_an_operator_can_be_provisioned_too(hosted: World) -> None:
    ann = await hosted.bootstrap()
    answer = await host_of(hosted).post("/api/provision", {"username": "noor"})
    assert answer.status_code == 201
    orgs = (await ann.get("/api/orgs")).json()["items"]
    assert [(org["slug"], org["plan"]) for org in orgs] == [("workspace-2", "free"), ("workspace", "enterprise")]
    assert await broken(hosted) == []


async def test_an_instance_for_one_company_is_provisioned_once(hosted_settings: Settings) -> None:
    alone = msgspec.structs.replace(hosted_settings, multitenant=False)
    async with opened(alone) as world:
        await provisioned(world)


async def test_an_instance_for_one_company_that_has_it_is_not_provisioned(hosted_settings: Settings) -> None:
    async with opened(msgspec.structs.replace(hosted_settings, multitenant=False)) as world:
        await world.bootstrap()
        before = await world.counts()
        for _ in range(2):
            assert refusal(await host_of(world).post("/api/provision", WISH)) == (409, "single_tenant")
        assert await world.counts() == before


async def test_what_the_host_does_is_on_record_without_the_link(hosted: World) -> None:
    token = await provisioned(hosted)
    for path in ("suspend", "resume"):
        await host_of(hosted).post(f"/api/instance/{path}")
    await host_of(hosted).post("/api/instance/quota", LIMIT)
    rows = await trail(hosted)
    assert [row.action for row in rows] == ["tenant.provision", "tenant.suspend", "tenant.resume", "quota.set"]
    assert {row.actor_kind for row in rows} == {"provision"}
    assert token not in str(rows) and HOST_TOKEN not in str(rows)


# Activating


async def test_a_link_sets_the_password_and_signs_in(hosted: World, hands: Hands) -> None:
    token = await provisioned(hosted)
    answer = await activate(hosted, token)
    assert answer.status_code == 200
    shown = answer.json()
    signed = (await login(hosted, "noor")).json()
    assert set(shown) == set(signed) == {"token", "token_type", "expires_at", "user", "team", "org"}
    assert {name: shown[name] for name in shown if name != "token"} == {
        name: signed[name] for name in signed if name != "token"
    }
    assert (shown["token_type"], shown["token"][:5]) == ("bearer", "ts_s_")
    assert shown["expires_at"] == clock.later(30 * clock.DAY)
    assert (await Caller(hosted, shown["token"]).get("/api/whoami")).json()["credential"] == "session"
    assert await broken(hosted) == []


async def test_a_link_works_once(hosted: World) -> None:
    token = await provisioned(hosted)
    assert (await activate(hosted, token)).status_code == 200
    before = await hosted.counts()
    for password in (OTHER_PASSWORD, PASSWORD, "short"):
        assert refusal(await activate(hosted, token, password)) == DEAD
    assert await hosted.counts() == before
    assert refusal(await login(hosted, "noor", OTHER_PASSWORD)) == DEAD
    assert (await login(hosted, "noor")).status_code == 200


async def test_a_weak_password_does_not_spend_the_link(hosted: World) -> None:
    token = await provisioned(hosted)
    before = await hosted.counts()
    for weak in ("", "short", "password1234", "noornoornoor", "x" * 12):
        answer = await activate(hosted, token, weak)
        assert refusal(answer) == INVALID
        assert [fault["pointer"] for fault in answer.json()["errors"]] == ["/password"]
    assert refusal(await activate(hosted, token, username="noor")) == INVALID
    assert await hosted.counts() == before
    assert (await activate(hosted, token)).status_code == 200


async def test_what_is_no_link_is_refused_alike(hosted: World) -> None:
    token = await provisioned(hosted)
    noor = (await activate(hosted, token)).json()["token"]
    unknown = crypto.new_token("v")
    texts = set()
    for wrong in (
        token,
        unknown,
        token[:-1],
        token[:-1] + "é",
        "",
        "x",
        noor,
        "ts_v_" + "0" * 36,
        HOST_TOKEN,
        token.lower(),
    ):
        answer = await activate(hosted, wrong, OTHER_PASSWORD)
        assert refusal(answer) == DEAD, wrong
        texts.add(answer.json()["detail"])
    assert len(texts) == 1
    assert (await activate(hosted, "x" * 201)).status_code == 400
    assert (await activate(hosted, unknown, "short")).status_code == 401


async def test_a_link_lives_for_seven_days(hosted: World, hands: Hands) -> None:
    token = await provisioned(hosted)
    hands.forward(7 * clock.DAY)
    before = await hosted.counts()
    assert refusal(await activate(hosted, token)) == (401, "token_expired")
    assert await hosted.counts() == before
    hands.forward(-1)
    assert (await activate(hosted, token)).status_code == 200


async def test_a_link_is_no_credential(hosted: World) -> None:
    token = await provisioned(hosted)
    assert refusal(await Caller(hosted, token).get("/api/whoami")) == (401, "unauthenticated")


async def test_a_password_set_at_the_command_line_voids_the_link(hosted: World) -> None:
    token = await provisioned(hosted)
    await tenancy.reset_password(hosted.db, "noor", OTHER_PASSWORD)
    assert refusal(await activate(hosted, token)) == DEAD
    assert (await login(hosted, "noor", OTHER_PASSWORD)).status_code == 200
    assert await broken(hosted) == []


async def test_a_password_set_by_its_person_voids_the_link(hosted: World) -> None:
    ann = await hosted.bootstrap()
    jonas = await hosted.person(ann.org, ann.team, username="jonas")
    url = await tenancy.invite(hosted.db, "jonas", BASE)
    assert (await jonas.post("/api/password", {"new_password": OTHER_PASSWORD})).status_code == 204
    assert refusal(await activate(hosted, url.partition("#")[2])) == DEAD
    assert (await login(hosted, "jonas", OTHER_PASSWORD)).status_code == 200


async def test_a_newer_link_voids_the_older(hosted: World) -> None:
    token = await provisioned(hosted)
    newer = (await tenancy.invite(hosted.db, "noor", BASE)).partition("#")[2]
    assert refusal(await activate(hosted, token)) == DEAD
    assert (await activate(hosted, newer)).status_code == 200


async def test_who_was_removed_from_every_team_cannot_redeem_their_link(hosted: World) -> None:
    ann = await hosted.bootstrap()
    jonas = await hosted.person(ann.org, ann.team, username="jonas")
    token = (await tenancy.invite(hosted.db, "jonas", BASE)).partition("#")[2]
    await ann.delete(f"/api/members/{jonas.user_id}")
    assert refusal(await activate(hosted, token)) == (403, "forbidden")
    await ann.post("/api/members", {"username": "jonas", "role": "guest"})
    assert (await activate(hosted, token)).json()["team"]["id"] == ann.team.id


async def test_a_link_is_redeemed_while_the_tenant_is_suspended(hosted: World) -> None:
    token = await provisioned(hosted)
    await host_of(hosted).post("/api/instance/suspend")
    answer = await activate(hosted, token)
    assert answer.status_code == 200
    noor = Caller(hosted, answer.json()["token"])
    assert refusal(await noor.post("/api/notes", {"title": "Not yet"})) == SUSPENDED
    assert (await login(hosted, "noor")).status_code == 200


# Suspending


async def test_suspending_and_resuming_can_be_repeated(hosted: World, hands: Hands) -> None:
    host, since = host_of(hosted), clock.stamp()
    resumed = {"suspended": False, "suspended_at": None}
    assert (await host.post("/api/instance/resume")).json() == resumed
    for _ in range(2):
        answer = await host.post("/api/instance/suspend")
        assert (answer.status_code, answer.json()) == (200, {"suspended": True, "suspended_at": since})
        hands.forward(60)
    for _ in range(2):
        assert (await host.post("/api/instance/resume")).json() == resumed
    assert (await host.post("/api/instance/suspend")).json()["suspended_at"] == clock.stamp()


async def test_no_write_but_the_exceptions_is_open_to_anybody_of_a_suspended_tenant(hosted: World) -> None:
    ann = await hosted.bootstrap()
    noor = await activated(hosted)
    reader = await hosted.person(ann.org, ann.team, Role.OWNER, org_role=OrgRole.OWNER, operator=True)
    callers = (ann, noor, reader, await hosted.session(ann))
    assert [await is_alive(caller) for caller in callers] == [True] * len(callers)
    await host_of(hosted).post("/api/instance/suspend")
    closed = [
        endpoint.route
        for endpoint in hosted.app.endpoints
        if endpoint.route.writes
        and not endpoint.route.while_suspended
        and endpoint.route.auth not in (PUBLIC, PROVISION)
    ]
    assert len(closed) >= 25
    before = await hosted.counts()
    for route in closed:
        for caller in callers:
            answer = await caller(route.method, re.sub(r":\w+", "x", route.path), {})
            assert refusal(answer) == SUSPENDED, (route.name, caller.username)
    assert await hosted.counts() == before


async def test_a_suspended_tenant_can_be_read_and_goes_on_when_resumed(hosted: World) -> None:
    ann = await hosted.bootstrap()
    note = (await ann.post("/api/notes", {"title": "Before", "visibility": "team"})).json()
    await host_of(hosted).post("/api/instance/suspend")
    for path in (
        f"/api/notes/{note['id']}", "/api/notes", "/api/whoami", "/api/members", "/api/org", "/api/orgs", "/api/usage",
        f"/api/orgs/{ann.org.id}", "/api/admin/status", "/api/metrics", "/api/features", "/api/branding", "/health",
    ):  # fmt: skip
        assert (await ann.get(path)).status_code == 200, path
    assert (await ann.get("/api/admin/status")).json()["suspended"] is True
    assert refusal(await ann.put(f"/api/notes/{note['id']}", {"title": "After"})) == SUSPENDED
    await host_of(hosted).post("/api/instance/resume")
    assert (await ann.put(f"/api/notes/{note['id']}", {"title": "After"})).status_code == 200
    assert (await ann.get("/api/admin/status")).json()["suspended"] is False


async def test_proofs_and_credentials_stay_ones_own_in_a_suspended_tenant(hosted: World) -> None:
    ann = await hosted.bootstrap()
    token = (await ann.post("/api/tokens", {"name": "stolen"})).json()
    await host_of(hosted).post("/api/instance/suspend")

    session, other = await signed_in(hosted, "ann"), await signed_in(hosted, "ann")
    (stolen,) = [row["id"] for row in (await session.get("/api/sessions")).json()["items"] if not row["current"]]
    assert (await session.delete(f"/api/sessions/{stolen}")).status_code == 204
    assert (await session.delete(f"/api/tokens/{token['id']}")).status_code == 204
    assert [await is_alive(caller) for caller in (other, Caller(hosted, token["token"]))] == [False, False]
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await session.post("/api/password", change)).status_code == 204
    await enrolled(session)
    assert (await session.post("/api/2fa/recovery-codes")).status_code == 200
    assert (await session.delete("/api/2fa", {"password": OTHER_PASSWORD})).status_code == 204
    assert (await session.delete(f"/api/admin/users/{ann.user_id}/2fa")).status_code == 204
    again = await signed_in(hosted, "ann", OTHER_PASSWORD)
    assert (await again.post("/api/logout")).status_code == 204
    assert not await is_alive(again)


async def test_a_suspension_by_another_process_stops_the_next_write(hosted_settings: Settings) -> None:
    async with opened(hosted_settings) as one, opened(hosted_settings) as other:
        ann = await one.bootstrap()
        there = Caller(other, ann.token)
        assert (await there.post("/api/notes", {"title": "Before"})).status_code == 201
        await host_of(one).post("/api/instance/suspend")
        assert refusal(await there.post("/api/notes", {"title": "After"})) == SUSPENDED
        await host_of(other).post("/api/instance/resume")
        assert (await ann.post("/api/notes", {"title": "Again"})).status_code == 201


async def test_a_suspension_has_no_effect_once_nobody_hosts_the_instance(
    settings: Settings, hosted_settings: Settings
) -> None:
    async with opened(hosted_settings) as hosted:
        ann = await hosted.bootstrap()
        await host_of(hosted).post("/api/instance/suspend")
    async with opened(settings) as world:
        at_home = Caller(world, ann.token)
        assert (await at_home.post("/api/notes", {"title": "Mine"})).status_code == 201
        assert (await at_home.get("/api/admin/status")).json()["suspended"] is False
    async with opened(hosted_settings) as hosted:
        assert refusal(await Caller(hosted, ann.token).post("/api/notes", {"title": "Again"})) == SUSPENDED


async def test_a_suspended_company_of_a_hosted_tenant_says_so(hosted: World) -> None:
    ann = await hosted.bootstrap()
    await hosted.suspend(ann.org)
    assert refusal(await ann.post("/api/notes", {"title": "x"})) == (403, "org_suspended")
    await host_of(hosted).post("/api/instance/suspend")
    assert refusal(await ann.post("/api/notes", {"title": "x"})) == SUSPENDED


# The tenant's quota


async def test_the_tenants_limit_is_a_row_of_usage_at_its_own_level(hosted: World) -> None:
    noor = await activated(hosted)
    answer = await host_of(hosted).post("/api/instance/quota", LIMIT)
    assert answer.status_code == 200
    row = answer.json()
    assert row == {
        "dimension": "ai.requests", "used": 0, "reserved": 0, "limit": 5, "remaining": 5, "window": "day",
        "resets_at": row["resets_at"], "level": "tenant", "forecast": 0,
    }  # fmt: skip
    assert row in (await noor.get("/api/usage")).json()["items"]
    await host_of(hosted).post("/api/instance/quota", LIMIT | {"limit": None})
    shown = {each["dimension"]: each for each in (await noor.get("/api/usage")).json()["items"]}
    assert (shown["ai.requests"]["level"], shown["ai.requests"]["limit"]) == ("org", 2_000)


async def test_the_tenant_is_limited_while_it_is_suspended(hosted: World) -> None:
    await host_of(hosted).post("/api/instance/suspend")
    assert (await host_of(hosted).post("/api/instance/quota", LIMIT)).status_code == 200


async def test_a_change_of_plan_leaves_the_tenants_limit(hosted: World) -> None:
    ann = await hosted.bootstrap()
    await host_of(hosted).post("/api/instance/quota", LIMIT)
    await ann("PATCH", f"/api/orgs/{ann.org.id}", {"plan": "business"})
    shown = {each["dimension"]: each for each in (await ann.get("/api/usage")).json()["items"]}
    assert (shown["ai.requests"]["level"], shown["ai.requests"]["limit"]) == ("tenant", 5)
