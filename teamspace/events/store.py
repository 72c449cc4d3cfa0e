"""SQL of events and streams: one statement per function, no rules."""

from collections.abc import Sequence

import msgspec

from teamspace.core.db import Db, Fence, Reads, Tx, as_json, columns
from teamspace.core.tables import TransientTable
from teamspace.events.schemas import Change, ChangedSubject, Event, OpenStream, Position, StreamBatch, StreamState

TRANSIENT = tuple(map(TransientTable, ("events", "event_floors", "event_log", "streams", "stream_batches")))

_AFTER = "(transaction_id, id) > (:transaction_id, :id)"


class _Place(msgspec.Struct, frozen=True):
    transaction_id: int
    id: int


class OldEvent(msgspec.Struct, frozen=True):
    transaction_id: int
    id: int
    org_id: str
    at: str


class EventCount(msgspec.Struct, frozen=True):
    org_id: str
    events: int


class AdmittedRow(msgspec.Struct, frozen=True):
    caller: int
    id: str


# The log


async def insert(
    tx: Tx, kind: str, subject_ids: Sequence[str], change: Change, *, org_id: str, team_id: str | None,
    readers: Sequence[str], path: str | None, now: str,
) -> None:  # fmt: skip
    """Add an event per subject, at the commit."""
    target = "INSERT INTO events (org_id, team_id, kind, change, readers, path, at, subject_id)"
    same = ":org_id, CAST(:team_id AS TEXT), :kind, :change, CAST(:readers AS TEXT), CAST(:path AS TEXT), :at"
    if len(subject_ids) == 1:
        source, subjects = f"VALUES ({same}, :subjects)", subject_ids[0]
    else:
        source = f"SELECT {same}, subject.* FROM ({tx.dialect.json_strings.format('subjects')}) AS subject"
        subjects = as_json(subject_ids)
    await tx.defer(
        f"{target} {source}",
        org_id=org_id, team_id=team_id, kind=kind, change=change, path=path, at=now, subjects=subjects,
        readers=as_json(readers) if readers else None,
    )  # fmt: skip


async def insert_many(tx: Tx, kind: str, changed: Sequence[ChangedSubject], change: Change, *, now: str) -> None:
    """Add an event per subject of any teams, at the commit."""
    subjects = tx.dialect.json_table("subjects", **dict.fromkeys(ChangedSubject.__struct_fields__, "TEXT"))
    await tx.defer(
        "INSERT INTO events (org_id, team_id, kind, change, at, subject_id)"
        f" SELECT subject.org_id, subject.team_id, :kind, :change, :at, subject.id FROM ({subjects}) AS subject",
        kind=kind, change=change, at=now, subjects=as_json(changed),
    )  # fmt: skip


async def get_log_id(db: Reads) -> str:
    return await db.one(str, "SELECT id FROM event_log") or ""


async def get_newest(db: Reads) -> Position:
    """Return the last position before which no row can appear any more."""
    place = await db.one(
        _Place,
        f"SELECT transaction_id, id FROM events WHERE {db.dialect.settled}"
        " ORDER BY transaction_id DESC, id DESC LIMIT 1",
    )
    return Position(place.transaction_id, place.id) if place else Position(0, 0)


async def has_unsettled(db: Reads) -> bool:
    """Whether there are rows that readers must not see yet."""
    return await db.exists(f"SELECT 1 FROM events WHERE NOT ({db.dialect.settled}) LIMIT 1")


async def select_between(
    db: Reads, org_ids: Sequence[str], after: Position, until: Position, limit: int
) -> list[Event]:  # fmt: skip
    """Return events of the companies, in order; `until` is a position from `get_newest`."""
    return await db.all(
        Event,
        f"SELECT {columns(Event)} FROM events WHERE {_AFTER}"
        " AND (transaction_id, id) <= (:until_transaction_id, :until_id)"
        f" AND org_id IN ({db.dialect.json_strings.format('org_ids')}) ORDER BY transaction_id, id LIMIT :limit",
        transaction_id=after.transaction_id, id=after.id, until_transaction_id=until.transaction_id, until_id=until.id,
        org_ids=as_json(org_ids), limit=limit,
    )  # fmt: skip


