"""The client of the TypeScript SDK against a real server, as people with different rights."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hatch_build import find_node
from tests.support.served import Served
from tests.support.world import PASSWORD

pytestmark = pytest.mark.by_turns
SCRIPT = Path(__file__).parent / "everything/client.mjs"


def run_client(url: str, token: str) -> dict[str, Any]:
    """Return what the script's client has got."""
    command = [find_node(), str(SCRIPT), f"{url}/mcp", token]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    got: dict[str, Any] = json.loads(ended.stdout)
    return got


def test_each_person_gets_what_they_may(tmp_path: Path) -> None:
    with Served({"SERVICE_DATA": str(tmp_path / "data")}) as served:
        ann = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        bob = served.call("POST", "/api/members", {"username": "bob", "role": "viewer"}, token=ann)["token"]
        served.call("POST", "/api/notes", {"title": "Private", "body": "Of Ann alone"}, token=ann)
        served.call("POST", "/api/documents", {"title": "Plan", "body": "For all", "visibility": "team"}, token=ann)
        owner, viewer = run_client(served.url, ann), run_client(served.url, bob)
    for got in (owner, viewer):
        assert got["server"] == "teamspace"
        assert "Plan" in got["titles"] and any("For all" in text for text in got["texts"])
    assert owner["counted"]["structuredContent"] == {"words": 2}
    assert "create_note" in owner["tools"] and not owner["refused"]["isError"]
    assert {"Private", "Made by a client"} <= set(owner["titles"])
    assert "create_note" not in viewer["tools"]
    assert viewer["refused"]["isError"] and "notes:write" in viewer["refused"]["content"][0]["text"]
    assert "Private" not in viewer["titles"]
