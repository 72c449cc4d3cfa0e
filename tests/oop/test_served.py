"""Sandboxed plugins of the real server: they run there, and end with it, however it ends."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from teamspace import sandbox
from teamspace.settings import Settings
from tests.oop.help import EXAMPLES
from tests.support.served import Served
from tests.support.world import PASSWORD

pytestmark = [
    pytest.mark.skipif(sandbox.find_tier() is None, reason="nothing on this system can contain a process"),
]


@pytest.mark.by_turns
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_plugin_runs_in_the_server_and_ends_with_it(settings: Settings, tmp_path: Path, end: str) -> None:
    # A folder of its own: other tests run the example, too.
    folder = Path(shutil.copytree(EXAMPLES / "sandboxed-plugin", tmp_path / "sandboxed-plugin"))
    environment = {
        "SERVICE_DATA": str(settings.data), "SERVICE_SANDBOXED_PLUGINS": str(folder),
        **({"SERVICE_DATABASE_URL": settings.database_url} if settings.database_url else {}),
    }  # fmt: skip
    with Served(environment) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]

        def item() -> dict[str, Any]:
            return dict(served.call("GET", "/api/oop", token=token)["items"][0])

        wait_until(lambda: item()["state"] == "running")
        assert item()["sandbox"] == sandbox.find_tier()
        grants = {"capabilities": ["clock", "kv"]}
        served.call("PUT", "/api/oop/sandboxed-plugin/grants", grants, token=token)
        served.call("POST", "/api/tools/sandboxed_plugin_greet", {"enabled": True}, token=token)
        params = {"name": "sandboxed_plugin_greet", "arguments": {"name": "Bob"}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = served.call("POST", "/mcp", request, token=token)
        assert answer["result"]["structuredContent"]["greeting"] == "Hello, Bob!"
        assert running(folder)
        served.stop() if end == "stop" else served.kill()
        wait_until(lambda: not running(folder))


def running(folder: Path) -> list[str]:
    """Return the processes that were started in a plugin's folder."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if Path(f"/proc/{process}/cwd").readlink() == folder:
                found.append(process)
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
