"""Tells those who manage a team that its prospects changed."""

from teamspace import events
from teamspace.core.db import Tx
from teamspace.events import Change, Readers
from teamspace.onboarding.access import PROSPECT


async def record(tx: Tx, org_id: str, team_id: str, *prospect_ids: str, change: Change) -> None:
    readers = [Readers.role(team_id)] if change is Change.DELETED else []
    await events.record(
        tx, PROSPECT.kind, *prospect_ids, change=change, org_id=org_id, team_id=team_id, readers=readers
    )  # fmt: skip
