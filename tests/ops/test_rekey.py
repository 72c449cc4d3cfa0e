"""A rekey re-encrypts everything in one transaction, and a crash at any step leaves data and key matching."""

import sys

import msgspec
import pytest

from teamspace import ops, wiring
from teamspace.app import open_for_inspection
from teamspace.core import crypto
from teamspace.core.crypto import WrongKey, new_key
from teamspace.core.db import audit
from teamspace.core.db.handles import Db
from teamspace.core.principal import system
from teamspace.ops import OpsError, rekey
from teamspace.settings import Settings
from tests.identity.help import run_sql, signed_in
from tests.ops.help import content, environment, fill, fill_instance, findings
from tests.support.served import Served, teamspace
from tests.support.world import world as open_world

KEY = "secret.key"


def key_of(settings: Settings) -> str:
    return (settings.data / KEY).read_text()


async def encrypted_rows(settings: Settings) -> list[bytes]:
    rows = await content(settings)
    return [line for column in wiring.ENCRYPTED for line in rows[column.table]]


async def test_everything_is_re_encrypted(settings: Settings) -> None:
    async with open_world(settings) as world:
        codes = await fill(world)
    before, old = await encrypted_rows(settings), key_of(settings)
    line = await rekey(settings)
    assert line.startswith("re-encrypted 3 values; ")
    assert key_of(settings) != old
    assert not (settings.data / "secret.key.new").exists()
    after = await encrypted_rows(settings)
    changed_rows = [pair for pair in zip(before, after, strict=True) if b'"v1:' in pair[0]]
    assert len(changed_rows) == 3
    assert all(earlier != later for earlier, later in changed_rows)
    assert await findings(settings) == {}
    async with open_world(settings) as world:
        await signed_in(world, "ann", totp=codes.pop())
        assert [row.action for row in await audit_rows(world.db)].count("instance.rekey") == 1


async def audit_rows(db: Db) -> list[audit.AuditRow]:
    names = ", ".join(audit.AuditRow.__struct_fields__)
    return await db.all(audit.AuditRow, f"SELECT {names} FROM audit WHERE org_id = '' ORDER BY id")


async def test_the_old_key_no_longer_works(settings: Settings) -> None:
    await fill_instance(settings)
    old = key_of(settings)
    await rekey(settings)
    (settings.data / KEY).write_text(old)
    with pytest.raises(WrongKey, match="does not belong"):
        async with open_world(settings):
            pass


async def test_more_values_than_fit_a_page_are_re_encrypted(settings: Settings) -> None:
    async with open_world(settings) as world:
        await fill(world)
        async with world.db.maintenance(system()) as tx:
            for number in range(1200):
                owner, key = f"owner{number % 7}", f"key {number}"
                await tx.run(
                    "INSERT INTO idempotency (owner, key, digest, created_at, status, answer)"
                    " VALUES (:owner, :key, :digest, :now, 200, :answer)",
                    owner=owner, key=key, digest=b"", now="9999",
                    answer=tx.vault.encrypt(f"idempotency|answer|{owner}|{key}", b"answer %d" % number),
                )  # fmt: skip
    assert (await rekey(settings)).startswith("re-encrypted 1203 values; ")
    assert await findings(settings) == {}


# Keys from the settings


async def test_a_key_from_the_settings_needs_an_explicit_new_key(settings: Settings) -> None:
    first, second = new_key().hex(), new_key().hex()
    settings = msgspec.structs.replace(settings, secret_key=first)
    await fill_instance(settings)
    with pytest.raises(OpsError, match="--key-stdin"):
        await rekey(settings)
    assert await findings(settings) == {}
    assert "set SERVICE_SECRET_KEY to the new key" in await rekey(settings, second)
    assert not (settings.data / KEY).exists()
    with pytest.raises(WrongKey):
        await findings(settings)
    assert await findings(msgspec.structs.replace(settings, secret_key=second)) == {}


async def test_a_key_for_the_file_can_be_supplied(settings: Settings) -> None:
    await fill_instance(settings)
    supplied = new_key()
    await rekey(settings, supplied.hex())
    assert bytes.fromhex(key_of(settings)) == supplied
    assert await findings(settings) == {}


async def test_a_malformed_key_is_refused(settings: Settings) -> None:
    await fill_instance(settings)
    with pytest.raises(WrongKey, match="64 hexadecimal digits"):
        await rekey(settings, "short")
    assert await findings(settings) == {}


def test_the_command_reads_the_new_key(settings: Settings) -> None:
    result = teamspace("rekey", "--key-stdin", settings=environment(settings))
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)


# Refusals


def test_a_running_server_prevents_a_rekey(settings: Settings) -> None:
    with Served(environment(settings)) as served:
        result = teamspace("rekey", settings=environment(settings))
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert "another server" in result.stderr or "a server or another command" in result.stderr
        assert served.stop() == 0
    result = teamspace("rekey", settings=environment(settings))
    assert (result.returncode, result.stdout.count("\n"), result.stderr) == (0, 1, "")
    with Served(environment(settings)) as served:
        assert served.stop() == 0


async def test_a_value_that_does_not_decrypt_stops_the_rekey(settings: Settings) -> None:
    async with open_world(settings) as world:
        await fill(world)
        await run_sql(world, "UPDATE totp SET secret = 'v1:?'")
    before, old = await encrypted_rows(settings), key_of(settings)
    with pytest.raises(OpsError, match=r"totp\|secret\|.* does not decrypt"):
        await rekey(settings)
    assert (await encrypted_rows(settings), key_of(settings)) == (before, old)
    async with open_world(settings):
        pass


# Crashes


class Crash(Exception):
    """Stands for the death of the process."""


async def crash_at(settings: Settings, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """A rekey that crashes at a step."""

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(sys.modules[rekey.__module__], step, crash)
        with pytest.raises(Crash):
            await rekey(settings)


@pytest.mark.parametrize("step", ["stage_next_key", "_reencrypt", "promote_next_key"])
async def test_a_start_after_a_crash_finds_the_right_key(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    async with open_world(settings) as world:
        codes = await fill(world)
    await crash_at(settings, monkeypatch, step)
    assert await findings(settings) == {}  # an inspection finds the key too, and leaves the files unchanged
    async with open_world(settings) as world:
        await signed_in(world, "ann", totp=codes.pop())
    assert await findings(settings) == {}
    assert (settings.data / "secret.key.new").exists() == (step == "_reencrypt")


async def test_a_second_rekey_after_a_crash_does_not_lose_the_first(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill_instance(settings)
    await crash_at(settings, monkeypatch, "promote_next_key")
    committed = (settings.data / "secret.key.new").read_text()
    await crash_at(settings, monkeypatch, "_reencrypt")
    assert key_of(settings) == committed
    assert await findings(settings) == {}
    await rekey(settings)
    assert await findings(settings) == {}


async def test_a_damaged_next_key_file_is_ignored(settings: Settings) -> None:
    await fill_instance(settings)
    (settings.data / "secret.key.new").write_text("half a k")
    async with open_world(settings):
        pass
    async with open_for_inspection(settings):
        pass
    await ops.rekey(settings)
    assert crypto.staged_next_key(settings.data) is None
