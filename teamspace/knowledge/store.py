"""SQL of the knowledge graph: one statement per function, no rules. Reads of what documents say take a `GraphReach`."""

from collections.abc import Sequence
from typing import Any

from teamspace import fulltext, repository
from teamspace.core.db import EACH_ROW, Clause, Db, Fence, Reads, Tx, as_json, columns, no_rows
from teamspace.core.tables import Invariant, TransientTable
from teamspace.knowledge.schemas import (
    EntityName,
    EntityType,
    ExtractedDocument,
    GraphReach,
    MentionRow,
    MergeRow,
    NamedDocument,
    NewDocumentName,
    NewMention,
    NewRelation,
    RelationRow,
)

KIND = "entity"
"""The kind of names in the full-text index."""
TRANSIENT = (TransientTable("kg_entries"), TransientTable("kg_unlisted"))
"""Triggers fill them when the other tables are restored."""
TIMEOUT_SECONDS = 2.0
_NAME = columns(EntityName, "kg_names")
_AFTER_ALL = "~"
"""Sorts after all times and ids."""
_IS_CURRENT = (
    "EXISTS (SELECT 1 FROM kg_document_names AS said CROSS JOIN kg_documents AS read WHERE"
    " said.object_id = kg_entries.object_id AND said.name_id = kg_entries.name_id"
    " AND read.object_id = kg_entries.object_id AND read.at = kg_entries.at)"
)
"""Whether an entry is of what its document says now: the others are deleted later."""


# Reading the graph


def _entries(seen: GraphReach, selected: str, where: str, order: str, limit: str) -> list[str]:
    """Return, for each audience, SQL for its first entries that the caller can read."""
    return [
        f"SELECT {selected} FROM kg_entries CROSS JOIN objects WHERE kg_entries.audience = :{audience} AND {where}"
        f" AND objects.id = kg_entries.object_id AND {_IS_CURRENT} AND {seen.objects.sql} ORDER BY {order} LIMIT {limit}"
        for audience in seen.audiences
    ]


def names_fence(seen: GraphReach) -> Fence:
    """Return the fence of the names that a document has which the caller can read."""
    if seen.is_empty:
        return no_rows("kg_names")
    is_named = "kg_entries.name = kg_names.name AND kg_entries.name_id = kg_names.id"
    branches = (
        f"EXISTS (SELECT 1 FROM kg_entries CROSS JOIN objects WHERE kg_entries.audience = :{audience} AND {is_named}"
        f" AND objects.id = kg_entries.object_id AND {_IS_CURRENT} AND {seen.objects.sql} {EACH_ROW})"
        for audience in seen.audiences
    )
    return Fence("kg_names", tuple(Clause(branch) for branch in branches), seen.params)


async def select_names(
    db: Db, seen: GraphReach, *, type: EntityType | None, after: tuple[str, str], limit: int
) -> list[EntityName]:
    """Return names that the caller can read in a document, in the order of names: each step skips to the next one."""
    # Past all documents with the name: SQLite begins at a row that is equal to the bound, and goes on from there. It uses
    # the index for all columns only if the bound is an expression.
    where = f"(kg_entries.name, kg_entries.name_id, kg_entries.at) > (walk.name || '', walk.id || '', '{_AFTER_ALL}')"
    where += " AND kg_entries.type = :type" if type else ""
    firsts = _entries(seen, "kg_entries.name, kg_entries.name_id", where, "kg_entries.name, kg_entries.name_id", "1")
    step = " UNION ALL ".join(f"SELECT * FROM ({first}) AS first" for first in firsts)
    text = f"AS TEXT) {db.dialect.byte_order}"
    return await db.all_offloaded(
        EntityName,
        f"WITH RECURSIVE walk (name, id, steps) AS (SELECT CAST(:after_name {text}, CAST(:after_id {text}, 0"
        " UNION ALL SELECT met.name, met.id, walk.steps + 1 FROM walk CROSS JOIN kg_names AS met WHERE met.id ="
        f" (SELECT name_id FROM ({step}) AS next ORDER BY name, name_id LIMIT 1) AND walk.steps < :limit)"
        f" SELECT {_NAME} FROM walk CROSS JOIN kg_names WHERE kg_names.id = walk.id AND walk.steps > 0"
        " ORDER BY walk.steps",
        seconds=TIMEOUT_SECONDS, after_name=after[0], after_id=after[1], limit=limit, **seen.params,
        **({"type": type} if type else {}),
    )  # fmt: skip


