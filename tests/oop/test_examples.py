"""The examples work as their guide says, and are not loaded by default."""

import filecmp
import json
import re
from pathlib import Path

import pytest

from teamspace import sandbox
from teamspace.settings import Settings
from tests.oop.help import EXAMPLES, call, grant, instance_with, report, turn_on
from tests.support.world import World

pytestmark = [
    pytest.mark.skipif(sandbox.find_tier() is None, reason="nothing on this system can contain a process"),
]
GUIDE = EXAMPLES.parent / "docs" / "guides" / "sandboxed-plugins.md"


async def test_there_are_no_sandboxed_plugins_by_default(world: World) -> None:
    ann = await world.bootstrap()
    assert (await ann.get("/api/oop")).json() == {"items": []}


async def test_the_examples_work(settings: Settings, sqlite_template: Path) -> None:
    async with instance_with(settings, sqlite_template, EXAMPLES / "sandboxed-plugin", EXAMPLES / "briefing") as world:
        ann = await world.bootstrap()
        await turn_on(ann, "sandboxed-plugin")
        assert await call(ann, "sandboxed_plugin_greet", name="Bob") == {"error": "No operator has granted kv."}
        await grant(ann, "sandboxed-plugin", "clock", "kv")
        greeted = [await call(ann, "sandboxed_plugin_greet", name="Bob") for _ in range(2)]
        assert [(each["greeting"], each["greetings"]) for each in greeted] == [("Hello, Bob!", 1), ("Hello, Bob!", 2)]
        assert await call(ann, "sandboxed_plugin_greet", name=" ") == {"error": "Nobody has an empty name."}
        assert "/arguments" in (await call(ann, "sandboxed_plugin_greet", name="x" * 101))["error"]

        await turn_on(ann, "briefing")
        await grant(ann, "briefing", "search", "notes.read", "ai.chat", "kv")
        assert "no notes" in (await call(ann, "briefing_brief", subject="ships"))["error"]
        note = (await ann.post("/api/notes", {"title": "Fleet", "body": "Twelve ships"})).json()
        first, second = [await call(ann, "briefing_brief", subject="ships") for _ in range(2)]
        assert first == second and first["summary"]
        assert first["notes"] == [{"id": note["id"], "title": "Fleet"}]
        uses = {use["name"]: use["used"] for use in (await report(ann, "briefing"))["capabilities"]}
        assert (uses["ai.chat"], uses["search"]) == (1, 3)


def test_the_guide_shows_the_template() -> None:
    manifest, program = re.findall(r"```(?:json|python)\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    folder = EXAMPLES / "sandboxed-plugin"
    assert json.loads(manifest) == json.loads((folder / "plugin.json").read_text())
    assert program in (folder / "main.py").read_text()
    assert filecmp.cmp(folder / "workspace.py", EXAMPLES / "briefing" / "workspace.py", shallow=False)
