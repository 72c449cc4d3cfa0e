"""Messages, their translations and their counts in SQL: one statement per function, no rules.

The tables are empty before the first synchronisation, which `teamspace serve` runs before it answers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from teamspace.core.db import Db, Reads, Tx, as_json, columns
from teamspace.core.messages import DEFAULT
from teamspace.core.tables import Invariant
from teamspace.localization.schemas import (
    ApprovedText,
    EntryFilters,
    EntryPosition,
    EntryRow,
    EntrySource,
    EntryStatus,
    KnownText,
    ListPosition,
    LocaleCoverage,
    LocalizationPolicy,
    MessageOrigin,
    MessageRow,
    MessageStatus,
    MessageText,
    MessageWord,
    NamespaceCoverage,
    NewEntry,
    RetiredEntry,
    ServedLocale,
    SourcedEntry,
    StatusCounts,
)

_READ_SECONDS = 30.0
_CHANGING = (
    "current_hash", "text", "words", "origin", "source_hash", "written_source", "translated_by", "approved_by",
    "approved_at", "updated_at", "review", "proposal", "proposal_source_hash", "author_id", "contributors",
    "submitted_at", "note", "reviewer_id",
)  # fmt: skip
_COUNTS = {
    "total": "COUNT(*)",
    **{name: f"SUM(CASE WHEN status = '{name}' THEN 1 ELSE 0 END)" for name in ("approved", "machine", "missing", "stale")},
    "submitted": "SUM(CASE WHEN review = 'submitted' THEN 1 ELSE 0 END)",
}  # fmt: skip
_COUNTED = ", ".join(_COUNTS.values())
_AS_COUNTED = ", ".join(f"{counted} AS {name}" for name, counted in _COUNTS.items())
_SUMS = ", ".join(f"COALESCE(SUM({name}), 0) AS {name}" for name in _COUNTS)
_WORD = {"word": "TEXT", "namespace": "TEXT", "key": "TEXT"}
_OF_SOURCES = "''"
_LAST = "\U0010ffff"
_TO_REVIEW = "(e.review = 'submitted' OR (e.review IS NULL AND e.status = 'machine'))"
_NOT_OWN = "e.contributors NOT LIKE :reviewer"

# The policy, and what the product's catalogs were at the last synchronisation


async def get_policy(db: Reads) -> LocalizationPolicy:
    row = await db.one(LocalizationPolicy, f"SELECT {columns(LocalizationPolicy)} FROM l10n_policy")
    assert row is not None, "the migration inserts it"
    return row


async def select_served(db: Reads) -> list[ServedLocale]:
    """Return every locale with the policy; the policy alone if there is no locale."""
    return await db.all(
        ServedLocale,
        "SELECT p.default_locale, p.switching, p.drafts, l.locale, l.revision,"
        " l.approved + l.stale + CASE WHEN p.drafts THEN l.machine ELSE 0 END"
        " FROM l10n_policy AS p LEFT JOIN l10n_locales AS l ON TRUE ORDER BY l.locale",
    )


async def put_policy(tx: Tx, policy: LocalizationPolicy) -> None:
    await tx.run(
        "UPDATE l10n_policy SET default_locale = :default_locale, switching = :switching, drafts = :drafts",
        default_locale=policy.default_locale, switching=policy.switching, drafts=policy.drafts,
    )  # fmt: skip


async def select_sources(db: Db, after: tuple[str, str], limit: int) -> list[MessageText]:
    """Return a page of the source texts, off the event loop."""
    return await db.all_offloaded(
        MessageText,
        "SELECT namespace, key, source FROM l10n_messages WHERE (namespace, key) > (:namespace, :key)"
        " ORDER BY namespace, key LIMIT :limit",
        seconds=_READ_SECONDS, namespace=after[0], key=after[1], limit=limit,
    )  # fmt: skip


async def select_texts(db: Db, locale: str, after: tuple[str, str], limit: int, *, drafts: bool) -> list[MessageText]:
    """Return a page of what is served in a locale, off the event loop."""
    served = "text IS NOT NULL" if drafts else "status IN ('approved', 'stale')"
    return await db.all_offloaded(
        MessageText,
        f"SELECT namespace, key, text FROM l10n_entries WHERE locale = :locale AND {served}"
        " AND (namespace, key) > (:namespace, :key) ORDER BY namespace, key LIMIT :limit",
        seconds=_READ_SECONDS, locale=locale, namespace=after[0], key=after[1], limit=limit,
    )  # fmt: skip


# Files


async def select_approved(db: Db, locale: str, after: tuple[str, str], limit: int) -> list[ApprovedText]:
    """Return a page of what is approved in a locale, for its source or for an earlier one, off the event loop."""
    return await db.all_offloaded(
        ApprovedText,
        f"SELECT {columns(ApprovedText)} FROM l10n_entries WHERE locale = :locale AND approved_at IS NOT NULL"
        " AND (namespace, key) > (:namespace, :key) ORDER BY namespace, key LIMIT :limit",
        seconds=_READ_SECONDS, locale=locale, namespace=after[0], key=after[1], limit=limit,
    )  # fmt: skip


async def select_known(db: Db, locale: str, after: tuple[str, str], limit: int) -> list[KnownText]:
    """Return a page of all messages with their texts in a locale, which may be new, off the event loop."""
    return await db.all_offloaded(
        KnownText,
        "SELECT m.id || '-' || :locale, m.namespace, m.key, m.source, m.source_hash, e.text, e.approved_at"
        " FROM l10n_messages AS m LEFT JOIN l10n_entries AS e"
        " ON e.locale = :locale AND e.namespace = m.namespace AND e.key = m.key"
        " WHERE (m.namespace, m.key) > (:namespace, :key) ORDER BY m.namespace, m.key LIMIT :limit",
        seconds=_READ_SECONDS, locale=locale, namespace=after[0], key=after[1], limit=limit,
    )  # fmt: skip


async def select_people(db: Reads, user_ids: Sequence[str]) -> list[str]:
    """Return those of the ids that are people's."""
    return await db.all(
        str, f"SELECT id FROM users WHERE id {db.dialect.in_strings.format('ids')}", ids=as_json(user_ids)
    )


