"""Checks what a visitor has entered against the fields of the experience; every error names its field."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from teamspace.core.errors import BadRequest, FieldError
from teamspace.onboarding.domain import emails
from teamspace.onboarding.schemas.experience import (
    HONEYPOT,
    MAX_VALUE,
    ExperienceDocument,
    FieldOption,
    FieldType,
    FormField,
)
from teamspace.onboarding.schemas.sign_ups import Answers

_MAX_SHOWN = 64
"""Characters of an unknown name that an error repeats."""
_MAX_ERRORS = 50


class InvalidAnswers(BadRequest):
    """A form has errors; `errors` names the field of each."""

    key = "onboarding.answers"

    def __init__(self, errors: tuple[FieldError, ...]) -> None:
        super().__init__(count=len(errors))
        self.with_fields(errors=errors)


def check(document: ExperienceDocument, given: Mapping[str, Any]) -> Answers:
    """Return the answers to the fields of the experience, or raise InvalidAnswers with all errors."""
    values, faults = dict[str, str | bool](), list[BadRequest]()
    known = {field.name for field in document.fields} | {HONEYPOT}
    for name in given:
        if name not in known and len(faults) < _MAX_ERRORS:
            faults.append(BadRequest.at(_pointer(name[:_MAX_SHOWN]), "onboarding.unknown_field"))
    for field in document.fields:
        try:
            value = _check_field(field, given.get(field.name))
        except BadRequest as fault:
            faults.append(fault)
        else:
            if value not in (None, ""):
                values[field.name] = value
    if faults:
        raise InvalidAnswers(tuple(error for fault in faults for error in fault.extra["errors"]))
    (address,) = (field.name for field in document.fields if field.type is FieldType.EMAIL)
    return Answers(values, str(values.get(address, "")), bool(given.get(HONEYPOT)))


def _check_field(field: FormField, value: Any) -> str | bool | None:
    pointer = _pointer(field.name)
    if field.type is FieldType.CHECKBOX:
        return _check_box(field, pointer, value)
    if value is None or value == "":
        # Without an address nobody could be accepted, whatever the experience says.
        if field.required or field.type is FieldType.EMAIL:
            raise BadRequest.at(pointer, "onboarding.required")
        return None
    if not isinstance(value, str):
        raise BadRequest.at(pointer, "onboarding.text")
    limit = MAX_VALUE[field.type]
    if len(value) > limit:
        raise BadRequest.at(pointer, "value.too_long", limit=limit)
    if field.type is FieldType.SELECT:
        return _check_choice(field, pointer, value)
    text = unicodedata.normalize("NFC", value).strip()
    if not text and (field.required or field.type is FieldType.EMAIL):
        raise BadRequest.at(pointer, "onboarding.required")
    allowed = "\n\r\t" if field.type is FieldType.TEXTAREA else ""
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in allowed for character in text):
        raise BadRequest.at(pointer, "value.control")
    if field.type is FieldType.EMAIL and not emails.is_address(text):
        raise BadRequest.at(pointer, "onboarding.email")
    return text


def _check_box(field: FormField, pointer: str, value: Any) -> bool:
    if value is not None and not isinstance(value, bool):
        raise BadRequest.at(pointer, "onboarding.checkbox")
    if field.required and not value:
        raise BadRequest.at(pointer, "onboarding.required")
    return bool(value)


def _check_choice(field: FormField, pointer: str, value: str) -> str:
    choices = [option.value if isinstance(option, FieldOption) else option for option in field.options]
    if value not in choices:
        raise BadRequest.at(pointer, "onboarding.choice")
    return value


def _pointer(name: str) -> str:
    return "/fields/" + name.replace("~", "~0").replace("/", "~1")
