"""Translates texts like a compiler: lay out, protect, translate, check, repair, assemble.

What must stay is hidden from the model behind tokens, and every segment is checked afterwards. Segments that fail are
sent once more with what is wrong; what fails then stays in the result, and is reported.
"""

import asyncio
import hashlib
from collections import Counter, deque
from collections.abc import Mapping, Sequence

import msgspec

from teamspace import quota
from teamspace.ai import DryRun, Gateway
from teamspace.completions import TokenUsage, estimate_prompt
from teamspace.core import clock, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import QuotaExceeded, ResponseRefused
from teamspace.core.principal import Principal
from teamspace.executors import ModelRole
from teamspace.quota import Dimension, QuotaAccount, Spend
from teamspace.translation import access, store
from teamspace.translation.domain import batches, checks, parts, segments, terms
from teamspace.translation.domain.batches import BatchResult, Item
from teamspace.translation.domain.checks import NO_TERMS, SegmentProblem, SegmentTerms, TermHit
from teamspace.translation.domain.segments import Layout
from teamspace.translation.schemas import Check, FailedCheck, GlossaryHit, GlossaryTerm, RememberedSegment

MAX_IN_FLIGHT = 4
MEMORY_SECONDS = 90 * clock.DAY
PURPOSE = "translation"
_EXCERPT = 100
_BARRIER = "\0"
"""Between texts: no phrase goes across what stays. It is no word."""
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


class _Candidate(msgspec.Struct, frozen=True):
    text: str
    problems: tuple[SegmentProblem, ...]


async def translate(
    gateway: Gateway, db: Db, who: Principal, texts: Mapping[str, str], *, target: str, source: str | None = None,
    role: ModelRole = ModelRole.CHAT,
) -> Translated:  # fmt: skip
    """Translate texts into `target`, metered; every key has a translation in the result.

    A quota that does not suffice refuses the whole before anything is sent. One that ends on the way, since others
    spend it too, refuses the rest: what was spent is metered.
    """
    work = await prepare(db, who, texts, target=target, source=source)
    await _check_quota(db, who, await _estimate(gateway, db, who, work, source, target, role))
    run = _Run(gateway, db, who, role, source, target)
    chosen = {number: _Candidate(text, ()) for number, text in work.remembered.items()}
    chosen |= await run.translate(work.items())
    return await pools.TEXT.run(_finish, work, run, chosen)


async def prepare(db: Db, who: Principal, texts: Mapping[str, str], *, target: str, source: str | None = None) -> Work:
    """Divide texts into segments, find terms, and look into the translation memory."""
    # The revision before the terms: what is translated with newer terms must not count as of an older revision.
    revision = await store.get_revision(db, who.team_id, target)
    glossary = await store.select_glossary(db, access.glossary(who), target) if revision else []
    layout, found, digests = await pools.TEXT.run(_lay_out, texts, glossary, source)
    memories = await store.select_memory(db, access.memory(who), target, revision, sorted(digests))
    remembered = await pools.TEXT.run(_still_valid, layout, found, digests, memories, target)
    return Work(layout, found, digests, revision, remembered)


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
    if translated.learned:
        now = clock.stamp()
        await store.put_memory(
            tx, who.org_id, who.team_id, translated.target, translated.revision, translated.learned, now
        )
        await store.forget_before(tx, who.team_id, clock.ago(MEMORY_SECONDS))


