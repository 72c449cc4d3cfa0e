"""The checks of `teamspace doctor`: invariants, audit log and database; with --deep also every secret and blob."""

from collections.abc import AsyncIterator, Sequence

from teamspace import instance, wiring
from teamspace.blobs import BlobStore
from teamspace.core.crypto import Vault, WrongKey
from teamspace.core.db import Db, Reads, audit, catalog
from teamspace.core.db.catalog import Table
from teamspace.ops import blob_checks
from teamspace.ops.errors import OpsError
from teamspace.ops.reads import SourceReads
from teamspace.ops.results import MAX_FINDINGS, CheckResult
from teamspace.ops.secrets import encrypted_values
from teamspace.settings import Settings


async def run_checks(
    db: Db, *, heads: Sequence[str] | None = None, files: BlobStore | None = None, settings: Settings | None = None,
) -> AsyncIterator[CheckResult]:  # fmt: skip
    """Yield the results one by one. `heads` are saved heads of audit chains; `files` turns on the deep checks, and
    `settings` the check of the configuration."""
    async with db.engine.snapshot() as snapshot:
        reads = SourceReads(snapshot, db.dialect)
        async for result in check_invariants(reads):
            yield result
        if heads is not None:
            yield await _check_heads(reads, heads)
        if settings is not None:
            yield CheckResult("setup", "the configuration is safe", await instance.warnings(reads, settings))
        yield CheckResult("database", "", list(await db.engine.check_integrity()))
        if files is not None:
            yield await _check_secrets(reads, await catalog.tables(snapshot, db.dialect), db.vault)
    columns = wiring.BLOB_COLUMNS
    if files is not None:
        with files.collection_paused():
            yield await blob_checks.check_listed(db, columns)
            for result in await blob_checks.check_bytes(db, files, columns):
                yield result
            yield await blob_checks.check_orphans(db, files)
            yield blob_checks.check_stale(files)


async def check_invariants(db: Reads) -> AsyncIterator[CheckResult]:
    """Check what must always be true: the invariants, and the audit log's chains."""
    for row in wiring.INVARIANTS:
        yield CheckResult(
            row.name, row.doc, await db.all(str, f"SELECT * FROM ({row.sql}) AS broken LIMIT {MAX_FINDINGS}")
        )
    yield CheckResult("audit.chain", "", await audit.verify_chains(db))


async def _check_heads(db: Reads, lines: Sequence[str]) -> CheckResult:
    try:
        return CheckResult("audit.heads", "the audit log contains the saved heads", await audit.check_heads(db, lines))
    except ValueError as fault:
        raise OpsError(f"the saved heads cannot be read: {fault}") from None


async def _check_secrets(db: Reads, stored: Sequence[Table], vault: Vault) -> CheckResult:
    result = CheckResult("secrets", "every encrypted value decrypts with the secret key")
    by_name = {table.name: table for table in stored}
    for column in wiring.ENCRYPTED:
        async for value in encrypted_values(db, by_name[column.table], column):
            try:
                vault.decrypt(value.context, value.text)
            except WrongKey as fault:
                result.add(f"{value.context}: {fault}")
    return result
