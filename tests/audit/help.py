"""Helpers that insert audit events directly, and read them over HTTP."""

import itertools
from datetime import datetime
from typing import Any

import httpx2
import msgspec

from teamspace.core.db import audit
from teamspace.core.principal import system
from tests.support.world import Caller, World

_numbers = itertools.count(1)
NOON = "2026-03-01T12:00:00.000Z"


class Event(msgspec.Struct, frozen=True):
    """An audit event to insert."""

    org_id: str
    at: str = NOON
    team_id: str | None = None
    actor_kind: str = "api"
    actor_id: str | None = None
    action: str = "note.create"
    target: str | None = None
    detail: str = "{}"
    lag: int = 0
    """Milliseconds by which the id is later than the time."""


def new_id(at: str, lag: int = 0) -> str:
    digits = f"{round(datetime.fromisoformat(at).timestamp() * 1000) + lag:012x}"
    return f"{digits[:8]}-{digits[8:]}-7000-8000-{next(_numbers):012x}"


def at(second: float) -> str:
    """The time that many seconds after noon."""
    minutes, rest = divmod(second, 60)
    return f"2026-03-01T12:{int(minutes):02d}:{rest:06.3f}Z"


async def insert_events(world: World, events: list[Event]) -> list[audit.AuditRow]:
    """Inserts the events unsealed; returns their rows."""
    rows = [
        audit.AuditRow(
            org_id=event.org_id, id=new_id(event.at, event.lag), at=event.at, team_id=event.team_id,
            actor_kind=event.actor_kind, actor_id=event.actor_id, token_id=None, action=event.action,
            target=event.target, detail=event.detail, request_id=f"request-{next(_numbers)}", address="192.0.2.1",
        )
        for event in events
    ]  # fmt: skip
    names = audit.AuditRow.__struct_fields__
    async with world.db.maintenance(system()) as tx:
        for row in rows:
            await tx.run(
                f"INSERT INTO audit ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})",
                **msgspec.structs.asdict(row),
            )
    return rows


async def list_all(who: Caller, path: str, limit: int | str = 200, **query: str) -> list[dict[str, Any]]:
    """Every item of a list, page by page; only the last page may be short."""
    items: list[dict[str, Any]] = []
    paging: dict[str, str] = {"limit": str(limit)}
    while True:
        answer = await who.get(path, params={**query, **paging})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        assert len(page["items"]) == int(limit)
        paging["cursor"] = page["next_cursor"]


async def fetch_export(who: Caller, path: str, **query: str) -> bytes:
    answer = await who.get(path, params=query, headers={"accept": "application/x-ndjson"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return answer.content


def ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["id"] for item in items]


def lines(export: bytes) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in export.splitlines()]


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]
