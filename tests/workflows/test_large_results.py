"""The longest result that a step may have, in its worst shape: neither steps nor readers hold the event loop."""

import msgspec
import pytest

from teamspace.workflows.domain.stepping import MAX_OUTPUT
from tests.mcp.help import loop_watched
from tests.support.world import World
from tests.workflows.help import call, choose, get_run, ref, run_to_end, spec, states, step_of, workflow_world

COUNT = 200_000
"""Small objects: far more work than a text of the same length."""


@pytest.mark.both_databases
async def test_a_result_of_the_greatest_length_does_not_hold_the_event_loop(world: World) -> None:
    size = len(msgspec.json.encode([{"n": number} for number in range(COUNT)]))
    assert 0.9 * MAX_OUTPUT < size <= MAX_OUTPUT
    raw = spec(
        "large",
        call("rows", "toy_rows", **{"with": {"count": COUNT}}),
        call("one", "toy_any", **{"with": {"value": ref("steps.rows.output.result.5")}}),
        choose("which", {"exists": ref("steps.rows.output.result.7")}, "whole", "whole"),
        call("whole", "toy_any", **{"with": {"value": ref("steps.rows.output.result")}}),
    )
    async with workflow_world(world) as ann:
        async with loop_watched():
            run = await run_to_end(ann, raw)
            shown = await get_run(ann, run["id"])
        assert set(states(shown).values()) == {"succeeded"}, shown["error"]
        assert step_of(shown, "one")["output"] == {"result": {"n": 5}}
        assert step_of(shown, "whole")["output"]["result"]["truncated"] >= size
