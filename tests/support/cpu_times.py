"""CPU seconds by folder, by fixture and by test, with all processes that they start.

Unlike durations they hardly depend on what else the machine does. A full run prints the tables; `--cpu-times FILE`
writes every row of any run. With `-n 0` a test includes its share of PostgreSQL and SeaweedFS, which belong to the
process that controls the workers; with workers they have rows of their own. A fixture does not include servers that it
leaves running.
"""

import os
import resource
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

MIN_TESTS = 1000
"""Smaller runs print no table."""
ROWS = 15
_OUTPUT_KEY = "cpu_seconds"
_TICKS = os.sysconf("SC_CLK_TCK")

Seconds = defaultdict[str, float]


def used() -> float:
    """The CPU seconds of this process, of children that have ended, and of all descendants that are running."""
    return _used_here() + sum(map(used_by, _children(os.getpid())))


def _used_here() -> float:
    """Without the descendants that are running, which take a millisecond to find."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def used_by(pid: int) -> float:
    """The CPU seconds of a process and of all its descendants."""
    try:
        # Its name, in brackets, may contain spaces.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0  # it has ended, or this is no Linux
    return sum(map(int, fields[11:15])) / _TICKS + sum(map(used_by, _children(pid)))


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    except OSError:
        pass
    return found


class CpuTimes:
    """Runs in every pytest-xdist worker; workers send their fixture times when they end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._last = 0.0
        self._tests: Seconds = defaultdict(float)
        self._fixtures: Seconds = defaultdict(float)
        self.others: Seconds = defaultdict(float)
        """What belongs to no test."""

    def pytest_collection_finish(self) -> None:
        self._last = used()
        self.others["start and collection"] += self._last

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        started = _used_here()
        try:
            return (yield)
        finally:
            self._fixtures[fixturedef.argname] += _used_here() - started

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        """Runs after setup, call and teardown; a report's further attributes are sent with it."""
        report = yield
        now = used()
        # Less than before, if a process has ended that nobody waited for.
        report.cpu_seconds, self._last = max(0.0, now - self._last), now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._tests[report.nodeid] += getattr(report, "cpu_seconds", 0.0)

    def pytest_sessionfinish(self) -> None:
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_OUTPUT_KEY] = [dict(self._fixtures), dict(self.others)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add a worker's times; a crashed worker has sent none."""
        sent = getattr(node, "workeroutput", {}).get(_OUTPUT_KEY, ({}, {}))
        for sums, rows in zip((self._fixtures, self.others), sent, strict=True):
            for name, seconds in rows.items():
                sums[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tables = {"folder": self._by_folder() | self.others, "fixture": self._fixtures, "test": self._tests}
        if len(self._tests) >= MIN_TESTS:
            for title, seconds in tables.items():
                terminalreporter.section(f"CPU seconds by {title}, all workers together")
                terminalreporter.write_line("\n".join(_rows(seconds)[:ROWS]))
            terminalreporter.write_line(f"{sum(tables['folder'].values()):8.1f}  together")
        if file := self._config.getoption("cpu_times"):
            lines = (f"{title}\t{row}\n" for title, seconds in tables.items() for row in _rows(seconds))
            Path(file).write_text("".join(lines))

    def _by_folder(self) -> Seconds:
        folders: Seconds = defaultdict(float)
        for nodeid, seconds in self._tests.items():
            folders["/".join(nodeid.split("/")[:2])] += seconds
        return folders


def _rows(seconds: Mapping[str, float]) -> list[str]:
    return [f"{duration:8.2f}  {name}" for name, duration in sorted(seconds.items(), key=lambda row: -row[1])]