async def select_entries(db: Reads, entry_ids: Sequence[str]) -> list[EntryRow]:
    return await db.all(
        EntryRow,
        f"SELECT {columns(EntryRow)} FROM l10n_entries WHERE id {db.dialect.in_strings.format('ids')}"
        " ORDER BY namespace, key",
        ids=as_json(entry_ids),
    )


# Drafts


async def select_missing_sources(db: Reads, entry_ids: Sequence[str]) -> list[EntrySource]:
    """Return the sources of those entries that are missing."""
    return await db.all(
        EntrySource,
        "SELECT e.id, m.source, m.source_hash FROM l10n_entries AS e JOIN l10n_messages AS m ON m.id = e.message_id"
        f" WHERE e.id {db.dialect.in_strings.format('ids')} AND e.status = 'missing' ORDER BY e.namespace, e.key",
        ids=as_json(entry_ids),
    )


async def select_undrafted(db: Reads, locale: str, limit: int) -> list[str]:
    """Return the first entries that are missing and that no job drafts."""
    return await db.all(
        str,
        "SELECT id FROM l10n_entries AS e WHERE locale = :locale AND status = 'missing'"
        " AND NOT EXISTS (SELECT 1 FROM l10n_drafting AS d WHERE d.entry_id = e.id)"
        " ORDER BY namespace, key LIMIT :limit",
        locale=locale, limit=limit,
    )  # fmt: skip


async def count_undrafted(db: Reads, locale: str) -> int:
    """Count what is missing and what no job drafts. The cost grows only with what is being drafted."""
    return await db.one(
        int,
        "SELECT missing - (SELECT COUNT(*) FROM l10n_drafting AS d JOIN l10n_entries AS e ON e.id = d.entry_id"
        " WHERE d.locale = :locale AND e.status = 'missing') FROM l10n_locales WHERE locale = :locale",
        locale=locale,
    ) or 0  # fmt: skip


