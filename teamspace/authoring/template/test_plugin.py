"""Tests of My plugin on a real server; run them with `pytest`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from teamspace.sdk import testing


@pytest.fixture(scope="module")
def server() -> Iterator[testing.PluginServer]:
    with testing.server(Path(__file__).parent) as server:
        yield server


def test_its_tool_greets(server: testing.PluginServer) -> None:
    assert server.call_tool("my_plugin_greet", {"name": "Ann"}) == {"text": "Hello Ann"}
    with pytest.raises(testing.ToolRefused, match="Say who is greeted"):
        server.call_tool("my_plugin_greet", {"name": " "})


def test_its_route_greets(server: testing.PluginServer) -> None:
    path = "/api/x/my-plugin/greetings"
    assert server.post(path, {"name": "Ann"}).json() == {"text": "Hello Ann"}
    assert server.post(path, {"name": " "}).status == 400
    assert server.anonymous.post(path, {"name": "Ann"}).status == 401
    assert server.limited_to("notes:read").post(path, {"name": "Ann"}).status == 403


def test_its_job_greets(server: testing.PluginServer) -> None:
    assert server.run_job("x.my-plugin.greet", {"name": "Ann"}) == {"text": "Hello Ann"}


def test_its_bundle_is_for_signed_in_people(server: testing.PluginServer) -> None:
    path = "/api/x/my-plugin/bundle/index.js"
    assert server.get(path).body == (Path(__file__).parent / "bundle" / "index.js").read_bytes()
    assert server.anonymous.get(path).status == 401
