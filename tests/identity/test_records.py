"""Every write adds one row to the audit log, and no secret is stored in plain text."""

import itertools
from typing import Any

import httpx2
from msgspec import Struct

from teamspace.core.db import audit
from teamspace.tenancy.schemas import Role
from tests.identity.help import (
    OTHER_PASSWORD,
    Hands,
    code,
    enrolled,
    login,
    run_sql,
    signed_in,
    trail,
)
from tests.support.world import PASSWORD, Caller, World

_numbers = itertools.count(1)


async def write_and_find_row(
    world: World, caller: Caller, method: str, path: str, body: Any = None
) -> tuple[httpx2.Response, audit.AuditRow]:
    """Make a write that succeeds, and return the answer and its one audit row."""
    request_id = f"request-{next(_numbers)}"
    before = len(await trail(world))
    answer = await caller(method, path, body, headers={"x-request-id": request_id})
    assert answer.is_success, answer.text
    rows = [row for row in await trail(world) if row.request_id == request_id]
    assert (len(rows), len(await trail(world))) == (1, before + 1), path
    return answer, rows[0]


async def assert_audited(world: World, caller: Caller, request: tuple[str, str, Any], action: str, target: str) -> None:
    _, row = await write_and_find_row(world, caller, *request)
    assert (row.action, row.target, row.actor_id, row.org_id) == (action, target, caller.user_id, caller.org.id)
    assert row.token_id
    assert row.address == "127.0.0.1"


async def test_the_bootstrap_is_audited(world: World) -> None:
    draft = {"username": "ann", "password": PASSWORD}
    answer, row = await write_and_find_row(world, world.anonymous, "POST", "/api/bootstrap", draft)
    made = answer.json()
    assert (row.action, row.target, row.actor_kind) == ("instance.bootstrap", made["user"]["id"], "anonymous")
    assert (row.org_id, row.team_id) == (made["org"]["id"], made["team"]["id"])


async def test_signing_in_and_out_is_audited(world: World) -> None:
    ann = await world.bootstrap()
    draft = {"username": "ann", "password": PASSWORD}
    answer, row = await write_and_find_row(world, world.anonymous, "POST", "/api/login", draft)
    session = Caller(world, answer.json()["token"], user_id=ann.user_id, org=ann.org)
    session_id = (await session.get("/api/sessions")).json()["items"][0]["id"]
    assert (row.action, row.target, row.actor_kind, row.actor_id) == (
        "session.open", session_id, "session", ann.user_id,
    )  # fmt: skip
    await assert_audited(world, session, ("POST", "/api/logout", {}), "session.end", session_id)