async def insert_drafting(tx: Tx, locale: str, job_id: str, entry_ids: Sequence[str]) -> None:
    given = tx.dialect.json_table("rows", entry_id="TEXT")
    await tx.run(
        "INSERT INTO l10n_drafting (entry_id, locale, job_id)"
        f" SELECT entry_id, :locale, :job_id FROM ({given}) AS given WHERE TRUE ON CONFLICT (entry_id) DO NOTHING",
        locale=locale, job_id=job_id, rows=as_json([{"entry_id": each} for each in entry_ids]),
    )  # fmt: skip


async def forget_ended_drafts(tx: Tx, locale: str) -> None:
    await tx.run(
        "DELETE FROM l10n_drafting WHERE locale = :locale AND NOT EXISTS"
        " (SELECT 1 FROM jobs WHERE jobs.id = l10n_drafting.job_id AND jobs.state IN ('queued', 'running'))",
        locale=locale,
    )


async def get_digest(db: Reads) -> str | None:
    return await db.one(str, "SELECT value FROM instance WHERE name = 'l10n_digest'")


async def put_digest(tx: Tx, digest: str) -> None:
    await tx.run(
        "INSERT INTO instance (name, value) VALUES ('l10n_digest', :digest)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        digest=digest,
    )


# Coverage


async def select_coverage(db: Reads) -> list[LocaleCoverage]:
    return await db.all(LocaleCoverage, f"SELECT {columns(LocaleCoverage)} FROM l10n_locales ORDER BY locale")


async def select_namespaces(db: Reads, locale: str) -> list[NamespaceCoverage]:
    return await db.all(
        NamespaceCoverage,
        f"SELECT {columns(NamespaceCoverage)} FROM l10n_namespaces WHERE locale = :locale ORDER BY namespace",
        locale=locale,
    )


async def get_coverage(db: Reads, locale: str) -> LocaleCoverage | None:
    return await db.one(
        LocaleCoverage, f"SELECT {columns(LocaleCoverage)} FROM l10n_locales WHERE locale = :locale", locale=locale
    )


async def has_locale(db: Reads, locale: str) -> bool:
    return await db.exists("SELECT 1 FROM l10n_locales WHERE locale = :locale", locale=locale)


async def select_locales(db: Reads) -> list[str]:
    return await db.all(str, "SELECT locale FROM l10n_locales ORDER BY locale")


async def shift_locale(tx: Tx, locale: str, delta: StatusCounts, *, served: bool) -> None:
    """Add to the counts of a locale; `served` says whether what is served has changed."""
    await tx.run(
        "UPDATE l10n_locales SET revision = revision + :served, total = total + :total, approved = approved + :approved,"
        " machine = machine + :machine, missing = missing + :missing, stale = stale + :stale,"
        " submitted = submitted + :submitted WHERE locale = :locale",
        locale=locale, served=int(served), **asdict(delta),
    )  # fmt: skip


async def shift_namespaces(tx: Tx, locale: str, deltas: Mapping[str, StatusCounts]) -> None:
    rows = [{"namespace": namespace, **asdict(delta)} for namespace, delta in sorted(deltas.items())]
    types = {"namespace": "TEXT"} | dict.fromkeys(StatusCounts.__struct_fields__, "BIGINT")
    await tx.run(
        "UPDATE l10n_namespaces SET total = l10n_namespaces.total + d.total,"
        " approved = l10n_namespaces.approved + d.approved, machine = l10n_namespaces.machine + d.machine,"
        " missing = l10n_namespaces.missing + d.missing, stale = l10n_namespaces.stale + d.stale,"
        " submitted = l10n_namespaces.submitted + d.submitted"
        f" FROM ({tx.dialect.json_table('rows', **types)}) AS d"
        " WHERE l10n_namespaces.locale = :locale AND l10n_namespaces.namespace = d.namespace",
        locale=locale, rows=as_json(rows),
    )  # fmt: skip


async def delete_namespace_counts(tx: Tx, locale: str) -> None:
    await tx.run("DELETE FROM l10n_namespaces WHERE locale = :locale", locale=locale)


async def count_namespaces(tx: Tx, locale: str) -> None:
    """Count the entries of a locale by namespace, from none."""
    await tx.run(
        f"INSERT INTO l10n_namespaces (locale, namespace, {columns(StatusCounts)})"
        f" SELECT locale, namespace, {_COUNTED} FROM l10n_entries WHERE locale = :locale GROUP BY locale, namespace",
        locale=locale,
    )


