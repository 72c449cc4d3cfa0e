"""Finds the messages for a locale."""

import gzip
import hashlib
import re
from functools import cache

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.core.messages import DEFAULT, Messages, catalogs
from teamspace.localization.schemas import Catalog, CatalogFile

_DIGITS = 16
_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def available() -> dict[str, Messages]:
    """Return the bundled catalogs by locale."""
    return catalogs()


def catalog(locale: str | None) -> Catalog:
    """Return the messages for a locale; each missing message comes from the next locale of its chain."""
    locales = chain(DEFAULT if locale is None else locale)
    existing = [name for name in locales if name in available()]
    messages: Messages = {}
    for name in reversed(existing):
        for namespace, texts in available()[name].items():
            messages[namespace] = messages.get(namespace, {}) | texts
    return Catalog(existing[0], locales, messages)


@cache
def files() -> dict[str, CatalogFile]:
    """The whole catalog of each locale as a file, the default's first; its name changes with its content."""
    return {locale: _file(catalog(locale)) for locale in sorted(available(), key=lambda locale: locale != DEFAULT)}


def _file(whole: Catalog) -> CatalogFile:
    body = msgspec.json.encode(whole)
    digest = hashlib.sha256(body).hexdigest()[:_DIGITS]
    return CatalogFile(f"catalog-{whole.locale}-{digest}.json", body, gzip.compress(body, mtime=0))


def chain(locale: str) -> list[str]:
    """Return the fallback chain of a locale, such as `pt-BR`, `pt`, then the default."""
    if not _LOCALE.fullmatch(locale):
        raise BadRequest.at("locale", "localization.locale")
    parts = locale.split("-")
    prefixes = ["-".join([parts[0].lower(), *parts[1:length]]) for length in range(len(parts), 0, -1)]
    return list(dict.fromkeys([*prefixes, DEFAULT]))
