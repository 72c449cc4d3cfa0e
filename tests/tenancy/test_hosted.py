"""Hosted mode: a tenant is provisioned once by the hosting provider, activated by a link, suspended and limited."""

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
from tests.support.world import world as open_world

PROVISION_TOKEN = "the-token-of-whoever-hosts-this"
BASE = "https://acme.example"
CONFLICT = (409, "conflict")
INVALID_CREDENTIALS = (401, "invalid_credentials")
INVALID = (400, "invalid_request")
SUSPENDED = (402, "tenant_suspended")
PROVISION_PATHS = ("/api/provision", "/api/instance/suspend", "/api/instance/resume", "/api/instance/quota")
DRAFT: dict[str, Any] = {
    "username": "noor",
    "email": "noor@acme.example",
    "org": "Acme",
    "team": "Office",
    "plan": "pro",
}
LIMIT = {"dimension": "ai.requests", "limit": 5, "window": "day"}


@pytest.fixture
def hosted_settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, provision_token=PROVISION_TOKEN, base_url=BASE)


@pytest.fixture
async def hosted(hosted_settings: Settings) -> AsyncIterator[World]:
    async with open_world(hosted_settings) as world:
        yield world


def provider(world: World) -> Caller:
    return Caller(world, PROVISION_TOKEN)


async def provision(world: World, **more: Any) -> str:
    """Provision the tenant; return the token of the owner's activation link."""
    answer = await provider(world).post("/api/provision", DRAFT | more)
    assert answer.status_code == 201, answer.text
    url: str = answer.json()["activation_url"]
    return url.partition("#")[2]


async def activate(world: World, token: str, password: str = PASSWORD, **more: Any) -> httpx2.Response:
    return await world.anonymous.post("/api/activate", {"token": token, "password": password, **more})


async def activate_owner(world: World) -> Caller:
    """The provisioned owner, signed in with their activation link."""
    answer = await activate(world, await provision(world))
    assert answer.status_code == 200, answer.text
    return Caller(world, answer.json()["token"], user_id=answer.json()["user"]["id"], username="noor")


# The hosting provider


async def test_provisioning_routes_do_not_exist_without_the_setting(world: World) -> None:
    ann = await world.bootstrap()
    before = await world.counts()
    not_found = (await ann.post("/api/nowhere")).json() | {"request_id": ""}
    for path in PROVISION_PATHS:
        for caller in (ann, world.anonymous, provider(world), Caller(world, "")):
            answer = await caller.post(path, DRAFT)
            assert (answer.status_code, answer.json() | {"request_id": ""}) == (404, not_found)
    assert await world.counts() == before


async def test_only_the_provision_token_is_accepted(hosted: World) -> None:
    ann = await hosted.bootstrap()
    before = await hosted.counts()
    wrong = (
        ann.token,
        "",
        PROVISION_TOKEN[:-1],
        PROVISION_TOKEN + "x",
        PROVISION_TOKEN.upper(),
        f"{PROVISION_TOKEN},x",
        "x" * 31,
        None,
    )
    for path in PROVISION_PATHS:
        for token in wrong:
            assert refusal(await Caller(hosted, token).post(path, DRAFT)) == (401, "unauthenticated"), (path, token)
        basic = await hosted.anonymous.post(path, DRAFT, headers={"authorization": f"Basic {PROVISION_TOKEN}"})
        assert basic.status_code == 401
    assert await hosted.counts() == before


async def test_the_provision_token_is_refused_on_other_routes(hosted: World) -> None:
    await provision(hosted)
    for path in ("/api/whoami", "/api/orgs", "/api/admin/status", "/api/notes", "/api/members"):
        assert refusal(await provider(hosted).get(path)) == (401, "unauthenticated")


# Provisioning


