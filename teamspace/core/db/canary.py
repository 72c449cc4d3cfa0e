"""Proof that the secret key belongs to the database: a few words sealed at the first start, opened at every other."""

from pathlib import Path

from teamspace.core.crypto import KEY_FILE, Vault, WrongKey, load_key
from teamspace.core.db.engine import Engine

_PLACE, _WORDS = "instance|value|canary", b"teamspace"


async def proven_vault(engine: Engine, given: str, folder: Path, *, plant: bool) -> Vault:
    """The vault whose key sealed this database. A key is made, to `plant` a canary, only where there is none yet."""
    rows = await engine.fetch("SELECT value FROM instance WHERE name = 'canary'", {})
    if not rows and not plant:
        raise WrongKey("no server has started on this database yet")
    if rows and not given and not (folder / KEY_FILE).exists():
        raise WrongKey(f"the secret key is missing: put back {KEY_FILE} in {folder}, or set SERVICE_SECRET_KEY")
    vault = Vault(load_key(given or None, folder))
    if not rows:
        rows = await _plant(engine, vault)
    try:
        vault.open(_PLACE, rows[0][0])
    except WrongKey:
        raise WrongKey("the secret key is not the one this database was made with") from None
    return vault


async def _plant(engine: Engine, vault: Vault) -> list[tuple[str]]:
    """Seal the words, unless another server has just done so; what is there now."""
    async with engine.transaction() as session:
        await session.fetch(
            "INSERT INTO instance (name, value) VALUES ('canary', :value) ON CONFLICT (name) DO NOTHING",
            {"value": vault.seal(_PLACE, _WORDS)},
        )
    return [(row[0],) for row in await engine.fetch("SELECT value FROM instance WHERE name = 'canary'", {})]
