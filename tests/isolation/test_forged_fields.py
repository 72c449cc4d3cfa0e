"""Fields that a route does not declare: refused by name, in a body and in a query, and nothing is written."""

from typing import Any

import msgspec
import pytest

from tests.isolation.contract import BY_NAME, OTHER
from tests.isolation.outcomes import faults, invalid
from tests.isolation.stage import Ask, Stage
from tests.isolation.table import CASES, HOST, PUBLIC, Case
from tests.support.world import Caller

# A body is refused before any statement of SQL.
pytestmark = pytest.mark.asyncio(loop_scope="session")

_OF_THE_API = [case for case in CASES if case.path.startswith("/api/") and case.needs is not HOST]
_WITH_A_BODY = [case for case in _OF_THE_API if case.body is not None]
_OF_THE_HOST = [case for case in CASES if case.needs is HOST]
_OWNER = BY_NAME["owner"]


@pytest.mark.parametrize("case", _WITH_A_BODY, ids=[case.route for case in _WITH_A_BODY])
async def test_a_forged_field_in_a_body_is_refused_by_name(stage: Stage, case: Case) -> None:
    await _refused(stage, _caller(stage, case), case, await _forged_bodies(stage, case))


@pytest.mark.parametrize("case", _OF_THE_API, ids=[case.route for case in _OF_THE_API])
async def test_a_forged_field_in_a_query_is_refused_by_name(stage: Stage, case: Case) -> None:
    await _refused(stage, _caller(stage, case), case, await _forged_queries(stage, case))


@pytest.mark.parametrize("case", _OF_THE_HOST, ids=[case.route for case in _OF_THE_HOST])
async def test_the_host_forges_no_field_either(suspended_stage: Stage, case: Case) -> None:
    stage = suspended_stage
    await _refused(stage, stage.host, case, await _forged_queries(stage, case))
    if case.body is not None:
        await _refused(stage, stage.host, case, await _forged_bodies(stage, case))


def _caller(stage: Stage, case: Case) -> Caller:
    if case.needs.permission == "jobs:execute":
        return stage.person(BY_NAME["worker"])
    return stage.world.anonymous if case.needs is PUBLIC else stage.everything


async def _forged_bodies(stage: Stage, case: Case) -> dict[str, Ask]:
    declared, ask = _declared(stage, case, "body"), await case.ask(stage, _OWNER)
    return {
        name: msgspec.structs.replace(ask, body={**(ask.body or {}), name: value})
        for name, value in _forgeries(stage).items()
        if name not in declared
    }


async def _forged_queries(stage: Stage, case: Case) -> dict[str, Ask]:
    declared, ask = _declared(stage, case, "query"), await case.ask(stage, _OWNER)
    return {
        name: msgspec.structs.replace(ask, query={**ask.query, name: str(value)})
        for name, value in _forgeries(stage).items()
        if name not in declared
    }


def _forgeries(stage: Stage) -> dict[str, Any]:
    """What an attacker would like to set: another company, another owner, a higher role, an older age."""
    spot = stage.spots[OTHER]
    person = spot.author.user_id
    return {
        "org_id": spot.org.id,
        "team_id": spot.team.id,
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
    return shape.__struct_fields__ if shape is not None else ()


async def _refused(stage: Stage, caller: Caller, case: Case, forged: dict[str, Ask]) -> None:
    found: list[str] = []
    mark = await stage.writes.mark()
    for name, ask in forged.items():
        wrong = faults(await stage.send(caller, ask), invalid(name))
        changed = await stage.writes.since(mark)
        wrong += [f"wrote to {table}" for table in changed]
        found += [f"{case.route} with {name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)
