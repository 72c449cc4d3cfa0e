"""Writes the head of every chain to the server's log, as a proof outside the database."""

import logging

from teamspace.core.db import Reads, audit

log = logging.getLogger("teamspace.audit")


class HeadLog:
    """Logs each head once."""

    def __init__(self) -> None:
        self._logged: dict[str, audit.ChainHead] = {}

    async def write_new(self, db: Reads) -> None:
        async for head in audit.chain_heads(db):
            if self._logged.get(head.org_id) != head:
                log.info("audit head org=%s seq=%s hash=%s", *str(head).split())
                self._logged[head.org_id] = head
