"""Glossaries, translations and the translation memory in SQL."""

from collections.abc import Iterable, Sequence

import msgspec

from teamspace.core.db import Db, Fence, Reads, Tx, as_json, columns, placeholders
from teamspace.core.tables import Invariant
from teamspace.translation.schemas import GlossaryTerm, RememberedSegment, TranslationRecord

_SECONDS = 10.0
_TERM = columns(GlossaryTerm)


# Glossaries


async def get_revision(db: Reads, team_id: str, target: str) -> int:
    """Return the glossary's revision; 0 if the team never had one for the language."""
    return await db.one(
        int, "SELECT revision FROM glossaries WHERE team_id = :team_id AND target = :target",
        team_id=team_id, target=target,
    ) or 0  # fmt: skip


async def raise_revision(tx: Tx, org_id: str, team_id: str, target: str) -> None:
    await tx.run(
        "INSERT INTO glossaries (team_id, target, org_id, revision) VALUES (:team_id, :target, :org_id, 1)"
        " ON CONFLICT (team_id, target) DO UPDATE SET revision = glossaries.revision + 1",
        team_id=team_id, target=target, org_id=org_id,
    )  # fmt: skip


async def put_term(tx: Tx, org_id: str, team_id: str, term_key: str, term: GlossaryTerm) -> None:
    values = msgspec.structs.asdict(term) | {"forbidden": as_json(term.forbidden)}
    await tx.run(
        f"INSERT INTO glossary_terms (team_id, term_key, org_id, {_TERM})"
        f" VALUES (:team_id, :term_key, :org_id, {placeholders(GlossaryTerm)})"
        " ON CONFLICT (team_id, target, term_key) DO UPDATE SET term = excluded.term,"
        " translation = excluded.translation, note = excluded.note, forbidden = excluded.forbidden,"
        " updated_at = excluded.updated_at",
        team_id=team_id, term_key=term_key, org_id=org_id, **values,
    )  # fmt: skip


async def delete_term(tx: Tx, team_id: str, target: str, term_key: str) -> bool:
    return await tx.exists(
        "DELETE FROM glossary_terms WHERE team_id = :team_id AND target = :target AND term_key = :term_key"
        " RETURNING term_key",
        team_id=team_id, target=target, term_key=term_key,
    )  # fmt: skip


async def count_terms(db: Reads, fence: Fence, target: str) -> int:
    return await db.one(
        int, f"SELECT COUNT(*) FROM glossary_terms WHERE {fence.sql} AND target = :target",
        target=target, **fence.params,
    ) or 0  # fmt: skip


async def select_terms(
    db: Reads, fence: Fence, target: str | None, after: tuple[str, str], limit: int
) -> list[GlossaryTerm]:
    """Select a page, ordered by language and term."""
    condition = "" if target is None else " AND target = :target"
    given = {} if target is None else {"target": target}
    return await db.all(
        GlossaryTerm,
        f"SELECT {_TERM} FROM glossary_terms WHERE {fence.sql}{condition}"
        " AND (target, term_key) > (:after_target, :after_key) ORDER BY target, term_key LIMIT :limit",
        after_target=after[0], after_key=after[1], limit=limit, **given, **fence.params,
    )  # fmt: skip


async def select_glossary(db: Db, fence: Fence, target: str) -> list[GlossaryTerm]:
    """Select all terms for a language, off the event loop."""
    return await db.all_offloaded(
        GlossaryTerm, f"SELECT {_TERM} FROM glossary_terms WHERE {fence.sql} AND target = :target ORDER BY term_key",
        seconds=_SECONDS, target=target, **fence.params,
    )  # fmt: skip


# The translation memory


async def select_memory(
    db: Reads, fence: Fence, target: str, revision: int, digests: Sequence[str]
) -> list[RememberedSegment]:
    return await db.all(
        RememberedSegment,
        f"SELECT digest, text FROM translation_memory WHERE {fence.sql} AND target = :target"
        f" AND digest {db.dialect.in_strings.format('digests')} AND revision = :revision",
        target=target, revision=revision, digests=as_json(digests), **fence.params,
    )  # fmt: skip


async def put_memory(
    tx: Tx, org_id: str, team_id: str, target: str, revision: int, memories: Iterable[RememberedSegment], now: str
) -> None:
    """Remember translations; a newer one replaces an older one."""
    given = tx.dialect.json_table("memories", digest="TEXT", text="TEXT")
    await tx.defer(
        "INSERT INTO translation_memory (team_id, target, digest, org_id, revision, text, created_at)"
        f" SELECT :team_id, :target, given.digest, :org_id, :revision, given.text, :now FROM ({given}) AS given"
        " WHERE TRUE ON CONFLICT (team_id, target, digest) DO UPDATE SET revision = excluded.revision,"
        " text = excluded.text, created_at = excluded.created_at",
        team_id=team_id, target=target, org_id=org_id, revision=revision, now=now,
        memories=as_json([msgspec.structs.asdict(memory) for memory in memories]),
    )  # fmt: skip


async def forget_some(tx: Tx, limit: int, team_id: str, before: str) -> None:
    """Delete texts that a team's memory has had since before this time."""
    await tx.defer(
        "DELETE FROM translation_memory WHERE (team_id, target, digest) IN (SELECT team_id, target, digest"
        " FROM translation_memory WHERE team_id = :team_id AND created_at < :before LIMIT :limit)",
        team_id=team_id, before=before, limit=limit,
    )  # fmt: skip


# History


async def insert(tx: Tx, org_id: str, team_id: str, author_id: str, row: TranslationRecord) -> None:
    values = msgspec.structs.asdict(row) | {
        name: as_json(getattr(row, name)) for name in ("texts", "checks", "glossary_hits", "usage")
    }
    await tx.run(
        f"INSERT INTO translations (org_id, team_id, author_id, {columns(TranslationRecord)})"
        f" VALUES (:org_id, :team_id, :author_id, {placeholders(TranslationRecord)})",
        org_id=org_id, team_id=team_id, author_id=author_id, **values,
    )  # fmt: skip


async def delete_old(tx: Tx, fence: Fence, keep: int) -> None:
    """Delete all but the newest translations of an author."""
    await tx.run(
        f"DELETE FROM translations WHERE {fence.sql} AND id <="
        f" (SELECT id FROM translations WHERE {fence.sql} ORDER BY id DESC LIMIT 1 OFFSET :keep)",
        keep=keep, **fence.params,
    )  # fmt: skip


async def select(db: Reads, fence: Fence, before: str, limit: int) -> list[TranslationRecord]:
    return await db.all(
        TranslationRecord,
        f"SELECT {columns(TranslationRecord)} FROM translations WHERE {fence.sql} AND id < :before"
        " ORDER BY id DESC LIMIT :limit",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("translation.company", "a translation, its team and its author belong to one company",
        "SELECT r.id FROM translations r JOIN teams t ON t.id = r.team_id JOIN users u ON u.id = r.author_id"
        " WHERE r.org_id <> t.org_id OR r.org_id <> u.org_id"),
    Invariant("translation.glossary", "a glossary and its terms belong to the team's company",
        "SELECT g.team_id FROM glossaries g JOIN teams t ON t.id = g.team_id WHERE g.org_id <> t.org_id UNION ALL"
        " SELECT g.team_id FROM glossary_terms g JOIN teams t ON t.id = g.team_id WHERE g.org_id <> t.org_id"),
    Invariant("translation.audit", "a translation is in the audit log",
        "SELECT id FROM translations WHERE id NOT IN"
        " (SELECT target FROM audit WHERE action = 'translation.create' AND target IS NOT NULL)"),
)
# fmt: on
