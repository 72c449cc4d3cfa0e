"""Every list refuses a cursor that this server did not sign."""

import pytest

from teamspace.core import paging
from teamspace.core.ids import new_id
from tests.identity.help import refusal
from tests.support.world import World


async def paged_routes(world: World) -> list[str]:
    """The lists of the API description whose addresses are complete, with the parameters they need."""
    paths = (await world.anonymous.get("/api/openapi.json")).json()["paths"]
    lists = []
    for path, operations in paths.items():
        parameters = operations.get("get", {}).get("parameters", ())
        if "{" not in path and any(parameter["name"] == "cursor" for parameter in parameters):
            required = [f"{each['name']}=en&" for each in parameters if each.get("required")]
            lists.append(f"{path}?{''.join(required)}")
    return lists


@pytest.mark.both_databases
async def test_an_unsigned_cursor_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    routes = await paged_routes(world)
    assert {"/api/notes?", "/api/repo?", "/api/jobs?", "/api/audit?", "/api/search?q=en&"} <= set(routes)
    cursor = paging.encode_cursor(new_id())
    forged = f"{cursor}.{paging.sign_cursor(world.db.vault, paging.encode_cursor('another'))[-22:]}"
    for route in routes:
        for sent in (cursor, f"{cursor}.", forged):
            answer = await ann.get(f"{route}cursor={sent}")
            assert refusal(answer) == (400, "invalid_request"), route
            assert answer.json()["errors"][0]["pointer"] == "cursor", route
