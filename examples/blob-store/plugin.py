"""A blob store in one SQLite file: put, get, delete and stat are all that a store must have.

The functions are not async, so the server calls them in threads; each call has a connection of its own.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from teamspace.sdk import BlobStoreSpec, Settings

BLOB_STORES = (BlobStoreSpec("sqlite-blobs", "open_store", "Blobs in a SQLite file in the data folder."),)


def open_store(settings: Settings) -> "SqliteBlobs":
    return SqliteBlobs(settings.data / "blobs.sqlite")


class SqliteBlobs:
    def __init__(self, file: Path) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS blobs (org_id TEXT NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL,"
                " PRIMARY KEY (org_id, digest))"
            )

    def put(self, org_id: str, digest: str, data: bytes) -> None:
        with self._connection() as connection:
            connection.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", (org_id, digest, data))

    def get(self, org_id: str, digest: str) -> bytes | None:
        with self._connection() as connection:
            found = connection.execute("SELECT data FROM blobs WHERE (org_id, digest) = (?, ?)", (org_id, digest))
            row = found.fetchone()
            return bytes(row[0]) if row else None

    def delete(self, org_id: str, digest: str) -> None:
        with self._connection() as connection:
            connection.execute("DELETE FROM blobs WHERE (org_id, digest) = (?, ?)", (org_id, digest))

    def stat(self, org_id: str, digest: str) -> int | None:
        with self._connection() as connection:
            found = connection.execute(
                "SELECT length(data) FROM blobs WHERE (org_id, digest) = (?, ?)", (org_id, digest)
            )
            row = found.fetchone()
            return int(row[0]) if row else None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Commit when the block ends; a full sync, so that what was put survives a power cut."""
        with closing(sqlite3.connect(self._file, timeout=30)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            with connection:
                yield connection
