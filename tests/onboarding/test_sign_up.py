"""Sign-ups over HTTP: what is stored, what is refused, and what abusers try."""

import asyncio
from typing import Any

import pytest

from teamspace import onboarding
from teamspace.core import clock
from teamspace.onboarding.domain import challenges, signing_up, visitors
from tests.identity.help import run_sql
from tests.onboarding.help import document, published
from tests.onboarding.signing_up import PROSE, ask, easy, prospects, publish, send, sign_up, solve
from tests.support.world import Caller, World

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("easy")]
assert easy


@pytest.fixture
async def ann(world: World) -> Caller:
    ann = await world.bootstrap()
    await publish(world, ann)
    return ann


@pytest.fixture
def people_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Challenges look half a minute old when they are solved."""
    verify = challenges.verify

    def later(*args: Any) -> Any:
        now = clock.now
        monkeypatch.setattr(clock, "now", lambda: now() + 30)
        try:
            return verify(*args)
        finally:
            monkeypatch.setattr(clock, "now", now)

    monkeypatch.setattr(challenges, "verify", later)


@pytest.mark.usefixtures("people_take_their_time")
async def test_a_visitor_signs_up_and_the_team_sees_it(world: World, ann: Caller) -> None:
    await sign_up(world, "Eva@Example.org", why=PROSE)
    (prospect,) = await prospects(ann)
    assert (prospect["email"], prospect["fields"]) == ("Eva@Example.org", {"email": "Eva@Example.org", "why": PROSE})
    assert (prospect["state"], prospect["level"], prospect["verdict"]) == ("captured", "ok", None)
    assert (prospect["signals"]["doubts"], prospect["signals"]["score"], prospect["locale"]) == ([], 0, "en")
    assert prospect["signals"]["origin"] == "teamspace.test"


async def test_neither_the_row_nor_the_audit_log_has_the_address(world: World, ann: Caller) -> None:
    await sign_up(world)
    row = await world.db.one(str, "SELECT answers || signals FROM prospects")
    audit = await world.db.one(str, "SELECT address || detail FROM audit WHERE action = 'prospect.create'")
    rate = await world.db.one(str, "SELECT prefix FROM sign_up_rates")
    assert "127.0.0.1" not in f"{row} {audit} {rate}" and audit == "{}"
    assert rate == visitors.hash_prefix(world.db.vault, "127.0.0.1")


async def test_the_hash_of_a_network_changes_every_day(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = visitors.hash_prefix(world.db.vault, "2001:db8::1")
    assert visitors.hash_prefix(world.db.vault, "2001:db8::2") == before, "one customer has many addresses"
    assert visitors.hash_prefix(world.db.vault, "2001:db8:0:1::1") != before
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + clock.DAY)
    assert visitors.hash_prefix(world.db.vault, "2001:db8::1") != before


async def test_a_challenge_stores_nothing(world: World, ann: Caller) -> None:
    before = await world.counts()
    for _ in range(20):
        await ask(world)
    assert await world.counts() == before


async def test_a_solution_counts_once(world: World, ann: Caller) -> None:
    pow = solve(await ask(world))
    assert (await send(world, pow, {"email": "eva@example.org"})).status_code == 202
    again = await send(world, pow, {"email": "eve@example.org"})
    assert (again.status_code, again.json()["key"]) == (409, "onboarding.work_spent")
    (prospect,) = await prospects(ann)
    assert (await ann.delete(f"/api/beta/prospects/{prospect['id']}")).status_code == 204
    assert (await send(world, pow, {"email": "eve@example.org"})).status_code == 409, "also when its prospect is gone"


async def test_of_a_thousand_sign_ups_with_one_solution_one_is_accepted(world: World, ann: Caller) -> None:
    pow = solve(await ask(world))
    answers = await asyncio.gather(*(send(world, pow, {"email": f"e{n}@example.org"}) for n in range(1_000)))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(202) == 1 and set(statuses) <= {202, 409, 503}
    assert len(await prospects(ann)) == 1


async def test_a_solution_counts_only_where_it_was_asked_for(world: World, ann: Caller) -> None:
    pow = solve(await ask(world, origin="https://shop.example"))
    elsewhere = await send(world, pow, {"email": "eva@example.org"}, origin="https://farm.example")
    assert (elsewhere.status_code, elsewhere.json()["errors"][0]["key"]) == (400, "onboarding.work_elsewhere")
    assert (await send(world, pow, {"email": "eva@example.org"}, origin="https://shop.example:8443")).status_code == 202
    sandboxed = solve(await ask(world, origin="null"))
    assert (await send(world, sandboxed, {"email": "eva@example.org"}, origin="null")).status_code == 202
    own = solve(await ask(world))
    same = await send(world, own, {"email": "eva@example.org"}, origin="http://teamspace.test")
    assert same.status_code == 202, "browsers do not name the origin of our own page in a GET"


async def test_a_solution_for_one_team_does_not_count_for_another(world: World, ann: Caller) -> None:
    pow = solve(await ask(world))
    await run_sql(world, "UPDATE experiences SET id = 'x2'")
    answer = await send(world, pow, {"email": "eva@example.org"})
    assert answer.json()["errors"][0]["key"] == "onboarding.work_elsewhere"


async def test_an_expired_solution_is_refused(world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    pow, now = solve(await ask(world)), clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + challenges.TTL + 1)
    answer = await send(world, pow, {"email": "eva@example.org"})
    assert (answer.status_code, answer.json()["errors"][0]["key"]) == (400, "onboarding.work_expired")


async def test_answers_that_do_not_fit_are_named_and_the_solution_is_not_used(world: World, ann: Caller) -> None:
    pow = solve(await ask(world))
    answer = await send(world, pow, {"email": "eva", "other": 1})
    pointers = {error["pointer"] for error in answer.json()["errors"]}
    assert (answer.status_code, pointers) == (400, {"/fields/email", "/fields/other"})
    assert (await send(world, pow, {"email": "eva@example.org"})).status_code == 202


async def test_long_bodies_and_fields_are_refused_before_they_cost_anything(world: World, ann: Caller) -> None:
    huge = await send(world, "x", {"email": "eva@example.org", "why": "x" * 10_000_000})
    assert (huge.status_code, huge.json()["code"]) == (413, "too_large")
    many = await send(world, "x" * 60_000, {"email": "eva@example.org"})
    assert (many.status_code, many.json()["errors"][0]["pointer"]) == (400, "/pow")
    long = await send(world, solve(await ask(world)), {"email": "eva@example.org", "why": "x" * 40_000})
    assert (long.status_code, long.json()["errors"][0]["key"]) == (400, "value.too_long")


async def test_the_answer_never_tells_what_the_server_thinks(world: World, ann: Caller) -> None:
    await sign_up(world, "eva@example.org")
    await sign_up(world, "eva@example.org", homepage="https://spam.example")
    await sign_up(world, "E.V.A+x@mailinator.com")
    await sign_up(world, "Eva+news@Example.org")
    duplicate, disposable, trapped, first = await prospects(ann)
    assert "trap" in trapped["signals"]["doubts"] and trapped["level"] == "blocked"
    assert "homepage" not in trapped["fields"]
    assert "disposable" in disposable["signals"]["doubts"]
    assert "duplicate" in duplicate["signals"]["doubts"] and duplicate["signals"]["duplicates"] == 2
    assert "duplicate" not in first["signals"]["doubts"]


async def test_copied_texts_are_noticed(world: World, ann: Caller) -> None:
    for number in range(5):
        await sign_up(world, f"e{number}@example.org", why=f"{PROSE * 3} {number}")
    await sign_up(
        world,
        "other@example.org",
        why="Our museum collects letters of fishermen and needs a place to read them together.",
    )
    other, last, *_, first = await prospects(ann)
    assert [each["signals"]["similar"] for each in (first, last, other)] == [0, 4, 0]
    assert "copied" in last["signals"]["doubts"]


async def test_a_network_signs_up_thirty_times_an_hour(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(signing_up.MAX_SIGN_UPS):
        await sign_up(world, f"e{number}@example.org")
    refused = await send(world, solve(await ask(world)), {"email": "more@example.org"})
    assert (refused.status_code, refused.json()["key"]) == (429, "onboarding.too_many")
    assert 0 < int(refused.headers["retry-after"]) <= clock.HOUR
    assert "flood" in (await prospects(ann))[0]["signals"]["doubts"]
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + clock.HOUR + 1)
    await sign_up(world, "later@example.org")
    assert len(await prospects(ann, limit=200)) == signing_up.MAX_SIGN_UPS + 1


async def test_a_flood_at_the_same_time_does_not_exceed_the_rate(world: World, ann: Caller) -> None:
    pows = [solve(await ask(world)) for _ in range(40)]
    answers = await asyncio.gather(*(send(world, pow, {"email": f"e{n}@example.org"}) for n, pow in enumerate(pows)))
    assert [answer.status_code for answer in answers].count(202) == signing_up.MAX_SIGN_UPS
    assert len(await prospects(ann, limit=200)) == signing_up.MAX_SIGN_UPS


async def test_challenges_get_harder_for_a_network_that_signs_up_often(world: World, ann: Caller) -> None:
    first = (await ask(world))["parameters"]["data"]["d"]
    for number in range(12):
        await sign_up(world, f"e{number}@example.org")
    assert int((await ask(world))["parameters"]["data"]["d"]) > int(first) == 1


async def test_nobody_signs_up_with_a_suspended_company(world: World, ann: Caller) -> None:
    pow = solve(await ask(world))
    await world.suspend(ann.org)
    answer = await send(world, pow, {"email": "eva@example.org"})
    assert (answer.status_code, answer.json()["code"]) == (403, "org_suspended")
    assert (await world.anonymous.get("/api/beta/challenge")).status_code == 403


async def test_other_origins_may_call_both_routes_without_credentials(world: World, ann: Caller) -> None:
    asked = await world.anonymous.get("/api/beta/challenge", headers={"origin": "https://shop.example"})
    refused = await send(world, "x", {}, origin="https://shop.example")
    for answer in (asked, refused):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers


async def test_used_challenges_and_rates_are_forgotten(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sign_up(world)
    await onboarding.tidy(world.db)
    assert (await world.counts())["pow_spent"] == 1
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 2 * clock.HOUR)
    await onboarding.tidy(world.db)
    counts = await world.counts()
    assert (counts["pow_spent"], counts["sign_up_rates"], counts["prospects"]) == (0, 0, 1)


async def test_prospects_are_deleted_when_the_team_says_so(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sign_up(world, "old@example.org", why=PROSE)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 31 * clock.DAY)
    await onboarding.tidy(world.db)
    assert len(await prospects(ann)) == 1, "by default they are kept"
    assert (await published(ann, document(retention_days=30)))["retention_days"] == 30
    await world.suspend(ann.org)
    await onboarding.tidy(world.db)
    assert await prospects(ann) == []
    assert (await world.counts())["prospect_bands"] == 0
    assert await world.db.one(str, "SELECT detail FROM audit WHERE action = 'prospect.expire'") == '{"count":1}'
