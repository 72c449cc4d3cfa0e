"""`doctor --deep`: damage is found and named, leftovers are only notes."""

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
    check_results,
    environment,
    fill,
    fill_instance,
    findings,
    overwrite,
)
from tests.support.served import teamspace
from tests.support.world import World
from tests.support.world import world as open_world

DEEP = {"secrets", "blobs.listed", "blobs.bytes", "unwritten", "orphan", "stale"}


def blob_file(settings: Settings, data: bytes) -> Path:
    (found,) = [path for path in (settings.data / "blobs").rglob("*") if path.is_file() and path.read_bytes() == data]
    return found


def set_age(path: Path, seconds: float) -> None:
    then = clock.now() - seconds
    os.utime(path, (then, then))


async def test_a_healthy_instance_has_no_findings(settings: Settings) -> None:
    await fill_instance(settings)
    found = await check_results(settings)
    assert set(found) >= DEEP
    assert not any(result.found for result in found.values())


async def test_one_wrong_bit_in_a_blob_file_is_found(settings: Settings) -> None:
    await fill_instance(settings)
    path = blob_file(settings, LOGO)
    path.write_bytes(bytes([LOGO[0] ^ 1]) + LOGO[1:])
    assert await findings(settings) == {"blobs.bytes": [f"damaged {path.parts[-4]}/{path.name}"]}


@pytest.mark.parametrize("data", [PLAN.encode(), SCRAP], ids=["referenced", "unused"])
async def test_one_wrong_bit_in_a_blob_row_is_found(settings: Settings, data: bytes) -> None:
    await fill_instance(settings)
    digest = await overwrite(settings, data, bytes([data[0] ^ 1]) + data[1:])
    ((name, (found,)),) = (await findings(settings)).items()
    assert (name, found.startswith("damaged "), found.endswith(f"/{digest}")) == ("blobs.bytes", True, True)


async def test_a_small_blob_without_bytes_is_found(settings: Settings) -> None:
    await fill_instance(settings)
    digest = await overwrite(settings, PLAN.encode(), None)
    found = (await check_results(settings))["blobs.bytes"]
    assert found.broken and [each.startswith("missing ") and each.endswith(f"/{digest}") for each in found.found] == [
        True
    ]


async def test_a_missing_blob_file_is_found(settings: Settings) -> None:
    await fill_instance(settings)
    path = blob_file(settings, BANNER)
    path.unlink()
    assert await findings(settings) == {"blobs.bytes": [f"missing instance/{path.name}"]}


async def test_a_blob_not_yet_written_is_a_note(settings: Settings) -> None:
    await fill_instance(settings)
    path = blob_file(settings, UNUSED)
    path.unlink()
    found = await check_results(settings)
    assert found["unwritten"].found == [f"missing {path.parts[-4]}/{path.name}"]
    assert not any(result.broken for result in found.values())


async def test_a_reference_without_a_blob_row_is_found(settings: Settings) -> None:
    async with open_world(settings) as world:
        await fill(world)
        await run_sql(world, "DELETE FROM blobs WHERE org_id = ''")
    found = await findings(settings)
    assert found["blobs.listed"] == [f"branding.logo references instance/{blob_file(settings, BANNER).name}"]


async def test_an_old_file_without_a_blob_row_is_a_note(settings: Settings) -> None:
    async with open_world(settings) as world:
        await fill(world)
        await run_sql(world, "DELETE FROM branding WHERE org_id = ''")
        await run_sql(world, "DELETE FROM blobs WHERE org_id = ''")
    path = blob_file(settings, BANNER)
    assert await findings(settings) == {}
    set_age(path, clock.DAY + 60)
    found = await check_results(settings)
    assert found["orphan"].found == [f"instance/{path.name}"]
    assert not any(result.broken for result in found.values())


async def test_an_old_temporary_file_is_a_note(settings: Settings) -> None:
    await fill_instance(settings)
    path = settings.data / "blobs" / "tmp" / "half"
    path.write_bytes(b"the first ha")
    assert await findings(settings) == {}
    set_age(path, clock.HOUR + 60)
    assert await findings(settings) == {"stale": ["tmp/half"]}


async def corrupt_secret(world: World) -> None:
    await run_sql(world, "UPDATE totp SET secret = REPLACE(secret, ':', '::')")


async def move_secret(world: World) -> None:
    """Encrypted with the right key, but for another row."""
    await run_sql(world, "UPDATE totp SET secret = (SELECT value FROM instance WHERE name = 'canary')")


async def corrupt_answer(world: World) -> None:
    await run_sql(world, "UPDATE idempotency SET answer = 'x'")


@pytest.mark.parametrize("corrupt", [corrupt_secret, move_secret, corrupt_answer])
async def test_a_secret_that_does_not_decrypt_is_found(
    settings: Settings, corrupt: Callable[[World], Awaitable[None]]
) -> None:
    async with open_world(settings) as world:
        await fill(world)
        await corrupt(world)
    found = await findings(settings)
    assert list(found) == ["secrets"]
    assert found["secrets"][0].startswith(("totp|secret|", "idempotency|answer|"))


async def test_the_number_of_findings_is_bounded(settings: Settings) -> None:
    async with open_world(settings) as world:
        await fill(world)
        for number in range(30):
            await run_sql(
                world,
                "INSERT INTO blobs (org_id, digest, size, blocks, collect_at) VALUES ('', :digest, 100000, :blocks, '')",
                digest=f"{number:064}",
                blocks=b"",
            )
            await run_sql(world, "INSERT INTO login_attempts VALUES (:subject, 1, '')", subject=f"s{number}")
    assert len((await check_results(settings))["unwritten"].found) == 10


# Audit heads kept elsewhere


async def test_a_truncated_chain_is_found_by_a_head_kept_elsewhere(settings: Settings) -> None:
    async with open_world(settings) as world:
        await fill(world)
        heads = [str(head) async for head in audit.chain_heads(world.db)]
        assert (await check_results(settings, heads=heads))["audit.heads"].found == []
        await run_sql(
            world, "DELETE FROM audit WHERE seq = (SELECT MAX(seq) FROM audit WHERE org_id <> '') AND org_id <> ''"
        )
    found = await check_results(settings, heads=heads)
    assert found["audit.chain"].found == []
    assert "the chain was truncated" in found["audit.heads"].found[0]


# The command


def test_the_exit_code_of_the_command_tells_what_it_found(settings: Settings, tmp_path: Path) -> None:
    asyncio.run(fill_instance(settings))
    heads = tmp_path / "heads"
    heads.write_text("no head\n")

    def doctor(*options: str) -> tuple[int, str]:
        result = teamspace("doctor", *options, settings=environment(settings))
        return result.returncode, result.stdout + result.stderr

    assert "blobs.bytes" not in doctor()[1]
    code, output = doctor("--deep")
    assert code == 0 and "ok      blobs.bytes            every referenced blob exists" in output
    (settings.data / "blobs" / "tmp" / "half").write_bytes(b"?")
    set_age(settings.data / "blobs" / "tmp" / "half", clock.DAY)
    code, output = doctor("--deep")
    assert code == 0 and "note    stale" in output and "\n        tmp/half\n" in output
    blob_file(settings, LOGO).unlink()
    code, output = doctor("--deep")
    assert code == 1 and "BROKEN  blobs.bytes" in output
    assert doctor()[0] == 0
    code, output = doctor("--heads", str(heads))
    assert code == 2 and "line 1 is not an audit head" in output
    assert doctor("--heads", str(tmp_path / "none"))[0] == 2
