"""The caller's own profile: whoami, name, language, time zone and current team."""

import os
import sys
import unicodedata
from pathlib import Path
from subprocess import run
from typing import Any

import pytest

from teamspace import tenancy
from teamspace.core import clock
from teamspace.core.messages import catalogs
from teamspace.core.principal import Call
from teamspace.tenancy.domain.time_zones import TIME_ZONES
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import Hands, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World

ROOT = Path(__file__).parents[2]
INVALID = (400, "invalid_request")
DEFAULTS = {
    "files_as": "list", "files_by": "name", "files_descending": False, "editor_source": False,
    "checklist_dismissed": False,
}  # fmt: skip


# Whoami


async def test_whoami_shows_person_team_company_and_permissions(world: World, hands: Hands) -> None:
    org, team = await world.company("Acme")
    bob = await world.person(org, team, Role.VIEWER, username="bob", org_role=OrgRole.READER)
    answer = await bob.get("/api/whoami")
    assert answer.status_code == 200
    now = clock.stamp()
    assert answer.json() == {
        "user": {
            "id": bob.user_id, "username": "bob", "display_name": "bob", "email": None, "locale": None,
            "time_zone": None, "operator": False, "created_at": now,
        },
        "team": {"id": team.id, "org_id": org.id, "slug": "first", "name": "First", "created_at": now},
        "role": "viewer",
        "teams": [{"team_id": team.id, "slug": "first", "name": "First", "role": "viewer"}],
        "org": {
            "id": org.id, "slug": "acme", "name": "Acme", "plan": "free", "domain": None, "created_at": now,
            "suspended_at": None, "suspended": False,
        },
        "org_role": "org_reader",
        "operator": False,
        "two_factor": False,
        "locale": None,
        "time_zone": None,
        "permissions": ["files:read", "notes:read", "org:read", "search", "workflows:read"],
        "features": ["agent", "chat", "translate", "workflows"],
        "credential": "api",
        "scope": None,
        "preferences": DEFAULTS,
    }  # fmt: skip


async def test_whoami_shows_the_kind_and_scope_of_the_credential(world: World) -> None:
    ann = await world.bootstrap()
    session = (await (await world.session(ann)).get("/api/whoami")).json()
    scoped = (await (await world.token(ann, scope=["notes:read", "files:read:a/"])).get("/api/whoami")).json()
    assert (session["credential"], session["scope"]) == ("session", None)
    assert (scoped["credential"], scoped["scope"]) == ("api", ["notes:read", "files:read:a/"])
    assert scoped["permissions"] == ["files:read", "notes:read"]


async def test_whoami_shows_whether_two_factor_authentication_is_on(world: World) -> None:
    ann = await world.bootstrap()
    shown = []
    for body in ({"confirm": True}, {}):
        assert (await ann.post("/api/2fa/enable", body)).status_code == 200
        shown.append((await ann.get("/api/whoami")).json()["two_factor"])
    assert (await ann.delete("/api/2fa", {"password": PASSWORD})).status_code == 204
    shown.append((await ann.get("/api/whoami")).json()["two_factor"])
    assert shown == [False, True, False], "a secret counts only once it is confirmed"


async def test_whoami_needs_a_credential(world: World) -> None:
    await world.bootstrap()
    answer = await world.anonymous.get("/api/whoami")
    assert refusal(answer) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


# Name and language


async def test_only_the_given_fields_change(world: World) -> None:
    ann = await world.bootstrap()
    renamed = await ann.post("/api/profile", {"display_name": unicodedata.normalize("NFD", " Änne ")})
    assert (renamed.json()["display_name"], renamed.json()["locale"]) == ("Änne", None)
    with_locale = await ann.post("/api/profile", {"locale": "en"})
    assert (with_locale.json()["display_name"], with_locale.json()["locale"]) == ("Änne", "en")
    assert (await ann.post("/api/profile")).json() == with_locale.json()
    me = (await ann.get("/api/whoami")).json()
    assert (me["user"], me["locale"]) == (with_locale.json(), "en")
    cleared = await ann.post("/api/profile", {"locale": None, "display_name": None})
    assert (cleared.json()["display_name"], cleared.json()["locale"]) == ("Änne", None)


