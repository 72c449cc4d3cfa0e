"""A hook for the fuzzer: most of its valid requests use field values that exist on the server.

Without them nearly every id would be unknown, every name unreadable and every idempotency key taken, and hardly
a request would pass the first check of its route. Requests that are invalid on purpose are left alone.
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
"""The environment variable with the values: lists by `location.field`, perhaps after a path and a space."""
LEFT_OUT = ""
"""Instead of a value: the request is sent without the field."""

_WORDS: dict[str, list[str | None]] = json.loads(os.environ.get(VARIABLE, "{}"))
_ATTRIBUTES = {
    ParameterLocation.PATH: "path_parameters",
    ParameterLocation.QUERY: "query",
    ParameterLocation.HEADER: "headers",
    ParameterLocation.BODY: "body",
}
_random = random.Random(7)
_numbers = itertools.count(1)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    for location, attribute in _ATTRIBUTES.items():
        generated = case.meta and case.meta.components.get(location)
        if generated and generated.mode.is_positive:
            for fields, name, words in _text_fields(getattr(case, attribute), location.value, case.path):
                if words and _random.random() < 0.8:
                    word = _random.choice(words)
                    if word == LEFT_OUT:
                        del fields[name]
                    else:
                        fields[name] = word and word.replace("#", str(next(_numbers)))


def _text_fields(fields: Any, location: str, path: str) -> Iterator[tuple[dict[str, Any], str, list[str | None]]]:
    """Every text field, and the values for it."""
    if not hasattr(fields, "items"):
        return
    for name, value in list(fields.items()):
        key = f"{location}.{name}"
        if isinstance(value, str):
            yield fields, name, _WORDS.get(f"{path} {key}") or _WORDS.get(key, [])
        else:
            yield from _text_fields(value, key, path)
