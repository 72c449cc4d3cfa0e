"""Manifests, handshakes and shutdown: what is wrong with a plugin is shown, and the server goes on."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from teamspace import sandbox
from teamspace.oop.domain import finding, limits
from teamspace.sandbox import starting
from teamspace.settings import Settings
from tests.oop.help import call, copy_plugin, instance_with, report, turn_on, until

pytestmark = [
    pytest.mark.skipif(sandbox.find_tier() is None, reason="nothing on this system can contain a process"),
]
GOOD: dict[str, Any] = {
    "id": "good", "name": "Good", "version": "1.0.0", "description": "A plugin.", "command": ["python", "main.py"],
}  # fmt: skip


def write(folder: Path, program: str = "", **changes: Any) -> Path:
    folder.mkdir()
    (folder / "plugin.json").write_text(json.dumps(GOOD | {"id": folder.name} | changes))
    (folder / "main.py").write_text(program)
    return folder


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown capability": ({"capabilities": ["exec:x"]}, "there is no capability 'exec:x'"),
    "a capability twice": ({"capabilities": ["kv", "kv"]}, "listed twice"),
    "no command": ({"command": []}, "command"),
    "a command as text": ({"command": "python main.py"}, "command"),
    "unknown field": ({"entry": "plugin.py"}, "entry"),
    "bad id": ({"id": "Bad"}, "id"),
    "bad version": ({"version": "1"}, "version"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_manifest_has_a_reason(tmp_path: Path, name: str) -> None:
    changes, reason = BAD[name]
    (found,) = finding.find([write(tmp_path / "good", **changes)])
    assert reason in (found.fault or "")


def test_of_two_plugins_with_one_id_the_first_is_used(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a", id="same"), write(tmp_path / "b", id="same")
    assert [(each.folder, each.fault) for each in finding.find([first, second])] == [(first, None)]


HELLO = "import json, sys\nfor line in sys.stdin:\n  m = json.loads(line)\n  if 'id' not in m: continue\n  "


async def test_bad_plugins_are_shown_and_do_no_harm(
    settings: Settings, sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIRST_DELAY", 60.0)
    answer = "print(json.dumps({'id': m['id'], 'result': RESULT}), flush=True)"
    folders = {
        "refused": write(tmp_path / "refused", capabilities=["exec"]),
        "missing": write(tmp_path / "missing", command=["no-such-program"]),
        "ends": write(tmp_path / "ends", "import sys; sys.exit('no luck')"),
        "silent": write(tmp_path / "silent", "import os; os.close(1); import time; time.sleep(100)"),
        "toolless": write(tmp_path / "toolless", HELLO + answer.replace("RESULT", "7")),
        "odd": write(tmp_path / "odd", HELLO + answer.replace("RESULT", "{'tools': [{'name': 'a', 'inputSchema': {'type': 'string'}}, {'name': 'b c'}]}")),
    }  # fmt: skip
    async with instance_with(settings, sqlite_template, *folders.values()) as world:
        ann = await world.bootstrap()
        expected = {
            "refused": ("refused", "there is no capability 'exec'"),
            "missing": ("waiting", "there is no program no-such-program"),
            "ends": ("waiting", "has exited with 1: no luck"),
            "silent": ("waiting", "standard output" if sandbox.find_tier() == "landlock" else "handshake"),
            "toolless": ("waiting", "does not list its tools"),
            "odd": ("running", "odd_a: the schema is not one of an object"),
        }
        for plugin, (state, reason) in expected.items():
            found = await until(ann, plugin, state)
            assert reason in found["last_error"], plugin
        assert (await report(ann, "odd"))["tools"] == ["odd_b_c"]
        bob = await world.person(ann.org, ann.team)
        items = (await bob.get("/api/oop")).json()["items"]
        assert [item["id"] for item in items] == sorted(folders)
        assert "luck" not in str(items) and str(tmp_path) not in str(items)


async def test_a_handshake_has_a_deadline(settings: Settings, sqlite_template: Path, tmp_path: Path) -> None:
    async with instance_with(
        settings, sqlite_template, write(tmp_path / "mute", "import time; time.sleep(100)")
    ) as world:
        limits.HANDSHAKE_SECONDS = 1.0
        ann = await world.bootstrap()
        assert "handshake within 1 seconds" in (await until(ann, "mute", "waiting"))["last_error"]


async def test_without_a_sandbox_a_plugin_is_refused(
    settings: Settings, sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "find_tier", lambda: None)
    async with instance_with(settings, sqlite_template, copy_plugin(tmp_path, "hostile")) as world:
        ann = await world.bootstrap()
        found = await until(ann, "hostile", "refused")
        assert (found["sandbox"], "neither bubblewrap nor Landlock" in found["last_error"]) == (None, True)


async def test_a_plugin_is_started_when_walls_can_be_built_again(
    settings: Settings, sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "RETRY_SECONDS", 0.05)
    find_tier = starting.find_tier
    monkeypatch.setattr(starting, "find_tier", lambda: None)
    async with instance_with(settings, sqlite_template, copy_plugin(tmp_path, "hostile")) as world:
        ann = await world.bootstrap()
        await until(ann, "hostile", "refused")
        monkeypatch.setattr(starting, "find_tier", find_tier)
        assert (await until(ann, "hostile", "running"))["sandbox"] == sandbox.find_tier()


async def test_plugins_end_with_the_server(settings: Settings, sqlite_template: Path, tmp_path: Path) -> None:
    async with instance_with(settings, sqlite_template, copy_plugin(tmp_path, "hostile")) as world:
        ann = await world.bootstrap()
        await turn_on(ann, "hostile")
        assert await call(ann, "hostile_attack", code="result = 1") == {"result": 1}
        assert _running(tmp_path)
    for _ in range(100):
        if not _running(tmp_path):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it still runs")


def _running(folder: Path) -> list[str]:
    """Return the processes whose working folder is within a folder."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{process}/cwd").startswith(str(folder)):
                found.append(process)
        except OSError:
            continue
    return found
