"""From a locale to the messages that are shown in it."""

import re
from functools import cache
from importlib import resources

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.localization.schemas import Catalog, Messages

DEFAULT = "en"
_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


@cache
def available() -> dict[str, Messages]:
    """The catalogs that ship, by locale."""
    files = (resources.files("teamspace.localization") / "catalogs").iterdir()
    return {
        file.name.removesuffix(".json"): msgspec.json.decode(file.read_bytes(), type=Messages)
        for file in sorted(files, key=lambda file: file.name)
        if file.name.endswith(".json")
    }


def catalog(wanted: str | None) -> Catalog:
    """What is missing in a locale comes from the next of its chain, message by message."""
    steps = chain(DEFAULT if wanted is None else wanted)
    there = [step for step in steps if step in available()]
    messages: Messages = {}
    for step in reversed(there):
        for namespace, texts in available()[step].items():
            messages[namespace] = messages.get(namespace, {}) | texts
    return Catalog(there[0], steps, messages)


def chain(locale: str) -> list[str]:
    """`pt-BR`, `pt`, then what everybody gets."""
    if not _LOCALE.fullmatch(locale):
        raise BadRequest.at("locale", "must be a language tag such as en or pt-BR")
    parts = locale.split("-")
    narrowing = ["-".join([parts[0].lower(), *parts[1:length]]) for length in range(len(parts), 0, -1)]
    return list(dict.fromkeys([*narrowing, DEFAULT]))
