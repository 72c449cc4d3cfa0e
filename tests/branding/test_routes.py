"""Branding over HTTP: who sees which branding, who can set it, and what is refused."""

import asyncio
from typing import Any

import pytest

from teamspace import branding
from teamspace.core.principal import Call, Principal
from teamspace.tenancy.schemas import OrgRole, Role
from tests.branding.help import (
    BASE,
    DEFAULT,
    audit_rows,
    code,
    company_admin,
    encoded,
    get_branding,
    logo_path,
    picture,
    put_branding,
    set_hostname,
    violations,
    without_dark,
)
from tests.support.world import Caller, World

INSTANCE, COMPANY = "/api/branding", "/api/org/branding"
DARK = {
    "background": "#101010", "surface": "#181818", "text": "#ffffff", "text_muted": "#b0b0b0", "link": "#8ab4f8",
    "focus": "#8ab4f8", "danger": "#ff8a80", "success": "#81c995", "warning": "#fdd663",
}  # fmt: skip


# Reading


async def test_a_new_instance_has_the_default_branding(world: World) -> None:
    answer = await world.anonymous.get(INSTANCE)
    assert (answer.status_code, answer.json()) == (200, DEFAULT)
    assert answer.headers["vary"] == "Authorization, Host"
    assert answer.headers["cache-control"] == "private, no-store"


async def test_everyone_sees_the_branding_set_by_the_operator(world: World) -> None:
    ann = await world.bootstrap()
    shown = await put_branding(
        ann, INSTANCE, {"title": " Acme ", "tagline": "We make all", "theme": {"accent": "#00574B"}}
    )
    expected = {"title": "Acme", "tagline": "We make all", "logo": None, "theme": BASE | {"accent": "#00574b"}}
    assert without_dark(shown) == expected
    assert shown == await get_branding(world.anonymous) == await get_branding(ann)
    assert await audit_rows(world) == [("branding.update", "instance", ["tagline", "theme", "title"])]
    assert await violations(world) == []


@pytest.mark.parametrize("path", [INSTANCE, COMPANY])
async def test_absent_fields_stay_and_null_clears(world: World, path: str) -> None:
    ann = await world.bootstrap()
    logo = {"logo": f"data:image/png;base64,{encoded(picture())}"}
    await put_branding(ann, path, {"title": "Acme", "tagline": "All", "theme": {"radius": 0}} | logo)

    async def after(body: dict[str, Any]) -> tuple[Any, ...]:
        shown = await put_branding(ann, path, body)
        return shown["title"], shown["tagline"], shown["logo"], shown["theme"]["radius"]

    logo_url = logo_path(picture())
    assert await after({"title": "Ajax"}) == ("Ajax", "All", logo_url, 0)
    assert await after({"title": None}) == ("Teamspace", "All", logo_url, 0)
    assert await after({"tagline": "  "}) == ("Teamspace", "", logo_url, 0)
    assert await after({"tagline": None, "title": "Acme"}) == ("Acme", "", logo_url, 0)
    assert await after({"theme": {"font": "mono", "radius": 3}}) == ("Acme", "", logo_url, 3)
    assert await after({"logo": None}) == ("Acme", "", None, 3)
    assert await after({"theme": None}) == ("Acme", "", None, 8)


async def test_a_theme_replaces_the_previous_one(world: World) -> None:
    ann = await world.bootstrap()
    await put_branding(ann, INSTANCE, {"theme": DARK})
    assert (await put_branding(ann, INSTANCE, {"theme": {"font": "serif", "radius": 24}}))["theme"] == BASE | {
        "font": "serif", "radius": 24,
    }  # fmt: skip
    assert (await put_branding(ann, INSTANCE, {"theme": {}}))["theme"] == BASE


async def test_a_response_can_be_sent_back_unchanged(world: World) -> None:
    ann = await world.bootstrap()
    shown = await put_branding(ann, INSTANCE, {"title": "Acme", "theme": DARK})
    assert await put_branding(ann, INSTANCE, without_dark(shown)) == shown


