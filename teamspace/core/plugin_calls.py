"""Calls of functions of plugins: within a deadline, and whatever they raise costs only the one request."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from teamspace.core.db import IdempotencyKeyTaken, SerializationFailure
from teamspace.core.errors import InternalError, Refusal
from teamspace.core.metrics import Metrics

T = TypeVar("T")
SECONDS, SLOW_SECONDS = 30.0, 600.0
log = logging.getLogger("teamspace")


class PluginGuard:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    async def call(
        self, plugin: str, what: str, function: Callable[[], Awaitable[T]], seconds: float | None = None
    ) -> T:
        """Call a function of a plugin, for at most SECONDS unless the caller says otherwise.

        Refusals pass, and conflicts of transactions, after which the caller may try again. Whatever else it raises is
        logged, counted and InternalError.
        """
        allowed = SECONDS if seconds is None else seconds
        try:
            async with asyncio.timeout(allowed) as limit:
                return await function()
        except (Refusal, IdempotencyKeyTaken, SerializationFailure):
            raise
        except (Exception, SystemExit) as fault:
            self._metrics.count_plugin_failure(plugin)
            if limit.expired():
                log.error("the plugin %s did not answer %s within %g seconds", plugin, what, allowed)
                raise InternalError("plugins.timeout", plugin=plugin, seconds=int(allowed)) from None
            log.exception("the plugin %s failed in %s", plugin, what)
            raise InternalError("plugins.failed", plugin=plugin) from fault
