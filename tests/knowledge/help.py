"""Helpers of the tests of the knowledge graph."""

from typing import Any

from teamspace import tenancy, tools
from teamspace.core.principal import Call, Principal
from tests.support.world import Caller

CONTEXT = tools.ToolContext("workflow")


async def principal(caller: Caller) -> Principal:
    return await tenancy.act_for(caller.world.db, Call(), caller.user_id, caller.team.id)


async def use(caller: Caller, tool: str, **arguments: Any) -> Any:
    """Call a tool as a workflow step does, with the caller's rights."""
    called = await caller.world.app.toolbox.call(caller.world.db, await principal(caller), tool, arguments, CONTEXT)
    return called.value


async def write(caller: Caller, title: str, body: str, visibility: str = "private") -> str:
    answer = await caller.post("/api/documents", {"title": title, "body": body, "visibility": visibility})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def learn(caller: Caller, title: str, body: str, visibility: str = "private") -> str:
    """Write a document and extract it."""
    document = await write(caller, title, body, visibility)
    await use(caller, "kg_extract", object=document)
    return document


async def entities(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    """All entities, page by page."""
    items: list[dict[str, Any]] = []
    while True:
        answer = await caller.get("/api/kg/entities", params=query)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        query["cursor"] = page["next_cursor"]


async def names(caller: Caller, **query: Any) -> list[str]:
    return [item["name"] for item in await entities(caller, **query)]


async def entity(caller: Caller, name: str, **query: Any) -> dict[str, Any]:
    """The entity with this name, whole: all pages of its documents."""
    (found,) = [item for item in await entities(caller) if item["name"] == name]
    return await get(caller, found["id"], **query)


async def get(caller: Caller, id: str, **query: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    while True:
        answer = await caller.get(f"/api/kg/entities/{id}", params=query)
        assert answer.status_code == 200, answer.text
        page: dict[str, Any] = answer.json()
        for part in ("timeline", "mentions", "relations"):
            page[part] = [*whole.get(part, []), *page[part]]
        whole = page
        if page["next_cursor"] is None:
            return whole
        query["cursor"] = page["next_cursor"]
