"""Words of messages for searching: sorted, with a space around each."""

import hashlib
import unicodedata
from collections.abc import Iterator

from teamspace import fulltext
from teamspace.localization.schemas import EntryRow, MessageRow, MessageWord

MAX_WORDS = 300
"""Of one text; further ones are not found."""
_HASH_DIGITS = 16


def find_words(text: str) -> str:
    """Return the words of a text as they are stored. Long texts take a while: call it in a thread."""
    return f" {' '.join(fulltext.distinct_words(text, MAX_WORDS))} "


def hash_text(text: str) -> str:
    """Return what identifies a text, in the tables and in files."""
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()[:_HASH_DIGITS]


def rows_of(owner: EntryRow | MessageRow, words: str) -> Iterator[MessageWord]:
    return (MessageWord(word, owner.namespace, owner.key) for word in words.split())
