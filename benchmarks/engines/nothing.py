"""A tool that does nothing."""

from teamspace.core.permissions import Permission
from teamspace.core.tables import Tool

TOOLS = (Tool("benchmark_nothing", "nothing", "Return a number.", Permission.CHAT_USE, only_documents=True),)


async def nothing(number: int) -> int:
    return number
