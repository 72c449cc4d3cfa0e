"""`teamspace plugin new` writes a plugin that passes its own tests and the check."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from teamspace import authoring
from tests.plugins.help import failures, load_folders
from tests.support.served import teamspace


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return teamspace("plugin", *arguments, settings={})


def test_a_new_plugin_passes_its_own_tests_and_the_check(tmp_path: Path) -> None:
    made = run("new", "harbour-bell", "--folder", str(tmp_path))
    folder = tmp_path / "harbour-bell"
    assert (made.returncode, made.stderr) == (0, "")
    written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert written == {"README.md", "bundle/index.js", "plugin.json", "plugin.py", "test_plugin.py"}
    assert made.stdout.splitlines()[-1] == f"next: teamspace plugin check {folder}"
    assert all(f"wrote {folder / name}" in made.stdout for name in written)
    assert json.loads((folder / "plugin.json").read_text())["name"] == "Harbour bell"
    texts = [path.read_text().lower() for path in folder.rglob("*") if path.is_file()]
    assert not [text for text in texts if re.search("my.plugin", text)]

    checked = run("check", str(folder))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "the tool harbour_bell_greet answers calls" in checked.stdout
    assert "the route POST /api/x/harbour-bell/greetings answers 403 without chat:use" in checked.stdout
    assert "the job kind x.harbour-bell.greet does jobs" in checked.stdout
    assert "the file bundle/index.js is served to signed-in people only" in checked.stdout

    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", "/dev/null", str(folder)],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    assert tested.returncode == 0 and "4 passed" in tested.stdout, tested.stdout + tested.stderr


@pytest.mark.parametrize(
    "name", ["", "Greeter", "1st", "-a", "a_b", "a b", "../a", "a/b", "é", "x" * 65, ".", "a.b", "a\n"], ids=repr
)
def test_a_bad_name_is_refused_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(authoring.AuthoringError, match="must be lower-case letters, digits and hyphens"):
        authoring.create(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["shipped", "rs3", "example-tools"])
def test_the_name_of_something_of_ours_is_refused(tmp_path: Path, name: str) -> None:
    refused = run("new", name, "--folder", str(tmp_path))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert (
        refused.stderr == f"teamspace: {name} is the name of something that ships with the server; choose another one\n"
    )


@pytest.mark.parametrize("kind", ["file", "empty folder", "folder", "broken link"])
def test_nothing_is_overwritten(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "greeter"
    if kind == "file":
        target.write_text("mine")
    elif kind == "broken link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        target.mkdir()
    if kind == "folder":
        (target / "plugin.py").write_text("mine")
    before = {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(authoring.AuthoringError, match="exists already; nothing was written"):
        authoring.create("greeter", tmp_path)
    assert {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["a", "a-", "a--b", "x" * 64, "class", "test-1"])
def test_any_valid_name_makes_a_plugin_that_is_loaded(tmp_path: Path, name: str) -> None:
    authoring.create(name, tmp_path)
    assert failures(load_folders(tmp_path / name)) == {}
