"""Limits that the schema of a tool puts on one value: how long a text or list, how large a number can be."""

from collections.abc import Iterator
from typing import Any

from teamspace.workflows.domain.language.faults import Place, SpecFault
from teamspace.workflows.domain.language.json_types import type_of


def check(value: Any, schema: dict[str, Any], place: Place) -> Iterator[SpecFault]:
    """Yield where a value is beyond a limit."""
    match type_of(value):
        case "string":
            least, most = _limit(schema, "minLength"), _limit(schema, "maxLength")
            if least is not None and len(value) < least:
                yield SpecFault.at(place, "workflows.spec_too_short", limit=least)
            elif most is not None and len(value) > most:
                yield SpecFault.at(place, "workflows.spec_too_long", limit=most)
        case "array":
            least, most = _limit(schema, "minItems"), _limit(schema, "maxItems")
            if least is not None and len(value) < least:
                yield SpecFault.at(place, "workflows.spec_too_few", limit=least)
            elif most is not None and len(value) > most:
                yield SpecFault.at(place, "workflows.spec_too_many", limit=most)
        case "integer" | "number":
            yield from _check_number(value, schema, place)


def _check_number(value: float, schema: dict[str, Any], place: Place) -> Iterator[SpecFault]:
    least, most = _limit(schema, "minimum"), _limit(schema, "maximum")
    above, below = _limit(schema, "exclusiveMinimum"), _limit(schema, "exclusiveMaximum")
    if least is not None and value < least:
        yield SpecFault.at(place, "workflows.spec_at_least", limit=least)
    elif above is not None and value <= above:
        yield SpecFault.at(place, "workflows.spec_above", limit=above)
    elif most is not None and value > most:
        yield SpecFault.at(place, "workflows.spec_at_most", limit=most)
    elif below is not None and value >= below:
        yield SpecFault.at(place, "workflows.spec_below", limit=below)


def _limit(schema: dict[str, Any], keyword: str) -> int | float | None:
    limit = schema.get(keyword)
    return limit if isinstance(limit, int | float) and not isinstance(limit, bool) else None
