"""Translates texts like a compiler: lay out, protect, translate, check, repair, assemble.

What must stay is hidden from the model behind tokens, and every segment is checked afterwards. Segments that fail are
sent once more with what is wrong; what fails then stays in the result, and is reported.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from teamspace import quota
from teamspace.ai import DryRun, Gateway
from teamspace.completions import TokenUsage, estimate_prompt
from teamspace.core import clock, pools
from teamspace.core.db import BATCH, Db, Tx
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.principal import Principal
from teamspace.executors import ModelRole
from teamspace.quota import QuotaAccount, Spend
from teamspace.translation import access, store
from teamspace.translation.domain import batches, checks, parts, segments, terms
from teamspace.translation.domain.batches import Item
from teamspace.translation.domain.checks import NO_TERMS, SegmentTerms, TermHit
from teamspace.translation.domain.model_run import ModelRun, SegmentAttempt
from teamspace.translation.domain.segments import Layout
from teamspace.translation.schemas import FailedCheck, GlossaryHit, GlossaryTerm, RememberedSegment

log = logging.getLogger("teamspace.translation")
MEMORY_SECONDS = 90 * clock.DAY
_EXCERPT = 100
_VERSION = 1
"""Part of every digest: increase it when old translations must not be reused."""


class Translated(msgspec.Struct, frozen=True):
    """Texts with their translations, and what is to be known about them."""

    texts: dict[str, str]
    source: str | None
    target: str
    checks: list[FailedCheck]
    glossary_hits: list[GlossaryHit]
    memory_hits: int
    usage: TokenUsage
    model: str
    revision: int
    """Of the glossary."""
    learned: list[RememberedSegment]
    """What can be reused; see `remember`."""


class Work(msgspec.Struct, frozen=True):
    """Texts ready to be translated."""

    layout: Layout
    terms: list[SegmentTerms]
    digests: list[str]
    revision: int
    remembered: dict[int, str]
    """Translations of segments from the memory."""

    def items(self) -> list[Item]:
        """Return what the memory does not have."""
        return [
            Item(number, segment, self.terms[number])
            for number, segment in enumerate(self.layout.segments)
            if number not in self.remembered
        ]


async def translate(
    gateway: Gateway, db: Db, who: Principal, texts: Mapping[str, str], *, target: str, source: str | None = None,
    role: ModelRole = ModelRole.CHAT, disconnect: DisconnectWatch | None = None,
) -> Translated:  # fmt: skip
    """Translate texts into `target`, metered; every key has a translation in the result.

    If the client disconnects, nothing more is sent.

    A quota that does not suffice refuses the whole before anything is sent. One that ends on the way, since others
    spend it too, refuses the rest: what was spent is metered, and what was translated for it is remembered.
    """
    work = await prepare(db, who, texts, target=target, source=source)
    await _check_quota(db, who, await _estimate(gateway, db, who, work, source, target, role))
    run = ModelRun(gateway, db, who, role, source, target, disconnect)
    chosen = {number: SegmentAttempt(text, text) for number, text in work.remembered.items()}
    try:
        chosen |= await run.translate(work.items())
    except Exception:
        await _remember_salvaged(db, who, work, run)
        raise
    return await pools.TEXT.run(_finish, work, run, chosen)


async def prepare(db: Db, who: Principal, texts: Mapping[str, str], *, target: str, source: str | None = None) -> Work:
    """Divide texts into segments, find terms, and look into the translation memory."""
    # The revision before the terms: what is translated with newer terms must not count as of an older revision.
    revision = await store.get_revision(db, who.team_id, target)
    glossary = await store.select_glossary(db, access.glossary(who), target) if revision else []
    layout, found, digests = await pools.TEXT.run(_lay_out, texts, glossary, source)
    memories = await store.select_memory(db, access.memory(who), target, revision, sorted(digests))
    valid = await pools.TEXT.run(_still_valid, layout, found, digests, memories, target) if memories else {}
    return Work(layout, found, digests, revision, valid)


async def preview(
    gateway: Gateway, db: Db, who: Principal, texts: Mapping[str, str], *, target: str, source: str | None = None,
    role: ModelRole = ModelRole.CHAT,
) -> DryRun:  # fmt: skip
    """Return what a translation would cost without repairs, and which limit would refuse it."""
    work = await prepare(db, who, texts, target=target, source=source)
    return await _estimate(gateway, db, who, work, source, target, role)


async def _estimate(
    gateway: Gateway, db: Db, who: Principal, work: Work, source: str | None, target: str, role: ModelRole
) -> DryRun:
    requests = [batches.to_request(batch, source, target) for batch in batches.pack(work.items())]
    first = requests[0] if requests else batches.to_request([], source, target)
    more_tokens = sum(map(estimate_prompt, requests)) - len(requests) * estimate_prompt(first)
    return await gateway.preview(db, who, first, role=role, calls=len(requests), more_tokens=more_tokens)


async def _check_quota(db: Db, who: Principal, estimated: DryRun) -> None:
    """Refuse what cannot be paid as a whole before anything is sent."""
    spend = Spend(estimated.estimate.requests, estimated.estimate.tokens)
    if spend.requests and (limit := await quota.preview(db, QuotaAccount.of(who), spend)):
        raise quota.refusal(limit)


async def remember(tx: Tx, who: Principal, translated: Translated) -> None:
    """Store what can be reused by the team; forget what is old."""
    await _remember(tx, who, translated.target, translated.revision, translated.learned)


async def _remember(tx: Tx, who: Principal, target: str, revision: int, learned: Sequence[RememberedSegment]) -> None:
    if learned:
        await store.put_memory(tx, who.org_id, who.team_id, target, revision, learned, clock.stamp())
        # More than was learned, so that the memory shrinks to what is kept.
        await store.forget_some(tx, BATCH + len(learned), who.team_id, clock.ago(MEMORY_SECONDS))


async def _remember_salvaged(db: Db, who: Principal, work: Work, run: ModelRun) -> None:
    """Store what was paid for before a failure. The caller is told of that failure, whatever happens here."""
    try:
        if learned := _learned(work, run.salvaged):
            async with db.maintenance(who) as tx:
                await _remember(tx, who, run.target, work.revision, learned)
    except Exception:
        log.exception("%d segments that were translated before a failure are lost", len(run.salvaged))


# In a thread


def _lay_out(
    texts: Mapping[str, str], glossary: Sequence[GlossaryTerm], source: str | None
) -> tuple[Layout, list[SegmentTerms], list[str]]:
    layout = segments.lay_out(texts)
    by_phrase = {term.term: term for term in glossary}
    phrases = terms.Phrases(by_phrase)
    found = [_find_terms(segment, phrases, by_phrase) if by_phrase else NO_TERMS for segment in layout.segments]
    return layout, found, [_digest(segment.source, source) for segment in layout.segments]


def _find_terms(
    segment: segments.Segment, phrases: terms.Phrases, by_phrase: Mapping[str, GlossaryTerm]
) -> SegmentTerms:
    sequence = [word for text in parts.texts(segment.parts) for word in (*terms.words(text), terms.BARRIER)]
    matches = phrases.find_longest(sequence)
    kept = sum(match.end - match.start for match in matches if _stays(by_phrase[match.phrase]))
    counts = Counter(match.phrase for match in matches)
    hits = tuple(TermHit(by_phrase[phrase], count) for phrase, count in counts.items())
    return SegmentTerms(hits, kept == len(sequence) - sequence.count(terms.BARRIER))


def _stays(term: GlossaryTerm) -> bool:
    return term.term == term.translation


def _digest(segment: str, source: str | None) -> str:
    text = f"{_VERSION}\n{source or batches.AUTO}\n{segment}"
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _still_valid(
    layout: Layout,
    found: Sequence[SegmentTerms],
    digests: Sequence[str],
    memories: Sequence[RememberedSegment],
    target: str,
) -> dict[int, str]:
    """Return the remembered translations that pass all checks, by segment."""
    by_digest = {memory.digest: memory.text for memory in memories}
    return {
        number: text
        for number, segment in enumerate(layout.segments)
        if (text := by_digest.get(digests[number])) is not None
        and not checks.find_problems(segment, text, target, found[number])
    }


def _finish(work: Work, run: ModelRun, chosen: Mapping[int, SegmentAttempt]) -> Translated:
    translations = [chosen[number].text for number in range(len(work.layout.segments))]
    return Translated(
        texts=work.layout.assemble(translations),
        source=run.source,
        target=run.target,
        checks=_failed_checks(work.layout, chosen),
        glossary_hits=_glossary_hits(work, translations),
        memory_hits=len(work.remembered),
        usage=run.usage,
        model=run.model,
        revision=work.revision,
        learned=_learned(work, chosen),
    )


def _learned(work: Work, chosen: Mapping[int, SegmentAttempt]) -> list[RememberedSegment]:
    """Return the new translations that passed all checks."""
    found = (
        RememberedSegment(work.digests[number], candidate.text)
        for number, candidate in chosen.items()
        if not candidate.problems and number not in work.remembered
    )
    return sorted(found, key=lambda memory: memory.digest)


def _failed_checks(layout: Layout, chosen: Mapping[int, SegmentAttempt]) -> list[FailedCheck]:
    return [
        FailedCheck(
            place,
            problem.check,
            problem.message,
            layout.segments[number].source[:_EXCERPT],
            problem.params,
            key or None,
        )
        for key, pieces in layout.texts.items()
        for place, number in enumerate(piece for piece in pieces if isinstance(piece, int))
        for problem in chosen[number].problems
    ]


def _glossary_hits(work: Work, translations: Sequence[str]) -> list[GlossaryHit]:
    """Sum up the terms of all texts; a segment counts as often as the texts have it."""
    times = Counter(piece for pieces in work.layout.texts.values() for piece in pieces if isinstance(piece, int))
    found, applied, by_term = Counter[str](), Counter[str](), dict[str, GlossaryTerm]()
    for number, count in times.items():
        for hit in work.terms[number].hits:
            by_term[hit.term.term] = hit.term
            found[hit.term.term] += hit.count * count
            applied[hit.term.term] += checks.count_applied(hit, translations[number]) * count
    return [GlossaryHit(name, term.translation or "", found[name], applied[name]) for name, term in by_term.items()]
