"""The connections of a PostgreSQL server process.

asyncpg's own pool makes a task, two timers and a future each time a connection is lent: a tenth of the time of a read.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import asyncpg

from teamspace.core.errors import Overloaded

WAIT_SECONDS = 5.0
"""How long to wait for a connection that is free or new."""
CLOSE_SECONDS = 2.0
IDLE_SECONDS = 300.0
"""How long a connection that nobody needs stays open."""


class _Idle(NamedTuple):
    connection: Any
    since: float


class Connections:
    """Lends up to `size` connections. The one that was used last is lent first, so that the others can be closed."""

    def __init__(self, connect: Callable[[], Awaitable[Any]], size: int) -> None:
        self._connect, self._size = connect, size
        self._count = 0
        """Those that are open, being opened, or being closed."""
        self._idle: deque[_Idle] = deque()
        self._lent: set[Any] = set()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closing: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Open the first connection, to see whether the database answers."""
        self._return(await self._open_one())

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Any]:
        """Lend a connection for the block; raise Overloaded if there is none for too long.

        One whose statement was interrupted is not lent again: the database may still be at it.
        """
        connection = self._take_idle() or await self._wait_for_one()
        self._lent.add(connection)
        try:
            yield connection
        except (TimeoutError, asyncio.CancelledError):
            self._discard(connection)
            raise
        except BaseException:
            self._return(connection)
            raise
        else:
            self._return(connection)
        finally:
            self._lent.discard(connection)

    async def close(self) -> None:
        """Close all connections. Those that are lent are dropped, and their transactions rolled back."""
        for connection in self._lent:
            connection.terminate()
        while self._idle:
            self._discard(self._idle.pop().connection)
        if self._closing:
            await asyncio.wait(self._closing)

    def _take_idle(self) -> Any:
        while self._idle:
            connection = self._idle.pop().connection
            if not connection.is_closed():
                return connection
            self._count -= 1
        return None

    async def _wait_for_one(self) -> Any:
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while (connection := self._take_idle()) is None:
                    if self._count < self._size:
                        return await self._open_one()
                    await self._wait_for_turn()
                return connection
        except TimeoutError:
            raise Overloaded("database.no_connection", 2) from None

    async def _wait_for_turn(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._wake()  # nobody else was told
            raise

    async def _open_one(self) -> Any:
        self._count += 1
        try:
            return await self._connect()
        except BaseException:
            self._count -= 1
            self._wake()
            raise

    def _return(self, connection: Any) -> None:
        if connection.is_closed():
            self._count -= 1
        else:
            now = asyncio.get_running_loop().time()
            self._idle.append(_Idle(connection, now))
            if now - self._idle[0].since > IDLE_SECONDS:
                self._discard(self._idle.popleft().connection)
        self._wake()

    def _wake(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def _discard(self, connection: Any) -> None:
        task = asyncio.get_running_loop().create_task(self._close(connection))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close(self, connection: Any) -> None:
        """Close a connection; asyncpg first has the database cancel what it is at."""
        try:
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
                await connection.close(timeout=CLOSE_SECONDS)
        finally:
            self._count -= 1
            self._wake()
