"""What visitors see of an experience: its public part, in one language."""

from collections.abc import Iterable

from teamspace import branding
from teamspace.core import messages
from teamspace.core.messages import DEFAULT
from teamspace.onboarding.domain import languages
from teamspace.onboarding.schemas.experience import (
    ASSET_TOKENS,
    ASSET_URL,
    HONEYPOT,
    MAX_VALUE,
    ExperienceDocument,
    FieldOption,
    FieldType,
    FormField,
    FunnelCopy,
    PublicExperience,
    PublicField,
    PublicOption,
)

WORDS = "signup"
"""The namespace of the page's own texts in the catalogs."""


def show(document: ExperienceDocument, wanted: Iterable[str]) -> PublicExperience:
    """Return the public part in the first of the wanted languages that it is written in."""
    written = _written(document)
    locales = languages.chain(wanted, written)
    theme = {token: value for token, value in document.theme.items() if token not in ASSET_TOKENS}
    look = branding.complete_theme(theme)
    return PublicExperience(
        locale=languages.choose(locales, written),
        locales=written,
        fields=[_field(field, locales) for field in document.fields],
        copy=_copy(document, locales),
        theme=look,
        theme_dark=branding.derive_dark(look),
        honeypot=HONEYPOT,
        **{token: _asset_url(document.theme.get(token)) for token in ASSET_TOKENS},
    )


def words(locale: str) -> dict[str, str]:
    """Return the page's own texts in a language that the catalogs have, else in ours."""
    return find_words([locale])[1]


def find_words(wanted: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return the first of the wanted languages that the catalogs have, and the page's own texts in it."""
    found = messages.catalogs()
    near = languages.choose(languages.chain(wanted, ()), found)
    return near, found[DEFAULT][WORDS] | found[near].get(WORDS, {})


def _written(document: ExperienceDocument) -> list[str]:
    """Return the languages of the texts; if there are none, those of the labels."""
    labels = (locale for field in document.fields for locale in field.label)
    return list(dict.fromkeys(document.copy or labels))


def _field(field: FormField, locales: list[str]) -> PublicField:
    return PublicField(
        name=field.name, type=field.type, required=field.required,
        label=languages.text(field.label, locales) or field.name,
        options=[_option(option, locales) for option in field.options],
        max_length=MAX_VALUE.get(field.type) if field.type is not FieldType.SELECT else None,
    )  # fmt: skip


def _option(option: str | FieldOption, locales: list[str]) -> PublicOption:
    if isinstance(option, str):
        return PublicOption(option, option)
    return PublicOption(option.value, languages.text(option.label, locales) or option.value)


def _copy(document: ExperienceDocument, locales: list[str]) -> FunnelCopy:
    own = words(languages.choose(locales, messages.catalogs()))

    def find(name: str) -> str:
        given = {locale: getattr(copy, name) for locale, copy in document.copy.items()}
        return languages.text(given, locales) or own.get(name, "")

    return FunnelCopy(find("title"), find("intro"), find("submit"), find("thanks"))


def _asset_url(asset: object) -> str | None:
    return f"{ASSET_URL}{asset}" if asset else None
