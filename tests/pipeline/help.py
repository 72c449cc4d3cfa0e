"""Helpers to call the tools of the document pipeline."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from teamspace import tenancy
from teamspace.core.principal import Call, Principal
from teamspace.tools import ToolContext
from tests.jobs.help import running, sweeping
from tests.support.world import Caller, World

INVOICE = b"""# Invoice

Invoice number: INV-2026-17
Date: 2026-03-05
Supplier: Harbour Cranes Ltd
Total: 1,250.50 EUR
"""
SCHEMA = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "supplier": {"type": "string"},
        "total": {"type": "number"},
    },
    "required": ["invoice_number", "total"],
}
FIELDS = {"invoice_number": "INV-2026-17", "date": "2026-03-05", "supplier": "Harbour Cranes Ltd", "total": 1250.5}


async def principal(caller: Caller) -> Principal:
    return await tenancy.act_for(caller.world.db, Call(), caller.user_id, caller.team.id)


async def call(caller: Caller, tool: str, key: str = "", **arguments: Any) -> Any:
    """Call a tool as an agent; with a key, as the step of a run."""
    context = ToolContext("workflow", key) if key else ToolContext("agent")
    world = caller.world
    return (await world.app.toolbox.call(world.db, await principal(caller), tool, arguments, context)).value


async def text_of(caller: Caller, object_id: str, query: str = "") -> str:
    answer = await caller.get(f"/api/repo-obj/{object_id}/content{query}")
    assert answer.status_code == 200, answer.text
    return answer.text


@asynccontextmanager
async def working(world: World) -> AsyncIterator[None]:
    """Run jobs, also those that are tried again after a while."""
    async with running(world), sweeping(world):
        yield


async def count(caller: Caller, table: str) -> int:
    return await caller.world.db.one(int, f"SELECT COUNT(*) FROM {table}") or 0


async def spent(caller: Caller) -> int:
    """Return how often models were called."""
    found = await caller.world.db.one(int, "SELECT COUNT(*) FROM audit WHERE action = 'ai.call'")
    return found or 0
