"""Move the database's clock. SQLite uses the clock of the process; on PostgreSQL a function is replaced."""

from teamspace.core.db.dialect import POSTGRES
from teamspace.core.principal import system
from tests.support.world import World


async def move_clock(world: World, seconds: float) -> None:
    """Set PostgreSQL's clock ahead by `seconds`. For SQLite, patch `clock.now`."""
    await _replace_clock(world, f"statement_timestamp() + interval '{seconds} seconds'")


async def stop_clock(world: World, at: float) -> None:
    """Stop PostgreSQL's clock at a timestamp."""
    await _replace_clock(world, f"to_timestamp({at})")


async def _replace_clock(world: World, now: str) -> None:
    if world.db.dialect is POSTGRES:
        async with world.db.maintenance(system()) as tx:
            await tx.run(POSTGRES.prelude.replace("statement_timestamp()", now))