async def test_provisioning_creates_the_owner_and_an_activation_link(hosted: World, hands: Hands) -> None:
    answer = await provider(hosted).post("/api/provision", DRAFT)
    assert (answer.status_code, set(answer.json())) == (201, {"owner", "activation_url"})
    owner = answer.json()["owner"]
    assert owner == {
        "id": owner["id"], "username": "noor", "display_name": "noor", "email": "noor@acme.example", "locale": None, "time_zone": None,
        "operator": False, "created_at": clock.stamp(),
    }  # fmt: skip
    assert re.fullmatch(re.escape(BASE) + r"/activate#ts_v_[0-9A-Za-z]{36}", answer.json()["activation_url"])
    counts = await hosted.counts()
    assert [counts[table] for table in ("users", "orgs", "teams", "tokens", "activations")] == [1, 1, 1, 0, 1]
    assert refusal(await login(hosted, "noor", "")) == INVALID_CREDENTIALS


async def test_the_provisioned_owner_is_no_operator(hosted: World) -> None:
    noor = await activate_owner(hosted)
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


async def test_provisioning_needs_only_a_username(hosted: World) -> None:
    answer = await provider(hosted).post("/api/provision", {"username": "noor"})
    assert (answer.status_code, answer.json()["owner"]["email"]) == (201, None)
    link = answer.json()["activation_url"].partition("#")[2]
    shown = (await activate(hosted, link)).json()
    assert (shown["org"]["name"], shown["org"]["plan"], shown["team"]["name"]) == ("Workspace", "enterprise", "General")


async def test_provisioning_works_once_and_excludes_bootstrap(hosted: World) -> None:
    await provision(hosted)
    before = await hosted.counts()
    for body in (DRAFT, {"username": "somebody.else"}):
        assert refusal(await provider(hosted).post("/api/provision", body)) == CONFLICT
    bootstrap = {"username": "eve", "password": PASSWORD}
    assert refusal(await hosted.anonymous.post("/api/bootstrap", bootstrap)) == (409, "already_bootstrapped")
    assert await hosted.counts() == before
    assert (await hosted.anonymous.get("/api/config")).json()["bootstrapped"] is True


async def test_an_invalid_provisioning_is_refused_with_a_pointer(hosted: World) -> None:
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
        answer = await provider(hosted).post("/api/provision", DRAFT | change)
        assert refusal(answer) == INVALID
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer], change
    for body in ({}, {"email": "noor@acme.example"}, DRAFT | {"password": PASSWORD}, DRAFT | {"operator": True}):
        assert refusal(await provider(hosted).post("/api/provision", body)) == INVALID
    assert await hosted.counts() == before
    await provision(hosted)


