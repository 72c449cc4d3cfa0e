"""Tools for tests of workflows: they count their calls, fail as often as they are told, and can be held."""

import asyncio
from collections import Counter
from typing import Any

from teamspace import quota
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, NotFound, ToolFailed
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import Tool
from teamspace.quota import QuotaAccount, Spend
from teamspace.tools import Artifact, ToolContext

CALLS: Counter[str] = Counter()
"""How often each toy was called with which key."""
FAILURES: dict[str, list[str]] = {}
"""What a toy raises in its next calls, by the text it is given."""
GATES: dict[str, asyncio.Event] = {}
"""A toy with this text waits for its gate."""
STARTED: dict[str, asyncio.Event] = {}

# fmt: off
TOOLS = (
    Tool("toy_range",   "count_up",  "Return the numbers below one.",             Permission.WORKFLOWS_RUN),
    Tool("toy_double",  "double",    "Double a number.",                          Permission.WORKFLOWS_RUN),
    Tool("toy_sum",     "add_up",    "Add up the results of a map.",              Permission.WORKFLOWS_RUN),
    Tool("toy_say",     "say",       "Return a text, or fail, or wait.",          Permission.WORKFLOWS_RUN),
    Tool("toy_fill",    "fill",      "Return a text of this length.",             Permission.WORKFLOWS_RUN),
    Tool("toy_rows",    "rows",      "Return so many small objects.",             Permission.WORKFLOWS_RUN),
    Tool("toy_any",     "anything",  "Return what it is given.",                  Permission.WORKFLOWS_RUN, only_documents=True),
    Tool("toy_spend",   "spend",     "Spend a request and some tokens.",          Permission.WORKFLOWS_RUN, estimate="estimate_spend"),
    Tool("toy_card",    "card",      "Return a card about a document.",           Permission.WORKFLOWS_RUN, artifacts=("document",), only_documents=True),
)
# fmt: on


def reset() -> None:
    for each in (CALLS, FAILURES, GATES, STARTED):
        each.clear()


async def count_up(below: int, context: ToolContext) -> list[int]:
    CALLS[context.key] += 1
    return list(range(below))


async def double(number: int, context: ToolContext) -> int:
    CALLS[context.key] += 1
    return 2 * number


async def add_up(results: list[dict[str, Any]], context: ToolContext) -> int:
    CALLS[context.key] += 1
    return sum(each["result"] for each in results)


async def say(text: str, context: ToolContext) -> str:
    CALLS[context.key] += 1
    STARTED.setdefault(text, asyncio.Event()).set()
    if text in GATES:
        await GATES[text].wait()
    if FAILURES.get(text):
        match FAILURES[text].pop(0):
            case "crash":
                raise RuntimeError("a toy broke")
            case "conflict":
                raise Conflict("jobs.finished")
            case "missing":
                raise NotFound()
            case "failed":
                raise ToolFailed("plugins.user_error", message="broken")
    return text


async def fill(length: int, context: ToolContext) -> str:
    CALLS[context.key] += 1
    return "x" * length


async def rows(count: int) -> list[dict[str, int]]:
    return await pools.TEXT.run(lambda: [{"n": number} for number in range(count)])


async def anything(value: Any, context: ToolContext) -> Any:
    CALLS[context.key] += 1
    return value


def estimate_spend(arguments: dict[str, Any]) -> Spend:
    return Spend(1, arguments["tokens"] if isinstance(arguments.get("tokens"), int) else 100)


async def spend(db: Db, who: Principal, tokens: int, context: ToolContext) -> int:
    async with db.maintenance(who) as tx:
        await quota.spend(tx, QuotaAccount.of(who), Spend(1, tokens), purpose="toy")
    assert who.call.meter is not None
    who.call.meter.add(1, tokens)
    CALLS[context.key] += 1
    if FAILURES.get("spend"):
        FAILURES["spend"].pop()
        raise ToolFailed("plugins.user_error", message="broken")
    return tokens


async def card(object: str, context: ToolContext) -> Artifact:
    CALLS[context.key] += 1
    if FAILURES.get("card") and FAILURES["card"].pop(0):
        raise ToolFailed("plugins.user_error", message="broken")
    return Artifact(kind="document", title="A card", object_id=object)