async def count_locale(tx: Tx, locale: str) -> None:
    """Set the counts of a locale to the sums of its namespaces, as a new revision."""
    await tx.run(
        "UPDATE l10n_locales SET revision = l10n_locales.revision + 1, total = s.total, approved = s.approved,"
        " machine = s.machine, missing = s.missing, stale = s.stale, submitted = s.submitted"
        f" FROM (SELECT {_SUMS} FROM l10n_namespaces WHERE locale = :locale) AS s WHERE l10n_locales.locale = :locale",
        locale=locale,
    )


async def insert_locale(tx: Tx, locale: str) -> bool:
    """Add a locale without entries; return whether it is new."""
    return await tx.exists(
        f"INSERT INTO l10n_locales (locale, revision, {columns(StatusCounts)})"
        " VALUES (:locale, 1, 0, 0, 0, 0, 0, 0) ON CONFLICT (locale) DO NOTHING RETURNING locale",
        locale=locale,
    )


# Sources


async def select_messages(db: Reads) -> list[MessageRow]:
    return await db.all(MessageRow, f"SELECT {columns(MessageRow)} FROM l10n_messages ORDER BY namespace, key")


async def select_message_page(db: Reads, after: tuple[str, str], limit: int) -> list[MessageRow]:
    return await db.all(
        MessageRow,
        f"SELECT {columns(MessageRow)} FROM l10n_messages WHERE (namespace, key) > (:namespace, :key)"
        " ORDER BY namespace, key LIMIT :limit",
        namespace=after[0], key=after[1], limit=limit,
    )  # fmt: skip


async def get_message(db: Reads, message_id: str) -> MessageRow | None:
    return await db.one(MessageRow, f"SELECT {columns(MessageRow)} FROM l10n_messages WHERE id = :id", id=message_id)


async def put_messages(tx: Tx, rows: Sequence[MessageRow]) -> None:
    """Insert or change sources."""
    types = dict.fromkeys(MessageRow.__struct_fields__, "TEXT")
    await tx.run(
        f"INSERT INTO l10n_messages ({columns(MessageRow)})"
        f" SELECT {columns(MessageRow)} FROM ({tx.dialect.json_table('rows', **types)}) AS given WHERE TRUE"
        " ON CONFLICT (id) DO UPDATE SET source = excluded.source, source_hash = excluded.source_hash,"
        " words = excluded.words",
        rows=as_json(rows),
    )


async def delete_messages(tx: Tx, message_ids: Sequence[str]) -> None:
    """Delete sources, and with them their entries."""
    await tx.run(f"DELETE FROM l10n_messages WHERE id {tx.dialect.in_strings.format('ids')}", ids=as_json(message_ids))


# Entries


async def get_entry(db: Reads, entry_id: str) -> EntryRow | None:
    return await db.one(EntryRow, f"SELECT {columns(EntryRow)} FROM l10n_entries WHERE id = :id", id=entry_id)


async def select_entries_of(db: Reads, message_ids: Sequence[str]) -> list[EntryRow]:
    """Return the entries of messages in all locales."""
    return await db.all(
        EntryRow,
        f"SELECT {columns(EntryRow)} FROM l10n_entries WHERE message_id {db.dialect.in_strings.format('ids')}",
        ids=as_json(message_ids),
    )


async def select_of_status(db: Reads, locale: str, status: MessageStatus, limit: int) -> list[EntryRow]:
    """Return the first entries of a locale with a status."""
    return await db.all(
        EntryRow,
        f"SELECT {columns(EntryRow)} FROM l10n_entries WHERE locale = :locale AND status = :status"
        " ORDER BY namespace, key LIMIT :limit",
        locale=locale, status=status, limit=limit,
    )  # fmt: skip


