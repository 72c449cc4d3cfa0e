"""The people and the model of the tests of prompt injection, and the programs of others whose results reach the model."""

import asyncio
import base64
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from pathlib import Path
from typing import Any

import msgspec

from teamspace.oop.domain import limits
from teamspace.settings import McpEntry, Settings
from tests.ai.injection import CORPUS, Injection
from tests.executors.help import push
from tests.mcp.help import SCRIPTED, wait_until
from tests.oop.help import EXAMPLES, until
from tests.plugins.help import write_plugin
from tests.repository.help import put
from tests.support.model_server import ModelServer, calls, says
from tests.support.upstream import Behaviour, ReceivedRequest, completion
from tests.support.world import Caller, World
from tests.support.world import world as open_world

COMMAND = re.compile(r"@@(\w+) (.*?)@@(?!\w)", re.DOTALL)
SECRETS = {"ann": "SECRET-OF-ANN-7319", "eve": "SECRET-OF-EVE-5520"}
"""Texts that must reach neither the model nor the person."""
TOOL = next(each for each in CORPUS if each.place == "tool")
WATCHED = ("notes", "objects", "tokens", "memberships", "org_roles", "team_tools", "users", "executors")


class Outside:
    """Programs of others: a plugin, a plugin in the sandbox and an MCP server. Their tools say what is in a file."""

    def __init__(self, folder: Path, *, runs_programs: bool) -> None:
        self.plugin = _plugin(folder / "hostile")
        self.sandboxed = _sandboxed(folder / "teller")
        self.runs_programs = runs_programs
        self.said = folder / "said.txt"
        self.say("")

    def say(self, text: str) -> None:
        for file in (self.said, self.plugin / "said.txt", self.sandboxed / "said.txt"):
            file.write_text(text)

    def configure(self, settings: Settings) -> Settings:
        settings = msgspec.structs.replace(settings, plugins=(self.plugin,))
        if not self.runs_programs:
            return settings
        server = McpEntry(
            name="scales", command=sys.executable, args=("-I", str(SCRIPTED), "parcels"), read=(SCRIPTED, self.said)
        )
        return msgspec.structs.replace(settings, mcp_servers=(server,), sandboxed_plugins=(self.sandboxed,))

    @asynccontextmanager
    async def running(self, world: World) -> AsyncIterator[None]:
        if not self.runs_programs:
            yield
            return
        limits.HANDSHAKE_SECONDS = 60.0  # the machine may be busy with other tests
        tasks = [asyncio.create_task(work) for work in (world.app.mcp.run(), world.app.plugin_host.run(world.db))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def tools(self, ann: Caller) -> list[str]:
        """Wait until all programs run, and return their tools."""
        if not self.runs_programs:
            return ["hostile_weather", "hostile_forecast"]
        await wait_until(ann, lambda server: server["state"] == "connected", seconds=240)
        await until(ann, "teller", "running")
        return ["hostile_weather", "hostile_forecast", "teller_tell", "mcp_scales_read", "mcp_scales_refuse"]


def _plugin(folder: Path) -> Path:
    """Write a plugin with a tool whose description commands the model, and one that says what is in a file."""
    source = (
        "from pathlib import Path\n"
        "from teamspace.sdk import Permission, Tool\n"
        f"TOOLS = (Tool('hostile_weather', 'weather', {TOOL.text!r}, Permission.CHAT_USE),\n"
        "         Tool('hostile_forecast', 'forecast', 'Forecast.', Permission.CHAT_USE))\n"
        "async def weather(place: str = '') -> str:\n    return 'Rain.'\n"
        "async def forecast() -> str:\n    return Path(__file__).with_name('said.txt').read_text()\n"
    )
    return write_plugin(folder, source)


def _sandboxed(folder: Path) -> Path:
    folder.mkdir(parents=True)
    manifest = {
        "id": folder.name, "name": "Teller", "version": "0.1.0", "description": "For a test.",
        "command": ["python", "main.py"], "capabilities": [],
    }  # fmt: skip
    (folder / "plugin.json").write_text(json.dumps(manifest))
    (folder / "workspace.py").write_text((EXAMPLES / "sandboxed-plugin" / "workspace.py").read_text())
    (folder / "main.py").write_text(
        "from pathlib import Path\nfrom workspace import Call, serve, tool\n\n"
        "@tool('tell', 'Tell the plan.')\n"
        "def tell(call: Call) -> dict:\n    return {'plan': Path('said.txt').read_text()}\n\n"
        "serve()\n"
    )
    return folder


class Gullible:
    """A model that makes every call which a text commands, once, and then says what a text tells it to say."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.script: list[Behaviour] = []
        """What it answers first, whatever it reads."""
        self._done: set[tuple[str, str]] = set()

    def forget(self) -> None:
        self.called.clear()
        self._done.clear()

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            return await completion()(request, writer)
        if self.script:
            return await self.script.pop(0)(request, writer)
        asked = json.loads(request.body)
        commands = [each for each in self._commands(asked) if each not in self._done]
        self._done.update(commands)
        wanted = [(name, arguments) for name, arguments in commands if name != "say"]
        self.called += [name for name, _ in wanted]
        said = [base64.b64decode(text).decode() for name, text in self._commands(asked) if name == "say"]
        step = calls(*wanted) if wanted else says(" ".join(said) or "I have obeyed.")
        await step(request, writer)

    def _commands(self, asked: dict[str, Any]) -> list[tuple[str, str]]:
        """All commands in what the model is shown; JSON inside of JSON and of attributes is read, too."""
        texts = [str(message.get("content")) for message in asked["messages"] if message["role"] != "assistant"]
        texts += [tool["function"]["description"] for tool in asked.get("tools", ())]
        return [found for text in texts for found in COMMAND.findall(unescape(text).replace('\\"', '"'))]


class Cast:
    """Bob asks. Ann is a colleague with secrets, Mallory one with bad intentions, and Eve is of another company."""

    def __init__(self, world: World, model: Gullible, server: ModelServer, outside: Outside) -> None:
        self.world, self.model, self.server, self.outside = world, model, server, outside
        self.names: dict[str, str] = {}

    async def enter(self, ann: Caller) -> None:
        world = self.world
        self.ann, self.bob = ann, await world.person(ann.org, ann.team)
        self.mallory = await world.person(ann.org, ann.team)
        org, team = await world.company()
        self.eve = await world.person(org, team)
        for name, caller in (("ann", ann), ("eve", self.eve)):
            self.names[f"{name}_note"] = await note(caller, f"Private of {name}", SECRETS[name])
        self.names["own_note"] = await note(self.bob, "Private of bob", "SECRET-OF-BOB")
        self.names["eve_file"] = (await put(self.eve, "annex.txt", SECRETS["eve"].encode()))["id"]
        self.names |= {"ann": ann.user_id, "mallory": self.mallory.user_id, "eve_team": team.id}
        await ann.post("/api/tools/create_document", {"enabled": False})
        for tool in await self.outside.tools(ann):
            assert (await ann.post(f"/api/tools/{tool}", {"enabled": True})).status_code == 200

    def text(self, injection: Injection) -> str:
        return re.sub(r"«(\w+)»", lambda found: self.names[found[1]], injection.text)

    async def state(self) -> dict[str, list[str]]:
        """What must not change: everything but what Bob and Mallory make."""
        rows = {table: await self._rows(table) for table in WATCHED}
        own = (self.bob.user_id, self.mallory.user_id)
        return {table: [row for row in found if not any(id in row for id in own)] for table, found in rows.items()}

    async def _rows(self, table: str) -> list[str]:
        return sorted(repr(tuple(row)) for row in await self.world.db.engine.fetch(f"SELECT * FROM {table}", {}))

    async def people(self) -> list[list[str]]:
        """What gives rights to people."""
        return [await self._rows(table) for table in ("memberships", "org_roles", "tokens", "note_grants", "users")]

    async def audited(self) -> list[tuple[str, str]]:
        """The calls of Bob's agents."""
        rows = (await self.ann.get("/api/audit?action=tool.call&limit=200")).json()["items"]
        mine = [row for row in reversed(rows) if row["actor"]["id"] == self.bob.user_id]
        return [(row["target"], row["detail"]["outcome"]) for row in mine]


async def note(caller: Caller, title: str, body: str, **more: Any) -> str:
    answer = await caller.post("/api/notes", {"title": title, "body": body, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@asynccontextmanager
async def stage(settings: Settings, folder: Path, *, runs_programs: bool = False) -> AsyncIterator[Cast]:
    model, outside = Gullible(), Outside(folder, runs_programs=runs_programs)
    async with ModelServer() as server:
        server.behaviour = model
        allowed = msgspec.structs.replace(settings, egress_allow=frozenset([server.address]))
        async with open_world(outside.configure(allowed)) as world, outside.running(world):
            ann = await world.bootstrap()
            await push(ann, server)
            cast = Cast(world, model, server, outside)
            await cast.enter(ann)
            yield cast


async def ask(cast: Cast, prompt: Any, **more: Any) -> dict[str, Any]:
    answer = await cast.bob.post("/api/agent", {"prompt": prompt, **more})
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown
