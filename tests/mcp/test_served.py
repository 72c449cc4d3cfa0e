"""A real server process that starts MCP servers, and ends with them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.help import SCRIPTED
from tests.support.served import Served
from tests.support.world import PASSWORD

pytestmark = pytest.mark.by_turns


def _programs(mark: str) -> list[int]:
    """The processes with this text among their arguments."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            arguments = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in arguments:
            found.append(int(process))
    return found


def _wait_until_gone(mark: str) -> None:
    deadline = time.monotonic() + 10
    while _programs(mark):
        assert time.monotonic() < deadline, "the program has outlived its server"
        time.sleep(0.05)


@pytest.mark.parametrize("killed", [False, True])
def test_programs_end_with_the_server(tmp_path: Path, killed: bool) -> None:
    mark = f"of-{tmp_path.name}-{killed}"
    arguments = ["-I", str(SCRIPTED), "parcels", mark]
    entry = {"command": sys.executable, "args": arguments, "read": [str(SCRIPTED)]}
    servers = json.dumps({"mcpServers": {"scales": entry}})
    with Served({"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_MCP_SERVERS": servers}) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        _wait_until_connected(served, token)
        served.call("POST", "/api/tools/mcp_scales_weigh", {"enabled": True}, token=token)
        params = {"name": "mcp_scales_weigh", "arguments": {"amount": 3}}
        called = served.call(
            "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, token
        )
        assert called["result"]["content"][0]["text"] == 'weigh: {"amount": 3}'
        assert _programs(mark)
        assert served.process
        served.process.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
        assert served.process.wait(20) == (-signal.SIGKILL if killed else 0), served.logs
        _wait_until_gone(mark)


def _wait_until_connected(served: Served, token: str) -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while (server := served.call("GET", "/api/mcp", token=token)["items"][0])["state"] != "connected":
        assert time.monotonic() < deadline, server
        time.sleep(0.1)
    shown: dict[str, Any] = server
    return shown


def test_without_servers_the_sdk_is_not_imported() -> None:
    """It takes a second."""
    code = "import sys, teamspace.app; assert not {'mcp', 'mcp_types', 'pydantic'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_bad_entry_stops_the_start_with_one_line(tmp_path: Path) -> None:
    environment = {
        **os.environ, "SERVICE_DATA": str(tmp_path / "data"), "SERVICE_MCP_SERVERS": '{"mcpServers": {"scales": {}}}',
    }  # fmt: skip
    started = subprocess.run(
        [sys.executable, "-m", "teamspace", "serve"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert started.returncode != 0
    assert "SERVICE_MCP_SERVERS: the server 'scales': must have either a command or a url" in started.stderr
    assert len(started.stderr.splitlines()) == 1