async def select_matching_names(
    db: Db, names: Fence, query: fulltext.Query, org_id: str, *, type: EntityType | None, after: tuple[str, str],
    limit: int,
) -> list[EntityName]:  # fmt: skip
    """Return the names with the words of a query, in the order of names."""
    hits = fulltext.hits(db.dialect, query, KIND, org_id)
    params = {name: value for name, value in hits.params.items() if name in hits.where}
    return await db.all_offloaded(
        EntityName,
        f"SELECT {_NAME} FROM {hits.source} CROSS JOIN kg_names WHERE {hits.where} AND kg_names.id = texts.ref"
        f" AND (kg_names.name, kg_names.id) > (:after_name, :after_id) AND {names.sql}"
        f"{' AND kg_names.type = :type' if type else ''} ORDER BY kg_names.name, kg_names.id LIMIT :limit",
        seconds=TIMEOUT_SECONDS, after_name=after[0], after_id=after[1], limit=limit, **names.params, **params,
        **({"type": type} if type else {}),
    )  # fmt: skip


async def select_documents(
    db: Reads, seen: GraphReach, name_ids: Sequence[str], limit: int, before: tuple[str, str] = (_AFTER_ALL, "")
) -> list[NamedDocument]:
    """Return the newest documents with each of the names, up to `limit` for each."""
    if seen.is_empty or not name_ids:
        return []
    where = (
        "kg_entries.name = kg_names.name AND kg_entries.name_id = kg_names.id"
        " AND (kg_entries.at, kg_entries.object_id) < (:before_at, :before_id)"
    )
    order = "kg_entries.at DESC, kg_entries.object_id DESC"
    branches = _entries(seen, "kg_entries.object_id, kg_entries.at", where, order, ":limit")
    newest = " UNION ".join(f"SELECT object_id, at FROM ({branch}) AS branch" for branch in branches)
    rest = f"SELECT object_id FROM ({newest}) AS newest ORDER BY at DESC, object_id DESC LIMIT :limit"
    sql = (
        "SELECT kg_names.id, objects.id, kg_documents.at, kg_documents.number, objects.version, objects.key,"
        f" objects.filename, {repository.SHOWN_TITLE}, objects.content_type, kg_document_names.mentions, kg_document_names.written"
        f" FROM kg_names {_document_names(db, rest)}"
        f" CROSS JOIN kg_documents CROSS JOIN objects WHERE kg_names.id {db.dialect.in_strings.format('ids')}"
        " AND kg_documents.object_id = kg_document_names.object_id AND objects.id = kg_document_names.object_id"
    )
    params = {"ids": as_json(name_ids), "limit": limit, "before_at": before[0], "before_id": before[1]} | seen.params
    if isinstance(db, Db):
        return await db.all_offloaded(NamedDocument, sql, seconds=TIMEOUT_SECONDS, **params)
    return await db.all(NamedDocument, sql, **params)


def _document_names(db: Reads, newest: str) -> str:
    """Join the rows of `kg_document_names` that a query returns for each name before it."""
    if db.dialect.name == "sqlite":
        return (
            "JOIN kg_document_names ON kg_document_names.name_id = kg_names.id"
            f" AND kg_document_names.object_id IN ({newest})"
        )
    return (
        # The limit keeps the planner from reading all documents with the name, to join them with those chosen.
        f"CROSS JOIN LATERAL ({newest}) AS chosen CROSS JOIN LATERAL (SELECT * FROM kg_document_names AS found"
        " WHERE found.name_id = kg_names.id AND found.object_id = chosen.object_id LIMIT 1) AS kg_document_names"
    )


async def select_names_by_id(db: Reads, org_id: str, ids: Sequence[str]) -> list[EntityName]:
    """Return names without a fence: which of them a caller may know is judged by their documents."""
    return await db.all(
        EntityName,
        # SQLite would rather read all names of the company by the index that begins with it.
        f"SELECT {_NAME} FROM kg_names WHERE id {db.dialect.in_strings.format('ids')} AND org_id || '' = :org_id",
        ids=as_json(ids), org_id=org_id,
    )  # fmt: skip