async def select_of_org(db: Reads, org_id: str, after: Position, until: Position, limit: int) -> list[Event]:
    return await db.all(
        Event,
        f"SELECT {columns(Event)} FROM events WHERE org_id = :org_id AND {_AFTER}"
        " AND (transaction_id, id) <= (:until_transaction_id, :until_id) ORDER BY transaction_id, id LIMIT :limit",
        org_id=org_id, transaction_id=after.transaction_id, id=after.id, until_transaction_id=until.transaction_id,
        until_id=until.id, limit=limit,
    )  # fmt: skip


async def select_admitted(
    db: Reads, fence: Fence, callers: Sequence[dict[str, object]], ids: Sequence[str]
) -> list[AdmittedRow]:
    """Return which of the rows each caller can read; the callers' fences have the same SQL as `fence`."""
    return await db.all(
        AdmittedRow,
        fence.for_many(db.dialect),
        callers=as_json(callers), ids=as_json(ids),
    )  # fmt: skip


# Retention


async def get_floor(db: Reads, org_id: str) -> Position:
    """Return the last deleted event of a company."""
    place = await db.one(_Place, "SELECT transaction_id, id FROM event_floors WHERE org_id = :org_id", org_id=org_id)
    return Position(place.transaction_id, place.id) if place else Position(0, 0)


async def raise_floor(tx: Tx, org_id: str, floor: Position) -> None:
    await tx.run(
        "INSERT INTO event_floors (org_id, transaction_id, id) VALUES (:org_id, :transaction_id, :id)"
        " ON CONFLICT (org_id) DO UPDATE SET transaction_id = excluded.transaction_id, id = excluded.id"
        " WHERE (event_floors.transaction_id, event_floors.id) < (excluded.transaction_id, excluded.id)",
        org_id=org_id, transaction_id=floor.transaction_id, id=floor.id,
    )  # fmt: skip


async def select_oldest(db: Reads, limit: int) -> list[OldEvent]:
    return await db.all(
        OldEvent,
        f"SELECT {columns(OldEvent)} FROM events WHERE {db.dialect.settled} ORDER BY transaction_id, id LIMIT :limit",
        limit=limit,
    )


async def select_oldest_of_org(db: Reads, org_id: str, limit: int) -> list[OldEvent]:
    return await db.all(
        OldEvent,
        f"SELECT {columns(OldEvent)} FROM events WHERE org_id = :org_id AND {db.dialect.settled}"
        " ORDER BY transaction_id, id LIMIT :limit",
        org_id=org_id, limit=limit,
    )  # fmt: skip


async def delete(tx: Tx, ids: Sequence[int]) -> None:
    given = tx.dialect.json_strings.format("ids")
    await tx.run(
        f"DELETE FROM events WHERE id IN (SELECT CAST(given.value AS BIGINT) FROM ({given}) AS given)", ids=as_json(ids)
    )


async def count_by_org(db: Db, most: int, seconds: float) -> list[EventCount]:
    """Return the companies with more than `most` events. Reads an index of all, off the event loop."""
    return await db.all_offloaded(
        EventCount,
        "SELECT org_id, COUNT(*) FROM events GROUP BY org_id HAVING COUNT(*) > :most",
        seconds=seconds, most=most,
    )  # fmt: skip


# Streams


async def open_stream(
    tx: Tx, id: str, org_id: str, team_id: str, owner_id: str, *, skipped: int, expires_at: str
) -> int | None:
    """Add a stream, or continue the owner's own after skipping some numbers.

    Return the number of its newest row; None if the stream has ended or is another's.
    """
    return await tx.one(
        int,
        "INSERT INTO streams (id, org_id, team_id, owner_id, saved, ended, expires_at)"
        " VALUES (:id, :org_id, :team_id, :owner_id, 0, FALSE, :expires_at)"
        " ON CONFLICT (id) DO UPDATE SET saved = streams.saved + :skipped"
        " WHERE NOT streams.ended AND streams.owner_id = excluded.owner_id AND streams.team_id = excluded.team_id"
        " RETURNING saved",
        id=id, org_id=org_id, team_id=team_id, owner_id=owner_id, skipped=skipped, expires_at=expires_at,
    )  # fmt: skip


