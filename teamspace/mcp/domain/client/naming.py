"""Names of MCP tools in the toolbox: `mcp_<server>_<tool>`."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

MAX_NAME = 64
_HASH = 8


def to_registry_names(server: str, tools: Sequence[str]) -> list[str]:
    """Return a name for each tool. Names that are too long, or the same for several tools, end with a hash."""
    plain = [_normal(f"mcp_{server}_{tool}") for tool in tools]
    taken = Counter(plain)
    return [
        name if taken[name] == 1 and len(name) <= MAX_NAME else _with_hash(name, tool)
        for name, tool in zip(plain, tools, strict=True)
    ]


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", name.lower())


def _with_hash(name: str, tool: str) -> str:
    digest = hashlib.sha256(tool.encode(errors="replace")).hexdigest()[:_HASH]
    return f"{name[: MAX_NAME - _HASH - 1]}_{digest}"