async def select_mentions(db: Reads, object_ids: Sequence[str], name_ids: Sequence[str], most: int) -> list[MentionRow]:
    """Return the first mentions of names in documents that a fence has admitted."""
    return await db.all(
        MentionRow,
        f"SELECT {columns(MentionRow)} FROM kg_mentions WHERE object_id {db.dialect.in_strings.format('objects')}"
        f" AND name_id {db.dialect.in_strings.format('names')} AND number < :most ORDER BY object_id, span_start, id",
        objects=as_json(object_ids), names=as_json(name_ids), most=most,
    )  # fmt: skip


async def select_relations(db: Reads, object_ids: Sequence[str], name_ids: Sequence[str]) -> list[RelationRow]:
    """Return what documents that a fence has admitted say about names: by either end, each has its index."""
    documents, names = (db.dialect.in_strings.format(name) for name in ("objects", "names"))
    ends = (
        f"SELECT {columns(RelationRow)} FROM kg_relations WHERE object_id {documents} AND {end} {names}"
        for end in ("subject_id", "target_id")
    )
    return await db.all(
        RelationRow,
        f"SELECT {columns(RelationRow)} FROM ({' UNION '.join(ends)}) AS relations ORDER BY object_id, span_start, id",
        objects=as_json(object_ids), names=as_json(name_ids),
    )  # fmt: skip


async def select_mentions_by_id(db: Reads, fence: Fence, ids: Sequence[str]) -> list[MentionRow]:
    return await db.all(
        MentionRow,
        f"SELECT {columns(MentionRow, 'kg_mentions')} FROM kg_mentions CROSS JOIN objects"
        f" WHERE kg_mentions.id {db.dialect.in_strings.format('ids')} AND objects.id = kg_mentions.object_id AND {fence.sql}",
        ids=as_json(ids), **fence.params,
    )  # fmt: skip


# What people have decided


async def select_merges_of(db: Reads, team_id: str, name_ids: Sequence[str]) -> list[MergeRow]:
    """Return all merges of the entities to which these names belong."""
    these = db.dialect.in_strings.format("ids")
    return await db.all(
        MergeRow,
        "SELECT name_id, root_id FROM kg_merges WHERE team_id = :team_id AND root_id IN (SELECT root_id FROM kg_merges"
        f" WHERE team_id = :team_id AND (name_id {these} OR root_id {these})) ORDER BY root_id, name_id",
        team_id=team_id, ids=as_json(name_ids),
    )  # fmt: skip


async def count_merges(db: Reads, team_id: str, most: int) -> int:
    return (
        await db.one(
            int,
            "SELECT COUNT(*) FROM (SELECT 1 FROM kg_merges WHERE team_id = :team_id LIMIT :most) AS merges",
            team_id=team_id, most=most,
        )
        or 0
    )  # fmt: skip


async def put_merge(tx: Tx, team_id: str, org_id: str, merge: MergeRow, by: str, now: str) -> None:
    await tx.run(
        "INSERT INTO kg_merges (team_id, name_id, root_id, org_id, merged_by, created_at)"
        " VALUES (:team_id, :name_id, :root_id, :org_id, :by, :now)"
        " ON CONFLICT (team_id, name_id) DO UPDATE SET root_id = excluded.root_id",
        team_id=team_id, name_id=merge.name_id, root_id=merge.root_id, org_id=org_id, by=by, now=now,
    )  # fmt: skip


async def delete_merges(tx: Tx, team_id: str, name_ids: Sequence[str]) -> None:
    await tx.run(
        f"DELETE FROM kg_merges WHERE team_id = :team_id AND name_id {tx.dialect.in_strings.format('ids')}",
        team_id=team_id, ids=as_json(name_ids),
    )  # fmt: skip


async def select_splits(db: Reads, object_id: str) -> dict[str, str]:
    """Return the parts of the names that were split in a document, by the name before the split."""
    rows = await db.all(
        MergeRow, "SELECT base_id, part_id FROM kg_splits WHERE object_id = :object_id", object_id=object_id
    )
    return {row.name_id: row.root_id for row in rows}


