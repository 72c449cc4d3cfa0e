"""Staying signed in: the cookie, its exchange for a session, theft, and what ends it."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from teamspace import settings
from teamspace.core import clock
from teamspace.core.errors import Forbidden
from teamspace.core.principal import Call, Principal
from teamspace.core.sender import Sender
from teamspace.identity.domain import stay_cookie, staying, tokens
from teamspace.tenancy.domain import staying as exchange
from tests.identity.help import (
    OTHER_PASSWORD,
    Hands,
    Pause,
    code,
    enrolled,
    is_alive,
    login,
    refusal,
    signed_in,
)
from tests.support.world import PASSWORD, Caller, World
from tests.support.world import world as open_world

EXCHANGE = "/api/login/resume"
ORIGIN = "http://teamspace.test"
HEADERS = {"x-requested-by": "console", "origin": ORIGIN, "content-type": "application/json"}
UNAUTHENTICATED = (401, "unauthenticated")


def cookie_of(answer: httpx2.Response) -> str:
    """Return name and value of the cookie that the answer sets; empty if it sets or deletes none."""
    pair, _, attributes = answer.headers.get("set-cookie", "").partition(";")
    return "" if "Max-Age=0" in attributes else pair


async def kept(world: World, username: str = "ann", **more: Any) -> tuple[Caller, str]:
    """Sign in and stay; return the session and the cookie."""
    answer = await login(world, username, stay=True, **more)
    assert answer.status_code == 200, answer.text
    return session_of(world, answer, username), cookie_of(answer)


def session_of(world: World, answer: httpx2.Response, username: str = "ann") -> Caller:
    assert answer.status_code == 200, answer.text
    return Caller(world, answer.json()["token"], user_id=answer.json()["user"]["id"], username=username)


async def resume(world: World, cookie: str, **headers: str) -> httpx2.Response:
    return await world.anonymous.post(EXCHANGE, {}, headers={**HEADERS, "cookie": cookie, **headers})


async def actions(world: World, owner: Caller) -> list[str]:
    """Return the actions in the audit log about sessions, oldest first."""
    rows = (await owner.get("/api/audit?limit=100")).json()["items"]
    return [row["action"] for row in reversed(rows) if row["action"].startswith("session.")]


# The exchange


async def test_a_kept_sign_in_is_exchanged_for_a_session(world: World) -> None:
    owner = await world.bootstrap()
    session, cookie = await kept(world)
    answer = await resume(world, cookie)
    again = session_of(world, answer)
    assert cookie_of(answer) not in ("", cookie)
    assert (await is_alive(session), await is_alive(again)) == (True, True)
    assert answer.json()["user"]["username"] == "ann" and answer.json()["token_type"] == "bearer"
    assert await actions(world, owner) == ["session.open", "session.resume"]


async def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(world: World, hands: Hands) -> None:
    await world.bootstrap()
    header = (await login(world, "ann", stay=True)).headers["set-cookie"]
    value, *attributes = header.split("; ")
    assert re.fullmatch(r"stay=[A-Za-z0-9_.-]{100,180}", value)
    assert attributes == [f"Path={EXCHANGE}", f"Max-Age={30 * clock.DAY}", "HttpOnly", "SameSite=Strict"]


@pytest.mark.parametrize(
    ("given", "header"),
    [
        ({"SERVICE_BASE_URL": "https://team.example"}, "__Host-stay=value; Path=/; Secure; Max-Age=60; HttpOnly; SameSite=Strict"),
        ({"SERVICE_BASE_URL": "http://team.example"}, f"stay=value; Path={EXCHANGE}; Max-Age=60; HttpOnly; SameSite=Strict"),
    ],
)  # fmt: skip
def test_with_https_no_other_host_can_set_the_cookie(given: dict[str, str], header: str, hands: Hands) -> None:
    assert stay_cookie.keep(settings.load(given), "value", clock.later(60)) == {"set-cookie": header}


async def test_without_the_wish_there_is_no_cookie(world: World) -> None:
    await world.bootstrap()
    assert "set-cookie" not in (await login(world, "ann")).headers
    assert "set-cookie" not in (await login(world, "ann", "wrong", stay=True)).headers
    assert (await signed_in(world, "ann")).token


async def test_whoever_needs_a_second_factor_is_only_kept_with_it(world: World) -> None:
    ann = await world.bootstrap()
    codes = (await enrolled(ann))["recovery_codes"]
    missing = await login(world, "ann", stay=True)
    assert refusal(missing) == (401, "totp_required") and "set-cookie" not in missing.headers
    _, cookie = await kept(world, totp=codes[0])
    assert (await resume(world, cookie)).status_code == 200


async def test_activating_an_account_can_keep_the_person_signed_in(world: World) -> None:
    ann = await world.bootstrap()
    added = (await ann.post("/api/members", {"username": "bob", "role": "member"})).json()
    link = {"token": added["activation_url"].split("#")[1], "password": OTHER_PASSWORD, "stay": True}
    answer = await world.anonymous.post("/api/activate", link)
    assert answer.status_code == 200, answer.text
    assert (await resume(world, cookie_of(answer))).json()["user"]["username"] == "bob"


async def test_only_digests_are_stored(world: World) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    new = cookie_of(await resume(world, cookie))
    secrets = [value.split(".")[1] for value in (cookie, new)]
    rows = str(await world.db.engine.fetch("SELECT * FROM tokens", {}))
    assert not any(secret in rows for secret in secrets)


async def test_the_secret_is_no_bearer_token(world: World) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    secret = cookie.split(".")[1]
    assert refusal(await Caller(world, secret).get("/api/whoami")) == UNAUTHENTICATED


async def test_a_resumed_session_is_in_the_team_that_was_chosen_last(world: World) -> None:
    ann = await world.bootstrap()
    session, cookie = await kept(world)
    team = (await ann.post("/api/org/teams", {"name": "Second"})).json()
    assert (await session.post("/api/profile", {"team_id": team["id"]})).status_code == 200
    assert (await resume(world, cookie)).json()["team"]["id"] == team["id"]


# Rights of the session


async def test_a_resumed_session_is_no_recent_sign_in(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    codes = (await enrolled(ann))["recovery_codes"]
    session, cookie = await kept(world, totp=codes[0])
    hands.forward(clock.HOUR)
    again = session_of(world, await resume(world, cookie))
    assert (
        refusal(await again.delete("/api/2fa")) == refusal(await session.delete("/api/2fa")) == (403, "reauth_required")
    )
    assert (await again.delete("/api/2fa", {"password": PASSWORD})).status_code == 204


async def test_a_resumed_session_ends_with_the_kept_sign_in(world: World, hands: Hands) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    hands.forward(30 * clock.DAY - clock.HOUR)
    answer = await resume(world, cookie)
    assert "Max-Age=3600;" in answer.headers["set-cookie"]
    session = session_of(world, answer)
    hands.forward(clock.HOUR)
    assert refusal(await session.get("/api/whoami")) == (401, "token_expired")
    assert refusal(await resume(world, cookie_of(answer))) == UNAUTHENTICATED


async def test_a_password_that_someone_else_chose_marks_the_sessions_made_with_it(world: World) -> None:
    ann = await world.bootstrap()
    added = await ann.post("/api/members", {"username": "bob", "role": "member", "password": PASSWORD})
    assert added.status_code == 201, added.text
    _, cookie = await kept(world, "bob")
    assert (await resume(world, cookie)).status_code == 200
    rows = await world.db.engine.fetch("SELECT kind, given_by FROM tokens WHERE kind IN ('session', 'stay')", {})
    assert sorted(map(tuple, rows)) == [("session", ann.user_id)] * 2 + [("stay", ann.user_id)]


# Rotation, races and theft


async def test_every_exchange_replaces_the_secret(world: World) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    seen = {cookie}
    for _ in range(5):
        cookie = cookie_of(await resume(world, cookie))
        assert cookie and cookie not in seen
        seen.add(cookie)


@pytest.mark.both_databases
async def test_tabs_that_resume_at_once_all_get_in(world: World) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    answers = await asyncio.gather(*(resume(world, cookie) for _ in range(6)))
    assert [answer.status_code for answer in answers] == [200] * 6
    assert all([await is_alive(session_of(world, answer)) for answer in answers])
    [new] = filter(None, map(cookie_of, answers))
    assert (await resume(world, new)).status_code == 200


async def test_a_lost_response_does_not_sign_out(world: World, hands: Hands) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    lost = cookie_of(await resume(world, cookie))
    hands.forward(staying.GRACE + 1)
    new = cookie_of(await resume(world, cookie))
    assert new not in ("", lost)
    assert (await resume(world, new)).status_code == 200


@pytest.mark.both_databases
async def test_a_secret_that_was_replaced_ends_the_sign_in(world: World, hands: Hands) -> None:
    owner = await world.bootstrap()
    session, stolen = await kept(world)
    first = await resume(world, stolen)
    second = await resume(world, cookie_of(first))
    answer = await resume(world, stolen)
    assert refusal(answer) == UNAUTHENTICATED and "Max-Age=0" in answer.headers["set-cookie"]
    sessions = [session, session_of(world, first), session_of(world, second)]
    assert [await is_alive(each) for each in sessions] == [False] * 3
    assert refusal(await resume(world, cookie_of(second))) == UNAUTHENTICATED
    assert await actions(world, owner) == ["session.open", "session.resume", "session.resume", "session.revoke_stolen"]
    assert await is_alive(owner)


async def test_a_thief_who_is_faster_is_found_out_by_the_owner(world: World, hands: Hands) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    thief = await resume(world, cookie)
    hands.forward(clock.HOUR)
    owner = await resume(world, cookie)
    assert owner.status_code == 200
    assert refusal(await resume(world, cookie_of(thief))) == UNAUTHENTICATED
    assert not await is_alive(session_of(world, thief))


async def test_theft_ends_no_other_sign_in(world: World) -> None:
    await world.bootstrap()
    _, stolen = await kept(world)
    other, cookie = await kept(world)
    await resume(world, cookie_of(await resume(world, stolen)))
    assert refusal(await resume(world, stolen)) == UNAUTHENTICATED
    assert await is_alive(other) and (await resume(world, cookie)).status_code == 200


# Cookies that nobody issued


async def count_reads(world: World, cookie: str, monkeypatch: pytest.MonkeyPatch) -> int:
    reads, fetch = 0, world.db.engine.fetch

    async def counting(sql: str, params: Any) -> Any:
        nonlocal reads
        reads += "tokens" in sql
        return await fetch(sql, params)

    monkeypatch.setattr(world.db.engine, "fetch", counting)
    assert refusal(await resume(world, cookie)) == UNAUTHENTICATED
    return reads


async def test_an_invented_cookie_costs_no_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    stay_id, secret, tag = cookie.split(".")
    forged = f"{stay_id}.{secret[:-1]}{'a' if secret[-1] != 'a' else 'b'}.{tag}"
    for value in ("", "stay=", "stay=x", "stay=..", f"stay={'x' * 9000}", forged, f"{stay_id}.{secret}.", f"other={cookie}"):  # fmt: skip
        assert await count_reads(world, value, monkeypatch) == 0
    assert (await resume(world, cookie)).status_code == 200


async def test_a_cookie_whose_sign_in_is_over_costs_one_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.bootstrap()
    session, cookie = await kept(world)
    assert (await session.post("/api/logout")).status_code == 204
    assert await count_reads(world, cookie, monkeypatch) == 1


async def test_knowing_the_id_of_a_sign_in_is_not_enough_to_end_it(world: World) -> None:
    await world.bootstrap()
    _, mine = await kept(world)
    _, theirs = await kept(world)
    mixed = ".".join([mine.split(".")[0], *theirs.split(".")[1:]])
    assert refusal(await resume(world, mixed)) == UNAUTHENTICATED
    assert (await resume(world, mine)).status_code == 200


async def test_exchanges_are_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staying, "PER_STAY", 3)
    await world.bootstrap()
    _, cookie = await kept(world)
    for _ in range(3):
        cookie = cookie_of(await resume(world, cookie))
    assert refusal(await resume(world, cookie)) == (429, "too_many_attempts")
    assert (await kept(world))[1]


def test_a_cookie_of_other_letters_is_none(world: World) -> None:
    assert staying.read_cookie(world.db.vault, "\xe4.\xf6.\xfc") is None


# Forged requests


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"origin": "https://evil.example"}, (403, "forbidden")),
        ({"origin": "null"}, (403, "forbidden")),
        ({"origin": ""}, (403, "forbidden")),
        ({"origin": f"{ORIGIN}:8080"}, (403, "forbidden")),
        ({"origin": f"{ORIGIN}.evil.example"}, (403, "forbidden")),
        ({"x-requested-by": ""}, (403, "forbidden")),
        ({"sec-fetch-site": "cross-site"}, (403, "forbidden")),
        ({"sec-fetch-site": "same-site"}, (403, "forbidden")),
        ({"sec-fetch-site": "none"}, (403, "forbidden")),
        ({"content-type": "text/plain"}, (415, "unsupported_type")),
        ({"content-type": "application/x-www-form-urlencoded"}, (415, "unsupported_type")),
        ({"content-type": ""}, (415, "unsupported_type")),
    ],
)
async def test_a_forged_request_is_refused(world: World, headers: dict[str, str], expected: tuple[int, str]) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    answer = await resume(world, cookie, **headers)
    assert refusal(answer) == expected and "set-cookie" not in answer.headers
    assert (await resume(world, cookie, **{"sec-fetch-site": "same-origin"})).status_code == 200


@pytest.mark.parametrize(
    ("given", "forwarded", "origin", "is_own"),
    [
        ({}, "", "http://inside:8080", True),
        ({}, "", "https://inside:8080", True),
        ({}, "", "http://inside", False),
        ({}, "", "http://127.0.0.1:8080", True),
        ({"SERVICE_BASE_URL": "https://team.example"}, "", "https://team.example", True),
        ({"SERVICE_BASE_URL": "https://team.example"}, "", "http://inside:8080", False),
        ({}, "acme.example", "https://acme.example", True),
        ({}, "acme.example", "https://acme.example:444", False),
    ],
)
def test_the_instance_knows_its_own_pages(given: dict[str, str], forwarded: str, origin: str, is_own: bool) -> None:
    who = Principal("anonymous", Call(host=forwarded or "inside"))
    sender = Sender(origin, "", "inside:8080", "console", "application/json; charset=utf-8")
    try:
        exchange._check_sender(settings.load(given), who, sender)
    except Forbidden:
        assert not is_own
    else:
        assert is_own


async def test_other_methods_and_preflights_are_refused(world: World) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    for method in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS"):
        headers = {**HEADERS, "cookie": cookie, "access-control-request-method": "POST"}
        answer = await world.client.request(method, EXCHANGE, headers=headers)
        assert answer.status_code == 405 and "access-control-allow-origin" not in answer.headers


async def test_no_other_route_takes_the_cookie(world: World) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    for endpoint in world.app.endpoints:
        route = endpoint.route
        if route.auth == "P":
            # Public links have cookies of their own.
            assert "cookies" not in endpoint.wants or route.path.startswith(("/s/", EXCHANGE)), route.name
            continue
        path = re.sub(r"[:*][a-z_]+", "x", route.path)
        answer = await world.client.request(route.method, path, headers={**HEADERS, "cookie": cookie})
        assert answer.status_code in (401, 404), route.name
        assert "cookies" not in endpoint.wants, route.name


# What ends it

Ending = Callable[[Caller, Caller, Hands], Awaitable[httpx2.Response]]


async def sign_out(session: Caller, owner: Caller, hands: Hands) -> httpx2.Response:
    answer = await session.post("/api/logout")
    assert answer.headers["set-cookie"].startswith("stay=; ") and "Max-Age=0" in answer.headers["set-cookie"]
    return answer


async def end_in_the_list(session: Caller, owner: Caller, hands: Hands) -> httpx2.Response:
    [line] = [each for each in (await session.get("/api/sessions")).json()["items"] if each["kept"]]
    assert line["current"]
    return await session.delete(f"/api/sessions/{line['id']}")


async def change_password(session: Caller, owner: Caller, hands: Hands) -> httpx2.Response:
    return await session.post("/api/password", {"current_password": PASSWORD, "new_password": OTHER_PASSWORD})


async def enable_second_factor(session: Caller, owner: Caller, hands: Hands) -> httpx2.Response:
    secret = (await session.post("/api/2fa/enable", {"confirm": True})).json()["secret"]
    return await session.post("/api/2fa/enable", {"code": code(secret, hands.at)})


async def reset_second_factor(session: Caller, owner: Caller, hands: Hands) -> httpx2.Response:
    return await owner.delete(f"/api/admin/users/{session.user_id}/2fa")


async def disable(session: Caller, owner: Caller, hands: Hands) -> httpx2.Response:
    await owner("PATCH", f"/api/admin/users/{session.user_id}", {"disabled": True})
    return await owner("PATCH", f"/api/admin/users/{session.user_id}", {"disabled": False})


async def remove_from_team(session: Caller, owner: Caller, hands: Hands) -> httpx2.Response:
    return await owner.delete(f"/api/members/{session.user_id}")


ENDINGS = [
    sign_out,
    end_in_the_list,
    change_password,
    enable_second_factor,
    reset_second_factor,
    disable,
    remove_from_team,
]


@pytest.mark.parametrize("ending", ENDINGS)
async def test_what_ends_a_kept_sign_in(world: World, hands: Hands, ending: Ending) -> None:
    owner = await world.bootstrap()
    await world.person(owner.org, owner.team, username="bob", password=PASSWORD)
    session, cookie = await kept(world, "bob")
    answer = await resume(world, cookie)
    resumed = session_of(world, answer, "bob")
    assert (await ending(session, owner, hands)).is_success
    assert refusal(await resume(world, cookie_of(answer))) == UNAUTHENTICATED
    assert not await is_alive(resumed)
    # Whoever changes their own proof goes on in this tab.
    assert await is_alive(session) == (ending in (change_password, enable_second_factor))


@pytest.mark.parametrize("days", [1, 0])
async def test_fewer_days_end_what_was_kept_longer(world: World, hands: Hands, days: int) -> None:
    await world.bootstrap()
    _, cookie = await kept(world)
    hands.forward(2 * clock.DAY)
    offer = staying.read_cookie(world.db.vault, cookie.partition("=")[2])
    assert offer is not None
    assert await staying.find(world.db, offer, days) is None
    assert await staying.find(world.db, offer, 3) is not None


async def test_without_days_nobody_is_kept(database_url: str, tmp_path: Path) -> None:
    none = {"SERVICE_DATA": str(tmp_path / "none"), "SERVICE_STAY_DAYS": "0", "SERVICE_DATABASE_URL": database_url}
    async with open_world(settings.load(none)) as world:
        await world.bootstrap()
        assert (await world.anonymous.get("/api/config")).json()["stay_days"] == 0
        answer = await login(world, "ann", stay=True)
        assert answer.status_code == 200 and "set-cookie" not in answer.headers
        [line] = (await session_of(world, answer).get("/api/sessions")).json()["items"]
        assert not line["kept"]


@pytest.mark.parametrize("days", ["-1", "366", "a month", "1.5"])
def test_other_numbers_of_days_are_refused_by_name(days: str) -> None:
    with pytest.raises(settings.SettingsError, match="SERVICE_STAY_DAYS: must be a whole number from 0 to 365"):
        settings.load({"SERVICE_STAY_DAYS": days})


@pytest.mark.both_databases
@pytest.mark.parametrize("ending", [sign_out, disable, remove_from_team])
async def test_an_ending_between_read_and_write_wins(world: World, hands: Hands, ending: Ending) -> None:
    owner = await world.bootstrap()
    await world.person(owner.org, owner.team, username="bob", password=PASSWORD)
    session, cookie = await kept(world, "bob")
    pause = Pause(world, "session.resume")
    waiting = asyncio.create_task(resume(world, cookie))
    await pause.reached.wait()
    assert (await ending(session, owner, hands)).is_success
    pause.over.set()
    assert refusal(await waiting) == UNAUTHENTICATED


async def test_a_suspended_company_is_read_only_but_nobody_is_signed_out(world: World) -> None:
    owner = await world.bootstrap()
    company = (
        await owner.post("/api/orgs", {"name": "Other", "owner": {"username": "eve", "password": PASSWORD}})
    ).json()
    _, cookie = await kept(world, "eve")
    assert (await owner.post(f"/api/orgs/{company['org']['id']}/suspend")).status_code == 200
    session = session_of(world, await resume(world, cookie), "eve")
    assert await is_alive(session)
    assert refusal(await session.post("/api/notes", {"title": "x"})) == (403, "org_suspended")


# The list, and limits


async def test_a_browser_is_one_line_of_the_list_however_often_it_resumes(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    plain = await signed_in(world, "ann")
    session, cookie = await kept(world)
    hands.forward(clock.HOUR)
    for _ in range(3):
        answer = await resume(world, cookie)
        cookie = cookie_of(answer)
    lines = (await session_of(world, answer).get("/api/sessions")).json()["items"]
    assert [(line["kept"], line["current"]) for line in lines] == [(True, True), (False, False)]
    assert lines[0]["last_used_at"] == clock.stamp() and lines[0]["created_at"] == clock.ago(clock.HOUR)
    assert [line["current"] for line in (await plain.get("/api/sessions")).json()["items"]] == [False, True]
    assert (await session.get("/api/sessions")).json()["items"][0]["current"]
    assert not any(line["current"] for line in (await ann.get("/api/sessions")).json()["items"])


async def test_resuming_often_ends_no_session_elsewhere(world: World) -> None:
    await world.bootstrap()
    plain = await signed_in(world, "ann")
    first, cookie = await kept(world)
    for _ in range(tokens.MAX_SESSIONS):
        cookie = cookie_of(await resume(world, cookie))
    assert await is_alive(plain)
    assert not await is_alive(first)


async def test_the_eleventh_kept_sign_in_ends_the_oldest_with_its_sessions(world: World) -> None:
    await world.bootstrap()
    signed = [await kept(world) for _ in range(tokens.MAX_SESSIONS + 1)]
    assert [await is_alive(session) for session, _ in signed] == [False] + [True] * tokens.MAX_SESSIONS
    assert refusal(await resume(world, signed[0][1])) == UNAUTHENTICATED
