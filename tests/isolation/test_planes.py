"""The planes of administration: a company's stays within the company, the instance's reaches each, the host's is its own."""

import re
from collections.abc import Callable
from uuid import uuid4

import httpx2
import msgspec
import pytest

from teamspace.core.ids import new_id
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Org, OrgRole, Role
from tests.isolation.contract import BY_NAME, COMPANIES, HOME, OTHER, SISTER, SUSPENDED, Place
from tests.isolation.outcomes import (
    CONFLICT,
    CREATED,
    HIDDEN,
    OK,
    REQUEST_ID,
    TENANT_SUSPENDED,
    UNAUTHENTICATED,
    Outcome,
    faults,
    forbidden,
)
from tests.isolation.stage import PROVISION_TOKEN, Stage
from tests.isolation.table import CASES, HOST, Case
from tests.support.world import Caller, world

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ID = {"x-request-id": REQUEST_ID}
_OF_A_COMPANY = [case for case in CASES if case.needs.plane == "company"]
_OF_ANY_COMPANY = [case for case in CASES if case.needs.plane == "instance" and ":ref" in case.path]
_OF_THE_HOST = [case for case in CASES if case.needs is HOST]
_SELF = Outcome(403, "self_role_change")


# One's own company


@pytest.mark.parametrize("case", _OF_A_COMPANY, ids=[case.route for case in _OF_A_COMPANY])
@pytest.mark.parametrize("name", ["org_owner", "other-company", "operator", "operator-elsewhere"])
async def test_whoever_administers_a_company_reaches_no_other(quiet_stage: Stage, case: Case, name: str) -> None:
    # On the other stage people of one company type in ids of another, and trails keep what they typed.
    stage, kind = quiet_stage, BY_NAME[name]
    others = [place for teams in COMPANIES if kind.place not in teams for place in teams]
    own, foreign = stage.spots[kind.place], stage.spots[others[0]]
    colleague = await stage.world.person(own.org, own.team)
    caller = await stage.caller(kind, case.needs.permission)
    before = [await stage.belongings(stage.spots[place].org) for place in others]
    answers = [
        await stage.send(caller, await case.ask(stage, kind, named=person.user_id))
        for person in (colleague, foreign.author)
    ]
    assert not answers[0].is_error, answers[0].text
    mentioned = set(re.findall(r"[0-9a-f-]{36}", "".join(each.text for each in answers)))
    assert mentioned & _names_of(stage, others) == set()
    assert [await stage.belongings(stage.spots[place].org) for place in others] == before


# fmt: off
_CHANGES: tuple[tuple[str, OrgRole | None, OrgRole | None, Outcome], ...] = (
    # caller           somebody who is  becomes          comes to
    ("org_owner",      None,            OrgRole.OWNER,   OK),
    ("org_owner",      OrgRole.OWNER,   OrgRole.ADMIN,   OK),
    ("org_owner",      OrgRole.OWNER,   None,            OK),
    ("operator",       None,            OrgRole.OWNER,   OK),
    ("operator",       OrgRole.OWNER,   None,            OK),
    ("org_admin",      None,            OrgRole.READER,  OK),
    ("org_admin",      OrgRole.READER,  OrgRole.ADMIN,   OK),
    ("org_admin",      OrgRole.ADMIN,   None,            OK),
    ("org_admin",      None,            OrgRole.OWNER,   forbidden("owner")),
    ("org_admin",      OrgRole.ADMIN,   OrgRole.OWNER,   forbidden("owner")),
    ("org_admin",      OrgRole.OWNER,   OrgRole.OWNER,   forbidden("owner")),
    ("org_admin",      OrgRole.OWNER,   OrgRole.ADMIN,   forbidden("owner")),
    ("org_admin",      OrgRole.OWNER,   None,            forbidden("owner")),
    ("org_reader",     None,            OrgRole.READER,  forbidden("org:manage")),
    ("owner",          None,            OrgRole.READER,  forbidden("org:manage")),
    ("other-company",  None,            OrgRole.READER,  HIDDEN),
    ("operator-elsewhere", None,        OrgRole.READER,  HIDDEN),
)
# fmt: on


@pytest.mark.parametrize(("name", "is_now", "becomes", "expected"), _CHANGES)
async def test_only_an_owner_names_or_changes_an_owner(
    stage: Stage, name: str, is_now: OrgRole | None, becomes: OrgRole | None, expected: Outcome
) -> None:
    caller, spot = await stage.caller(BY_NAME[name]), stage.spots[HOME]
    person = await stage.world.person(spot.org, spot.team, Role.GUEST, org_role=is_now)
    mark = await stage.writes.mark()
    answer = await _give(caller, person, becomes)
    assert not faults(answer, expected)
    assert expected.refused or answer.json()["org_role"] == becomes
    assert not expected.refused or await stage.writes.since(mark) == []


