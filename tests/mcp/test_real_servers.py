"""Real MCP servers, used by the agent: server-everything over stdio and over HTTP, and mcp-server-time."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hatch_build import find_node
from teamspace.settings import McpEntry, Settings
from tests.mcp.help import call_text, connected, turn_on, world_with
from tests.support.served import HOST, Served
from tests.support.world import PASSWORD, Caller

pytestmark = pytest.mark.by_turns
MODULES = Path(__file__).parent / "everything/node_modules"
EVERYTHING = MODULES / "@modelcontextprotocol/server-everything/dist/index.js"
ECHO = "mcp_everything_echo"


@pytest.fixture(scope="module")
def node() -> str:
    assert EVERYTHING.exists(), "run scripts/test, which installs it"
    return find_node()


@pytest.fixture(scope="module")
def http_port(node: str) -> Iterator[int]:
    """Where server-everything serves streamable HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    environment = {"PATH": os.environ["PATH"], "PORT": str(port)}
    command = [node, str(EVERYTHING), "streamableHttp"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for_port(port)
            yield port
        finally:
            process.kill()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


async def ask(caller: Caller, prompt: str) -> list[dict[str, Any]]:
    """Ask the agent, with the simulated model; return its steps."""
    answer = await caller.post("/api/agent", {"prompt": prompt})
    assert answer.status_code == 200, answer.text
    steps: list[dict[str, Any]] = answer.json()["steps"]
    return steps


async def check_agent(ann: Caller) -> None:
    """The agent uses tools of server-everything once the team has turned them on."""
    assert await ask(ann, f"Call {ECHO} with message: hello") == [], "it is off, so it is not offered"
    await turn_on(ann, ECHO, "mcp_everything_get_sum", "mcp_everything_get_structured_content")
    (step,) = await ask(ann, f'Call {ECHO} {{"message": "hello"}}')
    assert step["result"] == "Echo: hello", step
    (step,) = await ask(ann, 'Call mcp_everything_get_sum {"a": 2, "b": 3}')
    assert "5" in step["result"]
    (step,) = await ask(ann, 'Call mcp_everything_get_sum {"a": "two", "b": 3}')
    assert step["error"]["code"] == "invalid_request" and "/arguments/a" in step["error"]["message"]
    (step,) = await ask(ann, 'Call mcp_everything_get_structured_content {"location": "Chicago"}')
    assert set(step["result"]) == {"temperature", "conditions", "humidity"}


async def test_the_agent_uses_a_server_over_stdio(settings: Settings, sqlite_template: Path, node: str) -> None:
    entry = McpEntry(name="everything", command=node, args=(str(EVERYTHING), "stdio"), read=(MODULES,))
    async with world_with(settings, sqlite_template, entry) as (_, ann):
        assert (await connected(ann, "everything"))["sandbox"] in ("bubblewrap", "landlock")
        await check_agent(ann)
        await turn_on(ann, "mcp_everything_get_env", "mcp_everything_get_tiny_image")
        environment = json.loads(await call_text(ann, "mcp_everything_get_env"))
        assert not any(name.startswith(("SERVICE_", "PYTHON")) for name in environment), environment
        (step,) = await ask(ann, "Call mcp_everything_get_tiny_image {}")
        assert (step["artifact"]["kind"], step["artifact"]["content_type"]) == ("image", "image/png")
        image = await ann.get(f"/api/repo-obj/{step['artifact']['object_id']}/content")
        assert image.content.startswith(b"\x89PNG")


async def test_the_agent_uses_a_server_over_http(settings: Settings, sqlite_template: Path, http_port: int) -> None:
    entry = McpEntry(name="everything", url=f"http://127.0.0.1:{http_port}/mcp")
    allowed = frozenset({("127.0.0.1", http_port)})
    async with world_with(settings, sqlite_template, entry, egress_allow=allowed) as (_, ann):
        server = await connected(ann, "everything")
        assert (server["transport"], server["sandbox"]) == ("http", None)
        await check_agent(ann)


async def test_the_agent_uses_a_server_from_pypi(settings: Settings, sqlite_template: Path) -> None:
    program = shutil.which("mcp-server-time", path=Path(sys.executable).parent)
    assert program, "run scripts/test, which installs it"
    entry = McpEntry(name="time", command=program, args=("--local-timezone", "UTC"))
    async with world_with(settings, sqlite_template, entry) as (_, ann):
        await connected(ann, "time")
        await turn_on(ann, "mcp_time_convert_time")
        given = {"source_timezone": "Europe/Madrid", "time": "16:30", "target_timezone": "Asia/Tokyo"}
        (step,) = await ask(ann, f"Call mcp_time_convert_time {json.dumps(given)}")
        assert "Asia/Tokyo" in json.dumps(step["result"]), step


async def test_another_instance_is_a_server_too(settings: Settings, sqlite_template: Path, tmp_path: Path) -> None:
    """It speaks the generation of the protocol that has no handshake."""
    with Served({"SERVICE_DATA": str(tmp_path / "other")}) as other:
        token = other.call("POST", "/api/bootstrap", {"username": "bob", "password": PASSWORD})["token"]
        entry = McpEntry(name="other", url=f"{other.url}/mcp", headers={"Authorization": f"Bearer {token}"})
        allowed = frozenset({(HOST, other.port)})
        async with world_with(settings, sqlite_template, entry, egress_allow=allowed) as (_, ann):
            assert (await connected(ann, "other"))["protocol"] == "2026-07-28"
            await turn_on(ann, "mcp_other_create_note", "mcp_other_word_count")
            (step,) = await ask(ann, 'Call mcp_other_word_count {"text": "one two three"}')
            assert step["result"] == {"words": 3}
            (step,) = await ask(ann, 'Call mcp_other_create_note {"title": "From afar", "body": "Hello"}')
            assert "error" not in step, step
            (made,) = other.call("GET", "/api/notes", token=token)["items"]
            assert made["title"] == "From afar"