async def put_split(tx: Tx, object_id: str, name_id: str, part_id: str, org_id: str, by: str, now: str) -> None:
    """Remember that what the document says about a name is about a part of it."""
    await tx.run(
        "INSERT INTO kg_splits (object_id, base_id, part_id, org_id, split_by, created_at)"
        " SELECT object_id, base_id, :part_id, :org_id, :by, :now FROM kg_document_names"
        " WHERE object_id = :object_id AND name_id = :name_id"
        " ON CONFLICT (object_id, base_id) DO UPDATE SET part_id = excluded.part_id",
        object_id=object_id, name_id=name_id, part_id=part_id, org_id=org_id, by=by, now=now,
    )  # fmt: skip


async def move_document_name(tx: Tx, object_id: str, name_id: str, part_id: str) -> None:
    """Make all that a document says about a name be about a part of it."""
    params: dict[str, Any] = {"object_id": object_id, "name_id": name_id, "part_id": part_id}
    await tx.run(
        "INSERT INTO kg_document_names (object_id, name_id, org_id, base_id, written, mentions)"
        " SELECT object_id, :part_id, org_id, base_id, written, mentions FROM kg_document_names"
        " WHERE object_id = :object_id AND name_id = :name_id",
        **params,
    )  # fmt: skip
    for table, column in (("kg_mentions", "name_id"), ("kg_relations", "subject_id"), ("kg_relations", "target_id")):
        await tx.run(
            f"UPDATE {table} SET {column} = :part_id WHERE object_id = :object_id AND {column} = :name_id", **params
        )
    await tx.run(
        "DELETE FROM kg_document_names WHERE object_id = :object_id AND name_id = :name_id",
        object_id=object_id, name_id=name_id,
    )  # fmt: skip


async def select_foreign_documents(db: Reads, object_ids: Sequence[str], team_id: str) -> list[str]:
    """Return those of the documents that belong to another team."""
    return await db.all(
        str,
        f"SELECT id FROM objects WHERE id {db.dialect.in_strings.format('ids')} AND team_id <> :team_id",
        ids=as_json(object_ids), team_id=team_id,
    )  # fmt: skip


# Writing what a document says


async def select_unextracted(db: Reads, writable: Fence, readable: Fence, limit: int) -> list[str]:
    where = f"objects.text_state = 'ready' AND objects.known_version <> objects.version AND {readable.sql}"
    return await db.all(
        str,
        f"SELECT id FROM objects WHERE id IN ({writable.newest(db.dialect, where)}) ORDER BY id DESC",
        before=_AFTER_ALL, limit=limit, **(writable.params | readable.params),
    )  # fmt: skip


async def select_sizes(db: Reads, object_ids: Sequence[str]) -> list[int]:
    """Return the sizes of objects that a fence has admitted."""
    return await db.all(
        int, f"SELECT size FROM objects WHERE id {db.dialect.in_strings.format('ids')}", ids=as_json(object_ids)
    )


async def get_extracted(db: Reads, object_id: str) -> ExtractedDocument | None:
    return await db.one(
        ExtractedDocument,
        "SELECT number, (SELECT COUNT(*) FROM kg_document_names n WHERE n.object_id = d.object_id),"
        " (SELECT COUNT(*) FROM kg_mentions m WHERE m.object_id = d.object_id),"
        " (SELECT COUNT(*) FROM kg_relations r WHERE r.object_id = d.object_id), dropped, unread"
        " FROM kg_documents d WHERE object_id = :object_id",
        object_id=object_id,
    )  # fmt: skip


async def lock_version(tx: Tx, object_id: str) -> int | None:
    """Return the number of an object's newest version, which stays the newest until the commit, as do its grants."""
    return await tx.one(
        int, f"SELECT version FROM objects WHERE id = :id AND NOT removed {tx.dialect.row_lock}", id=object_id
    )


async def set_known_version(tx: Tx, object_id: str, number: int) -> None:
    await tx.run("UPDATE objects SET known_version = :number WHERE id = :id", id=object_id, number=number)


async def delete_document(tx: Tx, object_id: str) -> None:
    await tx.run("DELETE FROM kg_documents WHERE object_id = :object_id", object_id=object_id)


