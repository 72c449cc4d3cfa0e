"""Undeclared fields in a body or a query are refused by name, and nothing is written."""

from typing import Any

import msgspec
import pytest

from tests.isolation.contract import BY_NAME, OTHER
from tests.isolation.outcomes import faults, invalid
from tests.isolation.stage import Request, Stage
from tests.isolation.table import CASES, HOST, PUBLIC, Case
from tests.support.world import Caller

# A body is refused before any SQL runs.
pytestmark = pytest.mark.asyncio(loop_scope="session")

_API_CASES = [case for case in CASES if case.path.startswith("/api/") and case.needs is not HOST]
_BODY_CASES = [case for case in _API_CASES if case.body is not None]
_PROVIDER_CASES = [case for case in CASES if case.needs is HOST]
_OWNER = BY_NAME["owner"]


@pytest.mark.parametrize("case", _BODY_CASES, ids=[case.route for case in _BODY_CASES])
async def test_a_forged_field_in_a_body_is_refused_by_name(stage: Stage, case: Case) -> None:
    await _check_refused(stage, _caller(stage, case), case, await _forged_bodies(stage, case))


@pytest.mark.parametrize("case", _API_CASES, ids=[case.route for case in _API_CASES])
async def test_a_forged_field_in_a_query_is_refused_by_name(stage: Stage, case: Case) -> None:
    await _check_refused(stage, _caller(stage, case), case, await _forged_queries(stage, case))


@pytest.mark.parametrize("case", _PROVIDER_CASES, ids=[case.route for case in _PROVIDER_CASES])
async def test_forged_fields_of_the_provider_are_refused(suspended_stage: Stage, case: Case) -> None:
    stage = suspended_stage
    await _check_refused(stage, stage.host, case, await _forged_queries(stage, case))
    if case.body is not None:
        await _check_refused(stage, stage.host, case, await _forged_bodies(stage, case))


def _caller(stage: Stage, case: Case) -> Caller:
    if case.needs.permission == "jobs:execute":
        return stage.person(BY_NAME["worker"])
    return stage.world.anonymous if case.needs is PUBLIC else stage.superuser


async def _forged_bodies(stage: Stage, case: Case) -> dict[str, Request]:
    declared, request = _declared(stage, case, "body"), await case.request(stage, _OWNER)
    return {
        name: msgspec.structs.replace(request, body={**(request.body or {}), name: value})
        for name, value in _forgeries(stage).items()
        if name not in declared
    }


async def _forged_queries(stage: Stage, case: Case) -> dict[str, Request]:
    declared, request = _declared(stage, case, "query"), await case.request(stage, _OWNER)
    return {
        name: msgspec.structs.replace(request, query={**request.query, name: str(value)})
        for name, value in _forgeries(stage).items()
        if name not in declared
    }


def _forgeries(stage: Stage) -> dict[str, Any]:
    """Fields that an attacker might set: another company, another owner, a higher role, an earlier date."""
    setup = stage.teams[OTHER]
    person = setup.author.user_id
    return {
        "org_id": setup.org.id,
        "team_id": setup.team.id,
        "owner_id": person,
        "owner": person,
        "user_id": person,
        "id": person,
        "role": "owner",
        "operator": True,
        "version": 99,
        "created_at": "2001-01-01T00:00:00.000Z",
    }


def _declared(stage: Stage, case: Case, part: str) -> tuple[str, ...]:
    name = case.route.partition("?")[0]
    endpoint = next(endpoint for endpoint in stage.world.app.endpoints if endpoint.route.name == name)
    shape = getattr(endpoint, part)
    return getattr(shape, "__struct_fields__", ())


async def _check_refused(stage: Stage, caller: Caller, case: Case, forged: dict[str, Request]) -> None:
    found: list[str] = []
    mark = await stage.writes.mark()
    for name, request in forged.items():
        wrong = faults(await stage.send(caller, request), invalid(name))
        changed = await stage.writes.since(mark)
        wrong += [f"wrote to {table}" for table in changed]
        found += [f"{case.route} with {name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)
