"""The guide works as written, with the real mcp-server-time."""

import json
import re
import shutil
import sys
import time
from pathlib import Path

from tests.docs.walk import walk
from tests.support.served import Served

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "connect-mcp-servers.md"
PROGRAM = "/opt/mcp/bin/mcp-server-time"


def test_the_guide_works_as_written(tmp_path: Path) -> None:
    installed = shutil.which("mcp-server-time", path=Path(sys.executable).parent)
    assert installed, "run scripts/test, which installs it"
    found = re.search(r"```json\n(\{.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found and PROGRAM in found[1]
    file = tmp_path / "mcp.json"
    file.write_text(found[1].replace(json.dumps(PROGRAM), json.dumps(installed)))
    with Served({"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_MCP_SERVERS": str(file)}) as served:
        _wait_for_line(served, "the MCP server time is connected")
        assert walk(GUIDE, served.url) >= 4


def _wait_for_line(served: Served, line: str) -> None:
    deadline = time.monotonic() + 30
    while line not in served.logs:
        assert time.monotonic() < deadline, served.logs
        time.sleep(0.1)