@pytest.mark.parametrize(("name", "is_now", "becomes", "expected"), [row for row in _CHANGES if row[2]])
async def test_nor_by_adding_them_to_a_team(
    stage: Stage, name: str, is_now: OrgRole | None, becomes: OrgRole, expected: Outcome
) -> None:
    caller, home = await stage.caller(BY_NAME[name]), stage.spots[HOME]
    person = await stage.world.person(home.org, home.team, Role.GUEST, org_role=is_now)
    wish = {"username": person.username, "team_id": stage.spots[SISTER].team.id, "org_role": becomes, "role": "guest"}
    mark = await stage.writes.mark()
    answer = await caller.post("/api/org/members", wish, headers=_ID)
    assert not faults(answer, expected if expected.refused else CREATED)
    assert not expected.refused or await stage.writes.since(mark) == []


@pytest.mark.parametrize("name", ["org_owner", "org_admin", "operator", "operator-elsewhere", "other-company"])
async def test_nobody_gives_themselves_a_role_in_the_company(stage: Stage, name: str) -> None:
    kind = BY_NAME[name]
    person = await stage.caller(kind)
    another = await stage.world.team(person.org)
    await stage.world.person(person.org, another, Role.OWNER)
    mark = await stage.writes.mark()
    for role in (*OrgRole, None):
        assert not faults(await _give(person, person, role), _SELF), role
    for role in OrgRole:
        wish = {"username": person.username, "team_id": another.id, "org_role": role, "role": "owner"}
        assert not faults(await person.post("/api/org/members", wish, headers=_ID), _SELF), role
    assert await stage.writes.since(mark) == []


async def test_a_company_keeps_its_last_owner(stage: Stage) -> None:
    org, team = await stage.world.company()
    owner = await stage.world.person(org, team, Role.MEMBER, org_role=OrgRole.OWNER)
    operator = await stage.world.person(org, team, Role.OWNER, operator=True)
    mark = await stage.writes.mark()
    answers = [await _give(operator, owner, role) for role in (None, OrgRole.ADMIN, OrgRole.READER)]
    answers += [await operator.delete(f"/api/members/{owner.user_id}", headers=_ID)]
    answers += [await owner.delete(f"/api/members/{owner.user_id}", headers=_ID)]
    outcomes = [CONFLICT] * 4 + [forbidden("members:manage")]
    assert [fault for pair in zip(answers, outcomes, strict=True) for fault in faults(*pair)] == []
    assert await stage.writes.since(mark) == []


async def test_somebody_of_another_company_is_neither_added_to_it_nor_described(stage: Stage) -> None:
    org, team = await stage.world.company()
    strangers = [await stage.world.person(org, team, org_role=OrgRole.OWNER), await stage.world.person(org, None)]
    owner, team_owner = await stage.caller(BY_NAME["org_owner"]), await stage.caller(BY_NAME["owner"])
    mark = await stage.writes.mark()
    answers = [
        await owner.post("/api/org/members", {"username": name, "team_id": owner.team.id}, headers=_ID)
        for stranger in strangers
        for name in (stranger.username, stranger.username.upper())
    ]
    wish = {"username": strangers[0].username, "role": "guest"}
    answers.append(await team_owner.post("/api/members", wish, headers=_ID))
    assert [fault for answer in answers for fault in faults(answer, CONFLICT)] == []
    assert len({answer.content for answer in answers}) == 1
    assert await stage.writes.since(mark) == []


async def test_what_a_team_of_another_company_is_called_is_free_here(stage: Stage) -> None:
    here, there = await stage.caller(BY_NAME["org_owner"]), await stage.caller(BY_NAME["other-company"])
    wish = {"name": "Kitchen", "slug": "kitchen"}
    answers = [await caller.post("/api/org/teams", wish, headers=_ID) for caller in (here, there, here)]
    outcomes = [CREATED, CREATED, CONFLICT]
    assert [fault for pair in zip(answers, outcomes, strict=True) for fault in faults(*pair)] == []


# Every company


_READS_ALL = ["operator", "operator-elsewhere", "suspended-operator"]


@pytest.mark.parametrize("name", _READS_ALL)
async def test_an_operator_reads_every_company_by_its_id_and_by_its_slug(stage: Stage, name: str) -> None:
    operator = await stage.caller(BY_NAME[name])
    for place in (HOME, OTHER, SUSPENDED):
        org, teams = stage.spots[place].org, next(teams for teams in COMPANIES if place in teams)
        by_id, by_slug = [await operator.get(f"/api/orgs/{ref}", headers=_ID) for ref in (org.id, org.slug)]
        assert not faults(by_id, OK)
        assert by_id.content == by_slug.content
        assert by_id.json()["id"] == org.id
        assert {team["id"] for team in by_id.json()["teams"]} >= {stage.spots[team].team.id for team in teams}


