"""Sandboxed plugins in SQL: what is granted to them, and their values."""

import msgspec

from teamspace.core.db import Reads, Tx, as_json


class PluginGrants(msgspec.Struct, frozen=True):
    plugin: str
    capabilities: list[str]
    updated_at: str


class StoredSize(msgspec.Struct, frozen=True):
    count: int
    size: int


async def get_grants(db: Reads, plugin: str) -> PluginGrants | None:
    return await db.one(
        PluginGrants, "SELECT plugin, capabilities, updated_at FROM oop_grants WHERE plugin = :plugin", plugin=plugin
    )


async def select_grants(db: Reads) -> list[PluginGrants]:
    return await db.all(PluginGrants, "SELECT plugin, capabilities, updated_at FROM oop_grants")


async def put_grants(tx: Tx, plugin: str, capabilities: list[str], now: str) -> None:
    await tx.run(
        "INSERT INTO oop_grants (plugin, capabilities, updated_at) VALUES (:plugin, :capabilities, :now)"
        " ON CONFLICT (plugin) DO UPDATE SET capabilities = excluded.capabilities, updated_at = excluded.updated_at",
        plugin=plugin, capabilities=as_json(capabilities), now=now,
    )  # fmt: skip


async def get_value(db: Reads, org_id: str, plugin: str, key: str) -> str | None:
    return await db.one(
        str, "SELECT value FROM oop_values WHERE org_id = :org_id AND plugin = :plugin AND key = :key",
        org_id=org_id, plugin=plugin, key=key,
    )  # fmt: skip


async def select_keys(db: Reads, org_id: str, plugin: str, prefix: str, limit: int) -> list[str]:
    return await db.all(
        str,
        "SELECT key FROM oop_values WHERE org_id = :org_id AND plugin = :plugin"
        " AND substr(key, 1, length(:prefix)) = :prefix ORDER BY key LIMIT :limit",
        org_id=org_id, plugin=plugin, prefix=prefix, limit=limit,
    )  # fmt: skip


async def get_size(db: Reads, org_id: str, plugin: str, *, without: str) -> StoredSize:
    """Return how much a plugin has stored in a company under other keys than the given one."""
    found = await db.one(
        StoredSize,
        "SELECT COUNT(*) AS count, COALESCE(SUM(size), 0) AS size FROM oop_values"
        " WHERE org_id = :org_id AND plugin = :plugin AND key <> :without",
        org_id=org_id, plugin=plugin, without=without,
    )  # fmt: skip
    return found or StoredSize(0, 0)


async def put_value(tx: Tx, org_id: str, plugin: str, key: str, value: str, *, size: int, now: str) -> None:
    await tx.run(
        "INSERT INTO oop_values (org_id, plugin, key, value, size, updated_at)"
        " VALUES (:org_id, :plugin, :key, :value, :size, :now)"
        " ON CONFLICT (org_id, plugin, key)"
        " DO UPDATE SET value = excluded.value, size = excluded.size, updated_at = excluded.updated_at",
        org_id=org_id, plugin=plugin, key=key, value=value, size=size, now=now,
    )  # fmt: skip


async def delete_value(tx: Tx, org_id: str, plugin: str, key: str) -> None:
    await tx.run(
        "DELETE FROM oop_values WHERE org_id = :org_id AND plugin = :plugin AND key = :key",
        org_id=org_id, plugin=plugin, key=key,
    )  # fmt: skip
