"""The plugin of the guide works as it is written there, from `plugin new` to `plugin check`."""

import re
import subprocess
import sys
from pathlib import Path

from teamspace.settings import Settings
from tests.plugins.help import world_with, write_plugin
from tests.support.served import teamspace

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "plugins.md"
_FILE = re.compile(r"^`([\w.]+)`[^\n]*\n\n```\w+\n(.*?)```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^    teamspace (plugin .*)$", re.MULTILINE)


def write_files(folder: Path) -> None:
    files = dict(_FILE.findall(GUIDE.read_text()))
    assert set(files) == {"plugin.json", "plugin.py", "test_plugin.py"}
    for name, text in files.items():
        (folder / name).write_text(text)


def test_the_commands_of_the_guide(tmp_path: Path) -> None:
    new, check = (command.split() for command in _COMMAND.findall(GUIDE.read_text()))
    assert (new, check) == (["plugin", "new", "word-statistics"], ["plugin", "check", "word-statistics"])
    folder = tmp_path / "word-statistics"
    assert teamspace(*new, "--folder", str(tmp_path), settings={}).returncode == 0
    write_files(folder)
    checked = teamspace("plugin", "check", str(folder), settings={})
    assert checked.returncode == 0, checked.stdout + checked.stderr
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", "/dev/null")
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)], capture_output=True, text=True, check=False, cwd=folder
    )
    assert tested.returncode == 0 and "1 passed" in tested.stdout, tested.stdout + tested.stderr


async def test_the_sign_up_page_of_the_guide(settings: Settings, sqlite_template: Path, tmp_path: Path) -> None:
    (source,) = re.findall(
        r"```python\n(from teamspace.sdk import OnboardingExperience.*?)```", GUIDE.read_text(), re.DOTALL
    )
    folder = write_plugin(tmp_path / "word-statistics", source)
    async with world_with(settings, sqlite_template, folder) as world:
        await world.bootstrap()
        shown = (await world.anonymous.get("/api/beta/config", params={"locale": "de"})).json()
        assert shown["copy"]["title"] == "Zähl Wörter mit uns"


async def test_the_plugin_of_the_guide(settings: Settings, sqlite_template: Path, tmp_path: Path) -> None:
    folder = tmp_path / "word-statistics"
    folder.mkdir()
    write_files(folder)
    async with world_with(settings, sqlite_template, folder) as world:
        ann = await world.bootstrap()
        path = "/api/x/word-statistics/longest"
        assert (await ann.post(path, {"text": "a long word"})).json() == {"word": "long"}
        assert (await ann.post(path, {"text": " "})).json()["detail"] == "The text has no words."
        listed = {tool["name"]: tool["enabled"] for tool in (await ann.get("/api/tools")).json()["items"]}
        assert listed["longest_word"] is False