async def test_a_repeated_idempotency_key_replays_the_response(hosted: World) -> None:
    key = {"idempotency-key": "first-tenant"}
    first, second = [await provider(hosted).post("/api/provision", DRAFT, headers=key) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second.headers["idempotency-replayed"] == "true"
    other = await provider(hosted).post("/api/provision", DRAFT | {"org": "Other"}, headers=key)
    assert refusal(other) == (409, "idempotency_conflict")
    assert refusal(await provider(hosted).post("/api/provision", DRAFT)) == CONFLICT
    counts = await hosted.counts()
    assert (counts["users"], counts["activations"]) == (1, 1)
    assert (await activate(hosted, second.json()["activation_url"].partition("#")[2])).status_code == 200


async def test_an_instance_with_an_operator_can_be_provisioned(hosted: World) -> None:
    ann = await hosted.bootstrap()
    answer = await provider(hosted).post("/api/provision", {"username": "noor"})
    assert answer.status_code == 201
    orgs = (await ann.get("/api/orgs")).json()["items"]
    assert [(org["slug"], org["plan"]) for org in orgs] == [("workspace-2", "free"), ("workspace", "enterprise")]
    assert await broken(hosted) == []


async def test_a_single_tenant_instance_can_be_provisioned(hosted_settings: Settings) -> None:
    single_tenant = msgspec.structs.replace(hosted_settings, multitenant=False)
    async with open_world(single_tenant) as world:
        await provision(world)


async def test_a_single_tenant_instance_with_a_company_is_not_provisioned(hosted_settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(hosted_settings, multitenant=False)) as world:
        await world.bootstrap()
        before = await world.counts()
        for _ in range(2):
            assert refusal(await provider(world).post("/api/provision", DRAFT)) == (409, "single_tenant")
        assert await world.counts() == before


async def test_actions_of_the_provider_are_audited_without_secrets(hosted: World) -> None:
    token = await provision(hosted)
    for path in ("suspend", "resume"):
        await provider(hosted).post(f"/api/instance/{path}")
    await provider(hosted).post("/api/instance/quota", LIMIT)
    rows = await trail(hosted)
    assert [row.action for row in rows] == ["tenant.provision", "tenant.suspend", "tenant.resume", "quota.set"]
    assert {row.actor_kind for row in rows} == {"provision"}
    assert token not in str(rows) and PROVISION_TOKEN not in str(rows)


# Activation


async def test_an_activation_link_sets_the_password_and_signs_in(hosted: World, hands: Hands) -> None:
    token = await provision(hosted)
    answer = await activate(hosted, token)
    assert answer.status_code == 200
    shown = answer.json()
    signed_in_again = (await login(hosted, "noor")).json()
    assert set(shown) == set(signed_in_again) == {"token", "token_type", "expires_at", "user", "team", "org"}
    assert {name: shown[name] for name in shown if name != "token"} == {
        name: signed_in_again[name] for name in signed_in_again if name != "token"
    }
    assert (shown["token_type"], shown["token"][:5]) == ("bearer", "ts_s_")
    assert shown["expires_at"] == clock.later(30 * clock.DAY)
    assert (await Caller(hosted, shown["token"]).get("/api/whoami")).json()["credential"] == "session"
    assert await broken(hosted) == []


async def test_an_activation_link_works_once(hosted: World) -> None:
    token = await provision(hosted)
    assert (await activate(hosted, token)).status_code == 200
    before = await hosted.counts()
    for password in (OTHER_PASSWORD, PASSWORD, "short"):
        assert refusal(await activate(hosted, token, password)) == INVALID_CREDENTIALS
    assert await hosted.counts() == before
    assert refusal(await login(hosted, "noor", OTHER_PASSWORD)) == INVALID_CREDENTIALS
    assert (await login(hosted, "noor")).status_code == 200


async def test_a_weak_password_does_not_use_up_the_link(hosted: World) -> None:
    token = await provision(hosted)
    before = await hosted.counts()
    for weak in ("", "short", "password1234", "noornoornoor", "x" * 12):
        answer = await activate(hosted, token, weak)
        assert refusal(answer) == INVALID
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/password"]
    assert refusal(await activate(hosted, token, username="noor")) == INVALID
    assert await hosted.counts() == before
    assert (await activate(hosted, token)).status_code == 200


async def test_invalid_links_are_all_refused_alike(hosted: World) -> None:
    token = await provision(hosted)
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
        PROVISION_TOKEN,
        token.lower(),
    ):
        answer = await activate(hosted, wrong, OTHER_PASSWORD)
        assert refusal(answer) == INVALID_CREDENTIALS, wrong
        texts.add(answer.json()["detail"])
    assert len(texts) == 1
    assert (await activate(hosted, "x" * 201)).status_code == 400
    assert (await activate(hosted, unknown, "short")).status_code == 401


async def test_an_activation_link_expires_after_seven_days(hosted: World, hands: Hands) -> None:
    token = await provision(hosted)
    hands.forward(7 * clock.DAY)
    before = await hosted.counts()
    assert refusal(await activate(hosted, token)) == (401, "token_expired")
    assert await hosted.counts() == before
    hands.forward(-1)
    assert (await activate(hosted, token)).status_code == 200


async def test_an_activation_link_is_not_a_credential(hosted: World) -> None:
    token = await provision(hosted)
    assert refusal(await Caller(hosted, token).get("/api/whoami")) == (401, "unauthenticated")


async def test_a_password_reset_on_the_command_line_invalidates_the_link(hosted: World) -> None:
    token = await provision(hosted)
    await tenancy.reset_password(hosted.db, "noor", OTHER_PASSWORD)
    assert refusal(await activate(hosted, token)) == INVALID_CREDENTIALS
    assert (await login(hosted, "noor", OTHER_PASSWORD)).status_code == 200
    assert await broken(hosted) == []


