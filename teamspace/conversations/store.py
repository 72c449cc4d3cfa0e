"""Conversations in SQL: one statement per function, no rules. Every SELECT for a caller takes a fence."""

from collections.abc import Sequence

import msgspec

from teamspace import sharing
from teamspace.completions import TokenUsage
from teamspace.conversations.schemas import (
    CONVERSATIONS,
    Answer,
    ConversationItem,
    ConversationRow,
    TurnError,
    TurnRow,
    TurnState,
)
from teamspace.core.db import Fence, Reads, Tx, as_json, columns, placeholders
from teamspace.core.tables import Invariant, OwnedTable

KIND = CONVERSATIONS.name
OWNED_TABLES = (OwnedTable(CONVERSATIONS.table, KIND),)
_IS_ACTIVE = sharing.not_expired("conversation_grants")
_SHARED = (
    f"(SELECT 1 FROM conversation_grants WHERE conversation_id = conversations.id AND {_IS_ACTIVE} LIMIT 1) IS NOT NULL"
)
"""Not EXISTS: PostgreSQL would read the grants of all conversations to decide it for one page."""
_ITEM = f"id, title, owner_id, excerpt, {_SHARED}, created_at, updated_at"
_IN_ORDER = ("updated_at", "id")


# Conversations


async def select(db: Reads, fence: Fence, before: tuple[str, str], limit: int) -> list[ConversationItem]:
    page = fence.in_key_order(db.dialect, _IN_ORDER, newest_first=True)
    return await db.all(
        ConversationItem,
        f"SELECT {_ITEM} FROM conversations WHERE id IN (SELECT id FROM ({page}) AS page)"
        " ORDER BY updated_at DESC, id DESC",
        after_updated_at=before[0], after_id=before[1], limit=limit, **fence.params,
    )  # fmt: skip


async def get(db: Reads, fence: Fence, conversation_id: str) -> ConversationRow | None:
    return await db.one(
        ConversationRow,
        f"SELECT {columns(ConversationRow)} FROM conversations WHERE id = :id AND {fence.sql}",
        id=conversation_id, **fence.params,
    )  # fmt: skip


async def lock(tx: Tx, fence: Fence, conversation_id: str) -> ConversationRow | None:
    """Return the conversation, and keep others from changing it until the commit."""
    return await tx.one(
        ConversationRow,
        f"SELECT {columns(ConversationRow)} FROM conversations WHERE id = :id AND {fence.sql} {tx.dialect.row_lock}",
        id=conversation_id, **fence.params,
    )  # fmt: skip


async def lock_of_turn(tx: Tx, turn_id: str) -> ConversationRow | None:
    """Return the conversation of a turn, and keep others from changing it until the commit."""
    return await tx.one(
        ConversationRow,
        f"SELECT {columns(ConversationRow)} FROM conversations WHERE id ="
        f" (SELECT conversation_id FROM conversation_turns WHERE id = :id) {tx.dialect.row_lock}",
        id=turn_id,
    )  # fmt: skip


async def get_for_index(db: Reads, conversation_id: str) -> ConversationRow | None:
    return await db.one(
        ConversationRow, f"SELECT {columns(ConversationRow)} FROM conversations WHERE id = :id", id=conversation_id
    )


async def lock_for_index(tx: Tx, conversation_id: str, ended: int) -> ConversationRow | None:
    """Return the conversation if no turn has ended since, and keep others from changing it until the commit."""
    return await tx.one(
        ConversationRow,
        f"SELECT {columns(ConversationRow)} FROM conversations WHERE id = :id AND ended = :ended {tx.dialect.row_lock}",
        id=conversation_id, ended=ended,
    )  # fmt: skip


async def admits(db: Reads, fence: Fence, conversation_id: str) -> bool:
    return await db.exists(
        f"SELECT 1 FROM conversations WHERE id = :id AND {fence.sql}", id=conversation_id, **fence.params
    )


async def insert(tx: Tx, row: ConversationRow) -> None:
    await tx.run(
        f"INSERT INTO conversations ({columns(ConversationRow)}) VALUES ({placeholders(ConversationRow)})",
        **msgspec.structs.asdict(row),
    )


async def rename(tx: Tx, fence: Fence, conversation_id: str, title: str, now: str) -> None:
    await tx.run(
        f"UPDATE conversations SET title = :title, updated_at = :now WHERE id = :id AND {fence.sql}",
        id=conversation_id, title=title, now=now, **fence.params,
    )  # fmt: skip


