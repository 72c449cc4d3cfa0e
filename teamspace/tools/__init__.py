"""Tools: functions that models, workflow steps and other programs call, and the gate that every call passes."""

from teamspace.tools.domain.binding import BoundTool, bind
from teamspace.tools.domain.calling import Toolbox
from teamspace.tools.domain.switching import list_tools, switch_tool
from teamspace.tools.schemas import Artifact, TeamTool, ToolContext, ToolResult
from teamspace.tools.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "Artifact",
    "BoundTool",
    "TeamTool",
    "ToolContext",
    "ToolResult",
    "Toolbox",
    "bind",
    "list_tools",
    "switch_tool",
]
