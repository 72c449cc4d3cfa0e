"""The data layer: one handle to read with, one to write with, the same SQL on SQLite and PostgreSQL."""

from teamspace.core.db.engine import AlreadyClaimed, Collision, Duplicate, Engine
from teamspace.core.db.fence import Fence, Way, nothing
from teamspace.core.db.handles import Db, Guard, Reads, Tx, Units
from teamspace.core.db.migrate import SchemaError, check_schema, migrate
from teamspace.core.db.opening import connect
from teamspace.core.db.persistence import persistently
from teamspace.core.db.rows import columns, listed, places

__all__ = [
    "AlreadyClaimed",
    "Collision",
    "Db",
    "Duplicate",
    "Engine",
    "Fence",
    "Guard",
    "Reads",
    "SchemaError",
    "Tx",
    "Units",
    "Way",
    "check_schema",
    "columns",
    "connect",
    "listed",
    "migrate",
    "nothing",
    "persistently",
    "places",
]