async def test_account_changes_are_audited(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    await signed_in(world, "ann")
    session_id = (await ann.get("/api/sessions")).json()["items"][0]["id"]
    me = ann.user_id
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    await assert_audited(world, ann, ("DELETE", f"/api/sessions/{session_id}", None), "session.end", session_id)
    await assert_audited(world, ann, ("POST", "/api/profile", {"locale": "en"}), "profile.update", me)
    await assert_audited(world, ann, ("POST", "/api/password", change), "password.change", me)
    await assert_audited(world, ann, ("POST", "/api/2fa/enable", {}), "totp.enable", me)
    await assert_audited(world, ann, ("POST", "/api/2fa/recovery-codes", {}), "totp.renew_codes", me)
    await assert_audited(world, ann, ("DELETE", "/api/2fa", {"password": OTHER_PASSWORD}), "totp.disable", me)

    shown, row = await write_and_find_row(world, ann, "POST", "/api/2fa/enable", {"confirm": True})
    assert (row.action, row.target) == ("totp.prepare", me)
    confirmation = {"code": code(shown.json()["secret"], hands.at)}
    await assert_audited(world, ann, ("POST", "/api/2fa/enable", confirmation), "totp.enable", me)


async def test_changes_of_members_and_tokens_are_audited(world: World) -> None:
    ann = await world.bootstrap()
    added, row = await write_and_find_row(world, ann, "POST", "/api/members", {"username": "bob", "role": "member"})
    bob = added.json()["member"]["user_id"]
    assert (row.action, row.target, row.detail) == ("member.add", bob, '{"role":"member"}')
    await assert_audited(world, ann, ("PATCH", f"/api/members/{bob}", {"role": "admin"}), "member.set_role", bob)
    await assert_audited(world, ann, ("DELETE", f"/api/members/{bob}", None), "member.remove", bob)

    made, row = await write_and_find_row(world, ann, "POST", "/api/tokens", {"name": "script", "scope": ["notes:read"]})
    token_id = made.json()["id"]
    assert (row.action, row.target) == ("token.create", token_id)
    await assert_audited(world, ann, ("DELETE", f"/api/tokens/{token_id}", None), "token.revoke", token_id)


async def test_an_operators_action_is_in_the_audit_log_of_the_company_concerned(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team, Role.OWNER, username="zoe", password=PASSWORD)
    await enrolled(zoe)
    _, row = await write_and_find_row(world, ann, "DELETE", f"/api/admin/users/{zoe.user_id}/2fa")
    assert (row.action, row.target, row.actor_id) == ("totp.revoke", zoe.user_id, ann.user_id)
    assert row.org_id == org.id
    assert row.team_id != ann.team.id


async def test_a_refused_write_adds_no_audit_row(world: World) -> None:
    ann = await world.bootstrap()
    guest = await world.person(ann.org, ann.team, Role.GUEST)
    before = await trail(world)
    await login(world, "ann", "a wrong password")
    await guest.post("/api/members", {"username": "eve", "role": "guest"})
    await ann.post("/api/members", {"username": guest.username, "role": "guest"})
    await ann.post("/api/password", {"current_password": "wrong", "new_password": OTHER_PASSWORD})
    await ann.delete(f"/api/members/{ann.user_id}")
    assert await trail(world) == before


# Secrets


class Column(Struct, frozen=True):
    table: str
    name: str


async def everything_stored(world: World) -> str:
    """Return every value of every table as one text."""
    listing = {
        "sqlite": "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'",
        "postgres": "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
    }
    found = await world.db.all(Column, listing[world.db.dialect.name])
    columns = [await world.db.all(object, f"SELECT {column.name} FROM {column.table}") for column in found]
    return "\n".join(str(value) for values in columns for value in values).upper()


async def test_no_secret_is_stored_in_plain_text(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    secrets = [PASSWORD, OTHER_PASSWORD, ann.token or ""]

    member = {"username": "bob", "role": "admin", "password": OTHER_PASSWORD}
    bob = Caller(world, (await ann.post("/api/members", member)).json()["token"])
    for path in ("/api/tokens", "/api/tokens"):
        draft = {"name": "script", "scope": ["notes:read"]}
        answer = await ann.post(path, draft, headers={"idempotency-key": "the same"})
        secrets.append(answer.json()["token"])
    assert secrets[-1] == secrets[-2]

    prepared = (await ann.post("/api/2fa/enable", {"confirm": True})).json()["secret"]
    await ann.post("/api/2fa/enable", {"code": code(prepared, hands.at)})
    factor = await enrolled(bob)
    renewed = (await bob.post("/api/2fa/recovery-codes")).json()["recovery_codes"]
    session = await signed_in(world, "bob", OTHER_PASSWORD, totp=renewed[0])
    await login(world, "bob", "guess of a password", totp="guess of a code")
    worker = await world.worker(ann.org, ann.team)

    codes = [*factor["recovery_codes"], *renewed]
    secrets += [prepared, factor["secret"], session.token or "", bob.token or "", worker.token or ""]
    secrets += [*codes, *(recovery.replace("-", "") for recovery in codes), "guess of a password", "guess of a code"]

    stored = await everything_stored(world)
    assert [secret for secret in secrets if secret.upper() in stored] == []

    await run_sql(world, "UPDATE users SET locale = :secret", secret=session.token)
    assert (session.token or "?").upper() in await everything_stored(world), "the search itself works"
