"""Messages, their translations and their counts in SQL: one statement per function, no rules.

The tables are empty before the first synchronisation, which `teamspace serve` runs before it answers.
"""

from collections.abc import Sequence

from teamspace.core.db import Db, Reads, Tx, as_json, columns
from teamspace.localization.schemas import (
    ApprovedText,
    EntryRow,
    EntrySource,
    KnownText,
    LocaleCoverage,
    LocalizationPolicy,
    MessageRow,
    MessageText,
    NamespaceCoverage,
    ServedLocale,
    SourcedEntry,
)

_READ_SECONDS = 30.0

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


async def has_locale(db: Reads, locale: str) -> bool:
    return await db.exists("SELECT 1 FROM l10n_locales WHERE locale = :locale", locale=locale)


async def select_locales(db: Reads) -> list[str]:
    return await db.all(str, "SELECT locale FROM l10n_locales ORDER BY locale")


# Messages and entries


async def select_messages(db: Reads) -> list[MessageRow]:
    return await db.all(MessageRow, f"SELECT {columns(MessageRow)} FROM l10n_messages ORDER BY namespace, key")


async def get_message(db: Reads, message_id: str) -> MessageRow | None:
    return await db.one(MessageRow, f"SELECT {columns(MessageRow)} FROM l10n_messages WHERE id = :id", id=message_id)


async def get_entry(db: Reads, entry_id: str) -> EntryRow | None:
    return await db.one(EntryRow, f"SELECT {columns(EntryRow)} FROM l10n_entries WHERE id = :id", id=entry_id)


async def select_sourced(db: Reads, entry_ids: Sequence[str]) -> list[SourcedEntry]:
    """Return entries with their sources and the names of their authors, in no order."""
    return await db.all(
        SourcedEntry,
        "SELECT e.id, e.locale, e.namespace, e.key, m.source, e.status, e.text, e.origin, e.written_source, e.review,"
        " e.proposal, e.author_id, users.display_name, e.contributors, e.submitted_at, e.note, e.approved_by,"
        " e.approved_at, e.updated_at"
        " FROM l10n_entries AS e JOIN l10n_messages AS m ON m.id = e.message_id"
        " LEFT JOIN users ON users.id = e.author_id"
        f" WHERE e.id {db.dialect.in_strings.format('ids')}",
        ids=as_json(entry_ids),
    )  # fmt: skip
