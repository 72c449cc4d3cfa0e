"""Tools: functions that models, workflow steps and other programs call, and the gate that every call passes."""

from teamspace.tools.domain.binding import RUN_PREFIX, BoundTool, bind
from teamspace.tools.domain.calling import Toolbox
from teamspace.tools.domain.external import bind_external
from teamspace.tools.domain.once import create_once
from teamspace.tools.domain.passages import MAX_LENGTH, Find, Length, Passage, Start, cut
from teamspace.tools.schemas import Artifact, ToolContext, ToolResult
from teamspace.tools.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "MAX_LENGTH",
    "RUN_PREFIX",
    "Artifact",
    "BoundTool",
    "Find",
    "Length",
    "Passage",
    "Start",
    "ToolContext",
    "ToolResult",
    "Toolbox",
    "bind",
    "bind_external",
    "create_once",
    "cut",
]
