"""Reading through one snapshot or one transaction, in the words of the other handles."""

from collections.abc import Sequence

from teamspace.core.db import Reads
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import Fetches, Params, Row


class View(Reads):
    def __init__(self, source: Fetches, dialect: Dialect) -> None:
        self.dialect = dialect
        self._source = source

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return await self._source.fetch(sql, params)
