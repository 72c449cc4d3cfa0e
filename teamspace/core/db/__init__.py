"""The data layer: a read handle, a write handle, and the same SQL on SQLite and PostgreSQL."""

from teamspace.core.db.audit import INVARIANTS
from teamspace.core.db.batches import BATCH, in_batches
from teamspace.core.db.canary import ENCRYPTED
from teamspace.core.db.dialect import NOW
from teamspace.core.db.engine import Duplicate, Engine, IdempotencyKeyTaken, SerializationFailure, is_outage
from teamspace.core.db.fence import EACH_ROW, Clause, Fence, all_admitted, no_rows
from teamspace.core.db.handles import AuditEntry, Db, Guard, Reads, Tx, WriteBatch
from teamspace.core.db.migrate import SchemaError, check_schema, migrate
from teamspace.core.db.opening import connect
from teamspace.core.db.retrying import retry_on_conflict
from teamspace.core.db.rows import as_json, columns, placeholders

__all__ = [
    "BATCH",
    "EACH_ROW",
    "ENCRYPTED",
    "INVARIANTS",
    "NOW",
    "AuditEntry",
    "Clause",
    "Db",
    "Duplicate",
    "Engine",
    "Fence",
    "Guard",
    "IdempotencyKeyTaken",
    "Reads",
    "SchemaError",
    "SerializationFailure",
    "Tx",
    "WriteBatch",
    "all_admitted",
    "as_json",
    "check_schema",
    "columns",
    "connect",
    "in_batches",
    "is_outage",
    "migrate",
    "no_rows",
    "placeholders",
    "retry_on_conflict",
]