async def insert_document(
    tx: Tx, object_id: str, version_id: str, org_id: str, number: int, *, dropped: int, unread: int, at: str, now: str
) -> None:
    await tx.run(
        "INSERT INTO kg_documents (object_id, version_id, org_id, number, dropped, unread, at, created_at)"
        " VALUES (:object_id, :version_id, :org_id, :number, :dropped, :unread, :at, :now)",
        object_id=object_id, version_id=version_id, org_id=org_id, number=number, dropped=dropped, unread=unread, at=at,
        now=now,
    )  # fmt: skip


async def put_names(tx: Tx, org_id: str, names: Sequence[EntityName], now: str) -> set[str]:
    """Add names that are new, and lock the others; return the ids of the new ones."""
    known = await tx.all(
        str, f"SELECT id FROM kg_names WHERE id {tx.dialect.in_strings.format('ids')}", ids=as_json([n.id for n in names])
    )  # fmt: skip
    rows = tx.dialect.json_table("names", id="TEXT", type="TEXT", name="TEXT", part="TEXT", label="TEXT")
    # The update keeps `tidy` from deleting a name that is used here.
    await tx.run(
        "INSERT INTO kg_names (id, org_id, type, name, part, label, updated_at)"
        f" SELECT id, :org_id, type, name, part, label, :now FROM ({rows}) AS names WHERE TRUE"
        " ON CONFLICT (id) DO UPDATE SET label = excluded.label",
        names=as_json(sorted(names, key=lambda name: name.id)), org_id=org_id, now=now,
    )  # fmt: skip
    return {name.id for name in names}.difference(known)


async def insert_document_names(tx: Tx, object_id: str, org_id: str, rows: Sequence[NewDocumentName]) -> None:
    given = tx.dialect.json_table("rows", name_id="TEXT", base_id="TEXT", written="TEXT", mentions="BIGINT")
    await tx.run(
        "INSERT INTO kg_document_names (object_id, name_id, org_id, base_id, written, mentions)"
        f" SELECT :object_id, name_id, :org_id, base_id, written, mentions FROM ({given}) AS given",
        rows=as_json(rows), object_id=object_id, org_id=org_id,
    )  # fmt: skip


async def insert_mentions(tx: Tx, object_id: str, org_id: str, rows: Sequence[NewMention]) -> None:
    given = tx.dialect.json_table(
        "rows", id="TEXT", name_id="TEXT", number="BIGINT", span_start="BIGINT", span_end="BIGINT", written="TEXT",
        quote="TEXT",
    )  # fmt: skip
    fields = ", ".join(NewMention.__struct_fields__)
    await tx.run(
        f"INSERT INTO kg_mentions (object_id, org_id, {fields})"
        f" SELECT :object_id, :org_id, {fields} FROM ({given}) AS given",
        rows=as_json(rows), object_id=object_id, org_id=org_id,
    )  # fmt: skip


async def insert_relations(tx: Tx, object_id: str, org_id: str, rows: Sequence[NewRelation]) -> None:
    given = tx.dialect.json_table(
        "rows", id="TEXT", subject_id="TEXT", target_id="TEXT", predicate="TEXT", span_start="BIGINT",
        span_end="BIGINT", quote="TEXT",
    )  # fmt: skip
    fields = ", ".join(NewRelation.__struct_fields__)
    await tx.run(
        f"INSERT INTO kg_relations (object_id, org_id, {fields})"
        f" SELECT :object_id, :org_id, {fields} FROM ({given}) AS given",
        rows=as_json(rows), object_id=object_id, org_id=org_id,
    )  # fmt: skip


# The index by audience

_AUDIENCES = (
    "SELECT id, 'own:' || owner_id AS audience FROM objects WHERE NOT removed"
    " UNION ALL SELECT id, 'team:' || team_id FROM objects WHERE NOT removed AND visibility = 'team'"
    " UNION ALL SELECT id, 'org:' || org_id FROM objects WHERE NOT removed AND visibility = 'team'"
    " UNION ALL SELECT object_id, principal_type || '-grant:' || principal_id FROM object_grants WHERE NOT removed"
)


