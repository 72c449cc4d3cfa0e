"""Fields that a route does not declare: refused by name, in a body and in a query, and nothing is written."""

from typing import Any

import msgspec
import pytest

from tests.isolation.contract import BY_NAME, OTHER
from tests.isolation.outcomes import faults, invalid
from tests.isolation.stage import Ask, Stage
from tests.isolation.table import CASES, PUBLIC, Case

pytestmark = pytest.mark.asyncio(loop_scope="session")

_WITH_A_BODY = [case for case in CASES if case.body is not None]
_OF_THE_API = [case for case in CASES if case.path.startswith("/api/")]
_OWNER = BY_NAME["owner"]


@pytest.mark.parametrize("case", _WITH_A_BODY, ids=[case.route for case in _WITH_A_BODY])
async def test_a_forged_field_in_a_body_is_refused_by_name(stage: Stage, case: Case) -> None:
    declared = _declared(stage, case, "body")
    ask = await case.ask(stage, _OWNER)
    forged = {
        name: msgspec.structs.replace(ask, body={**(ask.body or {}), name: value})
        for name, value in _forgeries(stage).items()
        if name not in declared
    }
    await _refused(stage, case, forged)


@pytest.mark.parametrize("case", _OF_THE_API, ids=[case.route for case in _OF_THE_API])
async def test_a_forged_field_in_a_query_is_refused_by_name(stage: Stage, case: Case) -> None:
    declared = _declared(stage, case, "query")
    ask = await case.ask(stage, _OWNER)
    forged = {
        name: msgspec.structs.replace(ask, query={name: str(value)})
        for name, value in _forgeries(stage).items()
        if name not in declared
    }
    await _refused(stage, case, forged)


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
    endpoint = next(endpoint for endpoint in stage.world.app.endpoints if endpoint.route.name == case.route)
    shape = getattr(endpoint, part)
    return shape.__struct_fields__ if shape is not None else ()


async def _refused(stage: Stage, case: Case, forged: dict[str, Ask]) -> None:
    caller = stage.world.anonymous if case.needs is PUBLIC else stage.everything
    found: list[str] = []
    picture = await stage.picture()
    for name, ask in forged.items():
        wrong = faults(await stage.send(caller, ask), invalid(name))
        _, changed = await stage.changes(picture)
        wrong += [f"wrote to {table}" for table in changed]
        found += [f"{case.route} with {name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)