async def test_a_principal_has_the_language_of_its_person(world: World) -> None:
    ann = await world.bootstrap()
    callers = tenancy.CallerCache(world.app.last_use)

    async def locale() -> str | None:
        return (await callers.identify(world.db, ann.token or "", Call(), fresh=False)).locale

    assert await locale() is None
    await ann.post("/api/profile", {"locale": "en"})
    assert await locale() == "en"
    assert (await tenancy.act_for(world.db, Call(), ann.user_id, ann.team.id)).locale == "en"


async def test_invalid_names_and_languages_are_refused(world: World) -> None:
    ann = await world.bootstrap()
    names = ["", " ", "a\nb", "a\x00b", "a\u202eb", "a\u2066b", "\u200eann", "x" * 81]
    locales = ["", "e", "EN", "english", "en-US", "pt-BR", "../../etc", "e" * 41]
    for body in [{"display_name": name} for name in names] + [{"locale": locale} for locale in locales]:
        assert refusal(await ann.post("/api/profile", body)) == INVALID, body
    for field in ("username", "operator", "id"):
        assert refusal(await ann.post("/api/profile", {field: "eve"})) == INVALID
    assert (await ann.get("/api/whoami")).json()["user"]["display_name"] == "ann"


async def test_an_unavailable_language_is_refused_with_the_available_ones(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/profile", {"locale": "pt-BR", "display_name": "Änne"})
    choices = ", ".join(sorted(catalogs()))
    assert answer.json()["errors"] == [
        {
            "pointer": "/locale",
            "message": f"must be one of {choices}, or null",
            "key": "tenancy.locale",
            "params": {"choices": choices},
        }
    ]
    available = (await ann.get("/api/config")).json()["localization"]["available_locales"]
    for locale in available:
        assert (await ann.post("/api/profile", {"locale": locale})).json()["locale"] == locale
    assert (await ann.get("/api/whoami")).json()["user"]["display_name"] == "ann"


# Time zone


async def test_a_time_zone_is_kept_until_it_is_reset(world: World) -> None:
    ann = await world.bootstrap()
    for zone in ("Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Calcutta", "Etc/GMT+12", "UTC"):
        answer = await ann.post("/api/profile", {"time_zone": zone})
        assert (answer.status_code, answer.json()["time_zone"]) == (200, zone)
    kept = await ann.post("/api/profile", {"locale": "en", "display_name": "Änne"})
    assert (kept.json()["time_zone"], kept.json()["locale"]) == ("UTC", "en")
    me = (await ann.get("/api/whoami")).json()
    assert (me["time_zone"], me["user"]["time_zone"]) == ("UTC", "UTC")
    reset = await ann.post("/api/profile", {"time_zone": None})
    assert (reset.json()["time_zone"], reset.json()["locale"]) == (None, "en")


async def test_a_time_zone_that_is_not_in_the_database_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    hostile = [
        "../etc/passwd",
        "/etc/passwd",
        "/usr/share/zoneinfo/UTC",
        "Europe/../UTC",
        "zone.tab",
        "posixrules",
        "localtime",
    ]
    unknown = ["", " ", "europe/berlin", "Europe/Berlin ", "Europe", "Factory", "CEST", "+01:00", "Mars/Base", "Ü" * 64]
    for zone in hostile + unknown:
        answer = await ann.post("/api/profile", {"time_zone": zone, "display_name": "Eve"})
        assert refusal(answer) == INVALID, zone
        assert answer.json()["errors"] == [
            {
                "pointer": "/time_zone",
                "message": "must be a time zone of the IANA database, such as Europe/Berlin, or null",
                "key": "tenancy.time_zone",
                "params": {},
            }
        ]
    too_long = await ann.post("/api/profile", {"time_zone": "a/" * 5000})
    assert (refusal(too_long), too_long.json()["errors"][0]["pointer"]) == (INVALID, "/time_zone")
    user = (await ann.get("/api/whoami")).json()["user"]
    assert (user["time_zone"], user["display_name"]) == (None, "ann")


def test_time_zones_are_known_without_those_of_the_operating_system() -> None:
    program = "from teamspace.tenancy.domain.time_zones import TIME_ZONES as z; print(len(z), 'Europe/Berlin' in z)"
    bare = run([sys.executable, "-c", program], env=os.environ | {"PYTHONTZPATH": ""}, capture_output=True, check=True)
    assert bare.stdout.decode().split() == [str(len(TIME_ZONES)), "True"]
    assert len(TIME_ZONES) > 500 and "tzdata" in (ROOT / "requirements-serve.lock").read_text()


# Current team


async def test_switching_teams_affects_only_the_current_session(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.team(ann.org, "Second")
    await world.join(ann, second, Role.VIEWER)
    this, other = await signed_in(world, "ann"), await signed_in(world, "ann")
    assert (await this.post("/api/profile", {"team_id": second.id})).status_code == 200
    me = (await this.get("/api/whoami")).json()
    assert (me["team"]["id"], me["role"]) == (second.id, "viewer")
    for caller in (other, ann):
        assert (await caller.get("/api/whoami")).json()["team"]["id"] == ann.team.id
    assert (await this.post("/api/profile", {"team_id": ann.team.id})).status_code == 200
    assert (await this.get("/api/whoami")).json()["role"] == "owner"


async def test_an_api_token_stays_in_its_team(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.team(ann.org)
    await world.join(ann, second)
    body = {"team_id": second.id, "display_name": "Elsewhere"}
    assert refusal(await ann.post("/api/profile", body)) == (403, "forbidden")
    me = (await ann.get("/api/whoami")).json()
    assert (me["team"]["id"], me["user"]["display_name"]) == (ann.team.id, "ann")
    assert (await ann.post("/api/profile", {"team_id": ann.team.id})).status_code == 200


async def test_a_session_can_only_switch_to_the_persons_own_teams(world: World) -> None:
    ann = await world.bootstrap()
    session = await signed_in(world, "ann")
    not_mine = await world.team(ann.org)
    _, elsewhere = await world.company()
    for team_id in (not_mine.id, elsewhere.id, "nothing", ""):
        assert refusal(await session.post("/api/profile", {"team_id": team_id})) == (404, "not_found")
    assert (await session.get("/api/whoami")).json()["team"]["id"] == ann.team.id


# Preferences


async def _preferences(caller: Caller) -> dict[str, Any]:
    found: dict[str, Any] = (await caller.get("/api/whoami")).json()["preferences"]
    return found


async def _prefer(caller: Caller, **change: object) -> None:
    assert (await caller.post("/api/profile", {"preferences": change})).status_code == 200


@pytest.mark.both_databases
async def test_preferences_follow_the_account_and_absent_ones_stay(world: World) -> None:
    ann = await world.bootstrap()
    await _prefer(ann, files_as="tiles")
    await _prefer(ann, editor_source=True, files_by="changed", files_descending=True)
    await _prefer(ann)
    expected = DEFAULTS | {"files_as": "tiles", "editor_source": True, "files_by": "changed", "files_descending": True}
    assert await _preferences(await world.session(ann)) == expected
    await _prefer(ann, files_as="list")
    assert await _preferences(ann) == expected | {"files_as": "list"}


@pytest.mark.both_databases
async def test_a_checklist_is_dismissed_by_one_person_in_one_team(world: World) -> None:
    org, team = await world.company("Acme")
    ann = await world.person(org, team, Role.OWNER, username="ann")
    bob = await world.person(org, team, Role.OWNER, username="bob")
    session = await world.session(ann)
    await _prefer(session, checklist_dismissed=True)
    await _prefer(session, checklist_dismissed=True)
    assert (await _preferences(ann))["checklist_dismissed"]
    assert await _preferences(bob) == DEFAULTS
    assert await _preferences(await world.join(ann, await world.team(org))) == DEFAULTS
    await _prefer(ann, checklist_dismissed=False)
    assert await _preferences(ann) == DEFAULTS


async def test_unknown_preferences_and_values_are_refused(world: World) -> None:
    ann = await world.bootstrap()
    changes: list[Any] = [{"theme": "dark"}, {"files_as": "cloud"}, {"files_by": None}, {"editor_source": "yes"}, []]
    for change in changes:
        assert refusal(await ann.post("/api/profile", {"preferences": change})) == INVALID, change
    assert await _preferences(ann) == DEFAULTS
