"""API tokens: their scope, and that they never allow more than their owner may."""

import hashlib
from typing import Any

import httpx2
import pytest

from teamspace.core import clock, crypto
from teamspace.tenancy import store
from teamspace.tenancy.schemas import Role
from tests.cost.help import LIMIT, longest_step
from tests.identity.help import Hands, broken, is_alive, refusal, run_sql
from tests.support.world import Caller, World

OUT_OF_SCOPE = (403, "out_of_scope")
OWN_ACCOUNT = [
    ("POST", "/api/2fa/enable", {}),
    ("POST", "/api/2fa/recovery-codes", {}),
    ("GET", "/api/2fa/recovery-codes", None),
    ("DELETE", "/api/2fa", None),
    ("POST", "/api/password", {"new_password": "staple lantern orbit"}),
    ("POST", "/api/profile", {"display_name": "Somebody"}),
    ("GET", "/api/sessions", None),
    ("DELETE", "/api/sessions/any", None),
]


async def issue(caller: Caller, **draft: Any) -> httpx2.Response:
    return await caller.post("/api/tokens", {"name": "script", **draft})


async def issue_token(caller: Caller, **draft: Any) -> Caller:
    answer = await issue(caller, **draft)
    assert answer.status_code == 201, answer.text
    return Caller(caller.world, answer.json()["token"], user_id=caller.user_id, team=caller.team, org=caller.org)


async def set_role(world: World, caller: Caller, role: Role) -> None:
    sql = "UPDATE memberships SET role = :role WHERE user_id = :user_id"
    await run_sql(world, sql, role=role, user_id=caller.user_id)


async def permissions(caller: Caller) -> list[str]:
    names: list[str] = (await caller.get("/api/whoami")).json()["permissions"]
    return names


# Form


async def test_a_token_is_shown_once_and_only_its_digest_is_stored(world: World) -> None:
    ann = await world.bootstrap()
    created = (await issue(ann)).json()
    assert set(created) == {"id", "name", "token", "scope", "expires_at"}
    stored = await world.db.one(str, "SELECT digest FROM tokens WHERE id = :id", id=created["id"])
    assert stored == hashlib.sha256(created["token"].encode()).hexdigest()

    listed = next(row for row in (await ann.get("/api/tokens")).json()["items"] if row["id"] == created["id"])
    assert listed == {
        "id": created["id"], "name": "script", "hint": created["token"][:9], "user_id": ann.user_id, "scope": None,
        "created_at": listed["created_at"], "expires_at": created["expires_at"], "last_used_at": None,
    }  # fmt: skip


async def test_saving_the_last_use_of_many_tokens_does_not_block_the_loop(world: World) -> None:
    await world.bootstrap()
    (own,) = await world.db.all(str, "SELECT id FROM tokens")
    await run_sql(world, "UPDATE tokens SET last_used_at = NULL")
    for number in range(10_000):
        world.app.last_use.record(f"token {number}")
    world.app.last_use.record(own)
    seconds, _ = await longest_step(world.app.last_use.save(world.db))
    assert seconds < LIMIT
    assert await world.db.exists("SELECT 1 FROM tokens WHERE last_used_at IS NOT NULL")


