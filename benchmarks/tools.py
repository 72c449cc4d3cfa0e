"""Measure a call of one tool through each door: the function, the gate, HTTP, MCP, the sandbox; and through FastMCP.

The tool counts words. Doors take turns, round by round. Run from the top of the repository as `python -m
benchmarks.tools`; README.md explains the report.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from statistics import median
from typing import Any

import uvloop

from benchmarks import report
from benchmarks.load import Load, Result, request, run
from benchmarks.processes import Server, free_port
from benchmarks.subject import FIRST_USER, environment
from benchmarks.targets import call
from teamspace import tenancy
from teamspace.core.principal import Call
from teamspace.settings import load
from teamspace.tools import Toolbox, ToolContext
from tests.support.world import world

RESULTS = Path(__file__).parent / "results"
SANDBOXED = Path(__file__).parent / "sandboxed"
FASTMCP = "TOOLS_FASTMCP"
"""Environment variable: the virtual environment in which FastMCP is installed."""
TEXT = "Say some words about the weather in the north of the country. " * 4
CONNECTIONS = (1, 8)
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int
    seconds: float


FULL = Effort(rounds=5, seconds=3.0)
SHORT = Effort(rounds=1, seconds=0.5)


@dataclass(frozen=True)
class Door:
    name: str
    server: Server
    asked: bytes


# Over HTTP


def mcp_call(tool: str, token: str = "") -> bytes:
    params = {"name": tool, "arguments": {"text": TEXT}, "_meta": _META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers = {
        "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call", "Mcp-Name": tool,
    }  # fmt: skip
    return request("POST", "/mcp", token, body, headers)


def teamspace(folder: Path, stack: ExitStack) -> Iterator[Door]:
    port = free_port()
    settings = environment(folder / "data", port, "") | {"SERVICE_SANDBOXED_PLUGINS": str(SANDBOXED)}
    server = Server([sys.executable, "-m", "teamspace", "serve"], port, "/health", folder / "log", settings)
    stack.callback(server.stop)
    server.start()
    token = call(port, "POST", "/api/bootstrap", body=FIRST_USER)["token"]
    body = json.dumps({"text": TEXT}).encode()
    yield Door("HTTP", server, request("POST", "/api/x/example-tools/word-count", token, body))
    yield Door("MCP", server, mcp_call("word_count", token))
    if tool := find_sandboxed(port, token):
        call(port, "POST", f"/api/tools/{tool}", token, {"enabled": True})
        yield Door("MCP, sandboxed", server, mcp_call(tool, token))


def find_sandboxed(port: int, token: str) -> str | None:
    """Return the name of the sandboxed plugin's tool; None if this system has no sandbox."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        (plugin,) = call(port, "GET", "/api/oop", token)["items"]
        if plugin["tools"]:
            return str(plugin["tools"][0])
        if plugin["state"] in ("refused", "disabled"):
            break
        time.sleep(0.1)
    print(f"skipping the sandbox: {plugin['last_error']}")
    return None


def fastmcp(folder: Path, stack: ExitStack) -> Iterator[Door]:
    installed = os.environ.get(FASTMCP)
    if not installed:
        print(f"skipping FastMCP: python -m venv FOLDER && FOLDER/bin/pip install fastmcp, and set {FASTMCP}=FOLDER")
        return
    port = free_port()
    # Safe path: a module of the standard library is named like one of ours.
    command = [f"{installed}/bin/python", "-P", str(Path(__file__).parent / "fastmcp_server.py"), str(port)]
    # A GET is not part of the protocol; 405 says that it listens.
    server = Server(command, port, "/mcp", folder / "fastmcp.log", answers=frozenset({200, 400, 405, 406}))
    stack.callback(server.stop)
    server.start()
    yield Door("FastMCP", server, mcp_call("word_count"))


def measure(door: Door, connections: int, seconds: float) -> Result:
    seen = run(Load(door.server.port, repeat(door.asked), connections, seconds, server_cpu=door.server.cpu_seconds))
    if seen.errors:
        raise RuntimeError(f"{door.name}: {seen.errors} errors, first: {seen.first_error}")
    return seen


# In the process


async def in_process(folder: Path, seconds: float) -> dict[str, float]:
    """Return the microseconds of a call: of the function alone, and through the gate, which audits it."""
    settings = load({"SERVICE_DATA": str(folder)})
    async with world(settings) as instance:
        owner = await instance.bootstrap()
        who = await tenancy.act_for(instance.db, Call(), owner.user_id, owner.team.id)
        toolbox: Toolbox = instance.app.toolbox
        function = toolbox.find("word_count")
        parsed = function.arguments(TEXT)  # type: ignore[misc]

        async def through_gate() -> Any:
            return await toolbox.call(instance.db, who, "word_count", {"text": TEXT}, ToolContext("plugin"))

        return {
            "function": await time_calls(lambda: function.handler(arguments=parsed), seconds),
            "gate": await time_calls(through_gate, seconds),
        }


async def time_calls(function: Callable[[], Awaitable[Any]], seconds: float) -> float:
    calls, began = 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        await function()
        calls += 1
    return (time.perf_counter() - began) / calls * 1e6


# The report


def compare(folder: Path, effort: Effort) -> dict[str, Any]:
    facts: dict[str, Any] = {"machine": report.machine(), "effort": vars(effort)}
    runs: dict[str, dict[str, list[Result]]] = {}
    with ExitStack() as stack:
        doors = [*teamspace(folder, stack), *fastmcp(folder, stack)]
        for door in doors:
            measure(door, CONNECTIONS[-1], effort.seconds)  # compilers and caches need some hundred requests
        for _ in range(effort.rounds):
            for connections in CONNECTIONS:
                for door in doors:
                    seen = measure(door, connections, effort.seconds)
                    runs.setdefault(f"{connections} at a time", {}).setdefault(door.name, []).append(seen)
    operations = {name: {door: report.medians(seen) for door, seen in doors.items()} for name, doors in runs.items()}
    return facts | {"operations": operations, "ratios": {name: ratios(doors) for name, doors in operations.items()}}


def ratios(doors: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    peer = doors.get("FastMCP")
    return {} if peer is None else {
        f"{name}/FastMCP": {"p50": round(seen["p50_ms"] / peer["p50_ms"], 2), "cpu": round(seen["server_cpu_us"] / peer["server_cpu_us"], 2)}
        for name, seen in doors.items() if name != "FastMCP"
    }  # fmt: skip


def show(seen: dict[str, Any]) -> None:
    for name, micros in seen["in_process_us"].items():
        print(f"{'in the process':18}{name:18}{micros:10,.0f} us")
    for operation, doors in seen["operations"].items():
        for name, one in doors.items():
            print(
                f"{operation:18}{name:18}{one['p50_ms']:10.2f} ms{one['p99_ms']:10.2f} ms{one['server_cpu_us']:10,.0f} us CPU"
            )  # fmt: skip
    for operation, pairs in seen["ratios"].items():
        for pair, ratio in pairs.items():
            print(f"{operation:18}{pair:30}p50 {ratio['p50']:.2f}, CPU {ratio['cpu']:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="some seconds")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    effort = SHORT if options.short else FULL
    output = options.output or RESULTS / ("tools-short.json" if options.short else "tools.json")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        seen = compare(Path(folder), effort)
        rounds = [
            uvloop.run(in_process(Path(folder) / f"world{number}", effort.seconds)) for number in range(effort.rounds)
        ]
    seen["in_process_us"] = {name: round(median(one[name] for one in rounds), 1) for name in rounds[0]}
    show(seen)
    report.save(seen, output)


if __name__ == "__main__":
    main()
