"""The workflow `index-knowledge`, from the request to the graph."""

import pytest

from tests.knowledge.help import names, write
from tests.support.world import World
from tests.workflows.help import ended, workflow_world

pytestmark = pytest.mark.both_databases


async def test_a_run_extracts_what_was_not_extracted_yet(world: World) -> None:
    async with workflow_world(world) as ann:
        for number in range(3):
            await write(ann, f"Story {number}", f"Marta Keller met Ida Holm{'s' * number}.")
        previewed = (await ann.post("/api/kg/extract", {"dry_run": True})).json()
        assert (previewed["dry_run"], previewed["documents"], previewed["estimate"]["requests"]) == (True, 3, 3)
        answer = await ann.post("/api/kg/extract")
        assert (answer.status_code, answer.json()["slug"]) == (202, "index-knowledge"), answer.text
        run = await ended(ann, answer.json()["id"])
        assert run["state"] == "succeeded", run
        results = [item["result"] for item in run["steps"][1]["items"]]
        assert [(result["entities"], result["mentions"]) for result in results] == [(2, 2)] * 3
        assert await names(ann) == ["Ida Holm", "Ida Holms", "Ida Holmss", "Marta Keller"]
        again = await ended(ann, (await ann.post("/api/kg/extract")).json()["id"])
        assert (again["state"], again["steps"][0]["output"]) == ("succeeded", {"result": []})
