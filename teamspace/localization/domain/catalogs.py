"""Finds the messages for a locale: those of the tables, through the chain of its fallbacks.

A catalog is assembled and encoded once for the revisions of its locales, in a thread. Every request reads the revisions:
what one process approves, all others serve at once.
"""

import asyncio
import gzip
import hashlib
import re
from typing import cast

import msgspec

from teamspace import translation
from teamspace.core import pools
from teamspace.core.db import Db, Reads
from teamspace.core.errors import BadRequest
from teamspace.core.messages import DEFAULT, Messages, catalogs
from teamspace.localization import store
from teamspace.localization.schemas import Catalog, LocalizationPolicy

_DIGITS = 16
_FILE = re.compile(rf"catalog-([A-Za-z0-9-]+)-[0-9a-f]{{{_DIGITS}}}\.json")
_PAGE = 2000
"""Messages per read: to make structs of them holds the event loop."""


class ServedLocales(msgspec.Struct, frozen=True):
    """What is served now: the policy, and the locales with something to show, by name."""

    policy: LocalizationPolicy
    revisions: dict[str, int]
    bundled: bool
    """Whether the product's own catalogs are served, since the tables have not been filled yet."""

    def chain(self, locale: str | None) -> list[str]:
        """Return the fallback chain of a locale, such as `pt-BR`, `pt`, the instance's, then the source's."""
        default = self.policy.default_locale
        wanted = default if locale is None or not self.policy.switching else locale
        return list(dict.fromkeys([*_prefixes(wanted), *_prefixes(default), DEFAULT]))

    def choices(self) -> list[str]:
        """Return the locales that people can choose."""
        return sorted({*self.revisions, self.policy.default_locale})

    def offered(self) -> list[str]:
        """Return the locales that are served, the instance's first."""
        default = self.policy.default_locale
        return [default, *(locale for locale in self.choices() if locale != default and self.policy.switching)]


class EncodedCatalog(msgspec.Struct, frozen=True):
    """The messages of a chain, as JSON."""

    locale: str
    messages: bytes
    digest: str

    def to_catalog(self, chain: list[str]) -> Catalog:
        """Return it as the body of a response; the messages are encoded already."""
        return Catalog(self.locale, chain, cast(Messages, msgspec.Raw(self.messages)))

    def version(self, chain: list[str]) -> int:
        """Return a number that changes with the content, for the ETag."""
        return int(hashlib.sha256(f"{self.digest} {self.locale} {chain}".encode()).hexdigest()[:_DIGITS], 16)


class CatalogFile(msgspec.Struct):
    """A catalog as it is served for good; its name changes with its content."""

    name: str
    body: bytes
    packed: bytes | None = None
    """The same, compressed by gzip, once someone has asked for it."""


class _Texts(msgspec.Struct, frozen=True):
    revision: tuple[int, bool]
    messages: Messages


class _Built(msgspec.Struct, frozen=True):
    revisions: tuple[tuple[str, int, bool], ...]
    catalog: EncodedCatalog


class _Filed(msgspec.Struct, frozen=True):
    catalog: EncodedCatalog
    chain: list[str]
    file: CatalogFile


