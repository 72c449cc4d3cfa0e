"""Positions as clients see them: encrypted, since the numbers tell how much other companies write."""

from teamspace.core.crypto import Vault, WrongKey
from teamspace.core.db import Db
from teamspace.events import store
from teamspace.events.schemas import Position

_CONTEXT = "events|cursor|{}"


async def open_cursors(db: Db) -> "Cursors":
    """Return the cursors of this database's log."""
    return Cursors(db.vault, await store.get_log_id(db))


class Cursors:
    """Encodes positions of one log."""

    def __init__(self, vault: Vault, log_id: str) -> None:
        self._vault, self._log_id = vault, log_id

    def encode(self, org_id: str, position: Position) -> str:
        text = f"{self._log_id} {position.transaction_id} {position.id}"
        return self._vault.encrypt(_CONTEXT.format(org_id), text.encode())

    def decode(self, org_id: str, cursor: str) -> Position | None:
        """Return the position, or None for a cursor of another log, company or key."""
        try:
            log_id, transaction_id, id = self._vault.decrypt(_CONTEXT.format(org_id), cursor).decode().split(" ")
        except (WrongKey, ValueError):
            return None
        return Position(int(transaction_id), int(id)) if log_id == self._log_id else None
