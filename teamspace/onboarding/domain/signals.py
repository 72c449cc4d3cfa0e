"""Weighs what was noticed about a sign-up. The result is for the team; visitors never learn it."""

import re

import msgspec

from teamspace.core import text
from teamspace.onboarding.domain import emails
from teamspace.onboarding.schemas.sign_ups import Answers, Doubt, Signals, SpentWork, TrustLevel, Visitor

SUSPICIOUS, BLOCKED = 40, 100
"""From which sum of the weights."""
_WEIGHTS = {
    Doubt.TRAP: 100,
    Doubt.FAST: 40,
    Doubt.CLOCK: 20,
    Doubt.VELOCITY: 20,
    Doubt.FLOOD: 40,
    Doubt.DISPOSABLE: 50,
    Doubt.DUPLICATE: 20,
    Doubt.SIMILAR: 30,
    Doubt.COPIED: 60,
    Doubt.MONOTONOUS: 30,
    Doubt.PROGRAM: 30,
    Doubt.LANGUAGE: 5,
}
_FAST = 3.0
"""Seconds. People take longer to fill in a form."""
_SLACK = 2_000.0
"""Milliseconds that a visitor's clock may differ."""
_VELOCITY, _FLOOD = 5, 15
"""Sign-ups of a network in an hour: a family, and more than an office."""
_COPIED = 3
_MONOTONOUS = 2.5
"""Bits per character; sentences have about four."""
_MAX_AGENT = 300
_BROWSER = re.compile(r"Mozilla/\d", re.ASCII)
_PROGRAM = re.compile(r"bot|crawl|spider|headless|phantom|selenium|puppeteer|playwright|curl|python|wget", re.I)


class Evidence(msgspec.Struct, frozen=True):
    """What the database and the text say."""

    from_prefix: int
    duplicates: int
    similar: int
    entropy: float | None


def weigh(
    answers: Answers, work: SpentWork, visitor: Visitor, evidence: Evidence, locale: str | None
) -> tuple[Signals, TrustLevel]:
    """Return what was noticed, and how much it matters."""
    found = {
        Doubt.TRAP: answers.trapped,
        Doubt.FAST: work.age < _FAST,
        Doubt.CLOCK: work.solving is not None and not 0 <= work.solving <= work.age * 1000 + _SLACK,
        Doubt.VELOCITY: _VELOCITY <= evidence.from_prefix < _FLOOD,
        Doubt.FLOOD: evidence.from_prefix >= _FLOOD,
        Doubt.DISPOSABLE: emails.is_disposable(answers.email),
        Doubt.DUPLICATE: evidence.duplicates > 0,
        Doubt.SIMILAR: 0 < evidence.similar < _COPIED,
        Doubt.COPIED: evidence.similar >= _COPIED,
        Doubt.MONOTONOUS: evidence.entropy is not None and evidence.entropy < _MONOTONOUS,
        Doubt.PROGRAM: not _BROWSER.match(visitor.agent) or _PROGRAM.search(visitor.agent) is not None,
        Doubt.LANGUAGE: not _speaks(visitor.languages, locale),
    }
    doubts = [doubt for doubt, applies in found.items() if applies]
    score = min(100, sum(_WEIGHTS[doubt] for doubt in doubts))
    signals = Signals(
        score=score, doubts=doubts, difficulty=work.difficulty, solving=work.solving, age=round(work.age, 1),
        from_prefix=evidence.from_prefix, duplicates=evidence.duplicates, similar=evidence.similar,
        entropy=evidence.entropy, origin=visitor.origin, agent=text.one_line(visitor.agent, max_length=_MAX_AGENT),
    )  # fmt: skip
    level = TrustLevel.BLOCKED if score >= BLOCKED else TrustLevel.SUSPICIOUS if score >= SUSPICIOUS else TrustLevel.OK
    return signals, level


def _speaks(languages: list[str], locale: str | None) -> bool:
    """Whether a browser that asks for these languages would show the page in this one."""
    spoken = {tag.partition("-")[0].lower() for tag in languages}
    return not spoken or locale is None or locale.partition("-")[0].lower() in spoken
