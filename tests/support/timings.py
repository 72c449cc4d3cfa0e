"""Prints how long a full run took, by folder and by fixture."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

MIN_TESTS = 1000
"""Smaller runs print no table."""
ROWS = 15
_OUTPUT_KEY = "fixture_seconds"

Seconds = defaultdict[str, float]


class Timings:
    """Runs in every pytest-xdist worker; workers send their fixture times when they end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._tests = 0
        self._folders: Seconds = defaultdict(float)
        self._fixtures: Seconds = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        started = time.perf_counter()
        try:
            return (yield)
        finally:
            self._fixtures[fixturedef.argname] += time.perf_counter() - started

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._folders["/".join(report.nodeid.split("/")[:2])] += report.duration
        self._tests += report.when == "call"

    def pytest_sessionfinish(self) -> None:
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_OUTPUT_KEY] = dict(self._fixtures)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add a worker's fixture times; a crashed worker has sent none."""
        for name, seconds in getattr(node, "workeroutput", {}).get(_OUTPUT_KEY, {}).items():
            self._fixtures[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._tests >= MIN_TESTS:
            for title, seconds in (("folder", self._folders), ("fixture", self._fixtures)):
                terminalreporter.section(f"seconds by {title}, all workers together")
                terminalreporter.write_line("\n".join(_rows(seconds)))


def _rows(seconds: Mapping[str, float]) -> list[str]:
    largest = sorted(seconds.items(), key=lambda row: -row[1])[:ROWS]
    return [f"{duration:8.1f}  {name}" for name, duration in largest]
