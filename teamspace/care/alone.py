"""Work that no server may be in the way of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from teamspace.core.db.postgres import sole_user
from teamspace.core.db.sqlite import FolderLock
from teamspace.settings import Settings


@asynccontextmanager
async def alone(settings: Settings) -> AsyncIterator[None]:
    """Inside the block no server uses the database; one that runs already is a refusal."""
    if not settings.on_sqlite:
        async with sole_user(settings.database_url):
            yield
        return
    lock = FolderLock(settings.data)
    try:
        yield
    finally:
        lock.release()
