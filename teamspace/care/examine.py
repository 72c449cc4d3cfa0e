"""What `teamspace doctor` looks at: promises, the audit trail, the database, and in depth every secret and blob."""

from collections.abc import AsyncIterator, Sequence

from teamspace import instance, wiring
from teamspace.blobs import BlobStore
from teamspace.care import stock
from teamspace.care.errors import CareError
from teamspace.care.secrets import sealed_values
from teamspace.care.verdict import SHOWN, Verdict
from teamspace.care.view import View
from teamspace.core.crypto import Vault, WrongKey
from teamspace.core.db import Db, Reads, audit, catalog
from teamspace.core.db.catalog import Table
from teamspace.settings import Settings


async def examine(
    db: Db, *, heads: Sequence[str] | None = None, files: BlobStore | None = None, settings: Settings | None = None
) -> AsyncIterator[Verdict]:
    """Verdict by verdict. `heads` are ends of audit chains kept elsewhere; with `files` it goes in depth, and with
    `settings` it looks at how the instance is set up."""
    async with db.engine.snapshot() as snapshot:
        view = View(snapshot, db.dialect)
        async for verdict in promises(view):
            yield verdict
        if heads is not None:
            yield await _heads(view, heads)
        if settings is not None:
            yield Verdict("setup", "nothing is set up in a dangerous way", await instance.warnings(view, settings))
        yield Verdict("database", "", list(await db.engine.integrity()))
        if files is not None:
            yield await _secrets(view, await catalog.tables(snapshot, db.dialect), db.vault)
    if files is not None:
        with files.held():
            yield await stock.unlisted(db)
            for verdict in await stock.damage(db, files):
                yield verdict
            yield await stock.orphans(db, files)
            yield stock.stale(files)


async def promises(db: Reads) -> AsyncIterator[Verdict]:
    """What holds at every moment: the invariants, and the audit trail's chains."""
    for row in wiring.INVARIANTS:
        yield Verdict(row.name, row.doc, await db.all(str, f"SELECT * FROM ({row.sql}) AS broken LIMIT {SHOWN}"))
    yield Verdict("audit.chain", "", await audit.check(db))


async def _heads(db: Reads, lines: Sequence[str]) -> Verdict:
    try:
        return Verdict("audit.heads", "the audit trail holds what was kept of it", await audit.check_heads(db, lines))
    except ValueError as fault:
        raise CareError(f"the kept heads cannot be read: {fault}") from None


async def _secrets(db: Reads, tables: Sequence[Table], vault: Vault) -> Verdict:
    verdict = Verdict("secrets", "every sealed value opens with the secret key")
    by_name = {table.name: table for table in tables}
    for column in wiring.SEALED:
        async for value in sealed_values(db, by_name[column.table], column):
            try:
                vault.open(value.place, value.text)
            except WrongKey as fault:
                verdict.add(f"{value.place}: {fault}")
    return verdict
