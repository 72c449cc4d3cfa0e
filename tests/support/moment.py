"""Moving the database's clock: SQLite's is the process's, PostgreSQL's is a function that can be replaced."""

from teamspace.core.db.dialect import POSTGRES
from teamspace.core.principal import system
from tests.support.world import World


async def move_clock(world: World, seconds: float) -> None:
    """From now on PostgreSQL's clock is so many seconds ahead. On SQLite moving `clock.now` is enough."""
    if world.db.dialect is not POSTGRES:
        return
    moved = POSTGRES.prelude.replace("statement_timestamp()", f"statement_timestamp() + interval '{seconds} seconds'")
    async with world.db.upkeep(system()) as tx:
        await tx.run(moved)
