"""Collects asyncio tasks that failed and whose exception nobody has retrieved: a reader or watcher that was forgotten."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_MESSAGE = "Task exception was never retrieved"


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text.startswith(_MESSAGE):
            self.found.append(text)


@contextmanager
def collected() -> Iterator[list[str]]:
    """The messages of asyncio, which name the coroutine, as the garbage collector finds the tasks."""
    collector, logger = _Collector(), logging.getLogger("asyncio")
    logger.addHandler(collector)
    try:
        yield collector.found
    finally:
        logger.removeHandler(collector)
