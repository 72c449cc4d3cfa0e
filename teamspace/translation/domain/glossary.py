"""The glossary of a team: a term's translation into a language, and words not to use for it."""

from teamspace.core import clock, paging, text
from teamspace.core.db import Db, Reads
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.translation import access, store
from teamspace.translation.domain import languages, terms
from teamspace.translation.schemas import (
    MAX_NOTE,
    MAX_TERM,
    MAX_TERM_WORDS,
    MAX_TERMS,
    GlossaryQuery,
    GlossaryTerm,
    TermDraft,
)


async def get_revision(db: Reads, who: Principal, target: str) -> int:
    """Return a number that grows with every change of the team's glossary for a language."""
    return await store.get_revision(db, who.team_id, target)


async def put(db: Db, who: Principal, draft: TermDraft) -> GlossaryTerm:
    """Add, update or delete a term."""
    term = _clean(draft)
    key = term.term.casefold()
    async with db.write(who, "glossary.delete" if term.translation is None else "glossary.set") as tx:
        tx.target, tx.detail = term.term, {"target": term.target}
        # One writer at a time, so that the limit holds and every change has its own revision.
        await tx.lock("glossary", f"{who.team_id}:{term.target}")
        if term.translation is None:
            if not await store.delete_term(tx, who.team_id, term.target, key):
                raise NotFound("translation.no_term")
            await store.raise_revision(tx, who.org_id, who.team_id, term.target)
            return term
        await store.raise_revision(tx, who.org_id, who.team_id, term.target)
        await store.put_term(tx, who.org_id, who.team_id, key, term)
        if await store.count_terms(tx, access.glossary(who), term.target) > MAX_TERMS:
            raise Conflict("translation.terms", limit=MAX_TERMS)
        return term


async def listing(db: Db, who: Principal, query: GlossaryQuery) -> Page[GlossaryTerm]:
    target = None if query.target is None else languages.clean_tag(query.target, "target")
    rows = await store.select_terms(db, access.glossary(who), target, _after(query), query.size + 1)
    return paging.page(rows, query, lambda term: f"{term.target} {term.term.casefold().encode().hex()}")


def _clean(draft: TermDraft) -> GlossaryTerm:
    term = _phrase(draft.term, "term")
    if draft.translation is None and (draft.note is not None or draft.forbidden):
        raise BadRequest("translation.delete_only")
    return GlossaryTerm(
        term=term,
        target=languages.clean_tag(draft.target, "target"),
        translation=None if draft.translation is None else _phrase(draft.translation, "translation"),
        note=text.clean_name(draft.note, "note", max_length=MAX_NOTE) if draft.note else None,
        forbidden=list(dict.fromkeys(_phrase(word, "forbidden") for word in draft.forbidden)),
        updated_at=clock.stamp(),
    )


def _phrase(value: str, field: str) -> str:
    phrase = text.clean_name(value, field, max_length=MAX_TERM)
    if not 0 < len(terms.words(phrase)) <= MAX_TERM_WORDS:
        raise BadRequest.at(f"/{field}", "translation.words", limit=MAX_TERM_WORDS)
    return phrase


def _after(query: GlossaryQuery) -> tuple[str, str]:
    """Return the language and the term after which the page begins."""
    if query.cursor is None:
        return "", ""
    target, _, key = paging.decode_cursor(query.cursor).partition(" ")
    try:
        return target, bytes.fromhex(key).decode()
    except ValueError:
        raise BadRequest.at("cursor", "value.cursor") from None
