"""Tools: functions that models, workflow steps and other programs call, and the gate that every call passes."""

from teamspace.tools.domain.binding import BoundTool, bind
from teamspace.tools.domain.calling import Toolbox
from teamspace.tools.schemas import Artifact, ToolContext, ToolResult
from teamspace.tools.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "Artifact",
    "BoundTool",
    "ToolContext",
    "ToolResult",
    "Toolbox",
    "bind",
]
