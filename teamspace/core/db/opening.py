"""Connect to the database of a URL."""

from pathlib import Path

from teamspace.core.db.engine import Engine
from teamspace.core.db.postgres import Postgres
from teamspace.core.db.sqlite import Sqlite


async def connect(url: str, *, sync: str = "full", pool: int = 10, shared: bool = False) -> Engine:
    """Return an engine for `sqlite:PATH` or `postgresql://...`; `shared` if this server has several processes."""
    scheme, _, rest = url.partition(":")
    if scheme == "sqlite":
        return Sqlite(Path(rest), sync=sync, shared=shared)
    return await Postgres.connect(url, pool=pool)
