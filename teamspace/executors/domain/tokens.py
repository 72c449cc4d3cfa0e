"""Which executor a worker token is of."""

from teamspace.core.db import Db
from teamspace.core.errors import Forbidden
from teamspace.core.principal import Principal
from teamspace.executors import store
from teamspace.executors.schemas import ExecutorRow

_MAX_KEPT = 10_000


class TokenExecutors:
    """Remembers the executor of each token: what a worker needs of it never changes, and a retired one has no valid token.

    Whether the token is valid is asked of the database by each request, and again by the transactions that it makes.
    """

    def __init__(self) -> None:
        self._executors: dict[str, ExecutorRow] = {}

    async def get(self, db: Db, who: Principal) -> ExecutorRow:
        if known := self._executors.get(who.token_id):
            return known
        executor = await store.get_by_token(db, who.token_id)
        if executor is None:
            raise Forbidden("executors.no_executor")
        if len(self._executors) >= _MAX_KEPT:
            self._executors.clear()
        self._executors[who.token_id] = executor
        return executor