async def insert_entries(
    tx: Tx, locale: str, rows: Sequence[NewEntry], origin: MessageOrigin | None, approved_at: str | None, now: str
) -> None:
    """Insert entries of messages in a locale; one without a text is missing."""
    given = tx.dialect.json_table("rows", message_id="TEXT", text="TEXT", words="TEXT")
    await tx.run(
        "INSERT INTO l10n_entries (id, locale, message_id, namespace, key, current_hash, text, words, origin, source_hash,"
        " written_source, approved_at, updated_at)"
        " SELECT m.id || '-' || :locale, :locale, m.id, m.namespace, m.key, m.source_hash, g.text, g.words,"
        " CASE WHEN g.text IS NOT NULL THEN CAST(:origin AS TEXT) END, CASE WHEN g.text IS NOT NULL THEN m.source_hash END,"
        " CASE WHEN g.text IS NOT NULL THEN m.source END,"
        " CASE WHEN g.text IS NOT NULL THEN CAST(:approved_at AS TEXT) END, :now"
        f" FROM ({given}) AS g JOIN l10n_messages AS m ON m.id = g.message_id",
        locale=locale, rows=as_json(rows), origin=origin, approved_at=approved_at, now=now,
    )  # fmt: skip


async def update_entries(tx: Tx, rows: Sequence[EntryRow]) -> list[EntryStatus]:
    """Write all that can change of entries; return their new status."""
    values = [{name: getattr(row, name) for name in ("id", *_CHANGING)} for row in rows]
    encoded = [
        value | {"contributors": None if value["contributors"] is None else as_json(value["contributors"])}
        for value in values
    ]
    given = tx.dialect.json_table("rows", **dict.fromkeys(("id", *_CHANGING), "TEXT"))
    return await tx.all(
        EntryStatus,
        "UPDATE l10n_entries SET current_hash = given.current_hash, text = given.text, words = given.words,"
        " origin = given.origin, source_hash = given.source_hash, written_source = given.written_source,"
        " translated_by = given.translated_by, approved_by = given.approved_by, approved_at = given.approved_at,"
        " updated_at = given.updated_at, review = given.review, proposal = given.proposal,"
        " proposal_source_hash = given.proposal_source_hash, author_id = given.author_id,"
        " contributors = given.contributors, submitted_at = given.submitted_at, note = given.note,"
        " reviewer_id = given.reviewer_id"
        f" FROM ({given}) AS given WHERE l10n_entries.id = given.id"
        " RETURNING l10n_entries.id, l10n_entries.status",
        rows=as_json(encoded),
    )


async def retire_entries(tx: Tx, message_ids: Sequence[str]) -> None:
    """Keep what people have written or approved for messages that are about to be deleted."""
    await tx.run(
        f"INSERT INTO l10n_retired ({columns(RetiredEntry)}) SELECT {columns(RetiredEntry)} FROM l10n_entries"
        f" WHERE message_id {tx.dialect.in_strings.format('ids')} AND locale <> :source"
        " AND (approved_at IS NOT NULL OR review IS NOT NULL)"
        " ON CONFLICT (locale, namespace, key) DO NOTHING",
        ids=as_json(message_ids), source=DEFAULT,
    )  # fmt: skip


async def take_retired(tx: Tx, namespace: str, key: str) -> list[RetiredEntry]:
    """Return and delete the retired entries of a message that is back."""
    return await tx.all(
        RetiredEntry,
        "DELETE FROM l10n_retired WHERE namespace = :namespace AND key = :key"
        f" RETURNING {columns(RetiredEntry)}",
        namespace=namespace, key=key,
    )  # fmt: skip


async def has_retired(db: Reads) -> bool:
    return await db.exists("SELECT 1 FROM l10n_retired LIMIT 1")


# Words


async def insert_words(tx: Tx, locale: str, words: Sequence[MessageWord]) -> None:
    await tx.run(
        "INSERT INTO l10n_words (locale, word, namespace, key) SELECT :locale, word, namespace, key"
        f" FROM ({tx.dialect.json_table('words', **_WORD)}) AS given WHERE TRUE ON CONFLICT DO NOTHING",
        locale=locale, words=as_json(words),
    )  # fmt: skip


async def delete_words(tx: Tx, locale: str, words: Sequence[MessageWord]) -> None:
    await tx.run(
        "DELETE FROM l10n_words WHERE locale = :locale AND (word, namespace, key) IN"
        f" (SELECT word, namespace, key FROM ({tx.dialect.json_table('words', **_WORD)}) AS given)",
        locale=locale, words=as_json(words),
    )  # fmt: skip


# Lists


