"""`python -m tests.ai.halting serve`: the server, which halts an agent between the effect of a tool and its stored step.

Only the first attempt of a run whose tool was `create_note`: a kill then hits exactly this moment.
"""

import asyncio
from typing import Any

from teamspace import cli
from teamspace.agents.domain.loop import Loop
from teamspace.agents.schemas import ToolStep

_save = Loop._save


async def _halt_after_a_note(self: Loop, who: Any, step: Any) -> None:
    if self._work.attempt == 1 and isinstance(step, ToolStep) and step.step.tool == "create_note":
        await asyncio.sleep(600)
    await _save(self, who, step)


if __name__ == "__main__":
    Loop._save = _halt_after_a_note  # type: ignore[method-assign]
    cli.main()
