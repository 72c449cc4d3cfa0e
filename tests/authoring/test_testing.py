"""`teamspace.sdk.testing`: a server for the tests of a plugin."""

from pathlib import Path

import pytest

from teamspace.sdk import testing
from tests.plugins.help import ROGUE, SAMPLE, write_plugin


def test_a_server_with_plugins() -> None:
    with testing.server(SAMPLE, ROGUE, settings={"SERVICE_BLOB_STORE": "sample-store"}) as server:
        assert server.call_tool("sample_sum", {"amounts": [{"value": 2}]}) == "2000"
        assert server.call_tool("sample_card", {"title": "Plan"})["title"] == "Plan"
        with pytest.raises(testing.ToolRefused, match="/arguments/amounts"):
            server.call_tool("sample_sum", {"amounts": 7})
        with pytest.raises(testing.ToolRefused, match="no such tool"):
            server.call_tool("no_such_tool")
        with pytest.raises(testing.ToolCrashed, match="The plugin rogue failed"):
            server.call_tool("rogue_crash")
        assert server.run_job("x.sample.shout", {"text": "hello"}) == {"text": "HELLO"}
        with pytest.raises(testing.JobFailed, match="internal_error"):
            server.run_job("x.rogue.leave", {"text": "hello"})
        assert server.get("/api/x/sample/greeting/Bob").json() == {"text": "Hello Bob, from operator"}
        assert server.anonymous.get("/api/x/sample/greeting/Bob").status == 401
        assert server.limited_to("notes:read").get("/api/x/sample/greeting/Bob").status == 403
        stored = server.request("PUT", "/api/repo/a.txt", content=b"few")
        assert stored.status == 201
        assert "the plugin rogue failed in the tool rogue_crash" in server.log
        process = server.process
    assert process.poll() is not None


@pytest.mark.parametrize(
    ("source", "settings", "reason"),
    [
        ("1 / 0", {}, "the plugin bad was not loaded: it cannot be loaded: ZeroDivisionError"),
        ("", {"SERVICE_BLOB_STORE": "tape"}, "the server did not start: .*SERVICE_BLOB_STORE: must be one of"),
    ],
)
def test_a_server_that_cannot_serve_says_why(
    tmp_path: Path, source: str, settings: dict[str, str], reason: str
) -> None:
    with (
        pytest.raises(testing.PluginTestError, match=reason),
        testing.server(write_plugin(tmp_path / "bad", source), settings=settings),
    ):
        pass
