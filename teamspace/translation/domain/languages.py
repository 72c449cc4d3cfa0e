"""Language tags, and the plural categories of languages (CLDR, cardinal numbers)."""

import re

import msgspec

from teamspace.core.errors import BadRequest

MAX_TAG = 35
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}", re.ASCII)
ALL_CATEGORIES = frozenset({"zero", "one", "two", "few", "many", "other"})


class PluralRule(msgspec.Struct, frozen=True):
    """The categories that a plural message in a language must have, and those it may have besides."""

    required: frozenset[str]
    optional: frozenset[str] = frozenset()


def _rule(required: str, optional: str = "") -> PluralRule:
    return PluralRule(frozenset(required.split()), frozenset(optional.split()))


# fmt: off
_TABLE = (
    (_rule("other"),                       "bo dz id ig ii ja jv km ko lo ms my sah su th to vi wo yo yue zh"),
    (_rule("one other"),                   "af am az bg bn da de el en eo et eu fa fi fil fo fy gl gu ha hi hu hy is ka kk kn ku ky"
                                           " lb mk ml mn mr nb ne nl nn no or pa ps sd si so sq sv sw ta te tk tr ug ur uz xh zu"),
    (_rule("one other", "many"),           "ca es fr it pt"),  # many: only for a million and the like
    (_rule("one two other", "many"),       "he iw"),
    (_rule("zero one other"),              "lv"),
    (_rule("one few other"),               "bs hr mo ro sh sr"),
    (_rule("one few many other"),          "be cs lt pl ru sk uk"),
    (_rule("one two few other"),           "dsb gd hsb sl"),
    (_rule("one two few many other"),      "br ga gv mt"),
    (_rule("zero one two few many other"), "ar cy kw"),
)
# fmt: on
_RULES = {language: rule for rule, languages in _TABLE for language in languages.split()}
_UNKNOWN = PluralRule(frozenset({"other"}), ALL_CATEGORIES)
"""A language without a row: every category is possible."""


def clean_tag(value: str, field: str) -> str:
    """Return a language tag in its usual spelling, such as `pt-BR`; refuse what is none."""
    if len(value) > MAX_TAG or not _TAG.fullmatch(value):
        raise BadRequest.at(f"/{field}", "translation.language")
    return _spell(value)


def read_tag(value: str) -> str | None:
    """Return the language tag that a model has named, if it is one."""
    return _spell(value) if len(value) <= MAX_TAG and _TAG.fullmatch(value) else None


def plural_rule(tag: str) -> PluralRule:
    return _RULES.get(tag.partition("-")[0], _UNKNOWN)


def _spell(value: str) -> str:
    language, *rest = value.replace("_", "-").split("-")
    return "-".join([language.lower(), *map(_spell_part, rest)])


def _spell_part(part: str) -> str:
    if len(part) == 4 and part.isalpha():
        return part.title()
    return part.upper() if len(part) == 2 else part.lower()
