"""Helpers to publish workflows, create triggers and read what they did."""

from typing import Any

from tests.support.world import Caller

FILE = "file"
"""A workflow that makes a note about the object."""


def spec(slug: str = FILE, *steps: dict[str, Any], **inputs: str) -> dict[str, Any]:
    """A workflow with these steps, by default one that creates a note; its inputs by name and type."""
    note = {"id": "note", "kind": "tool", "tool": "create_note", "with": {"title": "An upload"}}
    return {
        "format": 1, "slug": slug, "start": (steps or (note,))[0]["id"], "max_steps": 10,
        "inputs": {name: {"type": kind} for name, kind in inputs.items()}, "steps": list(steps or (note,)),
    }  # fmt: skip


async def publish(caller: Caller, slug: str = FILE, *steps: dict[str, Any], **inputs: str) -> None:
    answer = await caller.post("/api/workflows", spec(slug, *steps, **(inputs or {"object_id": "string"})))
    assert answer.status_code == 201, answer.text


async def add_trigger(caller: Caller, slug: str = FILE, **fields: Any) -> dict[str, Any]:
    answer = await caller.post("/api/doc-triggers", {"workflow_slug": slug, **fields})
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def history(caller: Caller, trigger: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    """The history, oldest first."""
    answer = await caller.get(f"/api/doc-triggers/{trigger['id']}{query}")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["history"]
    return rows[::-1]


async def reasons(caller: Caller, trigger: dict[str, Any]) -> list[str | None]:
    return [row["reason"] for row in await history(caller, trigger)]


async def change(caller: Caller, trigger: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer = await caller("PATCH", f"/api/doc-triggers/{trigger['id']}", fields)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


async def dry_test(caller: Caller, key: str, content_type: str = "") -> dict[str, str | None]:
    """The reason by the workflow of each trigger; None if it would fire."""
    query = f"?key={key}" + (f"&content_type={content_type}" if content_type else "")
    answer = await caller.get(f"/api/doc-triggers{query}")
    assert answer.status_code == 200, answer.text
    items = answer.json()["items"]
    assert all(item["would_fire"] == (item["reason"] is None) for item in items)
    return {item["workflow_slug"]: item["reason"] and item["reason"]["code"] for item in items}
