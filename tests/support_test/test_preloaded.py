"""A forked command behaves as if it had been started by itself."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import preloaded
from tests.support.preloaded import Forked

ENVIRONMENT = {"GIVEN": "this alone"}


def start(folder: Path, *arguments: str) -> Forked:
    folder.mkdir(exist_ok=True)
    with (folder / "stdout").open("w") as stdout, (folder / "stderr").open("w") as stderr:
        return preloaded.start(
            "tests.support_test.forked_program", *arguments,
            env=ENVIRONMENT, cwd=str(folder), stdout=stdout, stderr=stderr,
        )  # fmt: skip


def facts(folder: Path) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while not (text := (folder / "stdout").read_text()).endswith("\n"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    found: dict[str, Any] = json.loads(text)
    return found


def test_a_command_has_what_it_was_given_and_nothing_of_ours(tmp_path: Path) -> None:
    assert start(tmp_path, "3", "two words").wait(60) == 3
    seen = facts(tmp_path)
    assert seen["arguments"] == ["3", "two words"]
    assert seen["folder"] == str(tmp_path)
    assert seen["environment"] == ENVIRONMENT
    assert seen["leads its session"]
    assert seen["descriptors"] == 4, "input, output, errors, and the folder that is listed"
    assert (tmp_path / "stderr").read_text() == "for the operator\n"


def test_two_commands_share_no_random_numbers(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    assert [command.wait(60) for command in [start(folder, "0") for folder in folders]] == [0, 0]
    one, two = (facts(folder)["random part of an id"] for folder in folders)
    assert one != two


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_a_command_and_the_others_go_on(tmp_path: Path, number: signal.Signals) -> None:
    ended, other = start(tmp_path / "ended", "wait"), start(tmp_path / "other", "wait")
    facts(tmp_path / "ended")
    facts(tmp_path / "other")
    with pytest.raises(subprocess.TimeoutExpired):
        ended.wait(0.01)
    ended.send_signal(number)
    assert ended.wait(60) == ended.poll() == -number
    assert other.poll() is None
    other.kill()
    assert other.wait(60) == -signal.SIGKILL
