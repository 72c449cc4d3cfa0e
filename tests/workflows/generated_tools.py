"""The tools of random specs, for the real engine: they fail as planned, and note when they are called."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec

from teamspace.core.errors import NotFound, ToolFailed
from teamspace.core.permissions import Permission
from teamspace.core.tables import Tool
from teamspace.tools import ToolContext
from tests.workflows import specs

Item = tuple[str, int]
"""A step and an index."""


class Plan(msgspec.Struct):
    """What happens in one run."""

    failures: dict[Item, list[str]] = {}
    """What the next calls raise; `missing` never helps to repeat."""
    pauses: dict[Item, float] = {}
    log: list[tuple[str, Item]] = msgspec.field(default_factory=list)
    """`begin` and `end` of each call, in order."""

    def calls(self) -> list[Item]:
        return [item for event, item in self.log if event == "begin"]


PLANS: dict[str, Plan] = {}
"""By run. A call waits until its run has one."""

# fmt: off
TOOLS = (
    Tool("give",     "give",     "Return what it is given.",        Permission.WORKFLOWS_RUN),
    Tool("count_up", "count_up", "Return so many numbers.",         Permission.WORKFLOWS_RUN),
    Tool("join",     "join",     "Join two texts.",                 Permission.WORKFLOWS_RUN),
    Tool("pair",     "pair",     "Return two values as an object.", Permission.WORKFLOWS_RUN),
    Tool("length",   "length",   "Count characters or items.",      Permission.WORKFLOWS_RUN),
)
# fmt: on


async def give(value: Any, context: ToolContext) -> Any:
    return await _call(context, "give", value=value)


async def count_up(
    count: Annotated[int, msgspec.Meta(ge=0, le=1000)], context: ToolContext, start: int = 0
) -> list[int]:  # fmt: skip
    found: list[int] = await _call(context, "count_up", count=count, start=start)
    return found


async def join(first: str, second: str, context: ToolContext, separator: Literal["", "-", " "] = "") -> str:
    return str(await _call(context, "join", first=first, second=second, separator=separator))


async def pair(left: Any, right: Any, context: ToolContext) -> dict[str, Any]:
    found: dict[str, Any] = await _call(context, "pair", left=left, right=right)
    return found


async def length(of: str | list[Any], context: ToolContext) -> int:
    return int(await _call(context, "length", of=of))


async def _call(context: ToolContext, tool: str, **arguments: Any) -> Any:
    run_id, step, index = context.key.split(":")
    while run_id not in PLANS:  # noqa: ASYNC110 # the test learns the run's id after its first job can begin
        await asyncio.sleep(0.005)
    plan, item = PLANS[run_id], (step, int(index))
    plan.log.append(("begin", item))
    await asyncio.sleep(plan.pauses.get(item, 0))
    try:
        match plan.failures[item].pop(0) if plan.failures.get(item) else None:
            case "missing":
                raise NotFound()
            case "failed":
                raise ToolFailed("plugins.user_error", message="broken")
            case "crash":
                raise RuntimeError("a tool broke")
        return specs.TOOLS[tool](arguments)
    finally:
        plan.log.append(("end", item))
