"""What the handles ask of a database, and the three faults a caller may have to answer for."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from teamspace.core.db.dialect import Dialect

Row = Sequence[Any]
Params = Mapping[str, Any]


class Duplicate(Exception):
    """A unique index refused the row: somebody else was first."""


class AlreadyClaimed(Exception):
    """Another request has taken this idempotency key."""


class Collision(Exception):
    """Two transactions met and this one gave way (serialization failure, deadlock): run it again."""


class Session(Protocol):
    """One open transaction."""

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]: ...

    def savepoint(self) -> AbstractAsyncContextManager[None]: ...

    async def lock(self, name: str) -> None:
        """Wait until no other transaction holds `name`; held until this one ends."""
        ...


class Engine(Protocol):
    dialect: Dialect

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]: ...

    def transaction(self) -> AbstractAsyncContextManager[Session]:
        """Leaving the block returns when what was written is safe on disk."""
        ...

    async def script(self, sql: str) -> None:
        """Run a migration's statements in one transaction."""
        ...

    def migration_lock(self) -> AbstractAsyncContextManager[None]: ...

    async def integrity(self) -> Sequence[str]:
        """What the database itself finds wrong with its files."""
        ...

    async def close(self) -> None: ...
