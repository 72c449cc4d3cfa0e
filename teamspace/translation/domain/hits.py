"""Finds the terms of a team's glossary in messages, for the people who translate them."""

from collections.abc import Mapping, Sequence

from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.translation import access, store
from teamspace.translation.domain import icu, parts, terms
from teamspace.translation.schemas import GlossaryTerm

MAX_HITS = 20
"""Terms of one message; further ones are left out."""
MAX_WORDS, MAX_WORDS_IN_ALL = 1_000, 20_000
"""Words of one message, and of all in a call; in further ones no terms are found."""
_ENDINGS = ("", "s", "es")
"""Of English plurals. Models get a term only where it is written as in the glossary; for people it is a hint."""


async def find_terms(db: Db, who: Principal, target: str, messages: Sequence[str]) -> list[list[GlossaryTerm]]:
    """Return for each English message the terms that occur in it, in the order of their first words."""
    if not messages or not await store.get_revision(db, who.team_id, target):
        return [[] for _ in messages]
    glossary = await store.select_glossary(db, access.glossary(who), target)
    return await pools.TEXT.run(_find_terms, messages, glossary)


# In a thread


def _find_terms(messages: Sequence[str], glossary: Sequence[GlossaryTerm]) -> list[list[GlossaryTerm]]:
    by_phrase = {term.term: term for term in glossary}
    phrases, left, found = terms.Phrases(by_phrase), MAX_WORDS_IN_ALL, list[list[GlossaryTerm]]()
    for message in messages:
        sequence = _words(message)[: min(MAX_WORDS, left)]
        left -= len(sequence)
        found.append(_find_in(sequence, phrases, by_phrase))
    return found


def _words(message: str) -> list[str]:
    """Return the words of a message, without what stays: arguments, tags, links."""
    parsed = icu.parse(message)
    divided = parts.divide(message) if parsed is None else parts.divide_message(parsed)
    return [word for text in parts.texts(divided) for word in (*terms.words(text), terms.BARRIER)]


def _find_in(
    sequence: Sequence[str], phrases: terms.Phrases, by_phrase: Mapping[str, GlossaryTerm]
) -> list[GlossaryTerm]:
    matches = [
        match
        for ending in _ENDINGS
        for match in phrases.find_longest([word.removesuffix(ending) or word for word in sequence])
    ]
    names = dict.fromkeys(match.phrase for match in sorted(matches))
    return [by_phrase[name] for name in list(names)[:MAX_HITS]]
