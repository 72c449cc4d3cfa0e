"""Teamspace with a number of messages and no others, on SQLite or PostgreSQL."""

import random
import sys
import time
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

from benchmarks.knowledge import counting
from benchmarks.load import request
from benchmarks.messages import COMMON, DRAFTS, ENTRIES, LOCALE, NAMESPACES, RARE, SHARES, STALE, namespace, samples
from benchmarks.processes import Server, free_port
from benchmarks.subject import environment
from benchmarks.targets import PAGE_SIZE
from teamspace import settings
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.localization import store
from teamspace.localization.domain import syncing, writing
from tests.support.world import Caller, World, world

MESSAGES = "/api/l10n/messages"
LISTED = f"{MESSAGES}?locale={LOCALE}&limit={PAGE_SIZE}"
PATHS = {
    "first page": LISTED,
    "page in the middle": f"{LISTED}&cursor={{cursor}}",
    "missing ones": f"{LISTED}&status=missing",
    "one namespace": f"{LISTED}&ns={namespace(5)}",
    "a rare word": f"{LISTED}&q={RARE}",
    "a common word": f"{LISTED}&q={COMMON}",
    "coverage": "/api/l10n/coverage",
    "coverage by namespace": f"/api/l10n/coverage?locale={LOCALE}",
}
OPERATIONS = ("one message", *PATHS)
_LARGEST_PAGE = 100
_SHARE = f"CAST(substr(key, 4) AS INTEGER) / {NAMESPACES} % {SHARES}"
_APPROVE = (
    "UPDATE l10n_entries SET approved_at = :now, origin = 'human',"
    f" source_hash = CASE WHEN {_SHARE} < {STALE.stop} THEN '' ELSE source_hash END"
    f" WHERE locale = :locale AND {_SHARE} >= {DRAFTS.stop}"
)


class Teamspace:
    """A server; without a URL its database is SQLite."""

    def __init__(self, folder: Path, url: str, size: int) -> None:
        self._size = size
        folder.mkdir()
        port = free_port()
        given = environment(folder / "data", port, url)
        self.server = Server([sys.executable, "-m", "teamspace", "serve"], port, "/health", folder / "log", given)
        self.facts: dict[str, Any] = {"visited": {}}
        self._settings = settings.load(given, file=folder / "none")
        self._token = self._cursor = ""
        self._ids: list[str] = []

    async def prepare(self) -> None:
        """Fill the database, and count what the requests visit in it."""
        async with world(self._settings) as made:
            owner = await made.bootstrap()
            began = time.perf_counter()
            await fill(made.db, self._size)
            self.facts["seconds"] = round(time.perf_counter() - began, 1)
            self._token = owner.token or ""
            self._ids, self._cursor = await walk(owner, self._size // 2)
            for name in OPERATIONS:
                self.facts["visited"][name] = await visited(made, owner, self._path(name), ENTRIES.get(name))

    def requests(self) -> dict[str, Iterator[bytes]]:
        ready = [request("GET", f"{MESSAGES}?locale={LOCALE}&id={each}", self._token) for each in self._ids]
        same = {name: repeat(request("GET", self._path(name), self._token)) for name in PATHS}
        return {"one message": iter(lambda: random.choice(ready), b""), **same}

    def _path(self, name: str) -> str:
        one = f"{MESSAGES}?locale={LOCALE}&id={self._ids[0]}"
        return PATHS.get(name, one).format(cursor=self._cursor)


async def fill(db: Db, size: int) -> None:
    """Replace the product's own messages, but not the note that they are in the database: a server then adds none."""
    await syncing.synchronise(db)
    digest = await store.get_digest(db) or ""
    catalogs: dict[str, dict[str, dict[str, str]]] = {"en": {}, LOCALE: {}}
    for each in samples(size):
        catalogs["en"].setdefault(each.namespace, {})[each.key] = each.source
        catalogs[LOCALE].setdefault(each.namespace, {})[each.key] = each.text
    async with db.maintenance(system()) as tx:
        for table in ("l10n_words", "l10n_messages", "l10n_locales"):
            await tx.run(f"DELETE FROM {table}")
    await syncing.synchronise(db, catalogs)
    async with db.maintenance(system()) as tx:
        await tx.run(_APPROVE, locale=LOCALE, now=clock.stamp())
        await writing.recount(tx, LOCALE)
        await store.put_digest(tx, digest)
    if db.dialect.name == "postgres":
        await db.engine.script("ANALYZE")


async def walk(caller: Caller, messages: int) -> tuple[list[str], str]:
    """Return the ids of the first messages, and the cursor after them."""
    ids, cursor = list[str](), ""
    while len(ids) < messages:
        after = f"&cursor={cursor}" if cursor else ""
        page = (await caller.get(f"{MESSAGES}?locale={LOCALE}&limit={min(_LARGEST_PAGE, messages)}{after}")).json()
        ids += [each["id"] for each in page["items"]]
        cursor = page["next_cursor"]
    return ids, cursor


async def visited(made: World, caller: Caller, path: str, entries: int | None) -> int:
    """Return how much of the database a request visits: SQLite's steps, or rows that PostgreSQL scans."""
    async with counting(made) as work:
        answer = await caller.get(path)
    if answer.status_code != 200 or entries not in (None, len(answer.json()["items"])):
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text[:1000]}")
    return work.total
