"""The workflow of the guide can be published, and does what the guide says."""

import re
from pathlib import Path

import msgspec

from tests.support.world import World
from tests.workflows.help import ended, publish, start, states, step_of, workflow_world

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "workflows.md"


async def test_the_workflow_of_the_guide(world: World) -> None:
    found = re.search(r"```json\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found
    async with workflow_world(world) as ann:
        await publish(ann, msgspec.json.decode(found[1]))
        run = await ended(
            ann, (await start(ann, "meeting-notes", {"meeting": "Budget", "topics": ["Rent", "Travel"]}))["id"]
        )
        assert run["state"] == "succeeded", run["error"]
        assert [item["result"]["title"] for item in step_of(run, "read")["items"]] == ["Rent", "Travel"]
        assert states(run) == {"any": "succeeded", "write": "succeeded", "read": "succeeded", "nothing": "skipped"}
        run = await ended(ann, (await start(ann, "meeting-notes", {"meeting": "Budget", "topics": []}))["id"])
        assert states(run) == {"any": "succeeded", "write": "skipped", "read": "skipped", "nothing": "succeeded"}
