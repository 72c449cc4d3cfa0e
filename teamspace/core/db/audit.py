"""The audit trail's chain: every row of a company is sealed to the one before it.

A write inserts its row unsealed in the same commit. The sealer gives it a number and a hash moments
later, in a transaction of its own, so that writers of one company never queue for the chain's end.
Anyone with the rows can verify the chain without the server: hash = SHA-256(previous hash, newline,
canonical JSON of the row), hexadecimal, starting from 64 zeros.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterable
from functools import lru_cache

import msgspec

from teamspace.core.db.handles import Db, Reads
from teamspace.core.db.rows import columns
from teamspace.core.principal import system
from teamspace.core.tables import Count, Invariant

START = "0" * 64
COUNTS = (Count("audit_events", "SELECT COUNT(*) FROM audit"),)
_BATCH = 200
_AFTER_ALL_COMPANIES = "~"
_INSTANCE = "-"
"""How a line names the instance's own chain, whose company is the empty text."""
_HEAD = re.compile(r"(?:org=)?(\S+) (?:seq=)?([0-9]{1,18}) (?:hash=)?([0-9a-f]{64})\b")


class Entry(msgspec.Struct, frozen=True):
    """An audit row, in the order in which its hash is taken."""

    org_id: str
    id: str
    at: str
    team_id: str | None
    actor_kind: str
    actor_id: str | None
    token_id: str | None
    action: str
    target: str | None
    detail: str
    request_id: str
    address: str


class Sealed(Entry, frozen=True):
    seq: int
    hash: str


class Line(Sealed, frozen=True, forbid_unknown_fields=True):
    """A sealed row beside the hash of the one before it: all that is needed to verify it alone."""

    prev: str

    @property
    def holds(self) -> bool:
        return self.hash == link(self.prev, self.seq, self)


class Head(msgspec.Struct, frozen=True):
    """The newest sealed row of a company's chain. Kept elsewhere, it shows if the chain is cut or written anew."""

    org_id: str
    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.org_id or _INSTANCE} {self.seq} {self.hash}"


def link(previous: str, seq: int, entry: Entry) -> str:
    fields = [getattr(entry, name) for name in Entry.__struct_fields__]
    return hashlib.sha256(previous.encode() + b"\n" + msgspec.json.encode([seq, *fields])).hexdigest()


class Chain:
    """Walks one company's rows in the order of their numbers and remembers the first fault."""

    def __init__(self) -> None:
        self.seq, self.hash = 0, START

    def fault(self, row: Sealed) -> str | None:
        number = self.seq + 1
        if row.seq != number:
            return f"audit row {number} of company {row.org_id} is missing"
        if row.hash != link(self.hash, number, row):
            return f"audit row {number} of company {row.org_id} was changed, or the one before it"
        self.seq, self.hash = number, row.hash
        return None


async def seal(db: Db) -> int:
    """Seal what is unsealed; how many rows that were."""
    total = 0
    for org_id in await db.all(str, "SELECT DISTINCT org_id FROM audit WHERE seq IS NULL"):
        total += await seal_company(db, org_id)
    return total


async def seal_company(db: Db, org_id: str) -> int:
    """Seal at least what the company had committed before; how many rows that were."""
    total = 0
    while (count := await _seal_some(db, org_id)) == _BATCH:
        total += count
        await asyncio.sleep(0)  # let requests pass between two batches
    return total + count


async def _seal_some(db: Db, org_id: str) -> int:
    async with db.upkeep(system()) as tx:
        await tx.lock("audit", org_id)
        entries = await tx.all(
            Entry,
            f"SELECT {columns(Entry)} FROM audit WHERE org_id = :org_id AND seq IS NULL ORDER BY id LIMIT {_BATCH}",
            org_id=org_id,
        )
        head = await head_of(tx, org_id)
        seals: dict[str, str | int] = {}
        seq, previous = head.seq, head.hash
        for place, entry in enumerate(entries):
            seq, previous = seq + 1, link(previous, seq + 1, entry)
            seals |= {f"id_{place}": entry.id, f"seq_{place}": seq, f"hash_{place}": previous}
        if entries:
            await tx.run(_sealing(len(entries)), **seals)
        return len(entries)