async def mark_unlisted(tx: Tx, object_ids: Sequence[str]) -> None:
    await tx.run(
        "INSERT INTO kg_unlisted (object_id, org_id, after)"
        f" SELECT object_id, org_id, '' FROM kg_documents WHERE object_id {tx.dialect.in_strings.format('ids')}"
        " ON CONFLICT (object_id) DO UPDATE SET after = ''",
        ids=as_json(object_ids),
    )  # fmt: skip


async def select_unlisted(db: Reads, limit: int) -> list[str]:
    return await db.all(str, "SELECT object_id FROM kg_unlisted LIMIT :limit", limit=limit)


async def lock_unlisted(tx: Tx, object_id: str) -> str | None:
    """Return the audience up to which the entries of a document are right; None if all are.

    Neither the document nor its grants change until the commit.
    """
    await tx.one(int, f"SELECT 1 FROM objects WHERE id = :id {tx.dialect.row_lock}", id=object_id)
    return await tx.one(str, f"SELECT after FROM kg_unlisted WHERE object_id = :id {tx.dialect.row_lock}", id=object_id)


async def select_audiences(tx: Tx, object_id: str, after: str, limit: int) -> list[str]:
    """Return the next audiences that should have entries of a document."""
    return await tx.all(
        str,
        f"SELECT audience FROM ({_AUDIENCES}) AS audiences WHERE id = :id AND audience > :after"
        " ORDER BY audience LIMIT :limit",
        id=object_id, after=after, limit=limit,
    )  # fmt: skip


async def select_listed_audiences(tx: Tx, object_id: str, after: str, limit: int) -> list[str]:
    """Return the next audiences that have entries of a document."""
    return await tx.all(
        str,
        "SELECT audience FROM kg_entries WHERE object_id = :id AND audience > :after GROUP BY audience"
        " ORDER BY audience LIMIT :limit",
        id=object_id, after=after, limit=limit,
    )  # fmt: skip


async def delete_entries(tx: Tx, object_id: str, audiences: Sequence[str], kept: Sequence[str]) -> None:
    """Delete entries of a document for some audiences, except current ones of those that are kept."""
    these = tx.dialect.in_strings
    await tx.run(
        f"DELETE FROM kg_entries WHERE object_id = :id AND audience {these.format('audiences')}"
        f" AND NOT (audience {these.format('kept')} AND {_IS_CURRENT})",
        id=object_id, audiences=as_json(audiences), kept=as_json(kept),
    )  # fmt: skip


async def insert_entries(tx: Tx, object_id: str, audiences: Sequence[str]) -> None:
    """Add the missing entries of a document for some audiences."""
    given = tx.dialect.json_table("audiences", audience="TEXT")
    await tx.run(
        "INSERT INTO kg_entries (audience, name, name_id, at, object_id, type, org_id)"
        " SELECT given.audience, n.name, n.id, d.at, d.object_id, n.type, n.org_id"
        f" FROM ({given}) AS given CROSS JOIN kg_documents AS d CROSS JOIN kg_document_names AS dn CROSS JOIN kg_names AS n"
        " WHERE d.object_id = :id AND dn.object_id = d.object_id AND n.id = dn.name_id ON CONFLICT DO NOTHING",
        id=object_id, audiences=as_json([{"audience": audience} for audience in audiences]),
    )  # fmt: skip


async def set_listed(tx: Tx, object_id: str, after: str) -> None:
    await tx.run("UPDATE kg_unlisted SET after = :after WHERE object_id = :id", id=object_id, after=after)


async def delete_unlisted(tx: Tx, object_id: str) -> None:
    await tx.run("DELETE FROM kg_unlisted WHERE object_id = :id", id=object_id)


# Names without documents

_IN_USE = (
    "EXISTS (SELECT 1 FROM kg_document_names WHERE name_id = kg_names.id)"
    " OR EXISTS (SELECT 1 FROM kg_document_names WHERE base_id = kg_names.id)"
    " OR EXISTS (SELECT 1 FROM kg_merges WHERE name_id = kg_names.id)"
    " OR EXISTS (SELECT 1 FROM kg_merges WHERE root_id = kg_names.id)"
    " OR EXISTS (SELECT 1 FROM kg_splits WHERE base_id = kg_names.id)"
    " OR EXISTS (SELECT 1 FROM kg_splits WHERE part_id = kg_names.id)"
)


