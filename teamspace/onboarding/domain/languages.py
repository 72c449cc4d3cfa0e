"""Chooses the language of the page, and the text of each place in it."""

from collections.abc import Iterable, Mapping, Sequence

from teamspace import translation
from teamspace.core.messages import DEFAULT


def chain(wanted: Iterable[str], written: Sequence[str]) -> list[str]:
    """Return the languages in which to look for a text: those that are wanted, ours, then those it is written in."""
    languages = [name for locale in wanted if (name := translation.read_tag(locale))]
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
