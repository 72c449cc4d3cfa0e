"""Runs on real servers: killed in the middle of a map, no item is lost or done twice, and the run goes on."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.durability.leases import end_leases
from tests.support.served import Served, teamspace

PATIENCE = 90.0
ITEMS = 150
OPERATOR = {"username": "ann", "password": "a run that outlives its server"}
SPEC = {
    "slug": "notes", "start": "titles", "max_steps": 1000, "inputs": {"titles": {"type": "array"}},
    "steps": [
        {"id": "titles", "kind": "tool", "tool": "word_count", "with": {"text": "one two"}},
        {"id": "each", "kind": "map", "over": {"$ref": "input.titles"}, "tool": "create_note",
         "with": {"title": {"$ref": "item"}, "body": "Text"}},
        {"id": "again", "kind": "map", "over": {"$ref": "steps.each.output.results"}, "tool": "read_note",
         "with": {"id": {"$ref": "item.result.note_id"}}},
        {"id": "last", "kind": "tool", "tool": "word_count", "with": {"text": "done"}},
    ],
}  # fmt: skip


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url, "SERVICE_RATE_TOKEN": "0"}


def get(served: Served, path: str, token: str) -> dict[str, Any]:
    found: dict[str, Any] = served.call("GET", path, token=token)
    return found


def step_of(run: dict[str, Any], id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(step for step in run["steps"] if step["id"] == id)
    return found


async def reached(served: Served, token: str, run_id: str, step: str, items: int) -> None:
    """Wait until so many items of a step are done."""
    async with asyncio.timeout(PATIENCE):
        while True:
            run = get(served, f"/api/runs/{run_id}", token)
            if step_of(run, step)["succeeded"] >= items or run["state"] != "running":
                return
            await asyncio.sleep(0.01)


async def test_a_run_whose_server_is_killed_in_a_map_loses_and_repeats_nothing(settings: dict[str, str]) -> None:
    titles = [f"Note {number:03}" for number in range(ITEMS)]
    with Served(settings) as served:
        token = served.call("POST", "/api/bootstrap", OPERATOR)["token"]
        served.call("POST", "/api/workflows", SPEC, token)
        run_id = served.call("POST", "/api/workflows/notes/run", {"input": {"titles": titles}}, token)["id"]
        for step in ("each", "again"):
            await reached(served, token, run_id, step, ITEMS // 4)
            served.kill()
            if url := settings["SERVICE_DATABASE_URL"]:
                await end_leases(url)
            served.start()
        async with asyncio.timeout(PATIENCE):
            while True:
                run = get(served, f"/api/runs/{run_id}", token)
                if run["state"] != "running":
                    break
                await asyncio.sleep(0.1)
        assert (run["state"], run["error"], run["steps_used"]) == ("succeeded", None, 2 * ITEMS + 2)
        assert [step["state"] for step in run["steps"]] == ["succeeded"] * 4
        read = [item["result"]["title"] for item in step_of(run, "again")["items"]]
        assert read == titles, "the results are in the order of the items"
        notes, cursor = list[str](), ""
        while True:
            page = get(served, f"/api/notes?limit=200{cursor}", token)
            notes += [note["title"] for note in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert sorted(notes) == titles, "each note was created once"
    assert teamspace("doctor", settings=settings).returncode == 0
