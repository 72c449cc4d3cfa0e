"""The read methods of `Reads` on a snapshot or a bulk load."""

from collections.abc import Sequence

from teamspace.core.db import Reads
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import Fetcher, Params, Row


class SourceReads(Reads):
    def __init__(self, source: Fetcher, dialect: Dialect) -> None:
        self.dialect = dialect
        self._source = source

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return await self._source.fetch(sql, params)
