"""Proof that the secret key belongs to the database: known text, encrypted at the first start, decrypted at others."""

from pathlib import Path

from teamspace.core.crypto import KEY_FILE, Vault, WrongKey, load_key, promote_next_key, staged_next_key
from teamspace.core.db.engine import Engine, Fetcher
from teamspace.core.tables import EncryptedColumn

_CONTEXT, _PLAINTEXT = "instance|value|canary", b"teamspace"

ENCRYPTED = (EncryptedColumn("instance", "value", "name", "name = 'canary'"),)


async def open_vault(engine: Engine, configured_key: str, folder: Path, *, create: bool) -> Vault:
    """Return the vault with this database's key, or raise WrongKey.

    With `create`, a database without a canary gets one, and a key if none exists yet.
    """
    canary = await read_canary(engine)
    if canary is None and not create:
        raise WrongKey("no server has started on this database yet")
    if canary is None:
        canary = await _create(engine, Vault(load_key(configured_key or None, folder)))
    if create and not configured_key:
        finish_rekey(canary, folder)
    if not configured_key and not (folder / KEY_FILE).exists():
        raise WrongKey(f"the secret key is missing: put back {KEY_FILE} in {folder}, or set SERVICE_SECRET_KEY")
    vault = vault_for_canary(canary, configured_key, folder)
    if vault is None:
        raise WrongKey("the secret key does not belong to this database")
    return vault


def vault_for_canary(canary: str, configured_key: str, folder: Path) -> Vault | None:
    """Return the vault whose key decrypts the canary: the configured key, else a key file in the folder."""
    keys = [load_key(configured_key or None, folder), None if configured_key else staged_next_key(folder)]
    return next((vault for key in keys if key and _decrypts(vault := Vault(key), canary)), None)


def finish_rekey(canary: str, folder: Path) -> None:
    """Complete a key rotation that was interrupted after its commit, before the new key file was renamed."""
    key = staged_next_key(folder)
    if key and _decrypts(Vault(key), canary):
        promote_next_key(folder)


async def read_canary(source: Fetcher) -> str | None:
    """Return the canary; None until a server has started on the database."""
    rows = await source.fetch("SELECT value FROM instance WHERE name = 'canary'", {})
    return rows[0][0] if rows else None


def _decrypts(vault: Vault, canary: str) -> bool:
    try:
        return vault.decrypt(_CONTEXT, canary) == _PLAINTEXT
    except WrongKey:
        return False


async def _create(engine: Engine, vault: Vault) -> str:
    """Insert a canary unless another server was faster; return the one that is stored."""
    async with engine.transaction() as session:
        await session.fetch(
            "INSERT INTO instance (name, value) VALUES ('canary', :value) ON CONFLICT (name) DO NOTHING",
            {"value": vault.encrypt(_CONTEXT, _PLAINTEXT)},
        )
    rows = await engine.fetch("SELECT value FROM instance WHERE name = 'canary'", {})
    return str(rows[0][0])
