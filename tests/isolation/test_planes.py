"""Administration of a company, of the instance, and by the hosting provider: how far each reaches."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx2
import msgspec
import pytest

from teamspace.core.ids import new_id
from teamspace.settings import Settings
from teamspace.tenancy.schemas import Org, OrgRole, Role
from tests.isolation.contract import BY_NAME, COMPANIES, HOME, OTHER, SISTER, SUSPENDED, TeamName
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
from tests.isolation.stage import PROVISION_TOKEN, Stage, TeamSetup
from tests.isolation.table import CASES, HOST, Case
from tests.isolation.targets import COMPANY_LINK
from tests.support.world import Caller, world

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ID = {"x-request-id": REQUEST_ID}
_COMPANY_CASES = [case for case in CASES if case.needs.plane == "company"]
_INSTANCE_CASES = [case for case in CASES if case.needs.plane == "instance" and ":ref" in case.path]
_PROVIDER_CASES = [case for case in CASES if case.needs is HOST]
_SELF = Outcome(403, "self_role_change")


# The own company


@pytest.mark.parametrize("case", _COMPANY_CASES, ids=[case.route for case in _COMPANY_CASES])
@pytest.mark.parametrize("name", ["org_owner", "other-company", "operator", "operator-elsewhere"])
async def test_company_administrators_cannot_reach_other_companies(quiet_stage: Stage, case: Case, name: str) -> None:
    # On the other stage, tests send ids of other companies, and the audit log records them.
    stage, kind = quiet_stage, BY_NAME[name]
    others = [team_name for teams in COMPANIES if kind.team not in teams for team_name in teams]
    own, foreign = stage.teams[kind.team], stage.teams[others[0]]
    caller = await stage.caller(kind, case.needs.permission)
    named = [await _named_in(stage, case, setup) for setup in (own, foreign)]
    before = [await stage.rows_of(stage.teams[team_name].org) for team_name in others]
    answers = [await stage.send(caller, await case.request(stage, kind, named=each)) for each in named]
    assert not answers[0].is_error, answers[0].text
    mentioned = set(re.findall(r"[0-9a-f-]{36}", "".join(each.text for each in answers)))
    assert mentioned & _ids_of(stage, others) == set()
    assert [await stage.rows_of(stage.teams[team_name].org) for team_name in others] == before


async def _named_in(stage: Stage, case: Case, setup: TeamSetup) -> str:
    """Return what the case's path names, in a company: a public link, or else a person."""
    if case.target is COMPANY_LINK:
        return (await stage.link(setup, await stage.object(setup, "private")))[0]
    return (await stage.world.person(setup.org, setup.team)).user_id


