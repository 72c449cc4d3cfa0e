"""Keeps one plugin running: starts it, restarts it after a while if it fails, and disables it if it keeps failing."""

import asyncio
import contextlib
import logging
import re
from collections import deque
from typing import Any

from teamspace import sandbox, tools
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.oop import store
from teamspace.oop.domain import limits, messages, programs
from teamspace.oop.domain.broker import Broker
from teamspace.oop.domain.calling import PluginCalls
from teamspace.oop.domain.programs import Channel
from teamspace.oop.domain.session import Ended, PluginFailed, PluginSession
from teamspace.oop.schemas import FoundPlugin, PluginState, PluginTool, SandboxedManifest, SandboxedPlugin
from teamspace.sandbox import SandboxUnavailable, Tier
from teamspace.tools import Toolbox

log = logging.getLogger("teamspace.oop")
_HIDDEN = "It has failed; an operator of the instance can see why."
_POLL_SECONDS, _END_SECONDS = 5.0, 1.0
_MAX_ERROR = 1000
"""In characters."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


class Keeper:
    """One plugin, whether it runs or not."""

    def __init__(
        self, found: FoundPlugin, manifest: SandboxedManifest, toolbox: Toolbox, broker: Broker, db: Db
    ) -> None:
        self.id, self.broker = found.id, broker
        self._found, self._manifest, self._toolbox, self._db = found, manifest, toolbox, db
        self._state: PluginState = "starting"
        self._tier: Tier | None = None
        self._started_at: str | None = None
        self._last_error: str | None = None
        self._restarts, self._crashes = 0, deque[float](maxlen=limits.CRASHES)
        self._delay = limits.FIRST_DELAY
        self._awake = asyncio.Event()

    @property
    def source(self) -> str:
        return f"oop:{self.id}"

    def report(self, granted: list[str], *, shows_errors: bool) -> SandboxedPlugin:
        hidden = self._last_error if shows_errors or self._last_error is None else _HIDDEN
        return SandboxedPlugin(
            id=self.id, name=self._manifest.name, version=self._manifest.version,
            description=self._manifest.description, state=self._state, sandbox=self._tier, last_error=hidden,
            restarts=self._restarts, started_at=self._started_at,
            tools=sorted(tool.name for tool in self._toolbox if tool.source == self.source),
            capabilities=self.broker.report(granted),
        )  # fmt: skip

    def wake(self) -> None:
        """Start the plugin again if it is disabled."""
        if self._state == "disabled":
            self._state = "starting"
            self._awake.set()

    # Its life

    async def run(self) -> None:
        """Keep the plugin running until cancelled."""
        while True:
            began = asyncio.get_running_loop().time()
            try:
                await self._run_once()
            except SandboxUnavailable as fault:
                await self._wait_for_walls(fault)
                continue
            except Exception as fault:
                if not isinstance(fault, (PluginFailed, OSError)):
                    log.exception("the plugin %s could not be run", self.id)
                self._last_error = _to_text(fault)
            finally:
                self._started_at = None
                self._toolbox.replace(self.source, ())
            log.error("the plugin %s has ended: %s", self.id, self._last_error)
            await self._pause(asyncio.get_running_loop().time() - began)

    async def _pause(self, ran: float) -> None:
        """Wait before the next start: twice as long as before, or until an operator decides."""
        now = asyncio.get_running_loop().time()
        self._crashes.append(now)
        if len(self._crashes) == limits.CRASHES and now - self._crashes[0] < limits.CRASH_SECONDS:
            self._state = "disabled"
            self._crashes.clear()
            await self._wait_for_operator()
            self._delay = limits.FIRST_DELAY
        else:
            if ran > limits.STEADY_SECONDS:
                self._delay = limits.FIRST_DELAY
            self._state = "waiting"
            await asyncio.sleep(self._delay)
            self._delay = min(2 * self._delay, limits.LONGEST_DELAY)
        self._state = "starting"
        self._restarts += 1

    async def _wait_for_walls(self, fault: SandboxUnavailable) -> None:
        """Wait before the next try to contain it: never without walls, but what fails now can work later."""
        if self._state != "refused":
            log.error("the plugin %s is not started: %s", self.id, fault)
        self._state, self._last_error = "refused", str(fault)
        await asyncio.sleep(sandbox.RETRY_SECONDS)

    async def _wait_for_operator(self) -> None:
        """Wait until the grants are written again, by this process or by another one."""
        self._awake.clear()
        before = await store.get_grants(self._db, self.id)
        while not self._awake.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._awake.wait()
            if await store.get_grants(self._db, self.id) != before:
                return

    async def _run_once(self) -> None:
        """Run the plugin; raise PluginFailed when it has ended."""
        async with programs.started(self._found, self._manifest) as (session, channel):
            self._tier = sandbox.find_tier()
            calls = PluginCalls(self.id, session, self.broker.tickets)
            work = (self._open(session, calls), _read(session), self._serve(channel), _wait(session))
            tasks: set[asyncio.Future[Any]] = {calls.failed, *map(asyncio.ensure_future, work)}
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
                ended = next(fault for task in done if (fault := task.exception()))
                self._state, self._last_error = "waiting", _to_text(ended)
                raise ended
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, channel: Channel) -> None:
        try:
            await self.broker.serve(*channel)
        except messages.BadPluginMessage as fault:
            raise PluginFailed(f"{fault} on descriptor {programs.BROKER}") from None
        except OSError:
            pass  # it has ended, which says why

    async def _open(self, session: PluginSession, calls: PluginCalls) -> None:
        try:
            async with asyncio.timeout(limits.HANDSHAKE_SECONDS):
                definitions = await session.open()
        except TimeoutError:
            raise PluginFailed(f"did not answer the handshake within {limits.HANDSHAKE_SECONDS:g} seconds") from None
        except Ended:
            return  # the end itself says why
        left_out = await self._offer(definitions, calls)
        self._started_at, self._state = clock.stamp(), "running"
        if left_out:
            self._last_error = f"left out: {'; '.join(left_out)}"[:_MAX_ERROR]

    async def _offer(self, definitions: list[PluginTool], calls: PluginCalls) -> list[str]:
        """Put the tools into the toolbox; return which were left out, and why."""
        bound, left_out = list[tools.BoundTool](), list[str]()
        for each in definitions:
            name, handler = _tool_name(self.id, each.name), calls.handler(each.name)
            try:
                tool = await tools.bind_external(self.source, name, each.description, each.input_schema, handler)
                bound.append(tool)
            except ValueError as fault:
                left_out.append(f"{name[:100]}: {fault}")
        taken = self._toolbox.replace(self.source, bound)
        return left_out + [f"{name}: there is another tool of this name" for name in taken]


async def _read(session: PluginSession) -> None:
    await session.read()
    await asyncio.sleep(_END_SECONDS)  # if it has ended, that says more
    raise PluginFailed("has closed its standard output")


async def _wait(session: PluginSession) -> None:
    code = await session.wait()
    raise PluginFailed(f"has exited with {code}" + (f": {session.last_words}" if session.last_words else ""))


def _tool_name(plugin: str, tool: str) -> str:
    """Return the name in the toolbox, where two plugins can have a tool of the same name."""
    return "_".join(_NOT_IN_NAMES.sub("_", name.lower()).strip("_") for name in (plugin, tool))


def _to_text(fault: BaseException) -> str:
    return str(fault)[:_MAX_ERROR]
