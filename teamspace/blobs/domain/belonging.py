"""Whether a folder is the one in which the blobs of a database lie.

Servers that share a database must share its blobs: what one of them stores, all of them serve. The folder has an id in a
file, and the database knows it.
"""

from teamspace.blobs import store
from teamspace.blobs.domain.local import Folder
from teamspace.blobs.schemas import WrongFolder
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.ids import new_id
from teamspace.core.principal import system


async def claim_folder(db: Db, folder: Folder) -> None:
    """The database's folder, which a new one becomes; any other is a `WrongFolder`."""
    known, found = await store.get_folder_id(db), await pools.FILES.run(folder.get_id)
    if known is None:
        known, found = await _adopt(db, folder, found)
    if known != found:
        raise WrongFolder(
            f"{folder.root} is not where the files of this database lie: servers that share a database share that"
            f" folder, or a bucket. If it is the same folder, write {known} to {folder.id_file}"
        )


async def _adopt(db: Db, folder: Folder, found: str | None) -> tuple[str, str]:
    """The id that the database has from now on, and the folder's."""
    for blob in await store.select_in_files(db, 1):
        if await folder.stat(blob.org_id, blob.digest) is None:
            raise WrongFolder(f"{folder.root} does not hold the files of this database")
    own = await pools.FILES.run(folder.give_id, new_id()) if found is None else found
    async with db.upkeep(system(), same_rights=True) as tx:
        await store.put_folder_id(tx, own)
    return await store.get_folder_id(db) or "", own
