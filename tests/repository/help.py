"""Helpers to write, read, list and share objects."""

from typing import Any
from urllib.parse import quote

import httpx2

from tests.support.world import Caller

TEXT = b"The crane is back on Tuesday.\n"


async def send(caller: Caller, key: str, data: Any = TEXT, query: str = "", **headers: str) -> httpx2.Response:
    """Headers are keyword arguments with underscores."""
    http_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    path = quote(key).replace(".", "%2E")  # else the client would resolve ..
    return await caller("PUT", f"/api/repo/{path}{query}", content=data, headers=http_headers)


async def put(caller: Caller, key: str, data: Any = TEXT, query: str = "", **headers: str) -> dict[str, Any]:
    answer = await send(caller, key, data, query, **headers)
    assert answer.status_code in (200, 201), answer.text
    created: dict[str, Any] = answer.json()
    return created


async def fetch(caller: Caller, object_id: str, query: str = "", **headers: str) -> httpx2.Response:
    http_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return await caller.get(f"/api/repo-obj/{object_id}/content{query}", headers=http_headers)


async def keys(caller: Caller, query: str = "") -> list[str]:
    answer = await caller.get(f"/api/repo{query}")
    assert answer.status_code == 200, answer.text
    return [item["key"] for item in answer.json()["items"]]


async def share(
    caller: Caller, object_id: str, person: Caller, capability: str = "view", **more: Any
) -> dict[str, Any]:
    body = {"principal_type": "user", "principal_id": person.user_id, "capability": capability, **more}
    answer = await caller.post(f"/api/repo-obj/{object_id}/share", body)
    assert answer.status_code == 200, answer.text
    grants: dict[str, Any] = answer.json()
    return grants
