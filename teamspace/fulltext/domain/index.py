"""Keeping the index: a text is put there and dropped in the transaction that writes its source."""

import secrets
import time

from teamspace.core.db import Collision, Db, Duplicate, Tx
from teamspace.core.principal import system
from teamspace.fulltext import store
from teamspace.fulltext.domain import words
from teamspace.fulltext.schemas import NewText

_AT_ONCE = 20
_CHANCE_BITS = 21


class _Numbers:
    """Later texts have higher ones, so that an index can be walked from the newest; chance keeps two servers apart."""

    last = 0

    def next(self) -> int:
        number = (time.time_ns() // 1_000_000 << _CHANCE_BITS) | secrets.randbits(_CHANCE_BITS)
        self.last = max(number, self.last + 1)
        return self.last


_numbers = _Numbers()


async def put(tx: Tx, kind: str, ref: str, org_id: str, *, title: str, body: str, labels: str = "") -> None:
    """The text of the thing `ref`, instead of what there was of it. Labels weigh less than a title and more than text."""
    made = words.kept(title, labels, body)
    text = NewText(kind, ref, org_id, words.MADE_BY, title, labels, body, made)
    try:
        await store.put(tx, _numbers.next(), text)
    except Duplicate:
        raise Collision("another server has just given a text the same number") from None


async def drop(tx: Tx, kind: str, ref: str) -> None:
    await store.delete(tx, kind, ref)


async def refresh(db: Db) -> int:
    """Makes the words of texts that an older reading made, or none; how many those were.

    A migration cannot read text, so what was written before there was an index waits here, too.
    """
    done = 0
    while some := await store.select_outdated(db, words.MADE_BY, _AT_ONCE):
        for text in some:
            made = words.kept(text.title, text.labels, text.body)
            async with db.upkeep(system()) as tx:
                await store.put_words(tx, text.id, made, words.MADE_BY)
        done += len(some)
    return done
