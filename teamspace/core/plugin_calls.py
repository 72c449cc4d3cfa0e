"""Calls of functions of plugins: within a deadline, and whatever they raise costs only the one request."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from teamspace.core.db import IdempotencyKeyTaken, retry_on_conflict
from teamspace.core.errors import InternalError, Refusal
from teamspace.core.metrics import Metrics

T = TypeVar("T")
SECONDS = 30.0
log = logging.getLogger("teamspace")


class PluginGuard:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    async def call(self, plugin: str, what: str, function: Callable[[], Awaitable[T]]) -> T:
        """Call a function of a plugin. Refusals pass; whatever else it raises is logged, counted and InternalError."""
        try:
            async with asyncio.timeout(SECONDS) as limit:
                return await retry_on_conflict(function)
        except (Refusal, IdempotencyKeyTaken):
            raise
        except (Exception, SystemExit) as fault:
            self._metrics.count_plugin_failure(plugin)
            if limit.expired():
                log.error("the plugin %s did not answer %s within %g seconds", plugin, what, SECONDS)
                raise InternalError("plugins.timeout", plugin=plugin, seconds=int(SECONDS)) from None
            log.exception("the plugin %s failed in %s", plugin, what)
            raise InternalError("plugins.failed", plugin=plugin) from fault
