"""Chooses the language of the page, and the text of each place in it."""

import re
from collections.abc import Iterable, Mapping, Sequence

from teamspace.core.messages import DEFAULT

_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def canonical(locale: str) -> str | None:
    """Return a locale as it is stored, such as `pt-BR` or `zh-Hant`; None if it is none."""
    if not _LOCALE.fullmatch(locale):
        return None
    language, *rest = locale.split("-")
    return "-".join([language.lower(), *map(_subtag, rest)])


def _subtag(part: str) -> str:
    if len(part) == 2:
        return part.upper()
    return part.title() if len(part) == 4 and part.isalpha() else part.lower()


def chain(wanted: Iterable[str], written: Sequence[str]) -> list[str]:
    """Return the languages in which to look for a text: those that are wanted, ours, then those it is written in."""
    languages = [name for locale in wanted if (name := canonical(locale))]
    return list(dict.fromkeys([*(prefix for name in languages for prefix in _prefixes(name)), DEFAULT, *written]))


def choose(locales: Sequence[str], written: Iterable[str]) -> str:
    """Return the first language of a chain that a text is written in."""
    known = set(written)
    return next((locale for locale in locales if locale in known), DEFAULT)


def text(texts: Mapping[str, str], locales: Sequence[str]) -> str:
    """Return the text of the first language of a chain that has one, or an empty text."""
    return next((found for locale in locales if (found := texts.get(locale))), "")


def _prefixes(locale: str) -> list[str]:
    parts = locale.split("-")
    return ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]
