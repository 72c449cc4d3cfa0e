"""What a reply says is compared with the text: only what is in it, word for word, is kept, with its place."""

from collections.abc import Iterable, Sequence

import msgspec

from teamspace.ai import SearchableText
from teamspace.knowledge.domain import naming
from teamspace.knowledge.domain.asking import FoundEntity, FoundRelation, WindowReply
from teamspace.knowledge.domain.windows import TextWindow
from teamspace.knowledge.schemas import MAX_NAME, MAX_PREDICATE, MAX_QUOTE, EntityType

MAX_NAMES, MAX_MENTIONS, MAX_RELATIONS = 100, 10, 100
"""Of a document: its names, the mentions of each, and its relations."""

NameKey = tuple[EntityType, str]
"""Type and normalized name."""


class TextSpan(msgspec.Struct, frozen=True, order=True):
    """A place in the text of a document, and what is there."""

    start: int
    end: int
    quote: str


class CheckedMention(msgspec.Struct, frozen=True, order=True):
    span: TextSpan
    written: str


class CheckedRelation(msgspec.Struct, frozen=True, order=True):
    span: TextSpan
    subject: NameKey
    predicate: str
    target: NameKey


class Findings(msgspec.Struct, frozen=True):
    """What a document says, in the order in which it says it."""

    mentions: dict[NameKey, list[CheckedMention]]
    relations: list[CheckedRelation]
    dropped: int


def check(replies: Iterable[tuple[TextWindow, WindowReply]]) -> Findings:
    """Return what the replies found in a text; for a thread."""
    found: dict[NameKey, set[CheckedMention]] = {}
    claims: list[tuple[TextWindow, SearchableText, FoundRelation]] = []
    dropped = 0
    for window, reply in replies:
        searchable = SearchableText(window.text)
        for entity in reply.entities:
            if checked := _check_entity(window, searchable, entity):
                found.setdefault(checked[0], set()).add(checked[1])
            else:
                dropped += 1
        claims += [(window, searchable, relation) for relation in reply.relations]
    mentions = _most_important(found)
    keys = {name: key for key in reversed(mentions) for name in [key[1]]}
    relations = [_check_relation(*claim, keys) for claim in claims]
    kept = sorted({relation for relation in relations if relation})[:MAX_RELATIONS]
    return Findings(mentions, kept, dropped + sum(relation is None for relation in relations))


def _check_entity(
    window: TextWindow, searchable: SearchableText, entity: FoundEntity
) -> tuple[NameKey, CheckedMention] | None:
    place = _locate(searchable, entity.quote)
    if place is None:
        return None
    sentence = window.text[slice(*place)]
    named = _locate(SearchableText(sentence), entity.name)
    if named is None:
        return None
    written = naming.clean(sentence[slice(*named)], MAX_NAME)
    normalized = naming.normalize(written)
    if not normalized:
        return None
    return (entity.type, normalized), CheckedMention(_span(window, place), written)


def _check_relation(
    window: TextWindow, searchable: SearchableText, relation: FoundRelation, keys: dict[str, NameKey]
) -> CheckedRelation | None:
    place = _locate(searchable, relation.quote)
    subject, target = keys.get(naming.normalize(relation.subject)), keys.get(naming.normalize(relation.object))
    predicate = naming.clean(relation.predicate, MAX_PREDICATE)
    if place is None or subject is None or target is None or subject == target or not predicate:
        return None
    return CheckedRelation(_span(window, place), subject, predicate, target)


def _locate(searchable: SearchableText, words: str) -> tuple[int, int] | None:
    words = words.strip()
    return searchable.locate(words) if 0 < len(words) <= len(searchable) * 2 else None


def _span(window: TextWindow, place: tuple[int, int]) -> TextSpan:
    start, end = place
    quote = naming.clean(window.text[start:end], MAX_QUOTE)
    return TextSpan(window.start + start, window.start + end, quote)


def _most_important(found: dict[NameKey, set[CheckedMention]]) -> dict[NameKey, list[CheckedMention]]:
    """Return the names with most mentions, in the order in which the text has them."""
    ordered: dict[NameKey, Sequence[CheckedMention]] = {key: sorted(several) for key, several in found.items()}
    chosen = sorted(ordered, key=lambda key: (-len(ordered[key]), ordered[key][0], key))[:MAX_NAMES]
    return {key: list(ordered[key][:MAX_MENTIONS]) for key in sorted(chosen, key=lambda key: (ordered[key][0], key))}
