"""Many rows at once, inserted by SQL: for tests and benchmarks of what a request costs."""

from collections.abc import Iterable, Mapping
from typing import Any

from teamspace.core.principal import system
from tests.support.world import World

NUMBERS = (
    "WITH RECURSIVE numbers (n) AS (SELECT CAST(:first AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)"
)
"""The numbers from `:first` to `:last`, for `INSERT … SELECT … FROM numbers`."""


async def insert(world: World, statements: Iterable[str], facts: Mapping[str, Any]) -> None:
    """Run each statement with those of the facts that it names; `org` is one of them."""
    async with world.db.maintenance(system(org_id=facts["org"])) as tx:
        for sql in statements:
            await tx.run(sql, **{name: value for name, value in facts.items() if f":{name}" in sql})


async def insert_in_batches(
    world: World, statements: Iterable[str], facts: Mapping[str, Any], first: int, last: int, batch: int
) -> None:
    """Insert the rows numbered from `first` to `last`, without `last`."""
    made = tuple(statements)
    for start in range(first, last, batch):
        await insert(world, made, {**facts, "first": start, "last": min(start + batch, last) - 1})


async def analyze(world: World) -> None:
    """Do what a server's autovacuum does after a while."""
    if world.db.dialect.name == "postgres":
        await world.db.engine.script("ANALYZE")