# fmt: off
_CHANGES: tuple[tuple[str, OrgRole | None, OrgRole | None, Outcome], ...] = (
    # caller           current role     new role         outcome
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


@pytest.mark.parametrize(("name", "current", "new", "expected"), _CHANGES)
async def test_only_owners_appoint_or_change_owners(
    stage: Stage, name: str, current: OrgRole | None, new: OrgRole | None, expected: Outcome
) -> None:
    caller, setup = await stage.caller(BY_NAME[name]), stage.teams[HOME]
    person = await stage.world.person(setup.org, setup.team, Role.GUEST, org_role=current)
    mark = await stage.writes.mark()
    answer = await _set_org_role(caller, person, new)
    assert not faults(answer, expected)
    assert expected.refused or answer.json()["org_role"] == new
    assert not expected.refused or await stage.writes.since(mark) == []


@pytest.mark.parametrize(("name", "current", "new", "expected"), [row for row in _CHANGES if row[2]])
async def test_only_owners_add_owners_to_a_team(
    stage: Stage, name: str, current: OrgRole | None, new: OrgRole, expected: Outcome
) -> None:
    caller, home = await stage.caller(BY_NAME[name]), stage.teams[HOME]
    person = await stage.world.person(home.org, home.team, Role.GUEST, org_role=current)
    draft = {"username": person.username, "team_id": stage.teams[SISTER].team.id, "org_role": new, "role": "guest"}
    mark = await stage.writes.mark()
    answer = await caller.post("/api/org/members", draft, headers=_ID)
    assert not faults(answer, expected if expected.refused else CREATED)
    assert not expected.refused or await stage.writes.since(mark) == []


@pytest.mark.parametrize("name", ["org_owner", "org_admin", "operator", "operator-elsewhere", "other-company"])
async def test_people_cannot_give_themselves_a_company_role(stage: Stage, name: str) -> None:
    kind = BY_NAME[name]
    person = await stage.caller(kind)
    another = await stage.world.team(person.org)
    await stage.world.person(person.org, another, Role.OWNER)
    mark = await stage.writes.mark()
    for role in (*OrgRole, None):
        assert not faults(await _set_org_role(person, person, role), _SELF), role
    for role in OrgRole:
        draft = {"username": person.username, "team_id": another.id, "org_role": role, "role": "owner"}
        assert not faults(await person.post("/api/org/members", draft, headers=_ID), _SELF), role
    assert await stage.writes.since(mark) == []


async def test_a_company_keeps_its_last_owner(stage: Stage) -> None:
    org, team = await stage.world.company()
    owner = await stage.world.person(org, team, Role.MEMBER, org_role=OrgRole.OWNER)
    operator = await stage.world.person(org, team, Role.OWNER, operator=True)
    mark = await stage.writes.mark()
    answers = [await _set_org_role(operator, owner, role) for role in (None, OrgRole.ADMIN, OrgRole.READER)]
    answers += [await operator.delete(f"/api/members/{owner.user_id}", headers=_ID)]
    answers += [await owner.delete(f"/api/members/{owner.user_id}", headers=_ID)]
    outcomes = [CONFLICT] * 4 + [forbidden("members:manage")]
    assert [fault for pair in zip(answers, outcomes, strict=True) for fault in faults(*pair)] == []
    assert await stage.writes.since(mark) == []


async def test_a_person_of_another_company_is_neither_added_nor_revealed(stage: Stage) -> None:
    org, team = await stage.world.company()
    foreign_people = [await stage.world.person(org, team, org_role=OrgRole.OWNER), await stage.world.person(org, None)]
    owner, team_owner = await stage.caller(BY_NAME["org_owner"]), await stage.caller(BY_NAME["owner"])
    mark = await stage.writes.mark()
    answers = [
        await owner.post("/api/org/members", {"username": name, "team_id": owner.team.id}, headers=_ID)
        for person in foreign_people
        for name in (person.username, person.username.upper())
    ]
    draft = {"username": foreign_people[0].username, "role": "guest"}
    answers.append(await team_owner.post("/api/members", draft, headers=_ID))
    assert [fault for answer in answers for fault in faults(answer, CONFLICT)] == []
    assert len({answer.content for answer in answers}) == 1
    assert await stage.writes.since(mark) == []


async def test_companies_can_use_the_same_team_name(stage: Stage) -> None:
    here, there = await stage.caller(BY_NAME["org_owner"]), await stage.caller(BY_NAME["other-company"])
    draft = {"name": "Kitchen", "slug": "kitchen"}
    answers = [await caller.post("/api/org/teams", draft, headers=_ID) for caller in (here, there, here)]
    outcomes = [CREATED, CREATED, CONFLICT]
    assert [fault for pair in zip(answers, outcomes, strict=True) for fault in faults(*pair)] == []


# Every company


_READS_ALL = ["operator", "operator-elsewhere", "suspended-operator"]


def _without_forecasts(answer: httpx2.Response) -> dict[str, Any]:
    """A company as it was read; forecasts depend on the time of the request."""
    company: dict[str, Any] = answer.json()
    for quota in company["quotas"]:
        del quota["forecast"]
    return company


@pytest.mark.parametrize("name", _READS_ALL)
async def test_an_operator_reads_every_company_by_its_id_and_by_its_slug(stage: Stage, name: str) -> None:
    operator = await stage.caller(BY_NAME[name])
    for team_name in (HOME, OTHER, SUSPENDED):
        org, teams = stage.teams[team_name].org, next(teams for teams in COMPANIES if team_name in teams)
        by_id, by_slug = [await operator.get(f"/api/orgs/{ref}", headers=_ID) for ref in (org.id, org.slug)]
        assert not faults(by_id, OK)
        assert _without_forecasts(by_id) == _without_forecasts(by_slug)
        assert by_id.json()["id"] == org.id
        assert {team["id"] for team in by_id.json()["teams"]} >= {stage.teams[team].team.id for team in teams}


@pytest.mark.parametrize("case", _INSTANCE_CASES, ids=[case.route for case in _INSTANCE_CASES])
@pytest.mark.parametrize("name", _READS_ALL)
async def test_an_operator_changes_only_the_named_company(stage: Stage, case: Case, name: str) -> None:
    kind = BY_NAME[name]
    operator, others = await stage.caller(kind), [stage.teams[team_name].org for team_name, _ in COMPANIES]
    for ref in ("id", "slug"):
        org, _ = await stage.world.company()
        before, untouched = await stage.rows_of(org), [await stage.rows_of(other) for other in others]
        answer = await stage.send(operator, await case.request(stage, kind, named=getattr(org, ref)))
        assert not faults(answer, case.answer)
        assert (await stage.rows_of(org) != before) == case.writes
        assert [await stage.rows_of(other) for other in others] == untouched


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


@pytest.mark.parametrize("case", _INSTANCE_CASES, ids=[case.route for case in _INSTANCE_CASES])
async def test_unknown_and_misspelt_companies_get_the_same_response(stage: Stage, case: Case) -> None:
    kind, org = BY_NAME["operator"], stage.teams[OTHER].org
    operator = await stage.caller(kind)
    requests = [await case.request(stage, kind, named=misspell(org)) for misspell in _MISSPELT]
    mark = await stage.writes.mark()
    answers = [await stage.send(operator, request) for request in requests]
    assert [fault for answer in answers for fault in faults(answer, HIDDEN)] == []
    assert len({answer.content for answer in answers}) == 1
    assert await stage.writes.since(mark) == []


# The host


_NEARLY_VALID = (
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


@pytest.mark.parametrize("case", _PROVIDER_CASES, ids=[case.route for case in _PROVIDER_CASES])
async def test_a_nearly_correct_provisioning_token_is_refused(suspended_stage: Stage, case: Case) -> None:
    answers = await _post_with_each(suspended_stage, case.path, _NEARLY_VALID)
    assert [fault for answer in answers for fault in faults(answer, UNAUTHENTICATED)] == []
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.parametrize("case", _PROVIDER_CASES, ids=[case.route for case in _PROVIDER_CASES])
async def test_without_a_provider_its_routes_do_not_exist(stage: Stage, case: Case) -> None:
    credentials = (*_NEARLY_VALID, f"Bearer {PROVISION_TOKEN}", f"Bearer {stage.superuser.token}")
    answers = await _post_with_each(stage, case.path, credentials)
    nowhere = await stage.superuser.post("/api/nowhere", headers=_ID)
    assert [fault for answer in answers for fault in faults(answer, HIDDEN)] == []
    assert {answer.content for answer in answers} == {nowhere.content}


async def test_a_tenant_suspension_ends_with_hosted_mode(settings: Settings) -> None:
    async with world(msgspec.structs.replace(settings, provision_token=PROVISION_TOKEN)) as hosted:
        ann = await hosted.bootstrap()
        assert not faults(await Caller(hosted, PROVISION_TOKEN).post("/api/instance/suspend", headers=_ID), OK)
        assert not faults(await ann.post("/api/notes", {"title": "Note"}, headers=_ID), TENANT_SUSPENDED)
    async with world(settings) as plain:
        again = Caller(plain, ann.token)
        assert not faults(await again.post("/api/notes", {"title": "Note"}, headers=_ID), CREATED)


# Helpers


async def _set_org_role(caller: Caller, person: Caller, role: OrgRole | None) -> httpx2.Response:
    return await caller("PATCH", f"/api/org/members/{person.user_id}", {"org_role": role}, headers=_ID)


async def _post_with_each(stage: Stage, path: str, credentials: tuple[str | None, ...]) -> list[httpx2.Response]:
    """Post with each Authorization header and an empty body, so that only the gate decides."""
    anonymous = stage.world.anonymous
    headers = [_ID if each is None else {**_ID, "authorization": each} for each in credentials]
    return [await anonymous.post(path, headers=each) for each in headers]


def _ids_of(stage: Stage, team_names: list[TeamName]) -> set[str]:
    """Return the ids of the companies, teams and authors."""
    teams = [stage.teams[team_name] for team_name in team_names]
    return {id for setup in teams for id in (setup.org.id, setup.team.id, setup.author.user_id)}
