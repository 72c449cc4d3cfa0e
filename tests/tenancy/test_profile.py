"""Oneself: who one is, one's name and language, and the team one acts in."""

import unicodedata

from teamspace.core import clock
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import Hands, refusal, signed_in
from tests.support.world import PASSWORD, World

INVALID = (400, "invalid_request")


# Whoami


async def test_whoami_tells_who_where_and_what_one_may(world: World, hands: Hands) -> None:
    org, team = await world.company("Acme")
    bob = await world.person(org, team, Role.VIEWER, username="bob", org_role=OrgRole.READER)
    answer = await bob.get("/api/whoami")
    assert answer.status_code == 200
    now = clock.stamp()
    assert answer.json() == {
        "user": {
            "id": bob.user_id, "username": "bob", "display_name": "bob", "email": None, "locale": None,
            "operator": False, "created_at": now,
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
        "permissions": ["files:read", "notes:read", "org:read", "search", "workflows:read"],
        "features": ["agent", "chat", "translate", "workflows"],
        "credential": "api",
        "scope": None,
    }  # fmt: skip


async def test_whoami_tells_a_session_from_a_token_and_its_scope(world: World) -> None:
    ann = await world.bootstrap()
    session = (await (await world.session(ann)).get("/api/whoami")).json()
    scoped = (await (await world.token(ann, scope=["notes:read", "files:read:a/"])).get("/api/whoami")).json()
    assert (session["credential"], session["scope"]) == ("session", None)
    assert (scoped["credential"], scoped["scope"]) == ("api", ["notes:read", "files:read:a/"])
    assert scoped["permissions"] == ["files:read", "notes:read"]


async def test_whoami_tells_whether_signing_in_takes_a_second_factor(world: World) -> None:
    ann = await world.bootstrap()
    told = []
    for wish in ({"confirm": True}, {}):
        assert (await ann.post("/api/2fa/enable", wish)).status_code == 200
        told.append((await ann.get("/api/whoami")).json()["two_factor"])
    assert (await ann.delete("/api/2fa", {"password": PASSWORD})).status_code == 204
    told.append((await ann.get("/api/whoami")).json()["two_factor"])
    assert told == [False, True, False], "a secret that was only shown is none yet"


async def test_nobody_is_known_without_a_credential(world: World) -> None:
    await world.bootstrap()
    answer = await world.anonymous.get("/api/whoami")
    assert refusal(answer) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


# Name and language


async def test_what_is_given_changes_and_what_is_not_stays(world: World) -> None:
    ann = await world.bootstrap()
    named = await ann.post("/api/profile", {"display_name": unicodedata.normalize("NFD", " Änne ")})
    assert (named.json()["display_name"], named.json()["locale"]) == ("Änne", None)
    spoken = await ann.post("/api/profile", {"locale": "en"})
    assert (spoken.json()["display_name"], spoken.json()["locale"]) == ("Änne", "en")
    assert (await ann.post("/api/profile")).json() == spoken.json()
    me = (await ann.get("/api/whoami")).json()
    assert (me["user"], me["locale"]) == (spoken.json(), "en")
    silent = await ann.post("/api/profile", {"locale": None, "display_name": None})
    assert (silent.json()["display_name"], silent.json()["locale"]) == ("Änne", None)


async def test_a_name_or_language_that_is_none_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    names = ["", " ", "a\nb", "a\x00b", "a\u202eb", "a\u2066b", "\u200eann", "x" * 81]
    locales = ["", "e", "EN", "english", "en-US", "pt-BR", "../../etc", "e" * 41]
    for wish in [{"display_name": name} for name in names] + [{"locale": locale} for locale in locales]:
        assert refusal(await ann.post("/api/profile", wish)) == INVALID, wish
    for field in ("username", "operator", "id"):
        assert refusal(await ann.post("/api/profile", {field: "eve"})) == INVALID
    assert (await ann.get("/api/whoami")).json()["user"]["display_name"] == "ann"


async def test_a_language_without_words_is_refused_with_those_that_there_are(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/profile", {"locale": "pt-BR", "display_name": "Änne"})
    assert answer.json()["errors"] == [{"pointer": "/locale", "message": "must be one of en, or null"}]
    available = (await ann.get("/api/config")).json()["localization"]["available_locales"]
    for locale in available:
        assert (await ann.post("/api/profile", {"locale": locale})).json()["locale"] == locale
    assert (await ann.get("/api/whoami")).json()["user"]["display_name"] == "ann"


# The team one acts in


async def test_a_session_switches_teams_and_no_other_credential_follows(world: World) -> None:
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
    wish = {"team_id": second.id, "display_name": "Elsewhere"}
    assert refusal(await ann.post("/api/profile", wish)) == (403, "forbidden")
    me = (await ann.get("/api/whoami")).json()
    assert (me["team"]["id"], me["user"]["display_name"]) == (ann.team.id, "ann")
    assert (await ann.post("/api/profile", {"team_id": ann.team.id})).status_code == 200


async def test_a_session_switches_only_to_a_team_of_its_person(world: World) -> None:
    ann = await world.bootstrap()
    session = await signed_in(world, "ann")
    not_mine = await world.team(ann.org)
    _, elsewhere = await world.company()
    for team_id in (not_mine.id, elsewhere.id, "nothing", ""):
        assert refusal(await session.post("/api/profile", {"team_id": team_id})) == (404, "not_found")
    assert (await session.get("/api/whoami")).json()["team"]["id"] == ann.team.id
