"""Discards the drafts of a locale. What people have approved or proposed stays."""

import msgspec

from teamspace import translation
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.localization import store
from teamspace.localization.domain import syncing, writing
from teamspace.localization.schemas import DiscardedDrafts, MessageStatus

_AT_ONCE = 200
"""Entries per transaction: other writes wait for no longer."""


async def discard(db: Db, who: Principal, given: str) -> DiscardedDrafts:
    """Make all drafts missing that nobody has approved."""
    locale = translation.clean_tag(given, "locale")
    await syncing.begin(db)
    counts = await store.get_coverage(db, locale)
    if counts is None:
        raise NotFound("localization.no_locale")
    done = some = await _discard_some(db, who, locale)
    while some == _AT_ONCE and done < counts.machine:  # drafts that come meanwhile stay
        some = await _discard_some(db, who, locale)
        done += some
    return DiscardedDrafts(locale, done)


async def _discard_some(db: Db, who: Principal, locale: str) -> int:
    async with db.write(who, "l10n.discard", lock=("l10n", locale)) as tx:
        drafts = await store.select_of_status(tx, locale, MessageStatus.MACHINE, _AT_ONCE)
        now = clock.stamp()
        await writing.write(
            tx, locale,
            [(entry, msgspec.structs.replace(writing.without_text(entry), updated_at=now)) for entry in drafts],
        )  # fmt: skip
        tx.target, tx.detail = locale, {"discarded": len(drafts)}
    return len(drafts)
