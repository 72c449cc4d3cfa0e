"""Check that the blob folder belongs to the database.

Servers that share a database must share its blobs, since each serves what any of them stores. The folder has an id in a
file, and the database stores the same id.
"""

from teamspace.blobs import store
from teamspace.blobs.domain.local import FolderStore
from teamspace.blobs.schemas import BlobStore, WrongFolder
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.ids import new_id
from teamspace.core.principal import system


async def claim_folder(db: Db, files: BlobStore) -> None:
    """Record a new database's folder, or raise WrongFolder if it is not the recorded one.

    Does nothing for a bucket, or on SQLite, which is in the data folder with its files.
    """
    if isinstance(files, FolderStore) and db.dialect.name != "sqlite":
        await _claim(db, files)


async def _claim(db: Db, folder: FolderStore) -> None:
    known, found = await store.get_folder_id(db), await pools.FILES.run(folder.get_id)
    if known is None:
        known, found = await _adopt(db, folder, found)
    if known != found:
        raise WrongFolder(
            f"{folder.root} is not the blob folder of this database: servers that share a database must share the"
            f" folder, or use a bucket. If it is the same folder, write {known} to {folder.id_file}"
        )


async def _adopt(db: Db, folder: FolderStore, found: str | None) -> tuple[str, str]:
    """Return the id in the database after recording, and the folder's."""
    for blob in await store.select_in_files(db, 1):
        if await folder.stat(blob.org_id, blob.digest) is None:
            raise WrongFolder(f"{folder.root} does not contain the files of this database")
    own = await pools.FILES.run(folder.set_id, new_id()) if found is None else found
    async with db.maintenance(system(), rights_unchanged=True) as tx:
        await store.put_folder_id(tx, own)
    return await store.get_folder_id(db) or "", own