async def test_setting_a_password_invalidates_the_link(hosted: World) -> None:
    ann = await hosted.bootstrap()
    jonas = await hosted.person(ann.org, ann.team, username="jonas")
    url = await tenancy.invite(hosted.db, "jonas", BASE)
    assert (await jonas.post("/api/password", {"new_password": OTHER_PASSWORD})).status_code == 204
    assert refusal(await activate(hosted, url.partition("#")[2])) == INVALID_CREDENTIALS
    assert (await login(hosted, "jonas", OTHER_PASSWORD)).status_code == 200


async def test_a_newer_link_invalidates_the_older_one(hosted: World) -> None:
    token = await provision(hosted)
    newer = (await tenancy.invite(hosted.db, "noor", BASE)).partition("#")[2]
    assert refusal(await activate(hosted, token)) == INVALID_CREDENTIALS
    assert (await activate(hosted, newer)).status_code == 200


async def test_a_person_without_a_team_cannot_use_their_link(hosted: World) -> None:
    ann = await hosted.bootstrap()
    jonas = await hosted.person(ann.org, ann.team, username="jonas")
    token = (await tenancy.invite(hosted.db, "jonas", BASE)).partition("#")[2]
    await ann.delete(f"/api/members/{jonas.user_id}")
    assert refusal(await activate(hosted, token)) == (403, "forbidden")
    await ann.post("/api/members", {"username": "jonas", "role": "guest"})
    assert (await activate(hosted, token)).json()["team"]["id"] == ann.team.id


async def test_an_activation_link_works_while_the_tenant_is_suspended(hosted: World) -> None:
    token = await provision(hosted)
    await provider(hosted).post("/api/instance/suspend")
    answer = await activate(hosted, token)
    assert answer.status_code == 200
    noor = Caller(hosted, answer.json()["token"])
    assert refusal(await noor.post("/api/notes", {"title": "Not yet"})) == SUSPENDED
    assert (await login(hosted, "noor")).status_code == 200


# Suspension


async def test_suspending_and_resuming_can_be_repeated(hosted: World, hands: Hands) -> None:
    host, since = provider(hosted), clock.stamp()
    resumed = {"suspended": False, "suspended_at": None}
    assert (await host.post("/api/instance/resume")).json() == resumed
    for _ in range(2):
        answer = await host.post("/api/instance/suspend")
        assert (answer.status_code, answer.json()) == (200, {"suspended": True, "suspended_at": since})
        hands.forward(60)
    for _ in range(2):
        assert (await host.post("/api/instance/resume")).json() == resumed
    assert (await host.post("/api/instance/suspend")).json()["suspended_at"] == clock.stamp()


async def test_a_suspended_tenant_refuses_all_writes_but_the_exceptions(hosted: World) -> None:
    ann = await hosted.bootstrap()
    noor = await activate_owner(hosted)
    reader = await hosted.person(ann.org, ann.team, Role.OWNER, org_role=OrgRole.OWNER, operator=True)
    callers = (ann, noor, reader, await hosted.session(ann))
    assert [await is_alive(caller) for caller in callers] == [True] * len(callers)
    await provider(hosted).post("/api/instance/suspend")
    closed = [
        endpoint.route
        for endpoint in hosted.app.endpoints
        if endpoint.route.writes
        and not endpoint.route.while_suspended
        and not endpoint.route.dry_run  # the write refuses it, after everything else: see tests/isolation
        and not endpoint.route.errors  # in the format of another protocol: see tests/isolation
        and endpoint.route.auth not in (PUBLIC, PROVISION)
    ]
    assert len(closed) >= 25
    before = await hosted.counts()
    for route in closed:
        for caller in callers:
            answer = await caller(route.method, re.sub(r":\w+", "x", route.path), {})
            assert refusal(answer) == SUSPENDED, (route.name, caller.username)
    assert await hosted.counts() == before


