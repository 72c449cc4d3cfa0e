"""The plugin of the guide works as it is written there."""

import re
from pathlib import Path

from teamspace.settings import Settings
from tests.plugins.help import world_with

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "plugins.md"


async def test_the_plugin_of_the_guide(settings: Settings, sqlite_template: Path, tmp_path: Path) -> None:
    blocks = dict(re.findall(r"```(json|python)\n(.*?)```", GUIDE.read_text(), re.DOTALL))
    (tmp_path / "plugin.json").write_text(blocks["json"])
    (tmp_path / "plugin.py").write_text(blocks["python"])
    async with world_with(settings, sqlite_template, tmp_path) as world:
        ann = await world.bootstrap()
        path = "/api/x/word-statistics/longest"
        assert (await ann.post(path, {"text": "a long word"})).json() == {"word": "long"}
        assert (await ann.post(path, {"text": " "})).json()["detail"] == "The text has no words."
        listed = {tool["name"]: tool["enabled"] for tool in (await ann.get("/api/tools")).json()["items"]}
        assert listed["longest_word"] is False
