"""Refusals are recorded: a log line at once, and soon after a row in the audit log of the company concerned."""

import json

import pytest

from teamspace.core import refusals
from teamspace.tenancy.schemas import Role
from tests.identity.help import Hands, code, enrolled, login, reached_from, refusal, trail
from tests.support.world import PASSWORD, Caller, World


async def saved_refusals(world: World) -> list[tuple[str, str | None, str | None, dict[str, object]]]:
    """Return action, actor, target and detail of the recorded refusals."""
    await world.app.refusals.save(world.db)
    return [
        (row.action, row.actor_id, row.target, json.loads(row.detail))
        for row in await trail(world)
        if row.action.endswith(".refuse")
    ]


async def test_failed_sign_ins_are_in_the_audit_log_of_the_account(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team, username="zoe", password=PASSWORD)
    async with reached_from(world, "192.0.2.7") as attacker:
        for _ in range(3):
            await login(attacker, "Zoe", "a wrong password")
    assert await saved_refusals(world) == [
        ("session.refuse", None, zoe.user_id, {"code": "invalid_credentials", "times": 3}),
    ]
    [row] = [row for row in await trail(world) if row.action == "session.refuse"]
    assert (row.org_id, row.address, row.actor_kind) == (org.id, "192.0.2.7", "anonymous")
    assert ann.org.id != org.id


async def test_refused_codes_and_locked_usernames_are_in_the_audit_log(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    secret = (await enrolled(ann))["secret"]
    wrong = code(secret, hands.at + 3600)
    for _ in range(6):
        await login(world, "ann", totp=wrong)
    assert await saved_refusals(world) == [
        ("session.refuse", None, ann.user_id, {"code": "totp_invalid", "times": 5}),
        ("session.refuse", None, ann.user_id, {"code": "too_many_attempts", "times": 1}),
    ]


async def test_an_unknown_name_is_only_logged_truncated_and_escaped(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.bootstrap()
    name = 'nobody" address=1.2.3.4\n' + "x" * 200
    async with reached_from(world, "192.0.2.7") as attacker:
        assert refusal(await login(attacker, name, "a wrong password")) == (401, "invalid_credentials")
    assert await saved_refusals(world) == []
    [line] = [record.getMessage() for record in caplog.records if record.name == refusals.log.name]
    assert "\n" not in line
    assert 'name="nobody\\" address=1.2.3.4\\n' in line
    assert " address=192.0.2.7 " in line
    assert "x" * 40 in line
    assert "x" * 64 not in line


async def test_refused_permissions_are_in_the_audit_log_of_the_team(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    ann = await world.bootstrap()
    guest = await world.person(ann.org, ann.team, Role.GUEST, username="gus")
    scoped = await world.token(ann, scope=["notes:read"])
    note = (await ann.post("/api/notes", {"title": "Note", "visibility": "team"})).json()["id"]
    viewer = await world.person(ann.org, ann.team, Role.VIEWER)
    for _ in range(2):
        await guest.post("/api/members", {"username": "eve", "role": "guest"})
    await scoped.post("/api/notes", {"title": "No"})
    await viewer.put(f"/api/notes/{note}", {"title": "No"})
    assert await saved_refusals(world) == [
        ("request.refuse", guest.user_id, None, {"code": "forbidden", "times": 2, "route": "POST /api/members"}),
        ("request.refuse", ann.user_id, None, {"code": "out_of_scope", "times": 1, "route": "POST /api/notes"}),
        ("request.refuse", viewer.user_id, None, {"code": "forbidden", "times": 1, "route": "PUT /api/notes/:id"}),
    ]
    lines = [record.getMessage() for record in caplog.records if record.name == refusals.log.name]
    assert len(lines) == 4
    assert 'code=forbidden name="gus" address=127.0.0.1 route=POST /api/members' in lines[0]
    rows = [row for row in await trail(world) if row.action == "request.refuse"]
    assert {(row.org_id, row.team_id) for row in rows} == {(ann.org.id, ann.team.id)}


async def test_a_failed_proof_of_a_signed_in_person_is_recorded(world: World) -> None:
    ann = await world.bootstrap()
    await enrolled(ann)
    await ann.delete("/api/2fa", {"password": "a wrong password"})
    await ann.post("/api/password", {"current_password": "wrong", "new_password": PASSWORD})
    assert [(who, detail["code"]) for _, who, _, detail in await saved_refusals(world)] == [
        (ann.user_id, "reauth_required"), (ann.user_id, "invalid_credentials"),
    ]  # fmt: skip


async def test_other_errors_are_not_recorded_as_refusals(world: World) -> None:
    ann = await world.bootstrap()
    await ann.get("/api/notes/nothing")
    await ann.post("/api/notes", {})
    await world.anonymous.get("/api/notes")
    await Caller(world, "ts_a_wrong").get("/api/notes")
    await world.suspend(ann.org)
    await ann.post("/api/notes", {"title": "No"})
    assert await saved_refusals(world) == []


async def test_a_refusal_is_recorded_even_if_its_actor_was_removed(world: World) -> None:
    ann = await world.bootstrap()
    guest = await world.person(ann.org, ann.team, Role.GUEST)
    await guest.post("/api/notes", {"title": "No"})
    await ann.delete(f"/api/members/{guest.user_id}")
    assert [who for _, who, _, _ in await saved_refusals(world)] == [guest.user_id]


async def test_repeated_refusals_use_bounded_memory_and_audit_rows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "MAX_WAITING", 3)
    ann = await world.bootstrap()
    for number in range(5):
        guest = await world.person(ann.org, ann.team, Role.GUEST, username=f"guest{number}")
        for _ in range(4):
            await guest.post("/api/notes", {"title": "No"})
    assert [detail["times"] for _, _, _, detail in await saved_refusals(world)] == [4, 4, 4]
