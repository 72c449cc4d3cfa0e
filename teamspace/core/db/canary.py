"""Proof that the secret key belongs to the database: a few words sealed at the first start, opened at every other."""

from pathlib import Path

from teamspace.core.crypto import KEY_FILE, Vault, WrongKey, adopt_key, announced_key, load_key
from teamspace.core.db.engine import Engine, Fetches
from teamspace.core.tables import SealedColumn

_PLACE, _WORDS = "instance|value|canary", b"teamspace"

SEALED = (SealedColumn("instance", "value", "name", "name = 'canary'"),)


async def proven_vault(engine: Engine, given: str, folder: Path, *, plant: bool) -> Vault:
    """The vault whose key sealed this database. A key is made, to `plant` a canary, only where there is none yet."""
    canary = await planted(engine)
    if canary is None and not plant:
        raise WrongKey("no server has started on this database yet")
    if canary is None:
        canary = await _plant(engine, Vault(load_key(given or None, folder)))
    if plant and not given:
        finish_rekey(canary, folder)
    if not given and not (folder / KEY_FILE).exists():
        raise WrongKey(f"the secret key is missing: put back {KEY_FILE} in {folder}, or set SERVICE_SECRET_KEY")
    vault = opening(canary, given, folder)
    if vault is None:
        raise WrongKey("the secret key is not the one this database was made with")
    return vault


def opening(canary: str, given: str, folder: Path) -> Vault | None:
    """The vault with whose key the words were sealed: that of the settings, else one of the folder's."""
    keys = [load_key(given or None, folder), None if given else announced_key(folder)]
    return next((vault for key in keys if key and _proves(vault := Vault(key), canary)), None)


def finish_rekey(canary: str, folder: Path) -> None:
    """A change of the key may have ended after its commit and before the file had its name."""
    key = announced_key(folder)
    if key and _proves(Vault(key), canary):
        adopt_key(folder)


async def planted(source: Fetches) -> str | None:
    """The sealed words, once a server has started on the database."""
    rows = await source.fetch("SELECT value FROM instance WHERE name = 'canary'", {})
    return rows[0][0] if rows else None


def _proves(vault: Vault, canary: str) -> bool:
    try:
        return vault.open(_PLACE, canary) == _WORDS
    except WrongKey:
        return False


async def _plant(engine: Engine, vault: Vault) -> str:
    """Seal the words, unless another server has just done so; what is there now."""
    async with engine.transaction() as session:
        await session.fetch(
            "INSERT INTO instance (name, value) VALUES ('canary', :value) ON CONFLICT (name) DO NOTHING",
            {"value": vault.seal(_PLACE, _WORDS)},
        )
    rows = await engine.fetch("SELECT value FROM instance WHERE name = 'canary'", {})
    return str(rows[0][0])
