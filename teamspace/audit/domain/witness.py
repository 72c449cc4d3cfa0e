"""The log as a witness outside the database: it is told how far every chain has come."""

import logging

from teamspace.core.db import Reads, audit

log = logging.getLogger("teamspace.audit")


class Witness:
    """Remembers what it has told, and tells only what is new."""

    def __init__(self) -> None:
        self._told: dict[str, audit.Head] = {}

    async def tell(self, db: Reads) -> None:
        async for head in audit.heads(db):
            if self._told.get(head.org_id) != head:
                log.info("audit head org=%s seq=%s hash=%s", *str(head).split())
                self._told[head.org_id] = head