async def test_a_company_inherits_the_instance_branding_until_it_sets_its_own(world: World) -> None:
    ann = await world.bootstrap()
    bob = await company_admin(world, "Bolt")
    instance = await put_branding(ann, INSTANCE, {"title": "Acme", "tagline": "All", "theme": DARK})
    assert (await bob.get(COMPANY)).json() == instance | {"own": False}

    shown = await put_branding(bob, COMPANY, {"title": "Bolt", "theme": {"accent": "#00574b"}})
    # A token the company leaves out comes from the base theme, not the instance's: that mix was never validated.
    expected = {"title": "Bolt", "tagline": "All", "logo": None, "theme": BASE | {"accent": "#00574b"}, "own": True}
    assert without_dark(shown) == expected
    assert shown == (await bob.get(COMPANY)).json()
    assert await get_branding(world.anonymous) == instance == await get_branding(ann)

    # An empty theme inherits the instance's.
    assert (await put_branding(bob, COMPANY, {"theme": {}}))["theme"] == instance["theme"]

    await put_branding(ann, INSTANCE, {"tagline": "More"})
    assert (await bob.get(COMPANY)).json()["tagline"] == "More"
    assert (await put_branding(bob, COMPANY, {"tagline": ""}))["tagline"] == "", "an empty tagline is a value"

    for _ in range(2):
        assert (await bob.delete(COMPANY)).status_code == 204
    assert (await bob.get(COMPANY)).json() == instance | {"tagline": "More", "own": False}
    actions = [(action, target) for action, target, _ in await audit_rows(world)]
    assert actions[-2:] == [("branding.delete", bob.org.id)] * 2
    assert ("branding.update", bob.org.id) in actions
    assert await violations(world) == []


# Which branding a caller sees


async def test_a_hostname_selects_the_company_unless_a_credential_does(world: World) -> None:
    ann = await world.bootstrap()
    bob, cleo = (
        await company_admin(world, "Bolt", domain="bolt.example"),
        await company_admin(world, "Cask", domain="cask.example"),
    )
    plain = await company_admin(world, "Dull", domain="dull.example")
    await put_branding(ann, INSTANCE, {"title": "Acme"})
    await put_branding(bob, COMPANY, {"title": "Bolt"})
    await put_branding(cleo, COMPANY, {"title": "Cask"})

    async def titles(who: Caller) -> list[str]:
        hosts = ("teamspace.test", "bolt.example", "cask.example", "dull.example", "other.example")
        return [(await get_branding(who, host))["title"] for host in hosts]

    assert await titles(world.anonymous) == ["Acme", "Bolt", "Cask", "Acme", "Acme"]
    assert await titles(bob) == ["Bolt"] * 5
    assert await titles(cleo) == ["Cask"] * 5
    assert await titles(plain) == ["Acme", "Bolt", "Cask", "Acme", "Acme"], "a company without its own branding"
    colleague = await world.session(await world.person(bob.org, bob.team, Role.GUEST))
    assert await titles(colleague) == ["Bolt"] * 5


async def test_anyone_can_request_the_instance_branding_at_any_hostname(world: World) -> None:
    ann, bob = await world.bootstrap(), await company_admin(world, "Bolt", domain="bolt.example")
    own = await put_branding(ann, INSTANCE, {"title": "Acme", "tagline": "All", "theme": DARK})
    for caller in (ann, bob):
        await put_branding(caller, COMPANY, {"title": "Bolt", "theme": {"accent": "#00574b"}})
    for caller in (ann, bob, world.anonymous):
        for host in ("teamspace.test", "bolt.example"):
            answer = await caller.get(INSTANCE, params={"scope": "instance"}, headers={"host": host})
            assert (answer.status_code, answer.json()) == (200, own)
    for scope in ("", "org", "Instance"):
        assert code(await ann.get(INSTANCE, params={"scope": scope})) == (400, "invalid_request")


@pytest.mark.parametrize("host", ["BOLT.example", "bolt.example:8080", "bolt.example.", "Bolt.Example.:443"])
async def test_hostnames_match_regardless_of_case_port_and_trailing_dot(world: World, host: str) -> None:
    bob = await company_admin(world, "Bolt", domain="bolt.example")
    await put_branding(bob, COMPANY, {"title": "Bolt"})
    assert (await get_branding(world.anonymous, host))["title"] == "Bolt"


@pytest.mark.parametrize("host", ["", "xbolt.example", "bolt.example.evil.test", "bolt.example, x", "'; --", "%"])
async def test_an_unknown_hostname_shows_the_instance_branding(world: World, host: str) -> None:
    bob = await company_admin(world, "Bolt", domain="bolt.example")
    await put_branding(bob, COMPANY, {"title": "Bolt"})
    assert await get_branding(world.anonymous, host) == DEFAULT


async def test_a_hostname_moved_to_another_company_shows_its_branding(world: World) -> None:
    bob, cleo = await company_admin(world, "Bolt", domain="bolt.example"), await company_admin(world, "Cask")
    await put_branding(bob, COMPANY, {"title": "Bolt"})
    await put_branding(cleo, COMPANY, {"title": "Cask"})
    await set_hostname(world, bob.org, "new.example")
    await set_hostname(world, cleo.org, "bolt.example")
    assert (await get_branding(world.anonymous, "bolt.example"))["title"] == "Cask"
    assert (await get_branding(world.anonymous, "new.example"))["title"] == "Bolt"


