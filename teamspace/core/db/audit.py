"""The audit trail's chain: every row of a company is sealed to the one before it.

A write inserts its row unsealed in the same commit. The sealer gives it a number and a hash moments
later, in a transaction of its own, so that writers of one company never queue for the chain's end.
Anyone with the rows can verify the chain without the server: hash = SHA-256(previous hash, newline,
canonical JSON of the row), hexadecimal, starting from 64 zeros.
"""

import asyncio
import hashlib

import msgspec

from teamspace.core.db.handles import Db, Reads
from teamspace.core.db.rows import columns
from teamspace.core.principal import system
from teamspace.core.tables import Invariant

START = "0" * 64
_BATCH = 200


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
    seq: int | None
    hash: str | None


class Head(msgspec.Struct, frozen=True):
    seq: int
    hash: str


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
        while (count := await _seal_some(db, org_id)) > 0:
            total += count
            await asyncio.sleep(0)  # let requests pass between two batches
    return total


async def _seal_some(db: Db, org_id: str) -> int:
    async with db.upkeep(system()) as tx:
        await tx.lock("audit", org_id)
        entries = await tx.all(
            Entry,
            f"SELECT {columns(Entry)} FROM audit WHERE org_id = :org_id AND seq IS NULL ORDER BY id LIMIT {_BATCH}",
            org_id=org_id,
        )
        head = await tx.one(
            Head,
            "SELECT seq, hash FROM audit WHERE org_id = :org_id AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1",
            org_id=org_id,
        ) or Head(0, START)
        seq, previous = head.seq, head.hash
        for entry in entries:
            seq, previous = seq + 1, link(previous, seq + 1, entry)
            await tx.run(
                "UPDATE audit SET seq = :seq, hash = :hash WHERE id = :id", seq=seq, hash=previous, id=entry.id
            )
        return len(entries)


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
