"""Any MCP server is a plugin: one that is written with the official SDK."""

import json
from pathlib import Path

import pytest

from teamspace import sandbox
from teamspace.settings import Settings
from tests.oop.help import call, instance_with, turn_on

pytestmark = [
    pytest.mark.skipif(sandbox.find_tier() is None, reason="nothing on this system can contain a process"),
]
PROGRAM = """
from mcp.server import MCPServer

server = MCPServer("sums")


@server.tool()
def add(first: int, second: int) -> dict[str, int]:
    '''Add two numbers.'''
    return {"sum": first + second}


server.run()
"""


@pytest.mark.by_turns
async def test_a_server_of_the_official_sdk_is_a_plugin(
    settings: Settings, sqlite_template: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sums"
    folder.mkdir()
    manifest = {
        "id": "sums", "name": "Sums", "version": "1.0.0", "description": "Adds.", "command": ["python", "server.py"],
    }  # fmt: skip
    (folder / "plugin.json").write_text(json.dumps(manifest))
    (folder / "server.py").write_text(PROGRAM)
    async with instance_with(settings, sqlite_template, folder) as world:
        ann = await world.bootstrap()
        await turn_on(ann, "sums")
        assert await call(ann, "sums_add", first=2, second=3) == {"sum": 5}
        assert "/arguments/second" in (await call(ann, "sums_add", first=2, second="x"))["error"]