@lru_cache(64)
def _sealing(count: int) -> str:
    """One statement for a whole batch: on PostgreSQL each would be a round trip."""
    rows = [
        f"(CAST(:id_{place} AS TEXT), CAST(:seq_{place} AS BIGINT), CAST(:hash_{place} AS TEXT))"
        for place in range(count)
    ]
    return (
        f"WITH sealed (id, seq, hash) AS (VALUES {', '.join(rows)})"
        " UPDATE audit SET seq = sealed.seq, hash = sealed.hash FROM sealed WHERE audit.id = sealed.id"
    )


async def head_of(db: Reads, org_id: str) -> Head:
    return await db.one(
        Head,
        "SELECT org_id, seq, hash FROM audit WHERE org_id = :org_id AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1",
        org_id=org_id,
    ) or Head(org_id, 0, START)


async def heads(db: Reads) -> AsyncIterator[Head]:
    """The head of every chain; each costs one step down an index, however long the chain is."""
    before = _AFTER_ALL_COMPANIES
    while head := await db.one(
        Head,
        "SELECT org_id, seq, hash FROM audit WHERE org_id < :before AND seq IS NOT NULL"
        " ORDER BY org_id DESC, seq DESC LIMIT 1",
        before=before,
    ):
        yield head
        before = head.org_id
        await asyncio.sleep(0)  # let requests pass: there may be thousands of companies


def kept_heads(lines: Iterable[str]) -> list[Head]:
    """Heads that were kept elsewhere, from lines of `teamspace audit heads` or of the server's log.

    A line that is neither is a ValueError, since a head that is overlooked proves nothing.
    """
    kept = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _HEAD.search(line)
        if found is None:
            raise ValueError(f"line {number} is no audit head: `company seq hash` is expected")
        org_id, seq, digest = found.groups()
        kept.append(Head("" if org_id == _INSTANCE else org_id, int(seq), digest))
    return kept


async def check_heads(db: Reads, lines: Iterable[str]) -> list[str]:
    """Whether the chains still hold the heads that were kept elsewhere; what they do not."""
    findings = []
    for head in kept_heads(lines):
        row = f"audit row {head.seq} of company {head.org_id or _INSTANCE}"
        found = await db.one(
            str, "SELECT hash FROM audit WHERE org_id = :org_id AND seq = :seq", org_id=head.org_id, seq=head.seq
        )
        if found is None:
            findings.append(f"{row} is missing: it was the chain's head once")
        elif found != head.hash:
            findings.append(f"{row} is not the one whose hash was kept: the chain was written anew")
    return findings


async def unsealed(db: Reads) -> int:
    """How many rows wait for the sealer."""
    return await db.one(int, "SELECT COUNT(*) FROM audit WHERE seq IS NULL") or 0


async def check(db: Reads) -> list[str]:
    """Verify every company's chain, one page of rows at a time."""
    findings: list[str] = []
    for org_id in await db.all(str, "SELECT DISTINCT org_id FROM audit"):
        findings += await _check_company(db, org_id)
    return findings


async def _check_company(db: Reads, org_id: str) -> list[str]:
    chain = Chain()
    while rows := await db.all(
        Sealed,
        f"SELECT {columns(Sealed)} FROM audit WHERE org_id = :org_id AND seq > :seq ORDER BY seq LIMIT 1000",
        org_id=org_id, seq=chain.seq,
    ):  # fmt: skip
        for row in rows:
            if fault := chain.fault(row):
                return [fault]
    return []


INVARIANTS = (
    Invariant(
        "audit.secrets",
        "no token is written out in the trail",
        "SELECT id FROM audit WHERE detail LIKE '%ts\\__\\_%' ESCAPE '\\'",
    ),
)