async def test_a_suspended_tenant_can_be_read_and_is_writable_after_resuming(hosted: World) -> None:
    ann = await hosted.bootstrap()
    note = (await ann.post("/api/notes", {"title": "Before", "visibility": "team"})).json()
    await provider(hosted).post("/api/instance/suspend")
    for path in (
        f"/api/notes/{note['id']}", "/api/notes", "/api/whoami", "/api/members", "/api/org", "/api/orgs", "/api/usage",
        f"/api/orgs/{ann.org.id}", "/api/admin/status", "/api/metrics", "/api/features", "/api/branding", "/health",
    ):  # fmt: skip
        assert (await ann.get(path)).status_code == 200, path
    assert (await ann.get("/api/admin/status")).json()["suspended"] is True
    assert refusal(await ann.put(f"/api/notes/{note['id']}", {"title": "After"})) == SUSPENDED
    await provider(hosted).post("/api/instance/resume")
    assert (await ann.put(f"/api/notes/{note['id']}", {"title": "After"})).status_code == 200
    assert (await ann.get("/api/admin/status")).json()["suspended"] is False


async def test_credentials_can_be_managed_in_a_suspended_tenant(hosted: World) -> None:
    ann = await hosted.bootstrap()
    token = (await ann.post("/api/tokens", {"name": "stolen"})).json()
    await provider(hosted).post("/api/instance/suspend")

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
    async with open_world(hosted_settings) as first, open_world(hosted_settings) as second:
        ann = await first.bootstrap()
        remote = Caller(second, ann.token)
        assert (await remote.post("/api/notes", {"title": "Before"})).status_code == 201
        await provider(first).post("/api/instance/suspend")
        assert refusal(await remote.post("/api/notes", {"title": "After"})) == SUSPENDED
        await provider(second).post("/api/instance/resume")
        assert (await ann.post("/api/notes", {"title": "Again"})).status_code == 201


async def test_a_suspension_has_no_effect_outside_hosted_mode(settings: Settings, hosted_settings: Settings) -> None:
    async with open_world(hosted_settings) as hosted:
        ann = await hosted.bootstrap()
        await provider(hosted).post("/api/instance/suspend")
    async with open_world(settings) as world:
        self_hosted = Caller(world, ann.token)
        assert (await self_hosted.post("/api/notes", {"title": "Mine"})).status_code == 201
        assert (await self_hosted.get("/api/admin/status")).json()["suspended"] is False
    async with open_world(hosted_settings) as hosted:
        assert refusal(await Caller(hosted, ann.token).post("/api/notes", {"title": "Again"})) == SUSPENDED


async def test_a_suspended_company_and_a_suspended_tenant_have_different_errors(hosted: World) -> None:
    ann = await hosted.bootstrap()
    await hosted.suspend(ann.org)
    assert refusal(await ann.post("/api/notes", {"title": "x"})) == (403, "org_suspended")
    await provider(hosted).post("/api/instance/suspend")
    assert refusal(await ann.post("/api/notes", {"title": "x"})) == SUSPENDED


# Quota of the tenant


async def test_the_limit_of_the_tenant_is_shown_in_usage(hosted: World) -> None:
    noor = await activate_owner(hosted)
    answer = await provider(hosted).post("/api/instance/quota", LIMIT)
    assert answer.status_code == 200
    row = answer.json()
    assert row == {
        "dimension": "ai.requests", "used": 0, "reserved": 0, "limit": 5, "remaining": 5, "window": "day",
        "resets_at": row["resets_at"], "level": "tenant", "forecast": 0,
    }  # fmt: skip
    assert row in (await noor.get("/api/usage")).json()["items"]
    await provider(hosted).post("/api/instance/quota", LIMIT | {"limit": None})
    shown = {row["dimension"]: row for row in (await noor.get("/api/usage")).json()["items"]}
    assert (shown["ai.requests"]["level"], shown["ai.requests"]["limit"]) == ("org", 2_000)


async def test_a_limit_can_be_set_while_the_tenant_is_suspended(hosted: World) -> None:
    await provider(hosted).post("/api/instance/suspend")
    assert (await provider(hosted).post("/api/instance/quota", LIMIT)).status_code == 200


async def test_a_change_of_plan_keeps_the_limit_of_the_tenant(hosted: World) -> None:
    ann = await hosted.bootstrap()
    await provider(hosted).post("/api/instance/quota", LIMIT)
    await ann("PATCH", f"/api/orgs/{ann.org.id}", {"plan": "business"})
    shown = {row["dimension"]: row for row in (await ann.get("/api/usage")).json()["items"]}
    assert (shown["ai.requests"]["level"], shown["ai.requests"]["limit"]) == ("tenant", 5)
