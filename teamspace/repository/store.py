"""SQL of the repository: one statement per function, no rules. Every SELECT of objects takes a fence."""

from collections.abc import Sequence

import msgspec

from teamspace import sharing
from teamspace.core.db import NOW, Db, Fence, Reads, Tx, columns, placeholders
from teamspace.core.tables import BlobColumn, Count, Invariant, OwnedTable
from teamspace.repository.schemas import (
    MARKDOWN,
    MARKDOWN_ENDING,
    AccessLevel,
    DerivationRow,
    DerivedPair,
    EndedUpload,
    FolderCount,
    KeyRange,
    LabelRow,
    LineageRow,
    ObjectItem,
    ObjectRights,
    ObjectRow,
    OldVersion,
    PartRow,
    TextState,
    ThumbnailRow,
    TrashedObject,
    UploadPartRow,
    UploadRow,
    UploadUsage,
    VersionDraft,
    VersionRow,
    Visibility,
)
from teamspace.sharing import GrantRow

COUNTS = (
    Count("objects", "SELECT COUNT(*) FROM objects"),
    Count("object_versions", "SELECT COUNT(*) FROM object_versions"),
)
BLOB_COLUMNS = (
    BlobColumn("object_versions", "blob"),
    BlobColumn("object_versions", "text_blob"),
    BlobColumn("object_thumbnails", "blob"),
    BlobColumn("object_parts", "blob"),
    BlobColumn("object_upload_parts", "blob"),
)
KIND = "object"
"""The kind of objects in the full-text index and in the event log."""
OWNED_TABLES = (OwnedTable("objects", KIND),)
"""The `kind` of objects in the full-text index."""

_TIMEOUT_SECONDS = 2.0
SHOWN_TITLE = (
    f"COALESCE(objects.title, CASE WHEN objects.content_type = '{MARKDOWN}'"
    f" AND substr(objects.filename, length(objects.filename) - {len(MARKDOWN_ENDING) - 1}) = '{MARKDOWN_ENDING}'"
    f" THEN substr(objects.filename, 1, length(objects.filename) - {len(MARKDOWN_ENDING)}) ELSE objects.filename END)"
)
"""`shown_title` of a row of `objects`."""
_IS_LINKED = (
    "((SELECT 1 FROM object_links WHERE object_id = objects.id AND expires_at IS NULL LIMIT 1) IS NOT NULL"
    f" OR (SELECT 1 FROM object_links WHERE object_id = objects.id AND expires_at > {NOW} LIMIT 1) IS NOT NULL)"
)
"""Whether it has a public link that has not expired, by index however many have."""
_ITEM = (
    f"id, key, filename, {SHOWN_TITLE} AS title, content_type, size, sha256, visibility, owner_id, team_id, version,"
    f" text_state, created_at, updated_at, {_IS_LINKED}"
)
_GRANT = sharing.GRANT_COLUMNS.format(level="capability")


# Objects


async def get(db: Reads, fence: Fence, object_id: str) -> ObjectRow | None:
    return await db.one(
        ObjectRow,
        f"SELECT {columns(ObjectRow)} FROM objects WHERE id = :id AND {fence.sql}",
        id=object_id, **fence.params,
    )  # fmt: skip


async def admits(db: Reads, fence: Fence, object_id: str) -> bool:
    return await db.exists(f"SELECT 1 FROM objects WHERE id = :id AND {fence.sql}", id=object_id, **fence.params)


async def get_rights(db: Reads, fences: Sequence[Fence], object_id: str) -> ObjectRights | None:
    """Return the rights on an object, given the caller's fences for reading, writing, deleting and managing."""
    params = {name: value for fence in fences for name, value in fence.params.items()}
    rights = ", ".join(fence.sql for fence in fences)
    return await db.one(ObjectRights, f"SELECT {rights} FROM objects WHERE id = :id", id=object_id, **params)


async def get_at_key(db: Reads, team_id: str, key: str) -> ObjectRow | None:
    """Return the object at the key without a fence. Only for writers, who check access themselves."""
    return await db.one(
        ObjectRow,
        f"SELECT {columns(ObjectRow)} FROM objects WHERE team_id = :team_id AND key = :key AND trashed_at IS NULL",
        team_id=team_id, key=key,
    )  # fmt: skip


async def get_key(tx: Tx, object_id: str) -> str | None:
    """Return the key that an object has now. Only for writers, who check access themselves."""
    return await tx.one(str, "SELECT key FROM objects WHERE id = :id", id=object_id)


async def get_fenced_at_key(db: Reads, fence: Fence, team_id: str, key: str) -> ObjectRow | None:
    return await db.one(
        ObjectRow,
        f"SELECT {columns(ObjectRow)} FROM objects WHERE team_id = :at_team AND key = :key"
        f" AND trashed_at IS NULL AND {fence.sql}",
        at_team=team_id, key=key, **fence.params,
    )  # fmt: skip


