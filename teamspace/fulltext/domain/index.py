"""Keeping the index: a text is put there and dropped in the transaction that writes its source."""

import secrets
import time

from teamspace.core import pools
from teamspace.core.db import Collision, Db, Duplicate, Tx
from teamspace.core.principal import system
from teamspace.fulltext import store
from teamspace.fulltext.domain import markdown, words
from teamspace.fulltext.schemas import NewText, Prepared, Words

_AT_ONCE = 20
_SHORT, _SHORT_ASCII = 300, 1_000
"""Characters. What is no longer is read on the event loop, in about a millisecond at worst."""
_CHANCE_BITS = 21


class _Numbers:
    """Later texts have higher ones, so that an index can be walked from the newest; chance keeps two servers apart."""

    last = 0

    def next(self) -> int:
        number = (time.time_ns() // 1_000_000 << _CHANCE_BITS) | secrets.randbits(_CHANCE_BITS)
        self.last = max(number, self.last + 1)
        return self.last


_numbers = _Numbers()


NOTHING = Prepared("", "")


async def prepare(text: str, *, is_markdown: bool = False) -> Prepared:
    """A text read for `put`. To be called before the transaction: a long one takes a while, in a thread."""
    if len(text) > (_SHORT_ASCII if text.isascii() else _SHORT):
        return await pools.TEXT.run(_prepared, text, is_markdown)
    return _prepared(text, is_markdown)


def _prepared(text: str, is_markdown: bool) -> Prepared:
    text = text[: words.MOST_CHARACTERS]
    shown = markdown.plain(text) if is_markdown else text
    return Prepared(shown, words.of_text(shown))


async def put(
    tx: Tx, kind: str, ref: str, org_id: str, *, title: str, labels: str = "", body: Prepared = NOTHING
) -> None:
    """The text of the thing `ref`, instead of what there was of it. Labels weigh less than a title and more than text.

    Title and labels are names, of which no more is read than takes a millisecond.
    """
    made = Words(words.of_name(title), words.of_name(labels), body.words)
    text = NewText(kind, ref, org_id, words.MADE_BY, title, labels, body.text, made)
    try:
        await store.put(tx, _numbers.next(), text)
    except Duplicate:
        raise Collision("another server has just given a text the same number") from None


async def rename(tx: Tx, kind: str, ref: str, *, title: str, labels: str) -> None:
    """Another title and other labels for a text that stays."""
    await store.rename(tx, kind, ref, title, labels, words.of_name(title), words.of_name(labels))


async def drop(tx: Tx, kind: str, ref: str) -> None:
    await store.delete(tx, kind, ref)


async def refresh(db: Db) -> int:
    """Makes the words of texts that an older reading made, or none; how many those were.

    A migration cannot read text, so what was written before there was an index waits here, too.
    """
    done = 0
    while some := await store.select_outdated(db, words.MADE_BY, _AT_ONCE):
        for text in some:
            body = await prepare(text.body)
            made = Words(words.of_name(text.title), words.of_name(text.labels), body.words)
            async with db.upkeep(system()) as tx:
                await store.put_words(tx, text.id, made, words.MADE_BY)
        done += len(some)
    return done