@pytest.mark.parametrize("case", _OF_ANY_COMPANY, ids=[case.route for case in _OF_ANY_COMPANY])
@pytest.mark.parametrize("name", _READS_ALL)
async def test_an_operator_changes_the_company_that_was_named_and_no_other(stage: Stage, case: Case, name: str) -> None:
    kind = BY_NAME[name]
    operator, others = await stage.caller(kind), [stage.spots[place].org for place, _ in COMPANIES]
    for ref in ("id", "slug"):
        org, _ = await stage.world.company()
        before, untouched = await stage.belongings(org), [await stage.belongings(other) for other in others]
        answer = await stage.send(operator, await case.ask(stage, kind, named=getattr(org, ref)))
        assert not faults(answer, case.answer)
        assert (await stage.belongings(org) != before) == case.writes
        assert [await stage.belongings(other) for other in others] == untouched


# fmt: off
_MISSPELT: tuple[Callable[[Org], str], ...] = (
    lambda org: new_id(),
    lambda org: str(uuid4()),
    lambda org: org.id.upper(),
    lambda org: org.id.replace("-", ""),
    lambda org: f"{{{org.id}}}",
    lambda org: f"{org.id}%20",
    lambda org: org.slug.upper(),
    lambda org: org.slug.title(),
    lambda org: f"%20{org.slug}",
    lambda org: f"{org.slug}-",
    lambda org: f"{org.slug[:-1]}%25",
    lambda org: f"{org.slug[:-1]}_",
    lambda org: org.name.replace(" ", "%20"),
    lambda org: "no-such-company",
    lambda org: "x" * 300,
)
# fmt: on


@pytest.mark.parametrize("case", _OF_ANY_COMPANY, ids=[case.route for case in _OF_ANY_COMPANY])
async def test_a_company_that_nobody_has_and_one_that_is_misspelt_are_the_same_to_an_operator(
    stage: Stage, case: Case
) -> None:
    kind, org = BY_NAME["operator"], stage.spots[OTHER].org
    operator = await stage.caller(kind)
    asks = [await case.ask(stage, kind, named=spelt(org)) for spelt in _MISSPELT]
    mark = await stage.writes.mark()
    answers = [await stage.send(operator, ask) for ask in asks]
    assert [fault for answer in answers for fault in faults(answer, HIDDEN)] == []
    assert len({answer.content for answer in answers}) == 1
    assert await stage.writes.since(mark) == []


# The host


_ALMOST = (
    None,
    "Bearer",
    "Bearer ",
    f"Bearer {PROVISION_TOKEN[:-1]}",
    f"Bearer {PROVISION_TOKEN}x",
    f"Bearer {PROVISION_TOKEN.upper()}",
    f"Bearer {PROVISION_TOKEN} {PROVISION_TOKEN}",
    f"Basic {PROVISION_TOKEN}",
    PROVISION_TOKEN,
)


@pytest.mark.parametrize("case", _OF_THE_HOST, ids=[case.route for case in _OF_THE_HOST])
async def test_almost_the_hosts_token_is_none(suspended_stage: Stage, case: Case) -> None:
    answers = await _knocks(suspended_stage, case.path, _ALMOST)
    assert [fault for answer in answers for fault in faults(answer, UNAUTHENTICATED)] == []
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.parametrize("case", _OF_THE_HOST, ids=[case.route for case in _OF_THE_HOST])
async def test_without_a_host_its_addresses_are_like_any_that_is_not_there(stage: Stage, case: Case) -> None:
    credentials = (*_ALMOST, f"Bearer {PROVISION_TOKEN}", f"Bearer {stage.everything.token}")
    answers = await _knocks(stage, case.path, credentials)
    nowhere = await stage.everything.post("/api/nowhere", headers=_ID)
    assert [fault for answer in answers for fault in faults(answer, HIDDEN)] == []
    assert {answer.content for answer in answers} == {nowhere.content}


async def test_a_suspension_whose_host_is_gone_binds_nobody(settings: Settings) -> None:
    async with world(msgspec.structs.replace(settings, provision_token=PROVISION_TOKEN)) as hosted:
        ann = await hosted.bootstrap()
        assert not faults(await Caller(hosted, PROVISION_TOKEN).post("/api/instance/suspend", headers=_ID), OK)
        assert not faults(await ann.post("/api/notes", {"title": "Note"}, headers=_ID), TENANT_SUSPENDED)
    async with world(settings) as plain:
        again = Caller(plain, ann.token)
        assert not faults(await again.post("/api/notes", {"title": "Note"}, headers=_ID), CREATED)


# What all of these share


async def _give(caller: Caller, person: Caller, role: OrgRole | None) -> httpx2.Response:
    return await caller("PATCH", f"/api/org/members/{person.user_id}", {"org_role": role}, headers=_ID)


async def _knocks(stage: Stage, path: str, credentials: tuple[str | None, ...]) -> list[httpx2.Response]:
    """What comes of each Authorization header; the body says nothing, so that the gate alone decides."""
    nobody = stage.world.anonymous
    headers = [_ID if each is None else {**_ID, "authorization": each} for each in credentials]
    return [await nobody.post(path, headers=each) for each in headers]


def _names_of(stage: Stage, places: list[Place]) -> set[str]:
    """The ids by which a company, its teams and its people could be recognised."""
    spots = [stage.spots[place] for place in places]
    return {id for spot in spots for id in (spot.org.id, spot.team.id, spot.author.user_id)}
