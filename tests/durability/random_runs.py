"""`python -m tests.durability.random_runs serve`: the server, with the tools of random specs.

Every call takes a moment, and the first call of some items fails; files in the data folder remember that across kills.
"""

import asyncio
import os
import zlib
from pathlib import Path
from typing import Any

from teamspace import cli, tools
from teamspace.core.errors import ToolFailed
from teamspace.core.loader import Package
from teamspace.core.plugin_calls import PluginGuard
from teamspace.jobs.domain import ending
from teamspace.tools import ToolContext
from tests.workflows import generated_tools, specs

SECONDS = 0.02

_begin = tools.Toolbox.__init__


def _begin_with_tools(toolbox: tools.Toolbox, guard: PluginGuard) -> None:
    _begin(toolbox, guard)
    bound, faults = tools.bind([generated_tools], {}, Package("tests.workflows.generated_tools"))
    assert not faults
    toolbox.add(bound)


async def _call(context: ToolContext, tool: str, **arguments: Any) -> Any:
    await asyncio.sleep(SECONDS)
    if zlib.crc32(context.key.encode()) % 4 == 0:
        _fail_once(Path(os.environ["SERVICE_DATA"], f"failed-{context.key.replace(':', '-')}"))
    return specs.TOOLS[tool](arguments)


def _fail_once(mark: Path) -> None:
    if not mark.exists():
        mark.touch()
        raise ToolFailed("plugins.user_error", message="broken")


if __name__ == "__main__":
    tools.Toolbox.__init__ = _begin_with_tools  # type: ignore[method-assign,assignment]
    generated_tools._call = _call
    ending.retry_delay = lambda failures: 0.05
    cli.main()
