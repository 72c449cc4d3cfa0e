"""Moving the database's clock: SQLite's is the process's, PostgreSQL's is a function that can be replaced."""

from teamspace.core.db.dialect import POSTGRES
from teamspace.core.principal import system
from tests.support.world import World


async def move_clock(world: World, seconds: float) -> None:
    """From now on PostgreSQL's clock is so many seconds ahead. On SQLite moving `clock.now` is enough."""
    await _replace_clock(world, f"statement_timestamp() + interval '{seconds} seconds'")


async def stop_clock(world: World, at: float) -> None:
    """From now on PostgreSQL's clock stands at this moment."""
    await _replace_clock(world, f"to_timestamp({at})")


async def _replace_clock(world: World, now: str) -> None:
    if world.db.dialect is POSTGRES:
        async with world.db.maintenance(system()) as tx:
            await tx.run(POSTGRES.prelude.replace("statement_timestamp()", now))