async def select_unused(db: Reads, limit: int) -> list[str]:
    """Return ids of names that documents have lost."""
    return await db.all(
        str, "SELECT DISTINCT name_id FROM (SELECT name_id FROM kg_unused LIMIT :limit) AS page", limit=limit
    )


async def delete_unused(tx: Tx, name_ids: Sequence[str]) -> list[str]:
    """Delete those of the names that nothing uses; return their ids."""
    these = tx.dialect.in_strings.format("ids")
    await tx.run(f"DELETE FROM kg_unused WHERE name_id {these}", ids=as_json(name_ids))
    return await tx.all(
        str, f"DELETE FROM kg_names WHERE id {these} AND NOT ({_IN_USE}) RETURNING id", ids=as_json(name_ids)
    )


_EXPECTED = (
    "SELECT a.audience, n.name, n.id AS name_id, d.at, d.object_id, n.type, n.org_id FROM kg_document_names dn"
    " JOIN kg_documents d ON d.object_id = dn.object_id JOIN kg_names n ON n.id = dn.name_id"
    f" JOIN ({_AUDIENCES}) AS a ON a.id = dn.object_id"
)
_ENTRY = "audience, name, name_id, at, object_id, type, org_id"

# fmt: off
INVARIANTS = (
    Invariant("knowledge.company", "what a document says belongs to its company, as do the names, merges and splits",
        "SELECT d.object_id FROM kg_documents d JOIN objects o ON o.id = d.object_id WHERE d.org_id <> o.org_id UNION ALL"
        " SELECT dn.object_id FROM kg_document_names dn JOIN objects o ON o.id = dn.object_id"
        " JOIN kg_names n ON n.id = dn.name_id WHERE dn.org_id <> o.org_id OR n.org_id <> o.org_id UNION ALL"
        " SELECT m.id FROM kg_mentions m JOIN objects o ON o.id = m.object_id WHERE m.org_id <> o.org_id UNION ALL"
        " SELECT r.id FROM kg_relations r JOIN objects o ON o.id = r.object_id WHERE r.org_id <> o.org_id UNION ALL"
        " SELECT s.object_id FROM kg_splits s JOIN objects o ON o.id = s.object_id WHERE s.org_id <> o.org_id UNION ALL"
        " SELECT m.name_id FROM kg_merges m JOIN teams t ON t.id = m.team_id JOIN kg_names n ON n.id = m.name_id"
        " JOIN kg_names r ON r.id = m.root_id WHERE m.org_id <> t.org_id OR n.org_id <> t.org_id"
        " OR r.org_id <> t.org_id OR n.type <> r.type"),
    Invariant("knowledge.entries",
        "the list of names has those of every document that is not being listed, once for each of its audiences",
        f"SELECT object_id FROM ({_EXPECTED} EXCEPT SELECT {_ENTRY} FROM kg_entries) AS missing"
        " WHERE object_id NOT IN (SELECT object_id FROM kg_unlisted) UNION ALL"
        f" SELECT object_id FROM (SELECT {_ENTRY} FROM kg_entries EXCEPT {_EXPECTED}) AS surplus"
        " WHERE object_id NOT IN (SELECT object_id FROM kg_unlisted)"),
    Invariant("knowledge.mentions", "a document's name has as many mentions as it says, and at least one",
        "SELECT dn.object_id FROM kg_document_names dn LEFT JOIN (SELECT object_id, name_id, COUNT(*) AS mentions"
        " FROM kg_mentions GROUP BY object_id, name_id) AS m ON m.object_id = dn.object_id AND m.name_id = dn.name_id"
        " WHERE m.mentions IS NULL OR m.mentions <> dn.mentions"),
    Invariant("knowledge.roots", "a name into which others were merged is not merged itself",
        "SELECT m.root_id FROM kg_merges m JOIN kg_merges r ON r.team_id = m.team_id AND r.name_id = m.root_id"),
    Invariant("knowledge.text", "every name is in the full-text index",
        "SELECT id FROM kg_names WHERE NOT EXISTS (SELECT 1 FROM texts WHERE kind = 'entity' AND ref = kg_names.id"
        " AND org_id = kg_names.org_id) UNION ALL"
        " SELECT ref FROM texts WHERE kind = 'entity' AND ref NOT IN (SELECT id FROM kg_names)"),
)
# fmt: on
