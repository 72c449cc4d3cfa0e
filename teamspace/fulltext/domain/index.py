"""Maintain the index: texts are added and removed in the transaction that writes their source."""

import secrets
import time
from collections.abc import Sequence

from teamspace.core import pools
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.principal import system
from teamspace.fulltext import store
from teamspace.fulltext.domain import markdown, words
from teamspace.fulltext.schemas import NewText, Prepared, Words

_BATCH = 20
_SHORT, _SHORT_ASCII = 300, 1_000
"""Characters. Texts up to this length are tokenised on the event loop, in about a millisecond at worst."""
_RANDOM_BITS = 21


class _TextIds:
    """Ids that increase with time, so that the index can be scanned newest first; random bits avoid collisions."""

    last = 0

    def next(self) -> int:
        number = (time.time_ns() // 1_000_000 << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
        self.last = max(number, self.last + 1)
        return self.last


_text_ids = _TextIds()


EMPTY = Prepared("", "")


async def prepare(text: str, *, is_markdown: bool = False) -> Prepared:
    """Tokenise a text for `put`. Call it before the transaction: long texts take a while, in a thread."""
    if len(text) > (_SHORT_ASCII if text.isascii() else _SHORT):
        return await pools.TEXT.run(_prepare, text, is_markdown)
    return _prepare(text, is_markdown)


def _prepare(text: str, is_markdown: bool) -> Prepared:
    text = text[: words.MAX_CHARACTERS]
    plain = markdown.plain(text) if is_markdown else text
    return Prepared(plain, words.text_words(plain))


async def put(
    tx: Tx, kind: str, ref: str, org_id: str, *, title: str, labels: str = "", body: Prepared = EMPTY
) -> None:
    """Index the text of `ref`, replacing the previous one. Labels weigh less than the title and more than the body.

    Title and labels are tokenised here, up to a length that takes a millisecond.
    """
    made = Words(words.name_words(title), words.name_words(labels), body.words)
    text = NewText(kind, ref, org_id, words.TOKENIZER_VERSION, title, labels, body.text, made)
    await store.put(tx, _text_ids.next(), text)


async def rename(tx: Tx, kind: str, ref: str, *, title: str, labels: str) -> None:
    """Change the title and the labels of a text; its body stays."""
    await store.rename(tx, kind, ref, title, labels, words.name_words(title), words.name_words(labels))


async def drop(tx: Tx, kind: str, ref: str) -> None:
    await store.delete(tx, kind, ref)


async def get_titles(db: Reads, kind: str, refs: Sequence[str]) -> dict[str, str]:
    """Return the titles of texts that fences have admitted, by what they are the texts of."""
    return {row.ref: row.title for row in await store.select_titles(db, kind, refs)} if refs else {}


async def refresh(db: Db) -> int:
    """Tokenise texts again that an older tokeniser version has written; return how many.

    Migrations cannot tokenise, so texts from before the index have version 0 and are also handled here.
    """
    done = 0
    while some := await store.select_outdated(db, words.TOKENIZER_VERSION, _BATCH):
        for text in some:
            body = await prepare(text.body)
            made = Words(words.name_words(text.title), words.name_words(text.labels), body.words)
            async with db.maintenance(system()) as tx:
                await store.put_words(tx, text.id, made, words.TOKENIZER_VERSION)
        done += len(some)
    return done
