"""A sign-up: the challenge before it, and the checks from the cheapest to the one that writes.

The answer is the same whatever the server thinks of a visitor, so that abusers learn nothing. Only a proof of work that
does not count, answers that do not fit the form, and too many sign-ups are told.
"""

from math import ceil

import msgspec

from teamspace.core import clock, ids, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Conflict, RateLimited
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.jobs import Authority, Queue
from teamspace.onboarding import store
from teamspace.onboarding.domain import answers, challenges, changes, emails, fingerprints, signals, visitors
from teamspace.onboarding.domain.counting import FunnelCounts, FunnelStep
from teamspace.onboarding.domain.difficulty import Difficulty
from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.domain.signals import Evidence
from teamspace.onboarding.schemas.experience import PublishedExperience
from teamspace.onboarding.schemas.prospects import JudgeInput, NewProspect
from teamspace.onboarding.schemas.sign_ups import (
    Answers,
    SignUp,
    SpentWork,
    TextBand,
    TrustLevel,
    Visitor,
    WorkChallenge,
)

MAX_BODY = 64 * 1024
MAX_SIGN_UPS, RATE_WINDOW = 30, clock.HOUR
"""Of one network."""
JUDGE = "beta.judge"
_SIMILAR_SECONDS = 30 * clock.DAY
_MAX_COMPARED = 100
_MAX_DUPLICATES = 100


class SignUps:
    """What the routes of visitors share."""

    def __init__(self, funnel: Funnel, queue: Queue) -> None:
        self.funnel, self.counts, self._difficulty, self._queue = funnel, FunnelCounts(), Difficulty(), queue

    def count_visit(self, who: Principal, experience: PublishedExperience, step: FunnelStep) -> None:
        """Count what a visitor sees; programs that ask only for headers, such as link checkers, are none."""
        if not who.call.only_headers:
            self.counts.add(experience, step)

    async def challenge(self, db: Db, who: Principal, origin: str) -> WorkChallenge:
        """Return a challenge for a visitor; nothing is stored."""
        experience = await self.funnel.effective(db, who.call.host)
        self.count_visit(who, experience, FunnelStep.STARTS)
        prefix = visitors.hash_prefix(db.vault, who.call.address)
        difficulty = self._difficulty.choose(prefix, await _count_recent(db, prefix))
        return challenges.create(db.vault, experience.id, visitors.find_origin(origin, who.call), difficulty)

    async def sign_up(self, db: Db, who: Principal, body: SignUp, origin: str, languages: list[str]) -> None:
        """Store a prospect for the team whose funnel the host shows."""
        call = who.call
        experience = await self.funnel.effective(db, call.host)
        visitor = Visitor(
            visitors.hash_prefix(db.vault, call.address), visitors.find_origin(origin, call), languages, call.agent
        )
        work = challenges.verify(db.vault, body.pow, experience.id, visitor.origin)
        self.counts.add(experience, FunnelStep.SOLVED)
        entered = await pools.TEXT.run(answers.check, experience.document, body.fields)
        from_prefix = await _check_rate(db, visitor.prefix)
        if await store.is_spent(db, work.nonce):
            raise Conflict("onboarding.work_spent", at="/pow")
        bands, entropy = await pools.TEXT.run(_describe, entered.prose)
        evidence = Evidence(
            from_prefix, await store.count_with_email(db, experience.team_id, emails.normalize(entered.email), _MAX_DUPLICATES),
            await _count_similar(db, experience.team_id, bands), entropy,
        )  # fmt: skip
        prospect = _to_prospect(experience, entered, work, visitor, evidence, body.locale)
        await self._store(db, who, experience, prospect, work, visitor.prefix, bands)

    async def _store(
        self, db: Db, who: Principal, experience: PublishedExperience, prospect: NewProspect, work: SpentWork,
        prefix: str, bands: list[TextBand],
    ) -> None:  # fmt: skip
        # Without the address, which is not stored of visitors.
        visitor = msgspec.structs.replace(who, call=msgspec.structs.replace(who.call, address=""))
        async with db.write(visitor, "prospect.create") as tx:
            tx.org_id, tx.team_id, tx.target = prospect.org_id, prospect.team_id, prospect.id
            if not await store.spend(tx, work.nonce, work.expires_at):
                raise Conflict("onboarding.work_spent", at="/pow")
            await _count_sign_up(tx, prefix)
            await store.insert_prospect(tx, prospect)
            await store.insert_bands(tx, prospect, bands)
            await changes.record(tx, prospect.org_id, prospect.team_id, prospect.id, change=Change.CREATED)
            if experience.document.judge_prompt and prospect.level is not TrustLevel.BLOCKED:
                authority = Authority.of_company(prospect.org_id, prospect.team_id)
                await self._queue.enqueue(tx, authority, JUDGE, JudgeInput(prospect.id))
            tx.after_commit(lambda: self.counts.add(experience, FunnelStep.SIGNED_UP))


def _to_prospect(
    experience: PublishedExperience, entered: Answers, work: SpentWork, visitor: Visitor, evidence: Evidence,
    locale: str | None,
) -> NewProspect:  # fmt: skip
    noticed, level = signals.weigh(entered, work, visitor, evidence, locale)
    return NewProspect(
        id=new_id(), org_id=experience.org_id, team_id=experience.team_id, experience_id=experience.id,
        version=experience.version, nonce=work.nonce, email=entered.email, email_key=emails.normalize(entered.email),
        answers=entered.values, locale=locale, signals=noticed, level=level, created_at=clock.stamp(),
    )  # fmt: skip


def _describe(prose: str) -> tuple[list[TextBand], float | None]:
    found = fingerprints.fingerprint(prose)
    return [] if found is None else fingerprints.to_bands(found), fingerprints.entropy(prose)


async def _count_similar(db: Db, team_id: str, bands: list[TextBand]) -> int:
    """Count earlier sign-ups with almost the same text, up to a limit."""
    if not bands:
        return 0
    since = ids.lower_bound(clock.now() - _SIMILAR_SECONDS)
    found = await store.select_fingerprints(db, team_id, [band.band for band in bands], since, _MAX_COMPARED)
    return sum(fingerprints.is_close(bands[0].fingerprint, each) for each in found)


# The rate of a network


async def _count_recent(db: Db, prefix: str) -> int:
    rate = await store.get_rate(db, prefix, clock.stamp())
    return 0 if rate is None else rate.count


async def _check_rate(db: Db, prefix: str) -> int:
    """Return how many signed up from the network, or refuse one more; the transaction counts exactly."""
    rate = await store.get_rate(db, prefix, clock.stamp())
    if rate is not None and rate.count >= MAX_SIGN_UPS:
        raise _too_many(rate.resets_at)
    return 0 if rate is None else rate.count


async def _count_sign_up(tx: Tx, prefix: str) -> None:
    rate = await store.count_sign_up(tx, prefix, clock.stamp(), clock.later(RATE_WINDOW))
    if rate.count > MAX_SIGN_UPS:
        raise _too_many(rate.resets_at)


def _too_many(resets_at: str) -> RateLimited:
    wait = max(1, ceil(clock.seconds(resets_at) - clock.now()))
    return RateLimited("onboarding.too_many", wait, seconds=wait)
