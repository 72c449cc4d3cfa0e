"""The doctor in depth: what is wrong is found and named, and what is merely untidy is a note."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from teamspace.core import clock
from teamspace.core.db import audit
from teamspace.settings import Settings
from tests.identity.help import run_sql
from tests.ops.help import (
    BANNER,
    LOGO,
    PLAN,
    SCRAP,
    UNUSED,
    environment,
    fill,
    filled,
    findings,
    overwrite,
    verdicts,
)
from tests.support.served import teamspace
from tests.support.world import World
from tests.support.world import world as opened

DEEP = {"secrets", "blobs.listed", "blobs.bytes", "unwritten", "orphan", "stale"}


def blob_file(settings: Settings, data: bytes) -> Path:
    (found,) = [path for path in (settings.data / "blobs").rglob("*") if path.is_file() and path.read_bytes() == data]
    return found


def aged(path: Path, seconds: float) -> None:
    then = clock.now() - seconds
    os.utime(path, (then, then))


async def test_an_instance_in_use_is_well(settings: Settings) -> None:
    await filled(settings)
    found = await verdicts(settings)
    assert set(found) >= DEEP
    assert not any(verdict.found for verdict in found.values())


async def test_one_wrong_bit_in_a_blob(settings: Settings) -> None:
    await filled(settings)
    path = blob_file(settings, LOGO)
    path.write_bytes(bytes([LOGO[0] ^ 1]) + LOGO[1:])
    assert await findings(settings) == {"blobs.bytes": [f"damaged {path.parts[-4]}/{path.name}"]}


@pytest.mark.parametrize("data", [PLAN.encode(), SCRAP], ids=["named", "unused"])
async def test_one_wrong_bit_in_a_row(settings: Settings, data: bytes) -> None:
    await filled(settings)
    digest = await overwrite(settings, data, bytes([data[0] ^ 1]) + data[1:])
    ((name, (found,)),) = (await findings(settings)).items()
    assert (name, found.startswith("damaged "), found.endswith(f"/{digest}")) == ("blobs.bytes", True, True)


async def test_a_row_whose_bytes_are_gone(settings: Settings) -> None:
    await filled(settings)
    digest = await overwrite(settings, PLAN.encode(), None)
    found = await verdicts(settings)
    assert found["blobs.small"].found == [digest] and found["blobs.small"].broken


async def test_a_blob_that_is_gone(settings: Settings) -> None:
    await filled(settings)
    path = blob_file(settings, BANNER)
    path.unlink()
    assert await findings(settings) == {"blobs.bytes": [f"missing instance/{path.name}"]}


async def test_a_blob_still_on_its_way_is_a_note(settings: Settings) -> None:
    await filled(settings)
    path = blob_file(settings, UNUSED)
    path.unlink()
    found = await verdicts(settings)
    assert found["unwritten"].found == [f"missing {path.parts[-4]}/{path.name}"]
    assert not any(verdict.broken for verdict in found.values())


async def test_a_name_that_no_row_lists(settings: Settings) -> None:
    async with opened(settings) as world:
        await fill(world)
        await run_sql(world, "DELETE FROM blobs WHERE org_id = ''")
    found = await findings(settings)
    assert found["blobs.listed"] == [f"branding.logo references instance/{blob_file(settings, BANNER).name}"]


async def test_an_old_file_that_no_row_lists_is_a_note(settings: Settings) -> None:
    async with opened(settings) as world:
        await fill(world)
        await run_sql(world, "DELETE FROM branding WHERE org_id = ''")
        await run_sql(world, "DELETE FROM blobs WHERE org_id = ''")
    path = blob_file(settings, BANNER)
    assert await findings(settings) == {}
    aged(path, clock.DAY + 60)
    found = await verdicts(settings)
    assert found["orphan"].found == [f"instance/{path.name}"]
    assert not any(verdict.broken for verdict in found.values())


async def test_an_old_file_that_never_became_a_blob_is_a_note(settings: Settings) -> None:
    await filled(settings)
    path = settings.data / "blobs" / "tmp" / "half"
    path.write_bytes(b"the first ha")
    assert await findings(settings) == {}
    aged(path, clock.HOUR + 60)
    assert await findings(settings) == {"stale": ["tmp/half"]}


async def spoilt_secret(world: World) -> None:
    await run_sql(world, "UPDATE totp SET secret = REPLACE(secret, ':', '::')")


async def moved_secret(world: World) -> None:
    """Sealed with the right key, and for another row."""
    await run_sql(world, "UPDATE totp SET secret = (SELECT value FROM instance WHERE name = 'canary')")


async def spoilt_answer(world: World) -> None:
    await run_sql(world, "UPDATE idempotency SET answer = 'x'")


@pytest.mark.parametrize("spoil", [spoilt_secret, moved_secret, spoilt_answer])
async def test_a_secret_that_does_not_open(settings: Settings, spoil: Callable[[World], Awaitable[None]]) -> None:
    async with opened(settings) as world:
        await fill(world)
        await spoil(world)
    found = await findings(settings)
    assert list(found) == ["secrets"]
    assert found["secrets"][0].startswith(("totp|secret|", "idempotency|answer|"))


async def test_a_disaster_is_not_read_into_memory(settings: Settings) -> None:
    async with opened(settings) as world:
        await fill(world)
        for number in range(30):
            await run_sql(
                world,
                "INSERT INTO blobs (org_id, digest, size, blocks, collect_at) VALUES ('', :digest, 100000, :blocks, '')",
                digest=f"{number:064}",
                blocks=b"",
            )
            await run_sql(world, "INSERT INTO login_attempts VALUES (:subject, 1, '')", subject=f"s{number}")
    assert len((await verdicts(settings))["unwritten"].found) == 10


# Heads kept elsewhere


async def test_heads_kept_elsewhere(settings: Settings) -> None:
    async with opened(settings) as world:
        await fill(world)
        kept = [str(head) async for head in audit.chain_heads(world.db)]
        assert (await verdicts(settings, heads=kept))["audit.heads"].found == []
        await run_sql(
            world, "DELETE FROM audit WHERE seq = (SELECT MAX(seq) FROM audit WHERE org_id <> '') AND org_id <> ''"
        )
    found = await verdicts(settings, heads=kept)
    assert found["audit.chain"].found == []
    assert "the chain was truncated" in found["audit.heads"].found[0]


# The command


def test_the_command_ends_with_what_it_found(settings: Settings, tmp_path: Path) -> None:
    asyncio.run(filled(settings))
    heads = tmp_path / "heads"
    heads.write_text("no head\n")

    def doctor(*options: str) -> tuple[int, str]:
        ended = teamspace("doctor", *options, settings=environment(settings))
        return ended.returncode, ended.stdout + ended.stderr

    assert "blobs.bytes" not in doctor()[1]
    code, said = doctor("--deep")
    assert code == 0 and "ok      blobs.bytes            every referenced blob exists" in said
    (settings.data / "blobs" / "tmp" / "half").write_bytes(b"?")
    aged(settings.data / "blobs" / "tmp" / "half", clock.DAY)
    code, said = doctor("--deep")
    assert code == 0 and "note    stale" in said and "\n        tmp/half\n" in said
    blob_file(settings, LOGO).unlink()
    code, said = doctor("--deep")
    assert code == 1 and "BROKEN  blobs.bytes" in said
    assert doctor()[0] == 0
    code, said = doctor("--heads", str(heads))
    assert code == 2 and "line 1 is not an audit head" in said
    assert doctor("--heads", str(tmp_path / "none"))[0] == 2