class _Run:
    """One request: its calls to the model, and what they cost."""

    def __init__(
        self, gateway: Gateway, db: Db, who: Principal, role: ModelRole, source: str | None, target: str
    ) -> None:
        self._gateway, self._db, self._who, self._role = gateway, db, who, role
        self.target, self.source = target, source
        self.usage, self.model = TokenUsage.of(0, 0), ""

    async def translate(self, items: Sequence[Item]) -> dict[int, _Candidate]:
        if not items:
            return {}
        first = await self._ask(items)
        failing = [_again(item, first.get(item.number)) for item in items if _fails(first.get(item.number))]
        try:
            second = await self._ask(failing) if failing else {}
        except (QuotaExceeded, ResponseRefused):
            second = {}  # everything is translated and paid for: what fails is reported
        return {item.number: _better(item, first.get(item.number), second.get(item.number)) for item in items}

    async def _ask(self, items: Sequence[Item]) -> dict[int, _Candidate]:
        """Send items in batches; return the translations that came back, with their problems."""
        results = await self._send_all(list(batches.pack(items)))
        if not any(result.translations for result in results):
            raise ResponseRefused("translation.no_answer")
        self.source = self.source or next((result.source for result in results if result.source), None)
        return await pools.TEXT.run(self._judge, items, results)

    async def _send_all(self, packed: Sequence[Sequence[Item]]) -> list[BatchResult]:
        """Send batches, some at a time. After a failure none is started, those in flight end, and it is raised."""
        waiting, results, failures = deque(packed), list[BatchResult](), list[Exception]()
        in_flight = 0

        async def send_next() -> None:
            nonlocal in_flight
            while waiting and not failures:
                batch, in_flight = waiting.popleft(), in_flight + 1
                try:
                    results.append(await self._send(batch))
                except Exception as failure:
                    if in_flight > 1 and _is_concurrency(failure):
                        waiting.append(batch)  # fewer at a time are allowed: the others go on
                        return
                    failures.append(failure)
                finally:
                    in_flight -= 1

        await asyncio.gather(*(send_next() for _ in range(min(MAX_IN_FLIGHT, len(packed)))))
        if failures:
            raise failures[0]
        return results

    async def _send(self, batch: Sequence[Item]) -> BatchResult:
        request = batches.to_request(batch, self.source, self.target)
        try:
            given = await self._gateway.call(self._db, self._who, request, purpose=PURPOSE, role=self._role)
        except ResponseRefused:
            return BatchResult({}, None)
        answer, used = given.answer, given.answer.usage
        self.usage = TokenUsage.of(
            self.usage.prompt_tokens + used.prompt_tokens, self.usage.completion_tokens + used.completion_tokens
        )
        self.model = answer.model or self.model
        return batches.read_answer(batch, answer)

    def _judge(self, items: Sequence[Item], results: Sequence[BatchResult]) -> dict[int, _Candidate]:
        texts = {number: text for result in results for number, text in result.translations.items()}
        return {
            item.number: _Candidate(text, tuple(checks.find_problems(item.segment, text, self.target, item.terms)))
            for item in items
            if (text := texts.get(item.number)) is not None
        }


def _is_concurrency(failure: Exception) -> bool:
    return isinstance(failure, QuotaExceeded) and failure.extra.get("dimension") == Dimension.CONCURRENCY


def _fails(candidate: _Candidate | None) -> bool:
    return candidate is None or bool(candidate.problems)


def _again(item: Item, first: _Candidate | None) -> Item:
    if first is None:
        return item
    return msgspec.structs.replace(item, translation=first.text, problems=first.problems)


def _better(item: Item, first: _Candidate | None, second: _Candidate | None) -> _Candidate:
    """Return the translation with fewer problems; the source if there is none."""
    given = [candidate for candidate in (first, second) if candidate]
    if not given:
        return _Candidate(item.segment.source, (checks.problem(Check.MISSING),))
    return min(given, key=lambda candidate: (not candidate.text, len(candidate.problems)))


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
    sequence = [word for text in parts.texts(segment.parts) for word in (*terms.words(text), _BARRIER)]
    matches = phrases.find_longest(sequence)
    kept = sum(match.end - match.start for match in matches if _stays(by_phrase[match.phrase]))
    counts = Counter(match.phrase for match in matches)
    hits = tuple(TermHit(by_phrase[phrase], count) for phrase, count in counts.items())
    return SegmentTerms(hits, kept == len(sequence) - sequence.count(_BARRIER))


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


def _finish(work: Work, run: _Run, chosen: Mapping[int, _Candidate]) -> Translated:
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
        learned=sorted(
            (
                RememberedSegment(work.digests[number], candidate.text)
                for number, candidate in chosen.items()
                if not candidate.problems and number not in work.remembered
            ),
            key=lambda memory: memory.digest,
        ),
    )


def _failed_checks(layout: Layout, chosen: Mapping[int, _Candidate]) -> list[FailedCheck]:
    return [
        FailedCheck(place, problem.check, problem.message, layout.segments[number].source[:_EXCERPT], key or None)
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