async def add(
    tx: Tx,
    conversation_id: str,
    *,
    turns: int,
    ended: int,
    size: int,
    characters: int,
    title: str,
    excerpt: str,
    now: str,
) -> None:
    """Count turns that began or ended. A title is only taken if there is none, an empty excerpt not at all."""
    await tx.run(
        "UPDATE conversations SET turns = turns + :turns, ended = ended + :ended, size = size + :size,"
        " characters = characters + :characters,"
        " title = CASE WHEN title = '' THEN :title ELSE title END,"
        " excerpt = CASE WHEN :excerpt = '' THEN excerpt ELSE :excerpt END, updated_at = :now WHERE id = :id",
        id=conversation_id, turns=turns, ended=ended, size=size, characters=characters, title=title, excerpt=excerpt,
        now=now,
    )  # fmt: skip


async def delete(tx: Tx, fence: Fence, conversation_id: str) -> None:
    await tx.run_offloaded(
        f"DELETE FROM conversations WHERE id = :id AND {fence.sql}", id=conversation_id, **fence.params
    )


# Deleted turns


async def note_deleted_turns(tx: Tx, conversation_id: str) -> None:
    """Note the answers of a conversation that the caller deletes."""
    await tx.run(
        "INSERT INTO deleted_turns (id, org_id) SELECT id, org_id FROM conversation_turns"
        " WHERE conversation_id = :id AND role = 'assistant'",
        id=conversation_id,
    )  # fmt: skip


async def select_running(tx: Tx, conversation_id: str) -> list[str]:
    return await tx.all(
        str, "SELECT id FROM conversation_turns WHERE conversation_id = :id AND state = 'running'", id=conversation_id
    )


async def select_deleted_turns(db: Reads, after: str, limit: int) -> list[str]:
    return await db.all(
        str, "SELECT id FROM deleted_turns WHERE id > :after ORDER BY id LIMIT :limit", after=after, limit=limit
    )


async def drop_deleted_turn(tx: Tx, turn_id: str) -> None:
    await tx.run("DELETE FROM deleted_turns WHERE id = :id", id=turn_id)


# Turns


async def select_turns(db: Reads, conversation_id: str) -> list[TurnRow]:
    return await db.all(
        TurnRow,
        f"SELECT {columns(TurnRow)} FROM conversation_turns WHERE conversation_id = :id ORDER BY number",
        id=conversation_id,
    )  # fmt: skip


async def select_path(db: Reads, fence: Fence, turn_id: str, max_characters: int) -> list[TurnRow]:
    """Return the prompt of an answer and the turns before it, newest first, while their texts fit."""
    turn = columns(TurnRow, "turn")
    return await db.all(
        TurnRow,
        f"WITH RECURSIVE path AS (SELECT {turn}, turn.characters AS total FROM conversation_turns AS answer"
        " JOIN conversation_turns AS turn ON turn.id = answer.parent_id"
        " JOIN conversations ON conversations.id = answer.conversation_id"
        f" WHERE answer.id = :id AND {fence.sql} UNION ALL"
        f" SELECT {turn}, path.total + turn.characters FROM path JOIN conversation_turns AS turn"
        " ON turn.id = path.parent_id WHERE path.total + turn.characters <= :max_characters)"
        f" SELECT {columns(TurnRow)} FROM path ORDER BY number DESC",
        id=turn_id, max_characters=max_characters, **fence.params,
    )  # fmt: skip


async def insert_references(tx: Tx, conversation: ConversationRow, references: Sequence[str]) -> None:
    """Add what a prompt refers to, as JSON; what is there already is left out."""
    await tx.run(
        "INSERT INTO conversation_references (conversation_id, reference, org_id) SELECT :id, given.value, :org_id"
        f" FROM ({tx.dialect.json_strings.format('given')}) AS given WHERE TRUE ON CONFLICT DO NOTHING",
        id=conversation.id, org_id=conversation.org_id, given=as_json(references),
    )  # fmt: skip


async def select_references(db: Reads, fence: Fence, conversation_id: str, limit: int) -> list[str]:
    return await db.all(
        str,
        "SELECT reference FROM conversation_references JOIN conversations ON conversations.id = conversation_id"
        f" WHERE conversation_id = :id AND {fence.sql} ORDER BY reference LIMIT :limit",
        id=conversation_id, limit=limit, **fence.params,
    )  # fmt: skip


