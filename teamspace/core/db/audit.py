"""The audit log's hash chains: every row of a company carries the hash of the row before.

A write inserts its row unsealed in the same commit. The sealer assigns number and hash moments later, in
a separate transaction, so that writers of one company never wait for each other at the head of the chain.
The rows are enough to verify the chain without the server: hash = SHA-256(previous hash, newline,
canonical JSON of the row), hexadecimal, starting from 64 zeros.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterable

import msgspec

from teamspace.core.db.handles import Db, Reads, Tx
from teamspace.core.db.rows import as_json, columns
from teamspace.core.principal import system
from teamspace.core.tables import Count, Invariant

ZERO_HASH = "0" * 64
COUNTS = (Count("audit_events", "SELECT COUNT(*) FROM audit"),)
_BATCH = 200
_AFTER_ALL_COMPANIES = "~"
_INSTANCE = "-"
"""Stands for the instance's own chain in a line of text; its org_id is empty."""
_HEAD = re.compile(r"(?:org=)?(\S+) (?:seq=)?([0-9]{1,18}) (?:hash=)?([0-9a-f]{64})\b")


class AuditRow(msgspec.Struct, frozen=True):
    """An audit row; its hash is computed over the fields in this order."""

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


class SealedRow(AuditRow, frozen=True):
    seq: int
    hash: str


class ChainLine(SealedRow, frozen=True, forbid_unknown_fields=True):
    """A sealed row with the hash of the row before: enough to verify it on its own."""

    prev: str

    @property
    def is_valid(self) -> bool:
        return self.hash == row_hash(self.prev, self.seq, self)


class ChainHead(msgspec.Struct, frozen=True):
    """The newest sealed row of a company's chain. A copy kept elsewhere reveals a truncated or rewritten chain."""

    org_id: str
    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.org_id or _INSTANCE} {self.seq} {self.hash}"


def row_hash(previous: str, seq: int, entry: AuditRow) -> str:
    fields = [getattr(entry, name) for name in AuditRow.__struct_fields__]
    return hashlib.sha256(previous.encode() + b"\n" + msgspec.json.encode([seq, *fields])).hexdigest()


class ChainVerifier:
    """Verifies one company's rows in the order of their numbers."""

    def __init__(self) -> None:
        self.seq, self.hash = 0, ZERO_HASH

    def check(self, row: SealedRow) -> str | None:
        number = self.seq + 1
        if row.seq != number:
            return f"audit row {number} of company {row.org_id} is missing"
        if row.hash != row_hash(self.hash, number, row):
            return f"audit row {number} of company {row.org_id} was changed, or the one before it"
        self.seq, self.hash = number, row.hash
        return None


async def seal(db: Db) -> int:
    """Seal all unsealed rows; return how many."""
    total = 0
    for org_id in await db.all(str, "SELECT DISTINCT org_id FROM audit WHERE seq IS NULL"):
        total += await seal_company(db, org_id)
    return total


async def seal_company(db: Db, org_id: str) -> int:
    """Seal at least the company's rows that were committed before the call; return how many."""
    total = 0
    while (count := await _seal_batch(db, org_id)) == _BATCH:
        total += count
        await asyncio.sleep(0)  # give requests a turn between batches
    return total + count


async def _seal_batch(db: Db, org_id: str) -> int:
    async with db.maintenance(system()) as tx:
        await tx.lock("audit", org_id)
        entries = await tx.all(
            AuditRow,
            f"SELECT {columns(AuditRow)} FROM audit WHERE org_id = :org_id AND seq IS NULL ORDER BY id LIMIT {_BATCH}",
            org_id=org_id,
        )
        head = await chain_head(tx, org_id)
        sealed: list[tuple[str, int, str]] = []
        seq, previous = head.seq, head.hash
        for entry in entries:
            seq, previous = seq + 1, row_hash(previous, seq + 1, entry)
            sealed.append((entry.id, seq, previous))
        if sealed:
            await _put_seals(tx, sealed)
        return len(entries)


