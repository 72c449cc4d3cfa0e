"""What visitors enter, checked against the experience."""

from typing import Any

import msgspec
import pytest

from teamspace.onboarding import ExperienceDocument
from teamspace.onboarding.domain import answers, emails
from teamspace.onboarding.domain.answers import InvalidAnswers
from tests.onboarding.help import document

FORM = msgspec.convert(
    document(
        "Join us",
        {"name": "name", "type": "text", "required": True},
        {"name": "why", "type": "textarea"},
        {"name": "size", "type": "select", "options": ["small", {"value": "large", "label": {"en": "Large"}}]},
        {"name": "terms", "type": "checkbox", "required": True},
        {"name": "news", "type": "checkbox"},
    ),
    ExperienceDocument,
)
GOOD: dict[str, Any] = {"email": "Ann@Example.org", "name": " Ann ", "terms": True}


def test_answers_are_trimmed_and_empty_ones_left_out() -> None:
    checked = answers.check(FORM, GOOD | {"why": "a\nb", "size": "large", "homepage": ""})
    assert checked.values == {
        "email": "Ann@Example.org", "name": "Ann", "why": "a\nb", "size": "large", "terms": True, "news": False,
    }  # fmt: skip
    assert (checked.email, checked.trapped, checked.prose) == ("Ann@Example.org", False, "Ann\na\nb\nlarge")


def test_the_trap_is_noticed_and_not_kept() -> None:
    checked = answers.check(FORM, GOOD | {"homepage": "https://spam.example"})
    assert checked.trapped and "homepage" not in checked.values


@pytest.mark.parametrize(
    ("changes", "pointer", "key"),
    [
        ({"email": None}, "/fields/email", "onboarding.required"),
        ({"email": "ann"}, "/fields/email", "onboarding.email"),
        ({"email": "a" * 300}, "/fields/email", "value.too_long"),
        ({"name": "  "}, "/fields/name", "onboarding.required"),
        ({"name": 5}, "/fields/name", "onboarding.text"),
        ({"name": ["x"]}, "/fields/name", "onboarding.text"),
        ({"name": "a\nb"}, "/fields/name", "value.control"),
        ({"name": "x" * 501}, "/fields/name", "value.too_long"),
        ({"why": "a\x00b"}, "/fields/why", "value.control"),
        ({"why": "x" * 5_001}, "/fields/why", "value.too_long"),
        ({"size": "medium"}, "/fields/size", "onboarding.choice"),
        ({"terms": False}, "/fields/terms", "onboarding.required"),
        ({"terms": "yes"}, "/fields/terms", "onboarding.checkbox"),
        ({"a/b~c": "x"}, "/fields/a~1b~0c", "onboarding.unknown_field"),
    ],
)
def test_an_error_names_its_field(changes: dict[str, Any], pointer: str, key: str) -> None:
    with pytest.raises(InvalidAnswers) as refused:
        answers.check(FORM, GOOD | changes)
    assert [(error.pointer, error.key) for error in refused.value.extra["errors"]] == [(pointer, key)]


def test_all_errors_are_named_and_their_number_is_limited() -> None:
    with pytest.raises(InvalidAnswers) as refused:
        answers.check(FORM, {f"x{number}": "" for number in range(10_000)})
    errors = refused.value.extra["errors"]
    assert len(errors) == 53 and {"/fields/email", "/fields/name", "/fields/terms"} < {each.pointer for each in errors}


@pytest.mark.parametrize(
    "address", ["ann@example.org", "a+b@x.co", "o'neil@x.y.museum", "ü@exämple.de", "x_1-2@a-b.io"]
)
def test_addresses(address: str) -> None:
    assert emails.is_address(address)


@pytest.mark.parametrize(
    "address", ["", "ann", "@x.org", "ann@", "ann@localhost", "a b@x.org", "a@b@x.org", ".a@x.org", "a.@x.org", "a..b@x.org",
                "a@-x.org", "a@x..org", "a@[127.0.0.1]", "a@127.0.0.1", '"a"@x.org', "a\n@x.org", "a@x.org\n", "a" * 65 + "@x.org",
                "a@" + "x" * 64 + ".org", "a@" + "x." * 130 + "org", "<a@x.org>", "a@x.o\u200brg"],
)  # fmt: skip
def test_no_addresses(address: str) -> None:
    assert not emails.is_address(address)


def test_one_form_for_all_spellings_of_an_address() -> None:
    for spelling in ("j.ohn.Doe@gmail.com", "johndoe+x@GoogleMail.com", "johndoe@gmail.com"):
        assert emails.normalize(spelling) == "johndoe@gmail.com"
    assert emails.normalize("a.b+c@Example.org") == "a.b@example.org"
    assert emails.normalize("x@exämple.de") == emails.normalize("x@xn--exmple-cua.de")


def test_throw_away_domains_and_those_below_them() -> None:
    assert emails.is_disposable("x@mailinator.com") and emails.is_disposable("x@a.b.YOPmail.com")
    for address in ("x@gmail.com", "x@notmailinator.org", "x@example.com", "x@posteo.de"):
        assert not emails.is_disposable(address)
