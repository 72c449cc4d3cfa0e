"""Helpers of the tests of the trash."""

from typing import Any, NamedTuple

import httpx2

from teamspace import wiring
from teamspace.tenancy.schemas import Role
from tests.support.world import Caller, World


class People(NamedTuple):
    """An owner of things and an admin, a member and a viewer of the team; a colleague of another team; a stranger."""

    owner: Caller
    admin: Caller
    member: Caller
    viewer: Caller
    colleague: Caller
    stranger: Caller


async def people(world: World) -> People:
    org, team = await world.company()
    other = await world.team(org)
    await world.person(org, team, Role.OWNER)
    far, far_team = await world.company()
    return People(
        await world.person(org, team, Role.MEMBER), await world.person(org, team, Role.ADMIN),
        await world.person(org, team, Role.MEMBER), await world.person(org, team, Role.VIEWER),
        await world.person(org, other, Role.MEMBER), await world.person(far, far_team, Role.OWNER),
    )  # fmt: skip


async def items(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    answer = await caller.get(f"/api/trash{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def titles(caller: Caller) -> list[str]:
    return [item["title"] for item in await items(caller)]


async def restore(caller: Caller, id: str, **body: Any) -> httpx2.Response:
    return await caller.post(f"/api/trash/{id}/restore", body)


async def write_note(caller: Caller, title: str = "Crane", **fields: Any) -> str:
    answer = await caller.post("/api/notes", {"title": title, "body": "The crane is late.", **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def write_document(caller: Caller, title: str = "Crane", **fields: Any) -> str:
    answer = await caller.post("/api/documents", {"title": title, "body": "The crane is late.", **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def view(caller: Caller, id: str) -> dict[str, Any]:
    """All that a caller is told of a thing, by every way that leads to it."""
    seen: dict[str, Any] = {}
    for path in (
        f"/api/notes/{id}", f"/api/documents/{id}", f"/api/repo-obj/{id}", f"/api/repo-obj/{id}/content",
        f"/api/repo-obj/{id}/content?version=1", f"/api/repo-obj/{id}/grants?effective=1",
        f"/api/repo-obj/{id}/derivations", f"/api/repo-obj/{id}/processing",
    ):  # fmt: skip
        answer = await caller.get(path)
        seen[path] = (answer.status_code, answer.text if answer.status_code < 300 else "")
    for path in (
        "/api/notes", "/api/notes?shared=1", "/api/documents", "/api/repo", "/api/repo?prefix=", "/api/repo?shared=1",
        "/api/search?q=crane", "/api/kg/entities",
    ):  # fmt: skip
        answer = await caller.get(path)
        seen[path] = [item for item in answer.json().get("items", []) if item["id"] == id]
        for item in seen[path]:
            item.pop("score", None)
    return seen


def is_unseen(seen: dict[str, Any]) -> bool:
    return all(value == [] or (isinstance(value, tuple) and value[0] == 404) for value in seen.values())


async def violations(world: World) -> list[str]:
    """Return the broken invariants, but for those of tenancy: these companies have no owners."""
    rows = [row for row in wiring.INVARIANTS if not row.name.startswith("tenancy.")]
    return [row.name for row in rows if await world.db.exists(row.sql)]