async def test_an_invalid_credential_counts_as_anonymous(world: World) -> None:
    bob = await company_admin(world, "Bolt")
    await put_branding(bob, COMPANY, {"title": "Bolt"})
    expired = await world.token(bob, ttl=-1)
    for who in (expired, Caller(world, "ts_a_nonsense"), Caller(world, "x y")):
        assert await get_branding(who) == DEFAULT
    await world.revoke(bob)
    assert await get_branding(bob) == DEFAULT


async def test_other_packages_can_read_the_effective_branding(world: World) -> None:
    bob = await company_admin(world, "Bolt", domain="bolt.example")
    await put_branding(bob, COMPANY, {"title": "Bolt"})
    visitor = Principal("anonymous", Call(host="bolt.example"))
    assert (await branding.effective(world.db, visitor)).title == "Bolt"
    assert (await branding.effective(world.db, Principal("anonymous", Call()))).title == "Teamspace"


async def test_a_company_sees_nothing_of_another_but_its_public_hostname(world: World) -> None:
    ann = await world.bootstrap()
    bob, cleo = (
        await company_admin(world, "Bolt", domain="bolt.example"),
        await company_admin(world, "Cask", domain="cask.example"),
    )
    secret = {"title": "Secret title", "tagline": "Secret tagline", "theme": {"accent": "#123456"}}
    await put_branding(bob, COMPANY, secret)
    await bob.post(f"{COMPANY}/logo", {"data": encoded(picture())})
    await put_branding(cleo, COMPANY, {"title": "Cask"})
    before = await get_branding(world.anonymous, "bolt.example")
    assert before["title"] == "Secret title"

    answers = [
        await cleo.get(COMPANY),
        await cleo.get(INSTANCE, headers={"host": "bolt.example"}),
        await cleo.get(COMPANY, headers={"host": "bolt.example"}),
        await cleo.put(COMPANY, {"tagline": "x"}, headers={"host": "bolt.example"}),
        await cleo.put(COMPANY, {"logo": before["logo"]}),
        await cleo.put(COMPANY, {"org_id": bob.org.id, "title": "x"}),
        await cleo.get(f"{COMPANY}?org_id={bob.org.id}"),
        await cleo.delete(COMPANY, headers={"host": "bolt.example"}),
        await world.anonymous.get(INSTANCE),
        await world.anonymous.get(INSTANCE, headers={"host": "cask.example"}),
        await ann.get(COMPANY),
    ]
    for answer in answers:
        assert not any(word in answer.text for word in ("Secret", "#123456", before["logo"])), answer.text
    assert await get_branding(world.anonymous, "bolt.example") == before


# Who can set it


async def test_instance_and_company_branding_need_their_own_permissions(world: World) -> None:
    ann = await world.bootstrap()
    bob = await company_admin(world, "Bolt")
    reader = await world.person(bob.org, bob.team, Role.OWNER, org_role=OrgRole.READER)
    owner = await world.person(bob.org, bob.team, Role.OWNER)
    logo = {"data": encoded(picture())}

    async def statuses(who: Caller) -> list[int]:
        return [
            (await who.put(INSTANCE, {"title": "x"})).status_code,
            (await who.post(f"{INSTANCE}/logo", logo)).status_code,
            (await who.get(COMPANY)).status_code,
            (await who.put(COMPANY, {"title": "x"})).status_code,
            (await who.post(f"{COMPANY}/logo", logo)).status_code,
            (await who.delete(COMPANY)).status_code,
        ]

    assert await statuses(ann) == [200, 200, 200, 200, 200, 204]
    assert await statuses(bob) == [403, 403, 200, 200, 200, 204]
    assert await statuses(reader) == [403, 403, 200, 403, 403, 403]
    assert await statuses(owner) == [403] * 6
    assert await statuses(await world.worker(bob.org, bob.team)) == [403] * 6
    assert await statuses(await world.token(bob, scope=["org:read"])) == [403, 403, 200, 403, 403, 403]
    assert await statuses(world.anonymous) == [401] * 6


async def test_a_suspended_company_cannot_change_its_branding(world: World) -> None:
    bob = await company_admin(world, "Bolt", domain="bolt.example")
    await put_branding(bob, COMPANY, {"title": "Bolt"})
    await world.suspend(bob.org)
    for answer in (
        await bob.put(COMPANY, {"title": "x"}),
        await bob.delete(COMPANY),
        await bob.post(f"{COMPANY}/logo", {"data": encoded(picture())}),
    ):
        assert code(answer) == (403, "org_suspended")
    assert (
        (await bob.get(COMPANY)).json()["title"]
        == "Bolt"
        == (await get_branding(world.anonymous, "bolt.example"))["title"]
    )