class CatalogCache:
    """The catalogs of this process, each with the revisions that it was made of."""

    def __init__(self) -> None:
        self._texts: dict[str, _Texts] = {}
        self._built: dict[str, _Built] = {}
        self._filed: dict[str, _Filed] = {}
        self._one_at_a_time = asyncio.Lock()

    async def find(self, db: Db, locale: str | None) -> tuple[EncodedCatalog, list[str]]:
        """Return the catalog for a locale, and its chain; each missing message comes from the next locale of the chain."""
        served = await find_served(db)
        chain = served.chain(locale)
        return await self._find_catalog(db, served, chain), chain

    async def names(self, db: Db) -> dict[str, str]:
        """Return the names of the files of all locales that are offered, the instance's first."""
        served = await find_served(db)
        return {locale: (await self._find_file(db, served, locale)).name for locale in served.offered()}

    async def read(self, db: Db, name: str, *, packed: bool) -> bytes | None:
        """Return the body of the file with a name; None if there is none, or no longer."""
        match = _FILE.fullmatch(name)
        if match is None:
            return None
        served = await find_served(db)
        if match[1] not in served.offered():
            return None
        file = await self._find_file(db, served, match[1])
        if file.name != name:
            return None
        if not packed:
            return file.body
        if file.packed is None:
            file.packed = await pools.TEXT.run(gzip.compress, file.body, mtime=0)
        return file.packed

    async def _find_file(self, db: Db, served: ServedLocales, locale: str) -> CatalogFile:
        chain = served.chain(locale)
        catalog = await self._find_catalog(db, served, chain)
        known = self._filed.get(locale)
        if known is None or known.catalog is not catalog or known.chain != chain:
            known = _Filed(catalog, chain, await pools.TEXT.run(_to_file, locale, catalog, chain))
            self._filed[locale] = known
        return known.file

    async def _find_catalog(self, db: Db, served: ServedLocales, chain: list[str]) -> EncodedCatalog:
        existing = [name for name in chain if name in served.revisions]
        revisions = tuple((name, served.revisions[name], _serves_drafts(served, name)) for name in existing)
        found = self._built.get(existing[0])
        if found is None or found.revisions != revisions:
            async with self._one_at_a_time:
                found = self._built.get(existing[0])
                if found is None or found.revisions != revisions:
                    found = _Built(revisions, await self._build(db, served, existing))
                    self._built[existing[0]] = found
        return found.catalog

    async def _build(self, db: Db, served: ServedLocales, existing: list[str]) -> EncodedCatalog:
        texts = [await self._find_texts(db, served, name) for name in existing]
        return await pools.TEXT.run(_encode, existing[0], texts)

    async def _find_texts(self, db: Db, served: ServedLocales, locale: str) -> Messages:
        if served.bundled:
            return catalogs()[locale]
        revision = (served.revisions[locale], _serves_drafts(served, locale))
        known = self._texts.get(locale)
        if known is None or known.revision != revision:
            known = _Texts(revision, await _read_texts(db, locale, drafts=revision[1]))
            self._texts[locale] = known
        return known.messages


async def find_served(db: Reads) -> ServedLocales:
    """Return the policy and the locales that have something to show under it."""
    rows = await store.select_served(db)
    policy = LocalizationPolicy(rows[0].default_locale, rows[0].switching, rows[0].drafts)
    known = {row.locale: row for row in rows if row.locale is not None}
    if not known:
        names = catalogs() if policy.drafts else (DEFAULT,)
        return ServedLocales(policy, dict.fromkeys(names, 0), bundled=True)
    shown = {name: row.revision or 0 for name, row in known.items() if row.texts or name == DEFAULT}
    return ServedLocales(policy, shown, bundled=False)


async def list_locales(db: Reads) -> list[str]:
    """Return the locales that people can choose from."""
    return (await find_served(db)).choices()


async def _read_texts(db: Db, locale: str, *, drafts: bool) -> Messages:
    """Read what is served in a locale, page by page."""
    messages: Messages = {}
    after = ("", "")
    while True:
        if locale == DEFAULT:
            page = await store.select_sources(db, after, _PAGE)
        else:
            page = await store.select_texts(db, locale, after, _PAGE, drafts=drafts)
        for row in page:
            messages.setdefault(row.namespace, {})[row.key] = row.text
        if len(page) < _PAGE:
            return messages
        after = (page[-1].namespace, page[-1].key)


def _serves_drafts(served: ServedLocales, locale: str) -> bool:
    return served.policy.drafts or locale == DEFAULT


def _prefixes(locale: str) -> list[str]:
    """Return a locale and those it belongs to, such as `pt-BR` and `pt`."""
    tag = None if "_" in locale else translation.read_tag(locale)
    if tag is None:
        raise BadRequest.at("locale", "localization.locale")
    parts = tag.split("-")
    return ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]


# In a thread


def _encode(locale: str, texts: list[Messages]) -> EncodedCatalog:
    messages: Messages = {}
    for own in reversed(texts):
        for namespace, by_key in own.items():
            messages[namespace] = messages.get(namespace, {}) | by_key
    encoded = msgspec.json.encode(messages, order="sorted")
    return EncodedCatalog(locale, encoded, hashlib.sha256(encoded).hexdigest())


def _to_file(locale: str, catalog: EncodedCatalog, chain: list[str]) -> CatalogFile:
    body = msgspec.json.encode(catalog.to_catalog(chain))
    digest = hashlib.sha256(body).hexdigest()[:_DIGITS]
    return CatalogFile(f"catalog-{locale}-{digest}.json", body)