async def select_newest(db: Reads, fence: Fence, before: str, limit: int) -> list[ObjectItem]:
    return await db.all(
        ObjectItem,
        f"SELECT {_ITEM} FROM objects WHERE id IN ({fence.newest(db.dialect)}) ORDER BY id DESC",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def select_by_key(
    db: Reads, fence: Fence, key_range: KeyRange, *, after: tuple[str, str], limit: int
) -> list[ObjectRow]:
    where, params = _range_condition(key_range)
    page = fence.in_key_order(db.dialect, _BY_KEY, where)
    return await db.all(
        ObjectRow,
        f"SELECT {columns(ObjectRow)} FROM objects WHERE id IN (SELECT id FROM ({page}) AS page) ORDER BY key, id",
        after_key=after[0], after_id=after[1], limit=limit, **params, **fence.params,
    )  # fmt: skip


async def select_by_folder(
    db: Reads, fence: Fence, key_range: KeyRange, prefix: str, delimiter: str, *, after: tuple[str, str], limit: int
) -> list[ObjectRow]:
    """Return the same, but only the first object of each folder below `prefix`: the next step skips the rest."""
    where, params = _range_condition(key_range)
    step = fence.in_key_order(db.dialect, _BY_KEY, where, after=("walk.key", "walk.id"), limit="1")
    end, text = f"{db.dialect.position}(substr(met.key, :inside), :delimiter)", f"AS TEXT) {db.dialect.byte_order}"
    return await db.all(
        ObjectRow,
        f"WITH RECURSIVE walk (met, key, id, steps) AS (SELECT CAST('' {text}, CAST(:after_key {text},"
        f" CAST(:after_id {text}, 0 UNION ALL SELECT met.id,"
        f" CASE {end} WHEN 0 THEN met.key ELSE substr(met.key, 1, {end} + :folder) || :after_any END,"
        f" CASE {end} WHEN 0 THEN met.id ELSE '' END, steps + 1"
        f" FROM walk CROSS JOIN objects AS met WHERE met.id = (SELECT id FROM ({step}) AS step) AND steps < :limit)"
        f" SELECT {columns(ObjectRow, 'objects')} FROM walk CROSS JOIN objects WHERE objects.id = walk.met"
        " ORDER BY walk.steps",
        after_key=after[0], after_id=after[1], limit=limit, delimiter=delimiter, inside=len(prefix) + 1,
        folder=len(prefix) + len(delimiter) - 1, after_any=_AFTER_ANY_KEY, **params, **fence.params,
    )  # fmt: skip


async def select_folder_facts(
    db: Db, fence: Fence, folders: Sequence[tuple[str, str]], only_team: str | None, most: int
) -> list[FolderCount]:  # fmt: skip
    """Count the objects of each folder, up to `most`; a folder is given with the end of its keys."""
    in_team = " AND {row}.team_id = :only_team" if only_team else ""
    page = fence.in_key_order(
        db.dialect, _BY_KEY, "{row}.key < folders.stop" + in_team, after=("folders.folder", "''"), limit=":most"
    )
    given = db.dialect.json_table("folders", folder="TEXT", stop="TEXT")
    return await db.all_offloaded(
        FolderCount,
        f"SELECT folders.folder, (SELECT COUNT(*) FROM ({page}) AS page),"
        f" (SELECT MAX(objects.updated_at) FROM objects WHERE objects.id IN (SELECT id FROM ({page}) AS page))"
        f" FROM ({given}) AS folders",
        seconds=_TIMEOUT_SECONDS, folders=_json([{"folder": folder, "stop": stop} for folder, stop in folders]),
        most=most, **({"only_team": only_team} if only_team else {}), **fence.params,
    )  # fmt: skip


_BY_KEY = ("key", "id")
_AFTER_ANY_KEY = "\U0010ffff" * 256
"""Appended to a folder, it sorts after every key in it: keys are shorter than this."""


def _range_condition(key_range: KeyRange) -> tuple[str, dict[str, str]]:
    """Limit only the end of the range.

    The caller's start position is never before the range, and a second lower bound would keep the database from using
    the first one for the index.
    """
    bounds = {"{row}.key < :range_end": key_range.end, "{row}.team_id = :only_team": key_range.only_team}
    conditions = {sql: value for sql, value in bounds.items() if value is not None}
    return " AND ".join(conditions) or "TRUE", {sql.split(":")[1]: value for sql, value in conditions.items()}


async def select_linked(db: Reads, ids: Sequence[str]) -> set[str]:
    """Return those of the objects, which a fence has admitted, that have a public link that has not expired."""
    return set(
        await db.all(
            str, f"SELECT id FROM objects WHERE id {db.dialect.in_strings.format('ids')} AND {_IS_LINKED}",
            ids=_json(ids),
        )
    )  # fmt: skip


async def select_by_ids(db: Reads, fence: Fence, ids: Sequence[str]) -> list[ObjectItem]:
    return await db.all(
        ObjectItem,
        f"SELECT {_ITEM} FROM objects WHERE id {db.dialect.in_strings.format('ids')} AND {fence.sql}",
        ids=_json(ids), **fence.params,
    )  # fmt: skip


async def insert(tx: Tx, row: ObjectRow) -> None:
    await tx.add(
        f"INSERT INTO objects ({columns(ObjectRow)}) VALUES ({placeholders(ObjectRow)})", **msgspec.structs.asdict(row)
    )


async def attach_to_note(tx: Tx, fence: Fence, row: ObjectRow, note_id: str) -> bool:
    """Make an object a file of a note; return False if the fence of notes does not admit it."""
    return await tx.exists(
        "INSERT INTO attachments (object_id, org_id, note_id) SELECT :object_id, notes.org_id, notes.id FROM notes"
        f" WHERE notes.id = :page_id AND {fence.sql} {tx.dialect.share_lock} RETURNING object_id",
        object_id=row.id, page_id=note_id, **fence.params,
    )  # fmt: skip


async def attach_to_document(tx: Tx, fence: Fence, row: ObjectRow, document_id: str) -> None:
    """Make an object a file of a document, if the fence admits it."""
    await tx.run(
        "INSERT INTO attachments (object_id, org_id, document_id) SELECT :object_id, objects.org_id, objects.id"
        " FROM objects WHERE objects.id = :page_id AND objects.content_type = :markdown"
        f" AND {fence.sql} {tx.dialect.share_lock}",
        object_id=row.id, page_id=document_id, markdown=MARKDOWN, **fence.params,
    )  # fmt: skip


async def update(tx: Tx, row: ObjectRow) -> None:
    """Update the columns that change with a version, under the lock of the key.

    Owner, team and creation time never change, and the key only by `move`. Visibility changes without that lock, so it
    is not written here.
    """
    await tx.run(
        "UPDATE objects SET filename = :filename, title = :title, content_type = :content_type, version = :version, numbered = :numbered, removed = :removed, size = :size,"
        " sha256 = :sha256, etag = :etag, text_state = :text_state, text_fault = :text_fault, text_tries = 0,"
        " written_at = :written_at, updated_at = :updated_at WHERE id = :id",
        **{name: value for name, value in msgspec.structs.asdict(row).items() if name not in _IMMUTABLE},
    )


_IMMUTABLE = ("org_id", "team_id", "owner_id", "key", "visibility", "created_at")


async def move(tx: Tx, row: ObjectRow) -> None:
    """Give an object another key, under the locks of both; its newest version and its grants follow."""
    await tx.run(
        "UPDATE objects SET key = :key, filename = :filename, updated_at = :now WHERE id = :id",
        id=row.id, key=row.key, filename=row.filename, now=row.updated_at,
    )  # fmt: skip
    await tx.run(
        "UPDATE object_versions SET filename = :filename WHERE object_id = :id AND number = :number",
        id=row.id, filename=row.filename, number=row.version,
    )  # fmt: skip
    await tx.run("UPDATE object_grants SET key = :key WHERE object_id = :id", id=row.id, key=row.key)


async def set_visibility(tx: Tx, object_id: str, visibility: Visibility, now: str) -> None:
    await tx.run(
        "UPDATE objects SET visibility = :visibility, updated_at = :now WHERE id = :id",
        id=object_id, visibility=visibility, now=now,
    )  # fmt: skip


async def delete(tx: Tx, object_id: str) -> None:
    await tx.run("DELETE FROM objects WHERE id = :id", id=object_id)


async def select_existing_keys(db: Reads, team_id: str, keys: Sequence[str]) -> list[str]:
    return await db.all(
        str,
        f"SELECT key FROM objects WHERE team_id = :team_id AND key {db.dialect.in_strings.format('keys')}"
        " AND trashed_at IS NULL",
        team_id=team_id, keys=_json(keys),
    )  # fmt: skip


async def select_documents(db: Reads, fence: Fence, tag: str | None, before: str, limit: int) -> list[ObjectRow]:
    where = f"objects.content_type = '{MARKDOWN}'{_TAGGED if tag else ''}"
    return await db.all(
        ObjectRow,
        f"SELECT {columns(ObjectRow)} FROM objects WHERE id IN ({fence.newest(db.dialect, where)}) ORDER BY id DESC",
        before=before, limit=limit, **fence.params, **({"tag": tag} if tag else {}),
    )  # fmt: skip


_TAGGED = (
    " AND EXISTS (SELECT 1 FROM document_tags WHERE document_tags.org_id = objects.org_id"
    " AND document_tags.tag = :tag AND document_tags.object_id = objects.id)"
)


async def select_labels(db: Reads, object_id: str) -> list[str]:
    """Return the tags of a document that a fence has admitted."""
    return await db.all(
        str, "SELECT tag FROM document_tags WHERE object_id = :object_id ORDER BY position", object_id=object_id
    )


async def select_labels_of(db: Reads, object_ids: Sequence[str]) -> list[LabelRow]:
    """Return the tags of documents that a fence has admitted."""
    return await db.all(
        LabelRow,
        f"SELECT {columns(LabelRow)} FROM document_tags WHERE object_id {db.dialect.in_strings.format('ids')}"
        " ORDER BY object_id, position",
        ids=_json(object_ids),
    )  # fmt: skip


async def insert_labels(tx: Tx, org_id: str, rows: Sequence[LabelRow]) -> None:
    given = tx.dialect.json_table("rows", object_id="TEXT", tag="TEXT", position="BIGINT")
    await tx.run(
        "INSERT INTO document_tags (object_id, tag, org_id, position)"
        f" SELECT given.object_id, given.tag, :org_id, given.position FROM ({given}) AS given",
        org_id=org_id, rows=_json(rows),
    )  # fmt: skip


async def delete_labels(tx: Tx, object_id: str) -> None:
    await tx.run("DELETE FROM document_tags WHERE object_id = :object_id", object_id=object_id)


# The trash


async def trash(tx: Tx, object_id: str, *, by: str, grantee: str | None, now: str) -> None:
    """Put an object in the trash, under the lock of its key. Only objects without a delete marker get there."""
    await tx.run(
        "UPDATE objects SET removed = TRUE, trashed_at = :now, trashed_by = :by, trashed_by_grantee = :grantee"
        " WHERE id = :id",
        id=object_id, by=by, grantee=grantee, now=now,
    )  # fmt: skip


async def get_trashed(db: Reads, fence: Fence, object_id: str) -> TrashedObject | None:
    return await db.one(
        TrashedObject,
        f"SELECT {columns(TrashedObject)} FROM objects WHERE id = :id AND {fence.sql}",
        id=object_id, **fence.params,
    )  # fmt: skip


async def restore(tx: Tx, object_id: str) -> None:
    """Take an object out of the trash, under the lock of its key, which is free."""
    await tx.run(
        "UPDATE objects SET removed = FALSE, trashed_at = NULL, trashed_by = NULL, trashed_by_grantee = NULL"
        " WHERE id = :id",
        id=object_id,
    )  # fmt: skip


async def is_in_trash_since(tx: Tx, object_id: str, trashed_at: str) -> bool:
    """Whether an object has been in the trash since then; if so, it stays there until the commit."""
    return await tx.exists(
        f"SELECT 1 FROM objects WHERE id = :id AND trashed_at = :trashed_at {tx.dialect.row_lock}",
        id=object_id, trashed_at=trashed_at,
    )  # fmt: skip


# Versions


async def insert_version(tx: Tx, row: VersionRow) -> None:
    values = msgspec.structs.asdict(row) | {"carried": _json(row.carried), "tags": _json(row.tags)}
    await tx.add(f"INSERT INTO object_versions ({columns(VersionRow)}) VALUES ({placeholders(VersionRow)})", **values)


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


async def get_version(db: Reads, object_id: str, number: int) -> VersionRow | None:
    """Return a version of an object that a fence has admitted."""
    return await db.one(
        VersionRow,
        f"SELECT {columns(VersionRow)} FROM object_versions WHERE object_id = :object_id AND number = :number",
        object_id=object_id, number=number,
    )  # fmt: skip


async def get_current_version(db: Reads, fence: Fence, team_id: str, key: str) -> VersionRow | None:
    """Return the current version at a key of the team, which may be a delete marker."""
    return await db.one(
        VersionRow,
        f"SELECT {columns(VersionRow, 'object_versions')} FROM objects JOIN object_versions"
        " ON object_versions.object_id = objects.id AND object_versions.number = objects.version"
        f" WHERE objects.team_id = :at_team AND objects.key = :key AND objects.trashed_at IS NULL AND {fence.sql}",
        at_team=team_id, key=key, **fence.params,
    )  # fmt: skip


async def get_version_by_id(db: Reads, object_id: str, version_id: str) -> VersionRow | None:
    """Return a version of an object that a fence has admitted, by the version's id."""
    return await db.one(
        VersionRow,
        f"SELECT {columns(VersionRow)} FROM object_versions WHERE id = :id AND object_id = :object_id",
        id=version_id, object_id=object_id,
    )  # fmt: skip


async def get_newest_version(db: Reads, object_id: str) -> VersionRow | None:
    return await db.one(
        VersionRow,
        f"SELECT {columns(VersionRow)} FROM object_versions WHERE object_id = :object_id ORDER BY number DESC LIMIT 1",
        object_id=object_id,
    )  # fmt: skip


async def delete_versions(tx: Tx, version_ids: Sequence[str]) -> None:
    await tx.run_offloaded(
        f"DELETE FROM object_versions WHERE id {tx.dialect.in_strings.format('ids')}", ids=_json(version_ids)
    )  # fmt: skip


async def set_tags(tx: Tx, version_id: str, tags: dict[str, str] | None) -> None:
    await tx.run("UPDATE object_versions SET tags = :tags WHERE id = :id", id=version_id, tags=_json(tags))


async def set_name(tx: Tx, version_id: str, name: str | None) -> None:
    await tx.run("UPDATE object_versions SET name = :name WHERE id = :id", id=version_id, name=name)


async def set_sha256(tx: Tx, version_id: str, sha256: str) -> None:
    await tx.run("UPDATE object_versions SET sha256 = :sha256 WHERE id = :id", id=version_id, sha256=sha256)
    await tx.run(
        "UPDATE objects SET sha256 = :sha256 WHERE id = (SELECT object_id FROM object_versions WHERE id = :id)"
        " AND version = (SELECT number FROM object_versions WHERE id = :id)",
        id=version_id, sha256=sha256,
    )  # fmt: skip


async def select_versions(db: Reads, object_id: str, below: int, limit: int) -> list[VersionRow]:
    return await db.all(
        VersionRow,
        f"SELECT {columns(VersionRow)} FROM object_versions WHERE object_id = :object_id AND number < :below"
        " AND removal = FALSE ORDER BY number DESC LIMIT :limit",
        object_id=object_id, below=below, limit=limit,
    )  # fmt: skip


async def select_all_versions(db: Reads, object_id: str, below: int, limit: int) -> list[VersionRow]:
    """Return the same with delete markers."""
    return await db.all(
        VersionRow,
        f"SELECT {columns(VersionRow)} FROM object_versions WHERE object_id = :object_id AND number < :below"
        " ORDER BY number DESC LIMIT :limit",
        object_id=object_id, below=below, limit=limit,
    )  # fmt: skip


async def select_versions_of(db: Reads, object_ids: Sequence[str]) -> list[VersionRow]:
    return await db.all(
        VersionRow,
        f"SELECT {columns(VersionRow)} FROM object_versions WHERE object_id {db.dialect.in_strings.format('ids')}"
        " ORDER BY object_id, number DESC",
        ids=_json(object_ids),
    )  # fmt: skip


async def is_larger_than(db: Reads, object_id: str, *, versions: int, parts: int, derived: int) -> bool:
    """Whether an object has more versions, more parts in all of them, or more that was made from it."""
    counted = (
        ("object_versions WHERE object_id = :id", "versions"),
        ("object_versions v JOIN object_parts p ON p.version_id = v.id WHERE v.object_id = :id", "parts"),
        ("object_derivations WHERE source_id = :id", "derived"),
    )
    more = (
        f"(SELECT COUNT(*) FROM (SELECT 1 FROM {rows} LIMIT :{most} + 1) AS counted) > :{most}"
        for rows, most in counted
    )
    return await db.exists(
        f"SELECT 1 WHERE {' OR '.join(more)}", id=object_id, versions=versions, parts=parts, derived=derived
    )


async def select_oldest_versions(db: Reads, object_id: str, limit: int) -> list[OldVersion]:
    return await db.all(
        OldVersion,
        "SELECT id, number, size, blob IS NULL AND NOT removal AS in_parts FROM object_versions"
        " WHERE object_id = :id ORDER BY number LIMIT :limit",
        id=object_id, limit=limit,
    )  # fmt: skip


async def select_blobs(db: Reads, version_ids: Sequence[str]) -> list[str]:
    """Return the blobs of versions, their parts, their texts and their thumbnails."""
    these = db.dialect.in_strings.format("ids")
    return await db.all(
        str,
        f"SELECT blob FROM object_versions WHERE id {these} AND blob IS NOT NULL UNION"
        f" SELECT text_blob FROM object_versions WHERE id {these} AND text_blob IS NOT NULL UNION"
        f" SELECT blob FROM object_thumbnails WHERE version_id {these} AND blob IS NOT NULL UNION"
        f" SELECT blob FROM object_parts WHERE version_id {these}",
        ids=_json(version_ids),
    )  # fmt: skip


# Parts


async def select_parts(db: Reads, version_id: str, start: int, end: int) -> list[PartRow]:
    """Return the parts that overlap the bytes from `start` to `end`, of a version that a fence has admitted.

    A `start` of -1 returns all parts up to `end`, even empty ones.
    """
    return await db.all(
        PartRow,
        f"SELECT {columns(PartRow)} FROM object_parts WHERE version_id = :version_id"
        " AND start < :end AND start + size > :start ORDER BY start",
        version_id=version_id, start=start, end=end,
    )  # fmt: skip


async def copy_parts(tx: Tx, from_version: str, to_version: str) -> None:
    await tx.run_offloaded(
        "INSERT INTO object_parts (version_id, number, org_id, start, size, blob, md5, checksum)"
        " SELECT :to_version, number, org_id, start, size, blob, md5, checksum FROM object_parts"
        " WHERE version_id = :from_version",
        from_version=from_version, to_version=to_version,
    )  # fmt: skip


# Multipart uploads


async def insert_upload(tx: Tx, row: UploadRow) -> None:
    await tx.run(
        f"INSERT INTO object_uploads ({columns(UploadRow)}) VALUES ({placeholders(UploadRow)})",
        **msgspec.structs.asdict(row) | {"work": _json(row.work)},
    )


async def get_upload(db: Reads, fence: Fence, upload_id: str) -> UploadRow | None:
    return await db.one(
        UploadRow,
        f"SELECT {columns(UploadRow)} FROM object_uploads WHERE id = :id AND {fence.sql}",
        id=upload_id, **fence.params,
    )  # fmt: skip


async def select_uploads(
    db: Reads, fence: Fence, *, end: str | None, after: tuple[str, str], limit: int
) -> list[UploadRow]:
    """Return unfinished uploads in key order."""
    return await db.all(
        UploadRow,
        f"SELECT {columns(UploadRow)} FROM object_uploads WHERE {fence.sql} AND version_id IS NULL"
        f" {'AND key < :end' if end else ''} AND (key, id) > (:after_key, :after_id) ORDER BY key, id LIMIT :limit",
        after_key=after[0], after_id=after[1], limit=limit, **fence.params, **({"end": end} if end else {}),
    )  # fmt: skip


async def touch_upload(tx: Tx, upload_id: str, now: str) -> bool:
    """Return whether the upload is still unfinished; if so, the row stays locked until the commit."""
    return await tx.exists(
        "UPDATE object_uploads SET touched_at = :now WHERE id = :id AND version_id IS NULL RETURNING id",
        id=upload_id, now=now,
    )  # fmt: skip


async def end_upload(tx: Tx, upload_id: str, version_id: str) -> None:
    await tx.run(
        "UPDATE object_uploads SET version_id = :version_id WHERE id = :id", id=upload_id, version_id=version_id
    )


async def select_stale_uploads(tx: Tx, touched_before: str, limit: int) -> list[EndedUpload]:
    """Lock and return uploads without recent activity; those locked by another transaction are skipped."""
    return await tx.all(
        EndedUpload,
        "SELECT id, org_id, EXISTS (SELECT 1 FROM object_upload_parts WHERE upload_id = object_uploads.id)"
        f" FROM object_uploads WHERE touched_at < :before LIMIT :limit {tx.dialect.skip_locked}",
        before=touched_before, limit=limit,
    )  # fmt: skip


async def select_upload_usage(tx: Tx, upload_ids: Sequence[str]) -> list[UploadUsage]:
    """Return the bytes of these uploads' parts, by team."""
    return await tx.all(
        UploadUsage,
        "SELECT u.org_id, u.team_id, CAST(SUM(p.size) AS BIGINT) FROM object_uploads u"
        f" JOIN object_upload_parts p ON p.upload_id = u.id WHERE u.id {tx.dialect.in_strings.format('ids')}"
        " GROUP BY u.org_id, u.team_id ORDER BY u.org_id, u.team_id",
        ids=_json(upload_ids),
    )  # fmt: skip


async def delete_uploads(tx: Tx, upload_ids: Sequence[str]) -> None:
    await tx.run_offloaded(
        f"DELETE FROM object_uploads WHERE id {tx.dialect.in_strings.format('ids')}", ids=_json(upload_ids)
    )


async def put_upload_part(tx: Tx, upload_id: str, org_id: str, part: UploadPartRow) -> None:
    await tx.run(
        "INSERT INTO object_upload_parts (upload_id, number, org_id, size, blob, md5, checksum, created_at)"
        " VALUES (:upload_id, :number, :org_id, :size, :blob, :md5, :checksum, :created_at)"
        " ON CONFLICT (upload_id, number) DO UPDATE SET size = excluded.size, blob = excluded.blob,"
        " md5 = excluded.md5, checksum = excluded.checksum, created_at = excluded.created_at",
        upload_id=upload_id, org_id=org_id, **msgspec.structs.asdict(part),
    )  # fmt: skip


async def get_upload_part(db: Reads, upload_id: str, number: int) -> UploadPartRow | None:
    return await db.one(
        UploadPartRow,
        f"SELECT {columns(UploadPartRow)} FROM object_upload_parts WHERE upload_id = :id AND number = :number",
        id=upload_id, number=number,
    )  # fmt: skip


async def select_upload_parts(db: Reads, upload_id: str, after: int, limit: int) -> list[UploadPartRow]:
    """Return parts of an upload that a fence has admitted."""
    return await db.all(
        UploadPartRow,
        f"SELECT {columns(UploadPartRow)} FROM object_upload_parts WHERE upload_id = :id AND number > :after"
        " ORDER BY number LIMIT :limit",
        id=upload_id, after=after, limit=limit,
    )  # fmt: skip


async def delete_upload_parts(tx: Tx, upload_id: str, numbers: Sequence[int]) -> None:
    given = tx.dialect.json_table("numbers", number="BIGINT")
    await tx.run_offloaded(
        f"DELETE FROM object_upload_parts WHERE upload_id = :id AND number IN (SELECT number FROM ({given}) AS given)",
        id=upload_id, numbers=_json([{"number": number} for number in numbers]),
    )  # fmt: skip


async def move_parts_to_version(tx: Tx, upload_id: str, version_id: str) -> None:
    """Move all parts of an upload to a version, in order, with their offsets."""
    await tx.run_offloaded(
        "INSERT INTO object_parts (version_id, number, org_id, start, size, blob, md5, checksum)"
        " SELECT :version_id, number, org_id, SUM(size) OVER (ORDER BY number) - size, size, blob, md5, checksum"
        " FROM object_upload_parts WHERE upload_id = :upload_id",
        upload_id=upload_id, version_id=version_id,
    )  # fmt: skip
    await tx.run_offloaded("DELETE FROM object_upload_parts WHERE upload_id = :upload_id", upload_id=upload_id)


# Grants


async def select_grants(db: Reads, object_id: str) -> list[GrantRow[AccessLevel]]:
    return await db.all(
        GrantRow[AccessLevel],
        f"SELECT {_GRANT} FROM object_grants WHERE object_id = :object_id ORDER BY principal_type, principal_id",
        object_id=object_id,
    )  # fmt: skip


async def put_grant(
    tx: Tx, object_id: str, org_id: str, kind: sharing.PrincipalType, id: str, capability: AccessLevel, *, by: str,
    expires_at: str | None, now: str,
) -> None:  # fmt: skip
    await tx.run(
        "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, trashed_at,"
        " capability, granted_by, expires_at, created_at) SELECT id, :kind, :id, :org_id, team_id, key, removed,"
        f" trashed_at, :capability, :by, :expires_at, :now FROM objects WHERE id = :object_id {tx.dialect.share_lock}"
        " ON CONFLICT (object_id, principal_type, principal_id) DO UPDATE SET capability = excluded.capability,"
        " granted_by = excluded.granted_by, expires_at = excluded.expires_at, created_at = excluded.created_at",
        object_id=object_id, kind=kind, id=id, org_id=org_id, capability=capability, by=by, expires_at=expires_at,
        now=now,
    )  # fmt: skip


async def select_readers(tx: Tx, object_id: str) -> list[str]:
    """Return everyone who can read an object, as `events.Readers`."""
    return await tx.all(
        str,
        "SELECT 'user:' || objects.owner_id FROM objects JOIN memberships ON memberships.team_id = objects.team_id"
        " AND memberships.user_id = objects.owner_id WHERE objects.id = :id"
        " UNION ALL SELECT principal_type || ':' || principal_id FROM object_grants WHERE object_id = :id"
        f" AND {sharing.not_expired('object_grants')}"
        " UNION ALL SELECT 'role:' || team_id FROM objects WHERE id = :id AND visibility = 'team'"
        " UNION ALL SELECT 'org:' || org_id FROM objects WHERE id = :id AND visibility = 'team'",
        id=object_id,
    )  # fmt: skip


async def delete_grant(tx: Tx, object_id: str, kind: sharing.PrincipalType, id: str) -> None:
    await tx.run(
        "DELETE FROM object_grants WHERE object_id = :object_id AND principal_type = :kind AND principal_id = :id",
        object_id=object_id, kind=kind, id=id,
    )  # fmt: skip


# Text


async def set_text_state(
    tx: Tx, object_id: str, number: int, state: TextState, fault: str | None
) -> ObjectRow | None:  # fmt: skip
    """Return the object, or None if there is a newer version by now, or if it is in the trash."""
    return await tx.one(
        ObjectRow,
        "UPDATE objects SET text_state = :state, text_fault = :fault,"
        " text_tries = text_tries + CASE WHEN :state = 'failed' THEN 1 ELSE 0 END"
        " WHERE id = :id AND version = :number AND trashed_at IS NULL"
        f" RETURNING {columns(ObjectRow)}",
        id=object_id, number=number, state=state, fault=fault,
    )  # fmt: skip


async def get_thumbnail(db: Reads, version_id: str) -> ThumbnailRow | None:
    """Return the thumbnails of a version that a fence has admitted."""
    return await db.one(
        ThumbnailRow,
        f"SELECT {columns(ThumbnailRow)} FROM object_thumbnails WHERE version_id = :version_id",
        version_id=version_id,
    )


async def insert_thumbnail(tx: Tx, row: ThumbnailRow) -> None:
    await tx.run(
        f"INSERT INTO object_thumbnails ({columns(ThumbnailRow)}) VALUES ({placeholders(ThumbnailRow)})",
        **msgspec.structs.asdict(row),
    )


async def set_text(tx: Tx, version_id: str, digest: str, length: int) -> None:
    await tx.run(
        "UPDATE object_versions SET text_blob = :digest, text_length = :length WHERE id = :id",
        id=version_id, digest=digest, length=length,
    )  # fmt: skip


async def fail_text(tx: Tx, object_id: str, author_id: str, fault: str) -> ObjectRow | None:
    """Mark pending text as failed and return the object, if this person wrote the newest version."""
    return await tx.one(
        ObjectRow,
        "UPDATE objects SET text_state = 'failed', text_fault = :fault, text_tries = text_tries + 1"
        " WHERE id = :id AND text_state = 'pending' AND trashed_at IS NULL"
        " AND EXISTS (SELECT 1 FROM object_versions WHERE object_id = objects.id AND number = objects.version"
        f" AND author_id = :author_id) RETURNING {columns(ObjectRow)}",
        id=object_id, author_id=author_id, fault=fault,
    )  # fmt: skip


# Provenance


async def insert_derivations(tx: Tx, row: VersionRow, draft: VersionDraft) -> None:
    """Insert the sources of a version, which is the newest derived one from now on."""
    await tx.run("UPDATE object_derivations SET latest = FALSE WHERE object_id = :id AND latest", id=row.object_id)
    for source in draft.sources:
        derivation = DerivationRow(
            row.object_id, row.number, source.object_id, source.number, source.number, draft.recipe, row.run_id,
            draft.step, source.start, source.end, True, row.created_at,
        )  # fmt: skip
        await tx.run(
            f"INSERT INTO object_derivations (org_id, {columns(DerivationRow)})"
            f" VALUES (:org_id, {placeholders(DerivationRow)})",
            org_id=row.org_id, **msgspec.structs.asdict(derivation),
        )  # fmt: skip


async def confirm_derivation(tx: Tx, object_id: str, number: int, source_id: str, checked_number: int) -> None:
    """Note that a derived version is right for another version of the source too."""
    await tx.run(
        "UPDATE object_derivations SET checked_number = :checked_number"
        " WHERE object_id = :object_id AND number = :number AND source_id = :source_id",
        object_id=object_id, number=number, source_id=source_id, checked_number=checked_number,
    )  # fmt: skip


async def delete_derivations(tx: Tx, object_id: str, number: int) -> None:
    """Delete the sources of a version; the newest derived one of those left becomes the latest."""
    await tx.run(
        "DELETE FROM object_derivations WHERE object_id = :id AND number = :number", id=object_id, number=number
    )
    await tx.run(
        "UPDATE object_derivations SET latest = TRUE WHERE object_id = :id"
        " AND number = (SELECT MAX(number) FROM object_derivations WHERE object_id = :id)",
        id=object_id,
    )  # fmt: skip


async def delete_derivations_up_to(tx: Tx, object_id: str, number: int) -> None:
    """Delete the sources of a version and of all before it."""
    await tx.run(
        "DELETE FROM object_derivations WHERE object_id = :id AND number <= :number", id=object_id, number=number
    )


async def lock_derived(tx: Tx, source_id: str, limit: int) -> list[str]:
    """Return the first objects that were made from one. They get no version until the commit."""
    return await tx.all(
        str,
        "SELECT id FROM objects WHERE id IN (SELECT object_id FROM object_derivations WHERE source_id = :id"
        f" ORDER BY object_id, number LIMIT :limit) ORDER BY id {tx.dialect.row_lock}",
        id=source_id, limit=limit,
    )  # fmt: skip


async def forget_source(tx: Tx, source_id: str, derived: Sequence[str], limit: int) -> None:
    """Delete the first derivations of these objects from a source; the newest of those left become the latest."""
    these = tx.dialect.in_strings.format("ids")
    await tx.run(
        "DELETE FROM object_derivations WHERE source_id = :id AND (object_id, number) IN (SELECT object_id, number"
        f" FROM object_derivations WHERE source_id = :id AND object_id {these} ORDER BY object_id, number LIMIT :limit)",
        id=source_id, ids=_json(derived), limit=limit,
    )  # fmt: skip
    await tx.run(
        f"UPDATE object_derivations SET latest = TRUE WHERE object_id {these} AND NOT latest AND number ="
        " (SELECT MAX(number) FROM object_derivations AS left_over"
        " WHERE left_over.object_id = object_derivations.object_id)",
        ids=_json(derived),
    )  # fmt: skip


async def get_latest_derivation(db: Reads, object_id: str, source_id: str) -> DerivationRow | None:
    """Return how the newest derived version of an object was made from a source."""
    return await db.one(
        DerivationRow,
        f"SELECT {columns(DerivationRow)} FROM object_derivations WHERE object_id = :object_id"
        " AND source_id = :source_id AND latest",
        object_id=object_id, source_id=source_id,
    )  # fmt: skip


async def find_derived_number(db: Reads, object_id: str, run_id: str, step: str) -> int | None:
    """Return the newest version that a step of a run has derived."""
    return await db.one(
        int,
        "SELECT number FROM object_derivations WHERE object_id = :object_id AND run_id = :run_id AND step = :step"
        " ORDER BY number DESC LIMIT 1",
        object_id=object_id, run_id=run_id, step=step,
    )  # fmt: skip


async def get_shared(tx: Tx, fence: Fence, object_id: str) -> ObjectRow | None:
    """Return an object whose row stays as it is until the commit."""
    return await tx.one(
        ObjectRow,
        f"SELECT {columns(ObjectRow)} FROM objects WHERE id = :id AND {fence.sql} {tx.dialect.share_lock}",
        id=object_id, **fence.params,
    )  # fmt: skip


async def select_sources(db: Reads, object_id: str, limit: int) -> list[DerivationRow]:
    """Return the sources of the newest derived version."""
    return await db.all(
        DerivationRow,
        f"SELECT {columns(DerivationRow)} FROM object_derivations WHERE object_id = :id AND latest"
        " ORDER BY source_id LIMIT :limit",
        id=object_id, limit=limit,
    )  # fmt: skip


async def select_derived(db: Reads, source_id: str, limit: int) -> list[DerivationRow]:
    """Return the objects whose newest derived version was made from this one."""
    return await db.all(
        DerivationRow,
        f"SELECT {columns(DerivationRow)} FROM object_derivations WHERE source_id = :id AND latest"
        " ORDER BY object_id DESC LIMIT :limit",
        id=source_id, limit=limit,
    )  # fmt: skip


async def select_lineage(
    db: Db, fence: Fence, object_ids: Sequence[str], depth: int, limit: int
) -> list[LineageRow]:  # fmt: skip
    """Return the sources of objects, the sources of these and so on, nearest first, as far as a fence admits them."""
    step = (
        "CROSS JOIN object_derivations AS steps CROSS JOIN objects WHERE steps.object_id = line.id AND steps.latest"
        f" AND objects.id = steps.source_id AND {fence.sql}"
    )
    return await db.all_offloaded(
        LineageRow,
        f"WITH RECURSIVE line (id, depth) AS (SELECT CAST(value AS TEXT) {db.dialect.byte_order}, 0"
        f" FROM ({db.dialect.json_strings.format('ids')}) AS given"
        f" UNION SELECT steps.source_id, line.depth + 1 FROM line {step} AND line.depth + 1 < :depth)"
        " SELECT steps.object_id, steps.source_id, objects.key, steps.checked_number, objects.version FROM"
        " (SELECT id, MIN(depth) AS depth FROM (SELECT id, depth FROM line LIMIT :limit) AS nearest GROUP BY id) AS line"
        f" {step} ORDER BY line.depth, steps.object_id, steps.source_id LIMIT :limit",
        seconds=_TIMEOUT_SECONDS, ids=_json(object_ids), depth=depth, limit=limit, **fence.params,
    )  # fmt: skip


def _team_sees(team: str) -> str:
    """Return SQL for whether a team sees the source `s` as a whole."""
    return (
        f"((s.visibility = 'team' AND s.team_id = {team}) OR EXISTS (SELECT 1 FROM object_grants AS a WHERE"
        f" a.object_id = s.id AND a.principal_type = 'team' AND a.principal_id = {team} AND {sharing.not_expired('a')}))"
    )


def _person_sees(person: str) -> str:
    """Return SQL for whether a person sees the source `s`: as its owner, by a grant, or in a team that sees it."""
    return (
        f"({person} = s.owner_id OR EXISTS (SELECT 1 FROM object_grants AS a WHERE a.object_id = s.id"
        f" AND a.principal_type = 'user' AND a.principal_id = {person} AND {sharing.not_expired('a')}) OR EXISTS"
        f" (SELECT 1 FROM memberships AS seats WHERE seats.user_id = {person} AND {_team_sees('seats.team_id')}))"
    )


async def select_wider(db: Db, pairs: Sequence[DerivedPair]) -> list[DerivedPair]:
    """Return those of the pairs whose derived object can be seen by people who cannot see the source."""
    given = db.dialect.json_table("pairs", derived_id="TEXT", source_id="TEXT")
    return await db.all_offloaded(
        DerivedPair,
        f"SELECT pairs.derived_id, pairs.source_id FROM ({given}) AS pairs CROSS JOIN objects AS d CROSS JOIN objects AS s"
        " WHERE d.id = pairs.derived_id AND s.id = pairs.source_id AND ("
        f"(d.visibility = 'team' AND NOT {_team_sees('d.team_id')}) OR NOT {_person_sees('d.owner_id')}"
        f" OR EXISTS (SELECT 1 FROM object_grants AS g WHERE g.object_id = d.id AND {sharing.not_expired('g')}"
        f" AND CASE g.principal_type WHEN 'team' THEN NOT {_team_sees('g.principal_id')}"
        f" ELSE NOT {_person_sees('g.principal_id')} END))",
        seconds=_TIMEOUT_SECONDS, pairs=_json(pairs),
    )  # fmt: skip


async def select_unread(db: Reads, fence: Fence, limit: int) -> list[str]:
    """Return objects whose text is not extracted and can still be, newest first."""
    where = "objects.text_state IN ('pending', 'failed') AND objects.text_tries < 3"
    return await db.all(
        str,
        f"SELECT id FROM objects WHERE id IN ({fence.newest(db.dialect, where)}) ORDER BY id DESC",
        before=_AFTER_ANY_ID, limit=limit, **fence.params,
    )  # fmt: skip


_AFTER_ANY_ID = "~"


# fmt: off
INVARIANTS = (
    Invariant("objects.attachments", "a file of a page, and the page, belong to one company",
        "SELECT a.object_id FROM attachments a JOIN objects o ON o.id = a.object_id LEFT JOIN notes n ON n.id = a.note_id"
        " LEFT JOIN objects d ON d.id = a.document_id WHERE a.org_id <> o.org_id OR a.org_id <> n.org_id"
        " OR a.org_id <> d.org_id"),
    Invariant("objects.company", "an object, its team, owner, versions and grants belong to one company",
        "SELECT o.id FROM objects o JOIN teams t ON t.id = o.team_id JOIN users u ON u.id = o.owner_id"
        " WHERE o.org_id <> t.org_id OR o.org_id <> u.org_id UNION ALL"
        " SELECT v.id FROM object_versions v JOIN objects o ON o.id = v.object_id WHERE v.org_id <> o.org_id UNION ALL"
        " SELECT g.object_id FROM object_grants g JOIN objects o ON o.id = g.object_id WHERE g.org_id <> o.org_id"
        f" OR {sharing.principal_missing('g', 'o')}"),
    Invariant("objects.grants", "a grant has the same team, key and deletion state as its object, and the same time in the trash",
        "SELECT g.object_id FROM object_grants g JOIN objects o ON o.id = g.object_id"
        " WHERE g.team_id <> o.team_id OR g.key <> o.key OR g.removed <> o.removed"
        " OR coalesce(g.trashed_at, '') <> coalesce(o.trashed_at, '')"),
    Invariant("objects.newest", "an object has the values of its newest version",
        "SELECT o.id FROM objects o LEFT JOIN object_versions v ON v.object_id = o.id AND v.number = o.version"
        " WHERE v.id IS NULL OR v.removal <> (o.removed AND o.trashed_at IS NULL) OR (NOT v.removal AND (v.size <> o.size OR v.etag <> o.etag"
        " OR coalesce(v.sha256, '') <> coalesce(o.sha256, '') OR v.content_type <> o.content_type))"
        " UNION ALL"
        " SELECT v.object_id FROM object_versions v JOIN objects o ON o.id = v.object_id WHERE v.number > o.version"
        " UNION ALL SELECT id FROM objects WHERE numbered < version"),
    Invariant("objects.bytes", "a version has its bytes in one blob or in consecutive parts",
        "SELECT v.id FROM object_versions v LEFT JOIN (SELECT version_id, SUM(size) AS size"
        " FROM object_parts GROUP BY version_id) AS p ON p.version_id = v.id"
        " WHERE CASE WHEN v.removal THEN v.blob IS NOT NULL OR p.size IS NOT NULL"
        " WHEN v.blob IS NOT NULL THEN p.size IS NOT NULL"
        " ELSE p.size IS NULL OR p.size <> v.size END UNION ALL"
        " SELECT version_id FROM (SELECT version_id, start,"
        " SUM(size) OVER (PARTITION BY version_id ORDER BY number) - size AS due FROM object_parts) AS p"
        " WHERE start <> due"),
    Invariant("objects.stored", "the stored totals of companies and teams match their versions, parts, objects and assets",
        "SELECT who FROM (SELECT subject AS who, bytes, objects FROM quota_stored WHERE level <> 'tenant'"
        " UNION ALL SELECT org_id, 0, -1 FROM objects UNION ALL SELECT team_id, 0, -1 FROM objects"
        " UNION ALL SELECT org_id, -size, 0 FROM object_versions"
        " UNION ALL SELECT o.team_id, -v.size, 0 FROM object_versions v JOIN objects o ON o.id = v.object_id"
        " UNION ALL SELECT org_id, -size, 0 FROM object_upload_parts"
        " UNION ALL SELECT u.team_id, -p.size, 0 FROM object_upload_parts p JOIN object_uploads u ON u.id = p.upload_id"
        " UNION ALL SELECT org_id, -size, 0 FROM onboarding_assets"
        " UNION ALL SELECT team_id, -size, 0 FROM onboarding_assets"
        ") AS entries GROUP BY who HAVING SUM(bytes) <> 0 OR SUM(objects) <> 0"),
    Invariant("objects.audit", "the creation of every object is in the audit log",
        "SELECT id FROM objects WHERE id NOT IN"
        " (SELECT target FROM audit WHERE action = 'object.create' AND target IS NOT NULL)"),
    Invariant("objects.derivations", "a derivation has its version, one company with its source, and is latest if its version is the newest derived",
        "SELECT d.object_id FROM object_derivations d LEFT JOIN object_versions v"
        " ON v.object_id = d.object_id AND v.number = d.number LEFT JOIN objects s ON s.id = d.source_id"
        " WHERE v.id IS NULL OR s.org_id <> d.org_id OR v.org_id <> d.org_id OR d.latest <> (d.number ="
        " (SELECT MAX(number) FROM object_derivations WHERE object_id = d.object_id))"),
    Invariant("objects.text", "every object is in the full-text index, and no deleted object is",
        "SELECT id FROM objects WHERE NOT removed AND NOT EXISTS"
        " (SELECT 1 FROM texts WHERE kind = 'object' AND ref = objects.id AND org_id = objects.org_id) UNION ALL"
        " SELECT ref FROM texts WHERE kind = 'object' AND ref NOT IN (SELECT id FROM objects WHERE NOT removed)"),
    Invariant("objects.trash", "an object in the trash is removed, has a person who put it there, and its text is set aside",
        "SELECT id FROM objects WHERE (trashed_at IS NULL) <> (trashed_by IS NULL)"
        " OR (trashed_at IS NOT NULL AND (NOT removed OR NOT EXISTS"
        " (SELECT 1 FROM texts WHERE kind = 'trashedobject' AND ref = objects.id))) UNION ALL"
        " SELECT ref FROM texts WHERE kind = 'trashedobject' AND ref NOT IN"
        " (SELECT id FROM objects WHERE trashed_at IS NOT NULL)"),
)
# fmt: on