# What is refused


@pytest.mark.parametrize("path", [INSTANCE, COMPANY])
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"title": ""}, "/title"),
        ({"title": "x" * 81}, "/title"),
        ({"title": "turned \u202e around"}, "/title"),
        ({"title": 1}, "/title"),
        ({"tagline": "x" * 161}, "/tagline"),
        ({"tagline": "two\nlines"}, "/tagline"),
        ({"logo": 1}, "/logo"),
        ({"theme": "dark"}, "/theme"),
        ({"theme": [1]}, "/theme"),
        ({"colour": "red"}, ""),
        ({"own": True}, ""),
    ],
)
async def test_an_invalid_field_is_named(world: World, path: str, body: dict[str, Any], pointer: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.put(path, {"title": "Good", "tagline": "Good"} | body)
    assert code(answer) == (400, "invalid_request")
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert await get_branding(ann) == DEFAULT


async def test_texts_of_the_maximum_length_are_accepted(world: World) -> None:
    ann = await world.bootstrap()
    words = {"title": "é" * 80, "tagline": "ü" * 160}
    assert await put_branding(ann, INSTANCE, words) == DEFAULT | words


@pytest.mark.parametrize("path", [INSTANCE, COMPANY])
async def test_an_empty_change_is_refused(world: World, path: str) -> None:
    ann = await world.bootstrap()
    assert code(await ann.put(path, {})) == (400, "invalid_request")
    assert (await ann.get(COMPANY)).json()["own"] is False


@pytest.mark.parametrize("path", [INSTANCE, COMPANY])
async def test_an_unreadable_theme_is_refused_with_the_reason(world: World, path: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.put(path, {"title": "Good", "theme": {"radius": 3, "accent": "#777777"}})
    problem = answer.json()
    assert code(answer) == (400, "invalid_theme_token")
    assert {name: problem[name] for name in ("field", "against", "ratio", "required")} == {
        "field": "accent", "against": "accent_text", "ratio": 4.47, "required": 4.5,
    }  # fmt: skip
    assert problem["detail"] == (
        "The theme token accent has a contrast of 4.47:1 against accent_text; it needs at least 4.5:1."
    )
    for theme, field in (({"shadow": "#000000"}, "shadow"), ({"text": "black"}, "text"), ({"radius": 99}, "radius")):
        answer = await ann.put(path, {"theme": theme})
        assert (*code(answer), answer.json()["field"]) == (400, "invalid_theme_token", field)
        assert "ratio" not in answer.json()
    assert await get_branding(ann) == DEFAULT
    assert await audit_rows(world) == []


async def test_a_company_theme_is_validated_against_the_base_theme(world: World) -> None:
    ann = await world.bootstrap()
    await put_branding(ann, INSTANCE, {"theme": DARK})
    answer = await ann.put(COMPANY, {"theme": {"text": "#ffffff"}})
    assert (answer.json()["field"], answer.json()["against"]) == ("text", "background")
    assert (await put_branding(ann, COMPANY, {"theme": {"text": "#000000"}}))["theme"] == BASE | {"text": "#000000"}


# Concurrency


@pytest.mark.both_databases
@pytest.mark.parametrize("path", [INSTANCE, COMPANY])
async def test_concurrent_changes_of_different_fields_are_all_kept(world: World, path: str) -> None:
    ann = await world.bootstrap()
    for number in range(10):
        logo = picture("PNG", (number + 1, 1))
        await asyncio.gather(
            ann.put(path, {"title": f"Title {number}"}),
            ann.put(path, {"tagline": f"Tagline {number}"}),
            ann.put(path, {"theme": {"radius": number}}),
            ann.post(f"{path}/logo", {"data": encoded(logo)}),
        )
        shown = await get_branding(ann)
        assert (shown["title"], shown["tagline"]) == (f"Title {number}", f"Tagline {number}")
        assert (shown["theme"]["radius"], shown["logo"]) == (number, logo_path(logo))
    assert await violations(world) == []


@pytest.mark.both_databases
async def test_a_concurrent_change_and_delete_leave_a_complete_branding_or_none(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(10):
        await asyncio.gather(ann.put(COMPANY, {"title": "Acme"}), ann.delete(COMPANY))
        shown = (await ann.get(COMPANY)).json()
        assert shown == DEFAULT | ({"title": "Acme", "own": True} if shown["own"] else {"own": False})