async def select_sourced(db: Reads, org_id: str, entry_ids: Sequence[str]) -> list[SourcedEntry]:
    """Return entries with their sources, and the names of authors who are in the company, in no order."""
    return await db.all(
        SourcedEntry,
        "SELECT e.id, e.locale, e.namespace, e.key, m.source, e.status, e.text, e.origin, e.written_source, e.review,"
        " e.proposal, e.author_id, users.display_name, e.contributors, e.submitted_at, e.note, e.approved_by,"
        " e.approved_at, e.updated_at"
        " FROM l10n_entries AS e JOIN l10n_messages AS m ON m.id = e.message_id"
        " LEFT JOIN users ON users.id = e.author_id AND users.org_id = :org_id"
        f" WHERE e.id {db.dialect.in_strings.format('ids')}",
        org_id=org_id, ids=as_json(entry_ids),
    )  # fmt: skip


async def scan(db: Reads, filters: EntryFilters, after: ListPosition, limit: int) -> list[EntryPosition]:
    """Read on in the order of namespaces and keys, by the index of one filter; the others decide whether a row fits."""
    by, fits = _conditions(filters)
    # One lower bound for the index: with a namespace as well, it would be read from the namespace's first key.
    begin = "key > :after_key" if filters.namespace else "(namespace, key) > (:after_namespace, :after_key)"
    return await db.all(
        EntryPosition,
        f"SELECT id, '' AS word, namespace, key, {fits} AS fits FROM l10n_entries AS e"
        f" WHERE locale = :locale{by} AND {begin} ORDER BY namespace, key LIMIT :limit",
        limit=limit, after_key=after.key, **({} if filters.namespace else {"after_namespace": after.namespace}),
        **_used(filters, by + fits),
    )  # fmt: skip


async def scan_words(
    db: Reads, filters: EntryFilters, prefix: str, others: Sequence[str], after: ListPosition, limit: int
) -> list[EntryPosition]:
    """Read on in the order of words that begin with the prefix; a row fits if it has the other beginnings too.

    A message is read once for each of its words with the prefix, and fits only at the first.
    """
    # PostgreSQL would begin with the first of two lower bounds, and read the words of the whole index before the prefix.
    begin = after if after.word >= prefix else ListPosition(prefix)
    position = db.dialect.position
    some = (
        "SELECT * FROM (SELECT word, namespace, key FROM l10n_words WHERE locale = {} AND word < :above"
        " AND (word, namespace, key) > (:after_word, :after_namespace, :after_key)"
        " ORDER BY word, namespace, key LIMIT :limit) AS found"
    )
    first = (
        f"({position}({{0}}, :start) = 0 OR substr({{0}}, {position}({{0}}, :start) + 1) >= w.word)"
    )  # fmt: skip
    named = {f"other_{number}": f" {other}" for number, other in enumerate(others)}
    has_others = "".join(
        f" AND ({position}(m.words, :{name}) > 0 OR {position}(e.words, :{name}) > 0)" for name in named
    )
    by, fits = _conditions(filters)
    return await db.all(
        EntryPosition,
        f"SELECT e.id, w.word, w.namespace, w.key, ({fits} AND {first.format('m.words')} AND {first.format('e.words')}"
        f"{has_others}{by}) AS fits"
        f" FROM ({some.format(_OF_SOURCES)} UNION {some.format(':locale')} ORDER BY word, namespace, key LIMIT :limit) AS w"
        " JOIN l10n_entries AS e ON e.locale = :locale AND e.namespace = w.namespace AND e.key = w.key"
        " JOIN l10n_messages AS m ON m.id = e.message_id"
        " ORDER BY w.word, w.namespace, w.key",
        above=prefix + _LAST, start=f" {prefix}", limit=limit, after_word=begin.word,
        after_namespace=begin.namespace, after_key=begin.key, **named, **_used(filters, by + fits),
    )  # fmt: skip


async def select_neighbours(db: Reads, locale: str, namespace: str, key: str, number: int) -> list[str]:
    """Return the ids of an entry and of those around it in its namespace, in order."""
    before = "SELECT * FROM (SELECT id, key FROM l10n_entries WHERE {} ORDER BY key{} LIMIT {}) AS found"
    same = "locale = :locale AND namespace = :namespace AND key {} :key"
    return await db.all(
        str,
        f"SELECT id, key FROM ({before.format(same.format('<'), ' DESC', ':number')}"
        f" UNION ALL {before.format(same.format('>='), '', ':number + 1')}) AS around ORDER BY key",
        locale=locale, namespace=namespace, key=key, number=number,
    )  # fmt: skip