async def test_the_last_use_is_saved_at_first_use_and_then_every_minute(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    token = await issue_token(ann)
    first = clock.stamp()
    for pause, expected in ((0, first), (59, first), (1, clock.later(60))):
        hands.forward(pause)
        assert await is_alive(token)
        await world.app.last_use.save(world.db)
        [*_, listed] = [row for row in (await ann.get("/api/tokens")).json()["items"] if row["name"] == "script"]
        assert listed["last_used_at"] == expected


async def test_the_prefix_of_a_token_tells_its_kind(world: World) -> None:
    ann = await world.bootstrap()
    tokens = {
        "ts_a_": (await issue_token(ann)).token,
        "ts_s_": (await world.session(ann)).token,
        "ts_w_": (await world.worker(ann.org, ann.team)).token,
    }
    assert all((token or "").startswith(prefix) for prefix, token in tokens.items())
    assert all(crypto.is_well_formed(token or "") for token in tokens.values())


async def test_a_mistyped_token_is_refused_before_it_is_looked_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    token = ann.token or ""
    monkeypatch.setattr(store, "get_credential", None)
    other = "A" if token[20] != "A" else "B"
    for typed in (token[:20] + other + token[21:], token[:-1], token + "0", "ts_a_", "hello", token.upper()):
        assert refusal(await Caller(world, typed).get("/api/whoami")) == (401, "unauthenticated")


async def test_a_well_formed_unknown_token_is_refused(world: World) -> None:
    await world.bootstrap()
    for kind in "saw":
        assert refusal(await Caller(world, crypto.new_token(kind)).get("/api/whoami")) == (401, "unauthenticated")


async def test_the_kind_of_a_token_cannot_be_changed(world: World) -> None:
    ann = await world.bootstrap()
    token = ann.token or ""
    assert not await is_alive(Caller(world, token.replace("ts_a_", "ts_s_")))


# Time to live


async def test_a_token_expires_after_its_ttl(world: World, hands: Hands) -> None:
    ann = await world.token(await world.bootstrap())
    drafts: tuple[tuple[dict[str, float], float], ...] = (
        ({}, 7_776_000),
        ({"ttl": 2}, 2),
        ({"ttl": 90.5}, 90.5),
        ({"ttl": 1_000_000_000}, 1_000_000_000),
    )
    for draft, seconds in drafts:
        answer = await issue(ann, **draft)
        assert answer.json()["expires_at"] == clock.stamp(hands.at + seconds)
        token = Caller(world, answer.json()["token"])
        hands.forward(seconds - 1)
        assert await is_alive(token)
        hands.forward(1)
        assert refusal(await token.get("/api/whoami")) == (401, "token_expired")


async def test_a_token_can_be_valid_forever(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    answer = await issue(ann, ttl="never")
    assert answer.json()["expires_at"] is None
    hands.forward(10 * 365 * clock.DAY)
    assert await is_alive(Caller(world, answer.json()["token"]))


async def test_an_invalid_ttl_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    for ttl in (0, -1, 1e300, "60", "forever", True, None):
        answer = await issue(ann, ttl=ttl)
        assert refusal(answer) == (400, "invalid_request"), ttl
        assert answer.json()["errors"][0]["pointer"] == "/ttl"


async def test_a_use_saved_after_the_expiry_is_not_dated_after_the_expiry(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    token = await issue_token(ann, ttl=120)
    hands.forward(119)
    assert await is_alive(token)
    hands.forward(5)
    await world.app.last_use.save(world.db)
    assert await broken(world) == []


# Scope


async def test_a_scope_limits_a_token_whatever_its_owner_may(world: World) -> None:
    ann = await world.bootstrap()
    reader = await issue_token(ann, scope=["notes:read"])
    assert (await reader.get("/api/notes")).status_code == 200
    assert await permissions(reader) == ["notes:read"]
    assert refusal(await reader.post("/api/notes", {"title": "No"})) == OUT_OF_SCOPE
    assert refusal(await issue(reader, scope=["notes:read"])) == OUT_OF_SCOPE
    assert refusal(await reader.post("/api/members", {"username": "bob", "role": "guest"})) == OUT_OF_SCOPE


async def test_an_empty_scope_allows_nothing(world: World) -> None:
    ann = await world.bootstrap()
    token = await issue_token(ann, scope=[])
    assert await permissions(token) == []
    assert refusal(await token.post("/api/notes", {"title": "No"})) == OUT_OF_SCOPE


async def test_a_scoped_token_cannot_reach_its_owners_account(world: World) -> None:
    ann = await world.bootstrap()
    full_scope = await issue_token(ann, scope=await permissions(ann))
    before = await world.counts()
    for method, path, body in OWN_ACCOUNT:
        assert refusal(await full_scope(method, path, body)) == OUT_OF_SCOPE, path
    assert await world.counts() == before


async def test_a_scope_contains_exact_permission_names(world: World) -> None:
    ann = await world.bootstrap()
    for entry in ("notes", "notes:*", "*", "", "Notes:read", "notes:read:prefix", "search:x"):
        assert refusal(await issue(ann, scope=[entry])) == (400, "invalid_request"), entry


async def test_a_token_cannot_get_permissions_its_creator_lacks(world: World) -> None:
    ann = await world.bootstrap()
    admin = await world.person(ann.org, ann.team, Role.ADMIN)
    for entry in ("instance:manage", "localization:manage", "org:read"):
        assert refusal(await issue(admin, scope=["notes:read", entry])) == OUT_OF_SCOPE
    assert refusal(await issue(ann, scope=["jobs:execute"])) == OUT_OF_SCOPE


async def test_a_scoped_token_can_only_create_narrower_ones(world: World) -> None:
    ann = await world.bootstrap()
    scoped = await issue_token(ann, scope=["settings:manage", "files:read:contracts/"])
    assert refusal(await issue(scoped)) == OUT_OF_SCOPE
    for beyond in ("notes:read", "files:read", "files:read:contract", "files:write:contracts/"):
        assert refusal(await issue(scoped, scope=[beyond])) == OUT_OF_SCOPE
    narrower = (await issue(scoped, scope=["files:read:contracts/2031/"])).json()
    assert narrower["scope"] == ["files:read:contracts/2031/"]


async def test_a_scoped_token_does_not_get_the_replayed_answer_of_a_wider_one(world: World) -> None:
    ann = await world.bootstrap()
    scoped = await issue_token(ann, scope=["settings:manage"])
    key = {"idempotency-key": "1"}
    assert (await ann.post("/api/tokens", {"name": "script"}, headers=key)).status_code == 201
    answer = await scoped.post("/api/tokens", {"name": "script"}, headers=key)
    assert "token" not in answer.json(), "the replayed token has no scope at all"


async def test_tokens_of_a_demoted_person_lose_permissions_at_once(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.ADMIN)
    scoped = await issue_token(bob, scope=["notes:read", "notes:write", "members:manage"])
    assert (await scoped.post("/api/notes", {"title": "Yes"})).status_code == 201
    await set_role(world, bob, Role.VIEWER)
    assert await permissions(scoped) == ["notes:read"]
    assert refusal(await scoped.post("/api/notes", {"title": "No"})) == (403, "forbidden")
    for token in (scoped, bob):
        draft = {"username": "eve", "role": "viewer"}
        assert refusal(await token.post("/api/members", draft)) == (403, "forbidden")


async def test_scoped_tokens_of_a_promoted_person_gain_nothing(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.VIEWER)
    scoped = await world.token(bob, scope=["notes:read"])
    await set_role(world, bob, Role.ADMIN)
    assert await permissions(scoped) == ["notes:read"]


# The team's list


async def test_a_revoked_token_ends_at_once_and_leaves_the_list(world: World) -> None:
    ann = await world.bootstrap()
    created = (await issue(ann)).json()
    assert (await ann.delete(f"/api/tokens/{created['id']}")).status_code == 204
    assert not await is_alive(Caller(world, created["token"]))
    assert created["id"] not in [row["id"] for row in (await ann.get("/api/tokens")).json()["items"]]
    assert refusal(await ann.delete(f"/api/tokens/{created['id']}")) == (404, "not_found")


async def test_tokens_of_another_team_and_sessions_cannot_be_revoked(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.person(ann.org, await world.team(ann.org), Role.OWNER)
    other_token = (await issue(second)).json()["id"]
    session = (await (await world.session(ann)).get("/api/sessions")).json()["items"][0]["id"]
    for id in (other_token, session, "nothing"):
        assert refusal(await ann.delete(f"/api/tokens/{id}")) == (404, "not_found")
    assert other_token not in [row["id"] for row in (await ann.get("/api/tokens")).json()["items"]]


async def test_only_managers_create_and_list_tokens(world: World) -> None:
    ann = await world.bootstrap()
    member = await world.person(ann.org, ann.team, Role.MEMBER)
    for answer in (await issue(member), await member.get("/api/tokens"), await member.delete("/api/tokens/any")):
        assert refusal(answer) == (403, "forbidden")


async def test_a_worker_token_allows_only_jobs(world: World) -> None:
    ann = await world.bootstrap()
    worker = await world.worker(ann.org, ann.team)
    for path in ("/api/whoami", "/api/members", "/api/notes"):
        assert (await worker.get(path)).status_code == 403


async def test_a_token_needs_a_readable_name(world: World) -> None:
    ann = await world.bootstrap()
    for name in ("", "  ", "a" * 81, "a\nb", "a\u202eb"):
        assert refusal(await issue(ann, name=name)) == (400, "invalid_request"), name
