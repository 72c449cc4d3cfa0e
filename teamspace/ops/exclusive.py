"""Exclusive access to an instance, for operations that need the server stopped."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from teamspace.core.db.postgres import exclusive_database
from teamspace.core.db.sqlite import FolderLock
from teamspace.settings import Settings


@asynccontextmanager
async def exclusive_access(settings: Settings) -> AsyncIterator[None]:
    """Keep servers from using the database during the block; raise if one is running."""
    if not settings.on_sqlite:
        async with exclusive_database(settings.database_url):
            yield
        return
    lock = FolderLock(settings.data)
    try:
        yield
    finally:
        lock.release()
