"""Lists contain everything that their reader may see, and nothing else."""

from typing import Any

import msgspec
import pytest
import pytest_asyncio

from teamspace.core import clock
from teamspace.core.principal import system
from teamspace.notes.schemas import Visibility
from teamspace.sharing import PrincipalType
from tests.isolation.contract import BY_NAME, EXACT, HOME, KINDS, OTHER, SISTER, Kind, TeamName, grid, held
from tests.isolation.outcomes import OK, faults, forbidden
from tests.isolation.stage import Request, Stage
from tests.isolation.table import BY_ROUTE, expected
from tests.support.world import Caller

pytestmark = pytest.mark.asyncio(loop_scope="session")

# fmt: off
_NOTES: tuple[tuple[str, TeamName, Visibility, tuple[str, ...]], ...] = (
    # title           where    visibility  shared with
    ("home-team",     HOME,    "team",     ()),
    ("home-private",  HOME,    "private",  ()),
    ("home-lent",     HOME,    "private",  ("viewer", "org_reader")),
    ("home-shared",   HOME,    "shared",   ("member", "guest", "other-team", "lent-to-read")),
    ("sister-team",   SISTER,  "team",     ()),
    ("sister-private", SISTER, "private",  ()),
    ("sister-shared", SISTER,  "shared",   ("owner", "guest", "operator")),
    ("other-team",    OTHER,   "team",     ()),
    ("other-private", OTHER,   "private",  ()),
    ("other-shared",  OTHER,   "shared",   ("operator-elsewhere",)),
)

# Which lists of a caller contain the note: p the plain one, o with ?scope=org, s with ?shared=1. Callers with the note
# in any list can read it by id. Without org:read the company's list is refused.
_VISIBLE = """
                    org:read mine home-team home-private home-lent home-shared sister-team sister-private sister-shared other-team other-private other-shared home-to-sister home-ended
owner               no       p    p         -            -         -           -           -              ps            -          -             -            -              -
admin               no       p    p         -            -         -           -           -              -             -          -             -            -              -
member              no       p    p         -            -         ps          -           -              -             -          -             -            -              -
signed-in           no       p    p         -            -         -           -           -              -             -          -             -            -              -
viewer              no       p    p         -            ps        -           -           -              -             -          -             -            -              -
guest               no       p    -         -            -         ps          -           -              ps            -          -             -            -              -
translator          no       p    p         -            -         -           -           -              -             -          -             -            -              -
reviewer            no       p    p         -            -         -           -           -              -             -          -             -            -              -
operator            no       p    p         -            -         -           -           -              ps            -          -             -            -              -
author              no       p    p         p            p         p           -           -              -             -          -             -            p              p
exact-token         no       p    p         -            -         -           -           -              -             -          -             -            -              -
other-team          no       p    -         -            -         ps          p           -              -             -          -             -            ps             -
lent-to-read        no       p    -         -            -         ps          -           -              -             -          -             -            ps             -
org_reader          yes      po   o         -            pos       -           o           -              -             -          -             -            pos            -
org_admin           yes      po   o         -            -         -           o           -              -             -          -             -            pos            -
org_owner           yes      po   o         -            -         -           o           -              -             -          -             -            pos            -
other-company       yes      po   -         -            -         -           -           -              -             po         -             -            -              -
operator-elsewhere  no       p    -         -            -         -           -           -              -             p          -             ps           -              -
suspended           yes      po   -         -            -         -           -           -              -             -          -             -            -              -
suspended-guest     no       p    -         -            -         -           -           -              -             -          -             -            -              -
suspended-operator  no       p    -         -            -         -           -           -              -             -          -             -            -              -
"""
# fmt: on

_QUERIES = {"p": {}, "o": {"scope": "org"}, "s": {"shared": "1"}}
_EXPECTED = grid(_VISIBLE)
_KINDS = [BY_NAME[name] for name in _EXPECTED]


