"""Key rotation: re-encrypts everything in one transaction; a crash at any point leaves data and key consistent."""

from collections.abc import Sequence

from teamspace import wiring
from teamspace.app import open_for_inspection
from teamspace.core.crypto import KEY_FILE, Vault, WrongKey, new_key, parse_key, promote_next_key, stage_next_key
from teamspace.core.db import Db, Tx, catalog
from teamspace.core.db.canary import finish_rekey, read_canary
from teamspace.core.db.catalog import Table
from teamspace.core.principal import Call, system
from teamspace.core.tables import EncryptedColumn
from teamspace.ops.errors import OpsError
from teamspace.ops.exclusive import exclusive_access
from teamspace.ops.secrets import encrypted_values, row_condition
from teamspace.settings import Settings


async def rekey(settings: Settings, key_text: str | None = None) -> str:
    """Re-encrypt everything with the given key, or a generated one; return a summary."""
    if settings.secret_key and key_text is None:
        raise OpsError("the key is in SERVICE_SECRET_KEY: pass the new one with --key-stdin")
    key = new_key() if key_text is None else parse_key(key_text)
    columns = wiring.ENCRYPTED
    async with exclusive_access(settings), open_for_inspection(settings) as db:
        if settings.secret_key:
            count = await _reencrypt(db, Vault(key), columns)
            next_step = "set SERVICE_SECRET_KEY to the new key before the next start"
        else:
            count = await _change_file(db, settings, key, columns)
            next_step = f"{settings.data / KEY_FILE} is the new key"
    return f"re-encrypted {count} values; {next_step}; make a backup: older backups need the old key"


async def _change_file(db: Db, settings: Settings, key: bytes, columns: Sequence[EncryptedColumn]) -> int:
    # A rotation that died after its commit has left the only copy of the current key in the next key's file.
    finish_rekey(await read_canary(db.engine) or "", settings.data)
    stage_next_key(settings.data, key)
    count = await _reencrypt(db, Vault(key), columns)
    promote_next_key(settings.data)
    return count


async def _reencrypt(db: Db, vault: Vault, columns: Sequence[EncryptedColumn]) -> int:
    tables = {table.name: table for table in await catalog.tables(db.engine, db.dialect)}
    count = 0
    async with db.write(system(Call("command-line")), "instance.rekey") as tx:
        for column in columns:
            count += await _reencrypt_column(tx, tables[column.table], column, vault)
        tx.detail = {"values": count}
    return count


async def _reencrypt_column(tx: Tx, table: Table, column: EncryptedColumn, vault: Vault) -> int:
    update = f'UPDATE {table.name} SET "{column.column}" = :encrypted WHERE {row_condition(table)}'
    count = 0
    async for value in encrypted_values(tx, table, column):
        try:
            plain = tx.vault.decrypt(value.context, value.text)
        except WrongKey:
            raise OpsError(f"{value.context} does not decrypt with the current key; nothing was changed") from None
        await tx.run(update, encrypted=vault.encrypt(value.context, plain), **value.row)
        count += 1
    return count
