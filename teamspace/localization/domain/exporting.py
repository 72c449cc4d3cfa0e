"""Writes what is approved in a locale to its file, for git and for other instances."""

from pathlib import Path

from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import NothingApproved
from teamspace.core.messages import Messages, read_files
from teamspace.core.principal import Principal
from teamspace.localization import store
from teamspace.localization.domain import codec, files, syncing, words
from teamspace.localization.domain.codec import Mark
from teamspace.localization.domain.files import LocaleFile
from teamspace.localization.schemas import ApprovedText, LocaleExport
from teamspace.translation import clean_tag

_PAGE = 2000


async def export(db: Db, who: Principal, data: Path, given: str) -> LocaleExport:
    """Write the approved texts of a locale, with marks that say of which source, by whom and when.

    A text whose source has changed since is written too: its mark has the hash of the old source.
    """
    locale = clean_tag(given, "locale")
    await syncing.begin(db)
    # The lock before the rows: otherwise an export that has read earlier could replace the file of a later one.
    async with files.locked(data, shared=False):
        rows = await _read_approved(db, locale)
        if not rows:
            raise NothingApproved("localization.nothing_approved", locale=locale)
        file = await pools.TEXT.run(_encode, locale, rows)
        path = await pools.FILES.run(files.write, data, file)
    async with db.write(who, "l10n.export") as tx:
        tx.target, tx.detail = locale, {"messages": len(rows)}
    return LocaleExport(locale, len(rows), str(path.relative_to(data)))


async def seed_files(data: Path) -> None:
    """Create the folder at the first start, with the catalogs that ship."""
    await pools.FILES.run(_seed, data)


async def _read_approved(db: Db, locale: str) -> list[ApprovedText]:
    rows = await store.select_approved(db, locale, ("", ""), _PAGE)
    page = rows
    while len(page) == _PAGE:
        page = await store.select_approved(db, locale, (page[-1].namespace, page[-1].key), _PAGE)
        rows += page
    return rows


# In a thread


def _encode(locale: str, rows: list[ApprovedText]) -> LocaleFile:
    catalog: Messages = {}
    for row in rows:
        catalog.setdefault(row.namespace, {})[row.key] = row.text
    marks = {
        f"{row.namespace}.{row.key}": Mark(row.source_hash, row.origin, row.approved_by, row.approved_at, words.hash_text(row.text))
        for row in rows
    }  # fmt: skip
    return LocaleFile(locale, codec.encode_catalog(catalog), codec.encode_marks(marks))


def _seed(data: Path) -> None:
    # Nobody has approved the texts that ship, so there are no marks.
    files.seed(data, (LocaleFile(locale, body, None) for locale, body in read_files()))