async def _put_seals(tx: Tx, sealed: list[tuple[str, int, str]]) -> None:
    """Seal the whole batch in one statement: on PostgreSQL each statement is a round trip."""
    await tx.run(
        f"WITH sealed AS ({tx.dialect.json_table('sealed', id='TEXT', seq='BIGINT', hash='TEXT')})"
        " UPDATE audit SET seq = sealed.seq, hash = sealed.hash FROM sealed WHERE audit.id = sealed.id AND audit.seq IS NULL",
        sealed=as_json([{"id": id, "seq": seq, "hash": hash} for id, seq, hash in sealed]),
    )


async def chain_head(db: Reads, org_id: str) -> ChainHead:
    return await db.one(
        ChainHead,
        "SELECT org_id, seq, hash FROM audit WHERE org_id = :org_id AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1",
        org_id=org_id,
    ) or ChainHead(org_id, 0, ZERO_HASH)


async def chain_heads(db: Reads) -> AsyncIterator[ChainHead]:
    """Yield the head of every chain; each costs one index lookup, whatever the length of the chain."""
    before = _AFTER_ALL_COMPANIES
    while head := await db.one(
        ChainHead,
        "SELECT org_id, seq, hash FROM audit WHERE org_id < :before AND seq IS NOT NULL"
        " ORDER BY org_id DESC, seq DESC LIMIT 1",
        before=before,
    ):
        yield head
        before = head.org_id
        await asyncio.sleep(0)  # give requests a turn: there may be thousands of companies


def parse_heads(lines: Iterable[str]) -> list[ChainHead]:
    """Parse saved heads: lines of `teamspace audit heads` or of the server's log.

    Any other line raises ValueError: a head that is skipped would prove nothing.
    """
    saved = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _HEAD.search(line)
        if found is None:
            raise ValueError(f"line {number} is not an audit head: expected `company seq hash`")
        org_id, seq, digest = found.groups()
        saved.append(ChainHead("" if org_id == _INSTANCE else org_id, int(seq), digest))
    return saved


async def check_heads(db: Reads, lines: Iterable[str]) -> list[str]:
    """Return the saved heads that the chains no longer contain."""
    findings = []
    for head in parse_heads(lines):
        row = f"audit row {head.seq} of company {head.org_id or _INSTANCE}"
        found = await db.one(
            str, "SELECT hash FROM audit WHERE org_id = :org_id AND seq = :seq", org_id=head.org_id, seq=head.seq
        )
        if found is None:
            findings.append(f"{row} is missing, although its head was saved: the chain was truncated")
        elif found != head.hash:
            findings.append(f"{row} has another hash than its saved head: the chain was rewritten")
    return findings


async def count_unsealed(db: Reads) -> int:
    """Return how many rows are not sealed yet."""
    return await db.one(int, "SELECT COUNT(*) FROM audit WHERE seq IS NULL") or 0


async def verify_chains(db: Reads) -> list[str]:
    """Verify every company's chain, one page of rows at a time."""
    findings: list[str] = []
    for org_id in await db.all(str, "SELECT DISTINCT org_id FROM audit"):
        findings += await _verify_chain(db, org_id)
    return findings


async def _verify_chain(db: Reads, org_id: str) -> list[str]:
    chain = ChainVerifier()
    while rows := await db.all(
        SealedRow,
        f"SELECT {columns(SealedRow)} FROM audit WHERE org_id = :org_id AND seq > :seq ORDER BY seq LIMIT 1000",
        org_id=org_id, seq=chain.seq,
    ):  # fmt: skip
        for row in rows:
            if fault := chain.check(row):
                return [fault]
    return []


INVARIANTS = (
    Invariant(
        "audit.secrets",
        "the audit log contains no token",
        "SELECT id FROM audit WHERE detail LIKE '%ts\\__\\_%' ESCAPE '\\'",
    ),
)