def _conditions(filters: EntryFilters) -> tuple[str, str]:
    """Return the conditions that an index answers, and those that are checked for each row."""
    by, fits = "", ["TRUE"]
    if filters.review is not None:
        by = " AND e.review = :review"
    elif filters.reviewer is not None:
        by = f" AND {_TO_REVIEW}"
    if filters.status is not None:
        if by:
            fits.append("e.status = :status")
        else:
            by = " AND e.status = :status"
    if filters.reviewer is not None:
        fits.append(f"{_TO_REVIEW} AND (e.review IS NULL OR {_NOT_OWN})")
    if filters.namespace is not None:
        by += " AND e.namespace = :namespace"
    return by, f"({' AND '.join(fits)})"


def _used(filters: EntryFilters, sql: str) -> dict[str, Any]:
    given = {
        "review": filters.review, "status": filters.status, "namespace": filters.namespace,
        "reviewer": filters.reviewer and f'%"{filters.reviewer}"%',
    }  # fmt: skip
    return {"locale": filters.locale} | {name: value for name, value in given.items() if f":{name}" in sql}


# fmt: off
INVARIANTS = (
    Invariant("localization.sources", "every entry has the key and the hash of its message",
        "SELECT e.id FROM l10n_entries AS e JOIN l10n_messages AS m ON m.id = e.message_id WHERE e.namespace <> m.namespace"
        " OR e.key <> m.key OR e.current_hash <> m.source_hash OR e.id <> m.id || '-' || e.locale"),
    Invariant("localization.complete", "every locale has an entry of every message",
        "SELECT l.locale FROM l10n_locales AS l WHERE (SELECT COUNT(*) FROM l10n_entries AS e WHERE e.locale = l.locale)"
        " <> (SELECT COUNT(*) FROM l10n_messages)"
        " UNION ALL SELECT DISTINCT locale FROM l10n_entries WHERE locale NOT IN (SELECT locale FROM l10n_locales)"),
    Invariant("localization.texts", "a text has an origin and a source, an approval has a text, a proposal has an author",
        "SELECT id FROM l10n_entries WHERE (text IS NULL) <> (origin IS NULL) OR (text IS NULL) <> (source_hash IS NULL)"
        " OR (text IS NULL AND approved_at IS NOT NULL) OR (approved_at IS NULL AND approved_by IS NOT NULL)"
        " OR (review IS NULL) <> (proposal IS NULL) OR (review IS NULL) <> (author_id IS NULL)"),
    Invariant("localization.reviewed", "nobody has approved their own translation",
        "SELECT id FROM l10n_entries WHERE approved_by = translated_by"),
    Invariant("localization.counts", "the counts of every locale and namespace are those of its entries",
        "SELECT l.locale FROM l10n_locales AS l JOIN (SELECT l10n_locales.locale,"
        f" {', '.join(f'COALESCE(SUM(n.{name}), 0) AS {name}' for name in StatusCounts.__struct_fields__)}"
        " FROM l10n_locales LEFT JOIN l10n_namespaces AS n ON n.locale = l10n_locales.locale GROUP BY l10n_locales.locale) AS s"
        f" ON s.locale = l.locale WHERE {' OR '.join(f'l.{name} <> s.{name}' for name in StatusCounts.__struct_fields__)}"
        " OR l.total <> l.approved + l.machine + l.missing + l.stale"
        " UNION ALL SELECT n.locale || ' ' || n.namespace FROM l10n_namespaces AS n LEFT JOIN (SELECT locale, namespace,"
        f" {_AS_COUNTED} FROM l10n_entries GROUP BY locale, namespace) AS c"
        " ON c.locale = n.locale AND c.namespace = n.namespace"
        f" WHERE {' OR '.join(f'n.{name} <> COALESCE(c.{name}, 0)' for name in StatusCounts.__struct_fields__)}"),
)
# fmt: on
