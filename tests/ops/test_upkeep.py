"""What the server deletes by itself: all that has expired, in transactions of bounded size."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from teamspace import agents, ai, events, identity, jobs, onboarding, quota, sharing
from teamspace.core import idempotency
from teamspace.core.db import BATCH, Tx
from teamspace.core.db.statements import written_table
from tests.support.rows import NUMBERS, insert
from tests.support.world import World

EXPIRED = 2 * BATCH + 100
_ID, _THEN = "'x' || CAST(n AS TEXT)", "'2020-01-01T00:00:00.000Z'"


def _rows(table: str, **values: str) -> str:
    return f"INSERT INTO {table} ({', '.join(values)}) {NUMBERS} SELECT {', '.join(values.values())} FROM numbers"


_OWNED = {"org_id": ":org", "team_id": ":team", "user_id": ":user"}
SHARED = {"note": "/api/notes", "object": "/api/documents", "conversation": "/api/conversations"}
_EXPIRED_GRANT = {
    "principal_type": "'user'", "principal_id": _ID, "org_id": ":org", "granted_by": ":user", "expires_at": _THEN,
    "created_at": _THEN,
}  # fmt: skip
ROWS = {
    "idempotency": _rows("idempotency", owner=_ID, key=_ID, digest=":digest", created_at=_THEN),
    "tokens": _rows(
        "tokens", id=_ID, kind="'session'", name="''", digest=_ID, hint="''", minted="FALSE", address="''", agent="''",
        created_at=_THEN, expires_at=_THEN, revoked_at=f"CASE n % 2 WHEN 0 THEN {_THEN} END", **_OWNED,
    ),
    "activations": _rows(
        "activations", digest=_ID, org_id=":org", user_id=":user", created_at=_THEN, expires_at=_THEN
    ),
    "login_attempts": _rows("login_attempts", subject=_ID, failures="1", resets_at=_THEN),
    "known_networks": _rows("known_networks", user_id=":user", org_id=":org", network=_ID, last_at=_THEN),
    "quota_used": _rows(
        "quota_used", level="'team'", per="'minute'", starts_at=_THEN, subject=_ID, org_id=":org", requests="1", tokens="1"
    ),
    "quota_stored_days": _rows(
        "quota_stored_days", level="'team'", day="'2020-01-01'", subject=_ID, org_id=":org", bytes="1", objects="1"
    ),
    "jobs": _rows(
        "jobs", id=_ID, kind="'k'", channel="'k@local'", state="'succeeded'", phase="'ready'", priority="0", attempt="1",
        max_attempts="1", lease_expiries="0", input="'{}'", run_at=_THEN, created_at=_THEN, finished_at=_THEN, **_OWNED,
    ),
    "job_archive": _rows(
        "job_archive", id=_ID, kind="'k'", state="'succeeded'", priority="0", attempt="1", max_attempts="1",
        input="'{}'", run_at=_THEN, created_at=_THEN, finished_at=_THEN, **_OWNED,
    ),
    "job_channels": _rows("job_channels", channel=_ID, org_id=":org", kind="'k'", seen_at=_THEN),
    "agent_steps": _rows("agent_steps", run_id="'0'", number="n", kind="'model'", data="'{}'", **_OWNED),
    "model_answers": _rows(
        "model_answers", team_id=":team", digest=_ID, org_id=":org", answer="'{}'", created_at=_THEN
    ),
    "streams": _rows(
        "streams", id=_ID, org_id=":org", team_id=":team", owner_id=":user", saved="1", ended="TRUE", expires_at=_THEN
    ),
    "note_grants": _rows("note_grants", note_id=":note", permission="'notes:read'", **_EXPIRED_GRANT),
    "object_grants": _rows(
        "object_grants", object_id=":object", team_id=":team", key="'k'", removed="FALSE", capability="'read'", **_EXPIRED_GRANT
    ),
    "conversation_grants": _rows(
        "conversation_grants", conversation_id=":conversation", permission="'notes:read'", updated_at=_THEN, **_EXPIRED_GRANT
    ),
    "pow_spent": _rows("pow_spent", nonce=_ID, expires_at=_THEN),
    "sign_up_rates": _rows("sign_up_rates", prefix=_ID, count="1", resets_at=_THEN),
}  # fmt: skip


@pytest.mark.both_databases
async def test_whatever_has_expired_is_deleted_in_batches(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    facts = {"org": ann.org.id, "team": ann.team.id, "user": ann.user_id, "digest": b"", "first": 1, "last": EXPIRED}
    for name, path in SHARED.items():
        facts[name] = (await ann.post(path, {"title": "Shared"})).json()["id"]
    for sql in ROWS.values():
        await insert(world, (sql,), facts)
    deleted: dict[str, list[int]] = {}
    fetch = Tx._fetch

    async def count(tx: Tx, sql: str, params: Any) -> Sequence[Any]:
        rows = await fetch(tx, sql, params)
        if sql.startswith("DELETE"):
            deleted.setdefault(written_table(sql) or "", []).append(len(rows))
        return rows

    monkeypatch.setattr(Tx, "_fetch", count)
    chores: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: idempotency.delete_expired(world.db),
        lambda: identity.delete_expired_credentials(world.db),
        lambda: quota.tidy(world.db),
        lambda: jobs.delete_old(world.db, 90),
        lambda: jobs.tidy(world.db, world.app.queue),
        lambda: agents.tidy(world.db),
        lambda: ai.forget_answers(world.db),
        lambda: events.tidy(world.db),
        lambda: onboarding.tidy(world.db),
        lambda: sharing.delete_expired_grants(world.db),
    )
    for chore in chores:
        await chore()
    for table in ROWS:
        assert sum(deleted[table]) == EXPIRED, table
        assert max(deleted[table]) <= BATCH, table
