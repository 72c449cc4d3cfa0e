"""A new secret key: everything is sealed anew in one transaction, and no crash leaves it without its key."""

from teamspace import wiring
from teamspace.app import inspected
from teamspace.care.alone import alone
from teamspace.care.errors import CareError
from teamspace.care.secrets import sealed_values, this_row
from teamspace.core.crypto import KEY_FILE, Vault, WrongKey, adopt_key, announce_key, new_key, parsed_key
from teamspace.core.db import Db, Tx, catalog
from teamspace.core.db.canary import finish_rekey, planted
from teamspace.core.db.catalog import Table
from teamspace.core.principal import Call, system
from teamspace.core.tables import SealedColumn
from teamspace.settings import Settings


async def rekey(settings: Settings, given: str | None = None) -> str:
    """Seal everything with the key that is given, or one that is made; a line about what that was."""
    if settings.secret_key and given is None:
        raise CareError("SERVICE_SECRET_KEY holds the key: give the new one by --key-stdin")
    key = new_key() if given is None else parsed_key(given)
    async with alone(settings), inspected(settings) as db:
        if settings.secret_key:
            count = await _seal_anew(db, Vault(key))
            what_now = "set SERVICE_SECRET_KEY to the new key before the next start"
        else:
            count = await _change_file(db, settings, key)
            what_now = f"{settings.data / KEY_FILE} is the new key"
    return f"sealed anew: {count} values; {what_now}; make a backup, for older ones open with the old key alone"


async def _change_file(db: Db, settings: Settings, key: bytes) -> int:
    # A change that died after its commit has left the only copy of the present key in the file for the next one.
    finish_rekey(await planted(db.engine) or "", settings.data)
    announce_key(settings.data, key)
    count = await _seal_anew(db, Vault(key))
    adopt_key(settings.data)
    return count


async def _seal_anew(db: Db, vault: Vault) -> int:
    tables = {table.name: table for table in await catalog.tables(db.engine, db.dialect)}
    count = 0
    async with db.write(system(Call("command-line")), "instance.rekey") as tx:
        for column in wiring.SEALED:
            count += await _seal_column(tx, tables[column.table], column, vault)
        tx.detail = {"values": count}
    return count


async def _seal_column(tx: Tx, table: Table, column: SealedColumn, vault: Vault) -> int:
    update = f'UPDATE {table.name} SET "{column.column}" = :sealed WHERE {this_row(table)}'
    count = 0
    async for value in sealed_values(tx, table, column):
        try:
            plain = tx.vault.open(value.place, value.text)
        except WrongKey:
            raise CareError(f"{value.place} does not open with the present key; nothing was changed") from None
        await tx.run(update, sealed=vault.seal(value.place, plain), **value.row)
        count += 1
    return count