class Library(msgspec.Struct, frozen=True):
    stage: Stage
    notes: dict[str, str]
    """The id of every note, by title."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def library(quiet_stage: Stage) -> Library:
    notes = {}
    for kind in _KINDS:
        setup, owner, title = quiet_stage.teams[kind.team], quiet_stage.person(kind), f"mine {kind.name}"
        notes[title] = await quiet_stage.note(setup, "private", owner=owner, title=title)
    for title, team, visibility, grantees in _NOTES:
        granted = {quiet_stage.person(BY_NAME[name]).user_id: "notes:read" for name in grantees}
        notes[title] = await quiet_stage.note(quiet_stage.teams[team], visibility, granted=granted, title=title)
    home, sister = quiet_stage.teams[HOME], quiet_stage.teams[SISTER].team.id
    member = quiet_stage.person(BY_NAME["member"]).user_id
    to_sister: tuple[PrincipalType, str] = ("team", sister)
    to_member: tuple[PrincipalType, str] = ("user", member)
    for title, principals, expires_at in (
        ("home-to-sister", [to_sister], clock.later(clock.DAY)),
        ("home-ended", [to_sister, to_member], clock.later(-1)),
    ):
        notes[title] = await quiet_stage.note(home, "private", title=title)
        for principal_type, principal_id in principals:
            await quiet_stage.grant(notes[title], principal_type, principal_id, expires_at)
    return Library(quiet_stage, notes)


@pytest.mark.parametrize("kind", _KINDS, ids=[kind.name for kind in _KINDS])
async def test_a_list_contains_exactly_the_notes_its_reader_may_see(library: Library, kind: Kind) -> None:
    stage, found = library.stage, []
    caller = await stage.caller(kind, "notes:read")
    for letter, query in _QUERIES.items():
        if letter == "o" and _EXPECTED[kind.name]["org:read"] == "no":
            answer = await stage.send(caller, Request("GET", "/api/notes", query))
            found += faults(answer, forbidden("org:read"))
        else:
            listed = await _listed(stage, caller, query)
            found += _difference(f"the list {query}", listed, _expected_titles(kind, letter))
    assert not found, f"\n{kind.name}: " + f"\n{kind.name}: ".join(found)


@pytest.mark.parametrize("kind", _KINDS, ids=[kind.name for kind in _KINDS])
async def test_a_note_is_readable_by_id_exactly_when_a_list_contains_it(library: Library, kind: Kind) -> None:
    caller = await library.stage.caller(kind, "notes:read")
    answers = {title: (await caller.get(f"/api/notes/{id}")).status_code for title, id in library.notes.items()}
    assert set(answers.values()) <= {200, 404}
    readable = sorted(title for title, status in answers.items() if status == 200)
    found = _difference("what can be read by id", readable, _expected_titles(kind, "pos"))
    assert not found, f"\n{kind.name}: {found}"


@pytest.mark.parametrize("kind", _KINDS, ids=[kind.name for kind in _KINDS])
async def test_a_search_finds_exactly_the_notes_in_the_callers_lists(library: Library, kind: Kind) -> None:
    stage, found = library.stage, []
    for letter, query in {"p": {}, "o": {"scope": "org"}}.items():
        request = Request("GET", "/api/search", {"q": "isolation", "limit": "2", **query})
        caller = await stage.caller(kind, "search")
        if "search" not in held(kind.roles):
            found += faults(await stage.send(caller, request), forbidden("search"))
        elif letter == "o" and _EXPECTED[kind.name]["org:read"] == "no":
            found += faults(await stage.send(caller, request), forbidden("org:read"))
        else:
            listed = sorted(item["title"] for item in await _items(stage, caller, request))
            # A token with the scope `search` alone cannot read notes.
            expected_values = [] if kind.credential is EXACT else _expected_titles(kind, letter)
            found += _difference(f"the search {query}", listed, expected_values)
    assert not found, f"\n{kind.name}: " + f"\n{kind.name}: ".join(found)


# fmt: off
_TEAM, _COMPANY = "team_id = :team_id", "org_id = :org_id"
_LISTS = (
    # route                             field      query
    ("GET /api/members",                "user_id", f"SELECT user_id FROM memberships WHERE {_TEAM}"),
    ("GET /api/members?scope=org",      "user_id", f"SELECT id FROM users WHERE {_COMPANY}"),
    ("GET /api/tokens",                 "id",      f"SELECT id FROM tokens WHERE {_TEAM} AND kind = 'api' AND revoked_at IS NULL"),
    ("GET /api/glossary",               "term",    f"SELECT term FROM glossary_terms WHERE {_TEAM}"),
    ("GET /api/links",                  "id",      f"SELECT id FROM object_links WHERE {_TEAM}"),
    ("GET /api/org/links",              "id",      f"SELECT id FROM object_links WHERE {_COMPANY}"),
    ("GET /api/orgs",                   "id",      "SELECT id FROM orgs"),
    ("GET /api/org/teams",              "id",      f"SELECT id FROM teams WHERE {_COMPANY}"),
    ("GET /api/audit",                  "id",      f"SELECT id FROM audit WHERE {_TEAM}"),
    ("GET /api/audit?format=jsonl",     "id",      f"SELECT id FROM audit WHERE {_TEAM}"),
    ("GET /api/audit?scope=instance",   "id",      "SELECT id FROM audit WHERE org_id = ''"),
    ("GET /api/org/audit",              "id",      f"SELECT id FROM audit WHERE {_COMPANY}"),
    ("GET /api/org/audit?format=jsonl", "id",      f"SELECT id FROM audit WHERE {_COMPANY}"),
)
# fmt: on


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stage_with_events(quiet_stage: Stage) -> Stage:
    """A stage with audit rows of every team, of a company as a whole, and of the instance."""
    for setup in quiet_stage.teams.values():
        await quiet_stage.event(setup)
        await quiet_stage.term(setup)
        await quiet_stage.link(setup, await quiet_stage.object(setup, "private"))
    for org_id in (quiet_stage.superuser.org.id, ""):
        async with quiet_stage.world.db.write(system(org_id=org_id), "stage.event"):
            pass
    return quiet_stage


@pytest.mark.parametrize(("route", "key", "sql"), _LISTS, ids=[route for route, _, _ in _LISTS])
async def test_a_list_contains_exactly_the_rows_of_the_readers_team_or_company(
    stage_with_events: Stage, route: str, key: str, sql: str
) -> None:
    stage, case = stage_with_events, BY_ROUTE[route]
    found: list[str] = []
    for kind in KINDS:
        if not expected(case, kind, hosted=False).refused:
            request, setup = await case.request(stage, kind), stage.teams[kind.team]
            listed = await _items(stage, await stage.caller(kind, case.needs.permission), request)
            expected_values = await stage.world.db.all(
                str, sql, **_used_params(sql, team_id=setup.team.id, org_id=setup.org.id)
            )
            found += _difference(
                f"{kind.name}: the list", sorted(item[key] for item in listed), sorted(expected_values)
            )
    assert not found, "\n" + "\n".join(found)


def _used_params(sql: str, **params: str) -> dict[str, str]:
    return {name: value for name, value in params.items() if f":{name}" in sql}


async def _listed(stage: Stage, caller: Caller, query: dict[str, str]) -> list[str]:
    """Return the titles of all pages of a list of notes, two per page."""
    request = Request("GET", "/api/notes", {**query, "limit": "2"})
    return sorted(item["title"] for item in await _items(stage, caller, request))


async def _items(stage: Stage, caller: Caller, request: Request) -> list[dict[str, Any]]:
    """Return all items of a list, from its pages or JSON lines."""
    items: list[dict[str, Any]] = []
    query = {"limit": "7", **request.query}
    while True:
        answer = await stage.send(caller, msgspec.structs.replace(request, query=query))
        assert not faults(answer, OK)
        if "format" in request.query:
            return [msgspec.json.decode(line) for line in answer.text.splitlines()]
        page = answer.json()
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        query["cursor"] = page["next_cursor"]


def _expected_titles(kind: Kind, letters: str) -> list[str]:
    cells = {title: cell for title, cell in _EXPECTED[kind.name].items() if title != "org:read"}
    titles = [title for title, cell in cells.items() if set(letters) & set(cell)]
    return sorted(f"mine {kind.name}" if title == "mine" else title for title in titles)


def _difference(what: str, found: list[str], expected_values: list[str]) -> list[str]:
    return [] if found == expected_values else [f"{what} is {found}, not {expected_values}"]
