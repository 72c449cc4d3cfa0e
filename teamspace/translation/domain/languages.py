"""Language tags, and the plural categories of languages (CLDR, cardinal numbers)."""

import re
from functools import lru_cache

import msgspec
from babel import Locale, localedata

from teamspace.core.errors import BadRequest

MAX_TAG = 35
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}", re.ASCII)
_LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)
_MAX_LOADED = 500
CATEGORIES = ("zero", "one", "two", "few", "many", "other")
ALL_CATEGORIES = frozenset(CATEGORIES)


class PluralRule(msgspec.Struct, frozen=True):
    """The categories that a plural message in a language must have, and those it may have besides."""

    required: frozenset[str]
    optional: frozenset[str] = frozenset()


_UNKNOWN = PluralRule(frozenset({"other"}), ALL_CATEGORIES)
"""A language that CLDR does not have: every category is possible."""
_ONLY_LARGE = frozenset({"ca", "es", "fr", "he", "it", "iw", "pt"})
"""Languages with `many` only for a million and the like, or only in older versions of CLDR."""


def clean_tag(value: str, field: str) -> str:
    """Return a language tag in its usual spelling, such as `pt-BR`; refuse what is none."""
    if len(value) > MAX_TAG or not _TAG.fullmatch(value):
        raise BadRequest.at(f"/{field}", "translation.language")
    return _spell(value)


def read_tag(value: str) -> str | None:
    """Return the language tag that a model has named, if it is one."""
    return _spell(value) if len(value) <= MAX_TAG and _TAG.fullmatch(value) else None


def plural_rule(tag: str) -> PluralRule:
    """Return the categories of a language; a tag that is none, such as a path, has those of an unknown language."""
    language = tag.partition("-")[0].lower()
    return _load_rule(language) if _LANGUAGE.fullmatch(language) else _UNKNOWN


@lru_cache(_MAX_LOADED)
def _load_rule(language: str) -> PluralRule:
    """Read a file of Babel; its name is the language, of two or three letters."""
    if not localedata.exists(language):
        return _UNKNOWN
    found = frozenset(Locale.parse(language).plural_form.tags) | {"other"}
    optional = frozenset({"many"} if language in _ONLY_LARGE else ())
    return PluralRule(found - optional, optional)


def _spell(value: str) -> str:
    language, *rest = value.replace("_", "-").split("-")
    return "-".join([language.lower(), *map(_spell_part, rest)])


def _spell_part(part: str) -> str:
    if len(part) == 4 and part.isalpha():
        return part.title()
    return part.upper() if len(part) == 2 else part.lower()
