"""Validates an experience: everything that is wrong with it is named at once, with its place."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from teamspace import branding, translation
from teamspace.core import pools, text
from teamspace.core.errors import BadRequest, FieldError
from teamspace.onboarding.schemas.experience import (
    ASSET_TOKENS,
    ASSET_URL,
    HONEYPOT,
    MAX_DOCUMENT,
    MAX_INTRO,
    MAX_LABEL,
    MAX_LOCALES,
    MAX_OPTIONS,
    MAX_SUBMIT,
    MAX_THANKS,
    MAX_TITLE,
    ExperienceDocument,
    FieldOption,
    FieldType,
    FormField,
    FunnelCopy,
    LocalizedText,
)

T = TypeVar("T")
_COPY_LIMITS = {"title": MAX_TITLE, "intro": MAX_INTRO, "submit": MAX_SUBMIT, "thanks": MAX_THANKS}
_LONG = {"intro", "thanks"}
"""The texts that may have several lines."""


async def check(document: ExperienceDocument) -> ExperienceDocument:
    """Return the document in canonical form; raises BadRequest with all errors. Which assets exist is not checked."""
    return await pools.TEXT.run(check_now, document)


def check_now(document: ExperienceDocument) -> ExperienceDocument:
    if len(msgspec.json.encode(document)) > MAX_DOCUMENT:
        raise BadRequest("onboarding.too_large", limit=MAX_DOCUMENT)
    return _Check().document(document)


class _Check:
    """Collects the errors of one document."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def document(self, given: ExperienceDocument) -> ExperienceDocument:
        self._emails(given.fields)
        self._names(given.fields)
        fields = [self._field(field, f"/fields/{number}") for number, field in enumerate(given.fields)]
        copy = self._locales(given.copy, "/copy", self._copy)
        judge_prompt = self._long(given.judge_prompt, "/judge_prompt")
        assets = self._assets(given.theme)
        if self.errors:
            raise BadRequest("onboarding.invalid", count=len(self.errors)).with_fields(errors=tuple(self.errors))
        tokens = branding.check_theme({name: each for name, each in given.theme.items() if name not in ASSET_TOKENS})
        return ExperienceDocument(fields, copy, {**tokens, **assets}, judge_prompt, given.retention_days)

    def _add(self, refusal: BadRequest) -> None:
        self.errors.extend(refusal.extra["errors"])

    def _take(self, call: Callable[[], T], default: T) -> T:
        """Return what a function returns; if it refuses, keep its errors."""
        try:
            return call()
        except BadRequest as refusal:
            self._add(refusal)
            return default

    def _emails(self, fields: list[FormField]) -> None:
        emails = [number for number, field in enumerate(fields) if field.type is FieldType.EMAIL]
        if not emails:
            self._add(BadRequest.at("/fields", "onboarding.one_email"))
        for number in emails[1:]:
            self._add(BadRequest.at(f"/fields/{number}/type", "onboarding.one_email"))

    def _names(self, fields: list[FormField]) -> None:
        counts, seen = Counter(field.name for field in fields), set[str]()
        for number, field in enumerate(fields):
            if field.name == HONEYPOT:
                self._add(BadRequest.at(f"/fields/{number}/name", "onboarding.reserved_name"))
            if counts[field.name] > 1 and field.name in seen:
                self._add(BadRequest.at(f"/fields/{number}/name", "onboarding.same_name"))
            seen.add(field.name)

    def _field(self, field: FormField, pointer: str) -> FormField:
        label = self._label(field.label, f"{pointer}/label")
        if not field.label:
            self._add(BadRequest.at(f"{pointer}/label", "value.empty"))
        return msgspec.structs.replace(field, label=label, options=self._options(field, f"{pointer}/options"))

    def _label(self, given: LocalizedText, pointer: str) -> LocalizedText:
        return self._locales(given, pointer, lambda value, at: self._line(value, at, MAX_LABEL))

    def _options(self, field: FormField, pointer: str) -> list[str | FieldOption]:
        if field.type is not FieldType.SELECT:
            if field.options:
                self._add(BadRequest.at(pointer, "onboarding.no_options"))
            return []
        if not 1 <= len(field.options) <= MAX_OPTIONS:
            self._add(BadRequest.at(pointer, "onboarding.options", limit=MAX_OPTIONS))
            return []
        checked = [self._option(option, f"{pointer}/{number}") for number, option in enumerate(field.options)]
        seen = set[str]()
        for number, option in enumerate(checked):
            value = option if isinstance(option, str) else option.value
            if value in seen:
                self._add(BadRequest.at(f"{pointer}/{number}", "onboarding.same_option"))
            seen.add(value)
        return checked

    def _option(self, option: str | FieldOption, pointer: str) -> str | FieldOption:
        if isinstance(option, str):
            return self._line(option, pointer, MAX_LABEL)
        value = self._line(option.value, f"{pointer}/value", MAX_LABEL)
        return FieldOption(value, self._label(option.label, f"{pointer}/label"))

    def _copy(self, copy: FunnelCopy, pointer: str) -> FunnelCopy:
        return FunnelCopy(**dict(self._texts(copy, pointer)))

    def _texts(self, copy: FunnelCopy, pointer: str) -> Iterator[tuple[str, str]]:
        for name, limit in _COPY_LIMITS.items():
            value, at = getattr(copy, name), f"{pointer}/{name}"
            if len(value) > limit:
                self._add(BadRequest.at(at, "value.too_long", limit=limit))
            elif name in _LONG:
                yield name, self._long(value, at)
            elif value.strip():
                yield name, self._line(value, at, limit)

    def _line(self, value: str, pointer: str, limit: int) -> str:
        return self._take(lambda: text.clean_name(value, pointer[1:], max_length=limit), "")

    def _long(self, value: str, pointer: str) -> str:
        cleaned = unicodedata.normalize("NFC", value).replace("\r\n", "\n").strip()
        if any(unicodedata.category(each) in ("Cc", "Cs") and each not in "\n\t" for each in cleaned):
            self._add(BadRequest.at(pointer, "value.control"))
        return cleaned

    def _locales(self, given: dict[str, T], pointer: str, check: Callable[[T, str], T]) -> dict[str, T]:
        if len(given) > MAX_LOCALES:
            self._add(BadRequest.at(pointer, "onboarding.locales", limit=MAX_LOCALES))
            return {}
        checked = dict[str, T]()
        for locale, value in given.items():
            at = f"{pointer}/{_escape(locale)}"
            name = translation.read_tag(locale)
            if name is None:
                self._add(BadRequest.at(at, "localization.locale"))
            elif name in checked:
                self._add(BadRequest.at(at, "onboarding.same_locale"))
            else:
                checked[name] = check(value, at)
        return checked

    def _assets(self, theme: dict[str, Any]) -> dict[str, str]:
        """Return the ids of the assets that a theme names, whether by id or by URL."""
        assets = dict[str, str]()
        for token in ASSET_TOKENS:
            named = theme.get(token)
            if isinstance(named, str) and len(named) <= MAX_LABEL:
                assets |= {token: named.removeprefix(ASSET_URL)} if named else {}
            elif named is not None:
                self._add(BadRequest.at(f"/theme/{token}", "onboarding.no_asset"))
        return assets


def _escape(key: str) -> str:
    """Return a key as a part of a JSON pointer; a wrong one can be long."""
    return key[:80].replace("~", "~0").replace("/", "~1")
