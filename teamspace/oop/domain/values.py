"""The values that plugins store: in each company their own."""

from typing import Any

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Principal
from teamspace.oop import store
from teamspace.oop.domain import limits


async def get(db: Db, who: Principal, plugin: str, key: str) -> Any:
    """Return a value, or None."""
    found = await store.get_value(db, who.org_id, plugin, key)
    return None if found is None else msgspec.json.decode(found)


async def list_keys(db: Db, who: Principal, plugin: str, prefix: str) -> list[str]:
    return await store.select_keys(db, who.org_id, plugin, prefix, limits.KEYS)


async def put(db: Db, who: Principal, plugin: str, key: str, value: Any) -> None:
    encoded = msgspec.json.encode(value)
    size = len(key.encode()) + len(encoded)
    if size > limits.VALUE_BYTES:
        raise BadRequest("oop.value_size", limit=limits.VALUE_BYTES)
    async with db.write(who, "oop.set_value") as tx:
        tx.target = f"{plugin}/{key}"
        await tx.lock("plugin", f"{who.org_id}:{plugin}")
        stored = await store.get_size(tx, who.org_id, plugin, without=key)
        if stored.count >= limits.KEYS or stored.size + size > limits.STORED_BYTES:
            raise BadRequest("oop.stored_size", keys=limits.KEYS, bytes=limits.STORED_BYTES)
        await store.put_value(tx, who.org_id, plugin, key, encoded.decode(), size=size, now=clock.stamp())


async def delete(db: Db, who: Principal, plugin: str, key: str) -> None:
    async with db.write(who, "oop.delete_value") as tx:
        tx.target = f"{plugin}/{key}"
        await store.delete_value(tx, who.org_id, plugin, key)
