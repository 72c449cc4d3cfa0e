"""SERVICE_MCP_SERVERS: the configuration that MCP clients have, in the setting or in a file."""

import json
from pathlib import Path
from typing import Any

import pytest

from teamspace.settings import McpEntry, SettingsError, load


def read(text: str, **more: str) -> tuple[McpEntry, ...]:
    return load({"SERVICE_MCP_SERVERS": text, **more}, file=Path("/dev/null")).mcp_servers


def servers(**entries: Any) -> str:
    return json.dumps({"mcpServers": entries})


def test_programs_and_urls_are_read_from_the_setting_or_a_file(tmp_path: Path) -> None:
    text = servers(
        time={"command": "mcp-server-time", "args": ["--local-timezone", "UTC"], "env": {"A": "b"}, "network": True,
              "read": [str(tmp_path)], "write": [str(tmp_path)], "cwd": str(tmp_path)},
        docs={"type": "http", "url": "https://docs.example/mcp", "headers": {"Authorization": "Bearer x"}},
    )  # fmt: skip
    time, docs = read(text)
    assert (time.name, time.transport, time.args, time.network) == ("time", "stdio", ("--local-timezone", "UTC"), True)
    assert (time.read, time.write, time.cwd) == ((tmp_path,), (tmp_path,), tmp_path)
    assert (docs.name, docs.transport, docs.headers) == ("docs", "http", {"Authorization": "Bearer x"})
    file = tmp_path / "servers.json"
    file.write_text(text)
    assert read(str(file)) == (time, docs)
    assert read("") == ()


URL = "https://docs.example/mcp"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be JSON such as"),
        ("/no/such/file.json", "must be JSON, or the path of a file"),
        ("{}", "must be JSON such as"),
        (servers(a=7), "must be JSON such as"),
        (servers(a={}), "the server 'a': must have either a command or a url"),
        (servers(a={"command": "x", "url": URL}), "the server 'a': must have either a command or a url"),
        (servers(a={"command": "x"}, b={"command": ["x"]}), "the server 'b': Expected `str"),
        (servers(a={"command": "x", "netwrok": True}), "the server 'a': Object contains unknown field `netwrok`"),
        (servers(a={"command": "x", "args": "y"}), "the server 'a': Expected `array`"),
        (servers(a={"type": "sse", "url": URL}), "the server 'a': Invalid enum value 'sse'"),
        (servers(a={"type": "stdio", "url": URL}), "the server 'a': is not of the type stdio"),
        (servers(a={"url": "http://docs.example/mcp"}), "docs.example:80 must be listed in SERVICE_EGRESS_ALLOW"),
        (servers(a={"url": "https://10.0.0.1/mcp"}), "10.0.0.1:443 must be listed in SERVICE_EGRESS_ALLOW"),
        (servers(a={"url": "docs.example"}), "the server 'a': docs.example must be a URL"),
        (servers(a={"url": URL, "args": ["x"]}), "the server 'a': args, env, cwd, network, read and write are only"),
        (servers(a={"command": "x", "headers": {"a": "b"}}), "the server 'a': headers are only for a url"),
        (servers(a={"url": URL, "headers": {"a": "b\nc"}}), "the server 'a': the header 'a' must be ASCII"),
        (servers(a={"command": "x", "env": {"A=B": "c"}}), "the server 'a': 'A=B' cannot be an environment variable"),
        (servers(a={"command": "x", "read": ["relative"]}), "the server 'a': relative must be an absolute path"),
        (servers(a={"command": "x", "read": [7]}), "the server 'a': 7 must be a path"),
        (servers(a={"command": "x", "write": ["/no/such/folder"]}), "the server 'a': /no/such/folder must be"),
        (servers(**{"a\nb": {"command": "x"}}), "its name must be 1 to 40 letters"),
        (servers(**{"a b": {"command": "x"}, "a_b": {"command": "x"}}), "names that differ in letters or digits"),
        (servers(**{f"s{n}": {"command": "x"} for n in range(33)}), "at most 32 servers"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as fault:
        read(text)
    assert str(fault.value).startswith("SERVICE_MCP_SERVERS: ")
    assert message in str(fault.value)
    assert "\n" not in str(fault.value)