async def get_turn(db: Reads, conversation_id: str, turn_id: str) -> TurnRow | None:
    return await db.one(
        TurnRow,
        f"SELECT {columns(TurnRow)} FROM conversation_turns WHERE id = :id AND conversation_id = :conversation_id",
        id=turn_id, conversation_id=conversation_id,
    )  # fmt: skip


async def get_numbered_turn(db: Reads, conversation_id: str, number: int) -> TurnRow | None:
    return await db.one(
        TurnRow,
        f"SELECT {columns(TurnRow)} FROM conversation_turns WHERE conversation_id = :id AND number = :number",
        id=conversation_id, number=number,
    )  # fmt: skip


async def is_being_answered(db: Reads, prompt_id: str) -> bool:
    return await db.exists("SELECT 1 FROM conversation_turns WHERE parent_id = :id AND state = 'running'", id=prompt_id)


async def insert_turn(tx: Tx, turn: TurnRow) -> None:
    await tx.run(
        f"INSERT INTO conversation_turns ({columns(TurnRow)}) VALUES ({placeholders(TurnRow)})",
        **msgspec.structs.asdict(turn),
    )


async def end_turn(
    tx: Tx, turn_id: str, answer: Answer, *, state: TurnState, characters: int, usage: TokenUsage | None,
    model: str | None, executor: str | None, simulated: bool, finish_reason: str | None, error: TurnError | None,
) -> bool:  # fmt: skip
    """Return False if the turn is not running any more."""
    return await tx.exists(
        "UPDATE conversation_turns SET state = :state, size = :size, characters = :characters, content = :content,"
        " usage = :usage, citations = :citations, steps = :steps, model = :model, executor = :executor,"
        " simulated = :simulated, finish_reason = :finish_reason, error = :error"
        " WHERE id = :id AND state = 'running' RETURNING id",
        id=turn_id, state=state, size=answer.size, characters=characters, content=answer.content,
        usage=None if usage is None else as_json(usage), citations=answer.citations, steps=answer.steps, model=model,
        executor=executor, simulated=simulated, finish_reason=finish_reason, error=None if error is None else as_json(error),
    )  # fmt: skip


# Grants


async def is_shared(db: Reads, conversation_id: str) -> bool:
    return await db.exists(
        f"SELECT 1 FROM conversation_grants WHERE conversation_id = :id AND {_IS_ACTIVE} LIMIT 1", id=conversation_id
    )


# fmt: off
INVARIANTS = (
    *sharing.invariants(CONVERSATIONS),
    Invariant("conversations.turns", "a conversation and its turns belong to one company",
        "SELECT t.id FROM conversation_turns t JOIN conversations c ON c.id = t.conversation_id"
        " WHERE t.org_id <> c.org_id"),
    Invariant("conversations.counts", "a conversation counts its turns, those that ended, their sizes and their characters",
        "SELECT c.id FROM conversations c LEFT JOIN (SELECT conversation_id, COUNT(*) AS turns, MAX(number) AS newest,"
        " SUM(size) AS size, SUM(characters) AS characters, SUM(CASE WHEN role = 'assistant' AND state <> 'running' THEN 1 ELSE 0 END) AS ended"
        " FROM conversation_turns GROUP BY conversation_id) AS t ON t.conversation_id = c.id"
        " WHERE c.turns <> COALESCE(t.turns, 0) OR c.turns <> COALESCE(t.newest, 0) OR c.size <> COALESCE(t.size, 0)"
        " OR c.characters <> COALESCE(t.characters, 0) OR c.ended <> COALESCE(t.ended, 0)"),
    Invariant("conversations.tree", "an answer follows a prompt, and a prompt an answer or nothing, in one conversation",
        "SELECT t.id FROM conversation_turns t LEFT JOIN conversation_turns p"
        " ON p.id = t.parent_id AND p.conversation_id = t.conversation_id AND p.number < t.number"
        " WHERE (p.id IS NULL AND (t.parent_id IS NOT NULL OR t.role = 'assistant')) OR p.role = t.role"),
    Invariant("conversations.running", "a running turn is the answer of a job that has not ended",
        "SELECT id FROM conversation_turns WHERE state = 'running' AND NOT EXISTS (SELECT 1 FROM jobs"
        " WHERE jobs.id = conversation_turns.id AND jobs.state IN ('queued', 'running'))"),
    Invariant("conversations.activity", "a grant has the time of the conversation's last activity",
        "SELECT g.conversation_id FROM conversation_grants g JOIN conversations c ON c.id = g.conversation_id"
        " WHERE g.updated_at <> c.updated_at"),
)
# fmt: on
