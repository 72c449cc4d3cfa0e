"""What is noticed about a sign-up, and how much it matters."""

import random
from typing import Any

import msgspec
import pytest

from teamspace.onboarding.domain import fingerprints, signals
from teamspace.onboarding.domain.signals import Evidence
from teamspace.onboarding.schemas.sign_ups import Answers, Doubt, SpentWork, TrustLevel, Visitor

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PROSE = "We are a small publisher in Reykjavik and would like to translate our catalogue into five languages this year."


def weigh(**changes: Any) -> tuple[list[Doubt], TrustLevel]:
    given: dict[str, Any] = {
        "answers": Answers({"email": "ann@example.org"}, "ann@example.org", False),
        "work": SpentWork("n", "", 1, 40.0, 350.0),
        "visitor": Visitor("p", "teamspace.test", ["en-GB", "de"], BROWSER),
        "evidence": Evidence(0, 0, 0, 4.1),
    }
    for name, value in changes.items():
        owner = next((one for one, struct in given.items() if name in struct.__struct_fields__), None)
        if owner:
            given[owner] = msgspec.structs.replace(given[owner], **{name: value})
    found, level = signals.weigh(**given, locale=changes.get("locale", "en"))
    return found.doubts, level


def test_a_usual_sign_up_raises_no_doubts() -> None:
    assert weigh() == ([], TrustLevel.OK)
    assert weigh(languages=[], locale=None) == ([], TrustLevel.OK)


@pytest.mark.parametrize(
    ("changes", "doubt", "level"),
    [
        ({"trapped": True}, Doubt.TRAP, TrustLevel.BLOCKED),
        ({"age": 1.0}, Doubt.FAST, TrustLevel.SUSPICIOUS),
        ({"solving": 90_000.0}, Doubt.CLOCK, TrustLevel.OK),
        ({"solving": -1.0}, Doubt.CLOCK, TrustLevel.OK),
        ({"solving": float("nan")}, Doubt.CLOCK, TrustLevel.OK),
        ({"from_prefix": 6}, Doubt.VELOCITY, TrustLevel.OK),
        ({"from_prefix": 20}, Doubt.FLOOD, TrustLevel.SUSPICIOUS),
        ({"email": "x@mailinator.com"}, Doubt.DISPOSABLE, TrustLevel.SUSPICIOUS),
        ({"duplicates": 1}, Doubt.DUPLICATE, TrustLevel.OK),
        ({"similar": 1}, Doubt.SIMILAR, TrustLevel.OK),
        ({"similar": 9}, Doubt.COPIED, TrustLevel.SUSPICIOUS),
        ({"entropy": 0.0}, Doubt.MONOTONOUS, TrustLevel.OK),
        ({"agent": "curl/8.5"}, Doubt.PROGRAM, TrustLevel.OK),
        ({"agent": ""}, Doubt.PROGRAM, TrustLevel.OK),
        ({"agent": "Mozilla/5.0 HeadlessChrome/140"}, Doubt.PROGRAM, TrustLevel.OK),
        ({"languages": ["fr-FR"], "locale": "en"}, Doubt.LANGUAGE, TrustLevel.OK),
    ],
)
def test_each_doubt_has_a_weight(changes: dict[str, Any], doubt: Doubt, level: TrustLevel) -> None:
    assert weigh(**changes) == ([doubt], level)


def test_doubts_add_up_to_at_most_a_hundred() -> None:
    doubts, level = weigh(age=0.0, email="x@mailinator.com", agent="curl", similar=5)
    assert (len(doubts), level) == (4, TrustLevel.BLOCKED)


def test_almost_equal_texts_have_a_band_in_common() -> None:
    one, other = fingerprints.fingerprint(PROSE * 4), fingerprints.fingerprint(PROSE * 4 + " Thanks!")
    assert one is not None and other is not None
    first, second = fingerprints.to_bands(one), fingerprints.to_bands(other)
    assert fingerprints.is_close(first[0].fingerprint, second[0].fingerprint)
    assert {band.band for band in first} & {band.band for band in second}


def test_other_texts_and_short_ones_are_not_alike() -> None:
    words = [f"word{number}" for number in range(400)]
    texts = [" ".join(random.Random(seed).sample(words, 60)) for seed in range(40)]
    found = [f"{fingerprints.fingerprint(text):016x}" for text in texts]
    assert not any(fingerprints.is_close(a, b) for at, a in enumerate(found) for b in found[:at])
    assert fingerprints.fingerprint("too short to be compared") is None


def test_entropy_of_sentences_and_of_nonsense() -> None:
    assert (fingerprints.entropy(PROSE) or 0) > 3.5
    assert fingerprints.entropy("a" * 30) == 0.0
    assert fingerprints.entropy("short") is None
