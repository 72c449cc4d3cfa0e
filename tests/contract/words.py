"""A hook for the fuzzer: in most of its valid requests it uses words that mean something to the server.

Without them nearly every path would name nothing, every name be unreadable, and every idempotency key
be taken: hardly a request would get past the first check of its route. What is invalid on purpose stays so.
"""

import itertools
import json
import os
import random
from collections.abc import Iterator
from typing import Any

import schemathesis
from schemathesis.core.parameters import ParameterLocation

VARIABLE = "FUZZER_WORDS"
"""The environment variable that holds them: lists of words by `place.field`, before it the path where one is meant."""

_WORDS: dict[str, list[str]] = json.loads(os.environ.get(VARIABLE, "{}"))
_PLACES = {
    ParameterLocation.PATH: "path_parameters",
    ParameterLocation.QUERY: "query",
    ParameterLocation.HEADER: "headers",
    ParameterLocation.BODY: "body",
}
_dice = random.Random(7)
_numbers = itertools.count(1)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    for location, attribute in _PLACES.items():
        made = case.meta and case.meta.components.get(location)
        if made and made.mode.is_positive:
            for fields, name, words in _chosen(getattr(case, attribute), location.value, case.path):
                if words and _dice.random() < 0.8:
                    fields[name] = _dice.choice(words).replace("#", str(next(_numbers)))


def _chosen(fields: Any, place: str, path: str) -> Iterator[tuple[dict[str, Any], str, list[str]]]:
    """Every field that holds a text, and the words there are for it."""
    if not hasattr(fields, "items"):
        return
    for name, value in list(fields.items()):
        key = f"{place}.{name}"
        if isinstance(value, str):
            yield fields, name, _WORDS.get(f"{path} {key}") or _WORDS.get(key, [])
        else:
            yield from _chosen(value, key, path)
