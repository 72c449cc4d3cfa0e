"""Every route, asked by every kind of caller."""

import pytest

from tests.isolation.contract import DEAD, KINDS, WORKER, Kind, held, scope
from tests.isolation.outcomes import faults
from tests.isolation.stage import Stage
from tests.isolation.table import CASES, Case, expected

pytestmark = pytest.mark.asyncio(loop_scope="session")

_PEOPLE = [kind for kind in KINDS if kind.credential not in (*DEAD, WORKER)]


@pytest.mark.parametrize("case", CASES, ids=[case.route for case in CASES])
async def test_every_caller_gets_what_the_contract_gives_them(stage: Stage, case: Case) -> None:
    asks = [(kind, await stage.caller(kind, case.needs.permission), await case.ask(stage, kind)) for kind in KINDS]
    found: list[str] = []
    picture = await stage.picture()
    for kind, caller, ask in asks:
        outcome = expected(case, kind)
        wrong = faults(await stage.send(caller, ask), outcome, public=case.cached)
        picture, changed = await stage.changes(picture)
        if changed and (outcome.refused or not case.writes):
            wrong.append(f"wrote to {', '.join(changed)}")
        found += [f"{case.route} x {kind.name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("kind", _PEOPLE, ids=[kind.name for kind in _PEOPLE])
async def test_whoami_tells_everybody_exactly_what_they_may_do(stage: Stage, kind: Kind) -> None:
    caller = await stage.caller(kind, "notes:read")
    told = (await caller.get("/api/whoami")).json()["permissions"]
    assert told == sorted(held(kind.roles) & scope(kind, "notes:read"))
