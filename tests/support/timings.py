"""Where the time of a whole run went: a table by folder and one by fixture, printed after it."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

FEWEST_TESTS = 1000
"""A part of the suite that somebody runs by hand is not worth a table."""
ROWS = 15
_SENT = "fixture_seconds"

Seconds = defaultdict[str, float]


class Timings:
    """One in every process of a run. Workers send what their fixtures took when they end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._tests = 0
        self._folders: Seconds = defaultdict(float)
        self._fixtures: Seconds = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        began = time.perf_counter()
        try:
            return (yield)
        finally:
            self._fixtures[fixturedef.argname] += time.perf_counter() - began

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._folders["/".join(report.nodeid.split("/")[:2])] += report.duration
        self._tests += report.when == "call"

    def pytest_sessionfinish(self) -> None:
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_SENT] = dict(self._fixtures)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker that crashed has sent nothing."""
        for name, seconds in getattr(node, "workeroutput", {}).get(_SENT, {}).items():
            self._fixtures[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._tests >= FEWEST_TESTS:
            for title, seconds in (("folder", self._folders), ("fixture", self._fixtures)):
                terminalreporter.section(f"seconds by {title}, all workers together")
                terminalreporter.write_line("\n".join(_rows(seconds)))


def _rows(seconds: Mapping[str, float]) -> list[str]:
    largest = sorted(seconds.items(), key=lambda row: -row[1])[:ROWS]
    return [f"{took:8.1f}  {name}" for name, took in largest]
