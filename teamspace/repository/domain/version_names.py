"""Names of versions, which people give so that they find a version again."""

from teamspace.core import text
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.repository import store
from teamspace.repository.domain import changes, finding, locks
from teamspace.repository.schemas import Version

MAX_NAME = 100


async def name_version(db: Db, who: Principal, object_id: str, number: str, name: str | None) -> Version:
    """Name a version, or remove its name; needs the right to write the object."""
    cleaned = None if name is None else text.clean_name(name, "name", max_length=MAX_NAME)
    async with db.write(who, "object.name_version") as tx:
        row = await finding.require(tx, who, object_id, P.FILES_WRITE)
        await locks.lock_keys(tx, row.team_id, row.key)
        row = await finding.require(tx, who, object_id, P.FILES_WRITE)
        version = await finding.get_version(tx, row, _parse(number))
        tx.target, tx.team_id = row.id, row.team_id
        tx.detail = {"key": row.key, "version": version.number, "name": cleaned}
        await store.set_name(tx, version.id, cleaned)
        await changes.record(tx, row, Change.UPDATED)
        return finding.to_version(version, cleaned)


def _parse(number: str) -> int:
    """Return the number of a version; one that no version has, if it is none."""
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else 0