async def get_stream(db: Reads, fence: Fence, id: str) -> StreamState | None:
    return await db.one(
        StreamState, f"SELECT {columns(StreamState)} FROM streams WHERE id = :id AND {fence.sql}", id=id, **fence.params
    )


async def lock_stream(tx: Tx, id: str) -> OpenStream | None:
    """Lock a stream that has not ended, after those who have it now."""
    return await tx.one(
        OpenStream,
        f"SELECT {columns(OpenStream)} FROM streams WHERE id = :id AND NOT ended {tx.dialect.row_lock}",
        id=id,
    )


async def lock_free_streams(tx: Tx, ids: Sequence[str]) -> list[OpenStream]:
    """Lock those of the streams that have not ended and that no one else has locked."""
    return await tx.all(
        OpenStream,
        f"SELECT {columns(OpenStream)} FROM streams WHERE id {tx.dialect.in_strings.format('ids')} AND NOT ended"
        f" {tx.dialect.skip_locked}",
        ids=as_json(ids),
    )


async def select_open_streams(db: Reads, ids: Sequence[str]) -> list[str]:
    """Return which of the streams have not ended."""
    return await db.all(
        str,
        f"SELECT id FROM streams WHERE id {db.dialect.in_strings.format('ids')} AND NOT ended",
        ids=as_json(ids),
    )


async def set_saved(tx: Tx, batches: Sequence[StreamBatch]) -> None:
    """Record how far the streams are saved; the caller has locked them."""
    given = tx.dialect.json_table("given", id="TEXT", last="BIGINT")
    await tx.run(
        f"UPDATE streams SET saved = given.last FROM ({given}) AS given WHERE streams.id = given.id",
        given=as_json([{"id": batch.stream_id, "last": batch.last} for batch in batches]),
    )


async def insert_batches(tx: Tx, batches: Sequence[StreamBatch]) -> None:
    """Add rows of streams that the caller has locked, at the commit."""
    given, values = tx.dialect.table(
        "batches", batches, stream_id="TEXT", first="BIGINT", last="BIGINT", content="TEXT"
    )
    # The join is also for a stream that is deleted before the commit: its rows must not fail the commit of others.
    await tx.defer(
        f"INSERT INTO stream_batches (org_id, {columns(StreamBatch)})"
        f" SELECT streams.org_id, {columns(StreamBatch, 'given')} FROM ({given}) AS given"
        " JOIN streams ON streams.id = given.stream_id",
        **values,
    )


async def end_stream(tx: Tx, id: str, last: int, expires_at: str) -> None:
    await tx.add(
        "UPDATE streams SET saved = :last, ended = TRUE, expires_at = :expires_at WHERE id = :id AND NOT ended",
        id=id, last=last, expires_at=expires_at,
    )  # fmt: skip


async def select_all_batches(tx: Tx, stream_id: str) -> list[StreamBatch]:
    return await tx.all(
        StreamBatch,
        f"SELECT {columns(StreamBatch)} FROM stream_batches WHERE stream_id = :stream_id ORDER BY first",
        stream_id=stream_id,
    )  # fmt: skip


async def select_batches(
    db: Reads, fence: Fence, stream_id: str, after: int, until: int, limit: int
) -> list[StreamBatch]:  # fmt: skip
    """Return saved rows in order; the first batch may begin before `after`."""
    return await db.all(
        StreamBatch,
        f"SELECT {columns(StreamBatch, 'stream_batches')} FROM streams"
        f" JOIN stream_batches ON stream_batches.stream_id = streams.id WHERE streams.id = :stream_id AND {fence.sql}"
        " AND stream_batches.last > :after AND stream_batches.last <= :until"
        " ORDER BY stream_batches.last LIMIT :limit",
        stream_id=stream_id, after=after, until=until, limit=limit, **fence.params,
    )  # fmt: skip


async def delete_stream(tx: Tx, id: str) -> None:
    """Delete a stream with its rows."""
    await tx.run("DELETE FROM streams WHERE id = :id", id=id)


async def delete_expired_streams(tx: Tx, limit: int, now: str) -> list[str]:
    """Delete streams with their rows."""
    return await tx.all(
        str,
        "DELETE FROM streams WHERE id IN (SELECT id FROM streams WHERE expires_at < :now LIMIT :limit) RETURNING id",
        now=now, limit=limit,
    )  # fmt: skip
