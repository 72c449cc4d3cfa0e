"""Tests that share something expensive stay on one worker, and the longest start first."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.scheduling import group_of, rank
from tests.support.touched import ROOT

MODULE = """\
import os, pytest
@pytest.mark.parametrize("number", range(20))
def test_it(number):
    print("worker", os.environ["PYTEST_XDIST_WORKER"])
"""
CONFTEST = """\
from tests.support.scheduling import Grouped
def pytest_xdist_make_scheduler(config, log):
    return Grouped(config, log)
"""


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/console/test_accessibility.py::test_screen[home-light]", "tests/console/test_accessibility.py"),
        ("tests/console/test_chat.py::test_stop[postgres]", "console postgres"),
        ("tests/console/test_chat.py::test_stop[sqlite]", "console first"),
        ("tests/console/test_live.py::test_tabs", "console second"),
        ("tests/isolation/test_matrix.py::test_it[postgres-GET /api/notes]", "isolation postgres"),
        ("tests/s3/test_clients.py::test_it[rclone-tls]", "s3 tls"),
        ("tests/s3/test_signing.py::test_postgres", "s3 sqlite"),
        ("tests/notes/test_routes.py::test_a_note[sqlite]", "tests/notes/test_routes.py"),
    ],
)
def test_a_test_has_the_group_of_what_it_shares(nodeid: str, group: str) -> None:
    assert group_of(nodeid) == group


def test_long_folders_start_first() -> None:
    files = ["tests/agents/test_agent.py", "tests/isolation/test_lists.py", "tests/console/test_chat.py"]
    assert sorted(files, key=rank) == files[::-1]


def test_workers_are_given_whole_groups(tmp_path: Path) -> None:
    """The scheduler is used in a real run, whatever the versions of pytest and pytest-xdist make of marks."""
    folder = tmp_path / "tests" / "notes"
    folder.mkdir(parents=True)
    for name in ("test_first.py", "test_second.py"):
        (folder / name).write_text(MODULE)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    options = ["-p", "xdist.plugin", "-n", "2", "-rP", "-p", "no:cacheprovider", f"--rootdir={tmp_path}"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-c", "/dev/null", str(folder)],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    workers = [line for line in run.stdout.splitlines() if line.startswith("worker ")]
    assert sorted(map(workers.count, set(workers))) == [20, 20], run.stdout
