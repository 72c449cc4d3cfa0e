"""Listing by key skips each folder in one step, and nothing else."""

import itertools
import random

import msgspec
import pytest

from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal, ScopeEntry
from teamspace.repository import ObjectRow, key_order
from tests.repository.help import put, share
from tests.support.world import Caller, World

KEY_PARTS = ("a", "b", "/", "//", "é", "\U0010ffff", "-", "%")
DELIMITERS = ("", "/", "//", "a", "é/", "\U0010ffff", "\U0010ffff\U0010ffff", "no")
PREFIXES = ("", "a", "a/", "/", "é", "\U0010ffff", "b/a")


def principal(caller: Caller) -> Principal:
    return Principal(
        "s3", Call(), user_id=caller.user_id, team_id=caller.team.id, org_id=caller.org.id,
        permissions=frozenset({P.FILES_READ}),
    )  # fmt: skip


def expected(keys: list[str], prefix: str, delimiter: str) -> list[str]:
    entries = [key_order.folder_of(key, prefix, delimiter) or key for key in sorted(keys) if key.startswith(prefix)]
    return [entry for entry, _ in itertools.groupby(entries)]


async def walk_all(world: World, who: Principal, prefix: str, delimiter: str, size: int) -> list[str]:
    found: list[str] = []
    after: key_order.Position | None = None
    while True:
        walk = await key_order.walk_team(world.db, who, prefix=prefix, delimiter=delimiter, after=after, size=size)
        found += [entry.key if isinstance(entry, ObjectRow) else entry for entry in walk.entries]
        if walk.next_position is None:
            return found
        after = walk.next_position


@pytest.fixture
async def filled(world: World) -> tuple[Caller, list[str]]:
    ann, rng = await world.bootstrap(), random.Random(3)
    keys = sorted({"".join(rng.choices(KEY_PARTS, k=rng.randint(1, 6))) for _ in range(60)})
    for key in keys:
        await put(ann, key, b"")
    return ann, keys


async def test_a_walk_equals_grouping_every_key(world: World, filled: tuple[Caller, list[str]]) -> None:
    ann, keys = filled
    for delimiter, prefix in itertools.product(DELIMITERS, PREFIXES):
        for size in (1, 7, 1000):
            found = await walk_all(world, principal(ann), prefix, delimiter, size)
            assert found == expected(keys, prefix, delimiter), (prefix, delimiter, size)


async def test_a_token_scoped_to_prefixes_lists_only_those(world: World, filled: tuple[Caller, list[str]]) -> None:
    ann, keys = filled
    limits = ("b", "a", "a/", "é", "zzz")
    scoped = msgspec.structs.replace(principal(ann), scope=tuple(ScopeEntry(P.FILES_READ, limit) for limit in limits))
    below = [key for key in keys if key.startswith(limits)]
    for delimiter, prefix in itertools.product(DELIMITERS, (*PREFIXES, "a/a", "-")):
        found = await walk_all(world, scoped, prefix, delimiter, 3)
        assert found == expected(below, prefix, delimiter), (prefix, delimiter)


async def test_a_shared_object_is_unlisted_while_removed(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    created = await put(ann, "plans/crane")
    await share(ann, created["id"], bob)
    who = principal(bob)
    listed = await key_order.walk_team(world.db, who, prefix="", delimiter="", after=None, size=10)
    assert [entry.key for entry in listed.entries if isinstance(entry, ObjectRow)] == ["plans/crane"]
    for removed in (True, False):
        async with world.db.maintenance(who) as tx:
            await tx.run("UPDATE objects SET removed = :removed", removed=removed)
        for delimiter, entry in (("", "plans/crane"), ("/", "plans/")):
            assert await walk_all(world, who, "", delimiter, 10) == ([] if removed else [entry])
